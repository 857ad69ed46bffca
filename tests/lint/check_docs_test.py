"""Each rule of tools/check_docs.py finds a violation that is put in, and nothing else."""
import unittest

from tree import TreeTest

import check_docs

README = """# Project
[docs](docs/numerics.md) and [a part](docs/numerics.md#two-words), [site](https://example.org/x)

## What is supported

| Feature | Test |
| --- | --- |
| Layers | `plan/split_test`, `lint/a_test` |
"""


class CheckDocsTest(TreeTest):
    def check(self, files=(), readme=README):
        self.write({"README.md": readme, "docs/numerics.md": "# Numerics\n## Two `words`\n",
                    "tests/plan/split_test.cc": "", "tests/lint/a_test.py": "", **dict(files)})
        return check_docs.check(self.root)

    def test_good_documents_pass(self):
        self.assertEqual(self.check(), [])

    def test_dead_links_are_found(self):
        self.assert_one(self.check(readme=README + "[gone](docs/gone.md)\n"), "README.md:9", "docs/gone.md")

    def test_dead_anchors_are_found(self):
        self.assert_one(self.check(readme=README + "[gone](docs/numerics.md#three)\n"), "README.md:9", "#three")

    def test_code_is_no_link(self):
        self.assertEqual(self.check(readme=README + "```\n[gone](docs/gone.md)\n```\n"), [])

    def test_unreachable_documents_are_found(self):
        self.assert_one(self.check({"docs/hidden.md": "# Hidden\n"}), "docs/hidden.md:1: not linked")

    def test_support_rows_need_tests_that_exist(self):
        self.assert_one(self.check(readme=README + "| More | `plan/gone_test` |\n"), "README.md:9", "plan/gone_test")

    def test_support_rows_without_test_are_found(self):
        self.assert_one(self.check(readme=README + "| More | soon |\n"), "README.md:9: row names no test")

    def test_missing_support_table_is_found(self):
        self.assert_one(self.check(readme="# Project\n[docs](docs/numerics.md)\n"), "no support table")


if __name__ == "__main__":
    unittest.main()
