"""Each rule of tools/check_sources.py finds a violation that is put in, and nothing else."""
import unittest

from tree import TreeTest

import check_sources


class CheckSourcesTest(TreeTest):
    def check(self, files):
        self.write(files)
        return check_sources.check(self.root)[0]

    def test_clean_files_pass(self):
        self.assertEqual(self.check({"a/ring_attention.h": "#pragma once\nusing std::string;\n",
                                     "Makefile": "all:\n\ttrue\n",
                                     "docs/use.md": "Run `$ROOT/home/x` or ./home/y.\n"}), [])

    def test_characters(self):
        self.assert_one(self.check({"a.cc": "// na\u00efve\n"}), "a.cc:1: not ASCII")
        self.assert_one(self.check({"a.cc": "int a;\n\tint b;\n"}), "a.cc:2: tab")

    def test_reference_data_is_not_judged(self):
        self.assertEqual(self.check({"tests/data/reference/corpus.txt": "\u00fcber\t\n"}), [])
        self.assert_one(self.check({"tests/data/reference/make.py": "\u00fcber\n"}), "not ASCII")

    def test_unfinished_work(self):
        self.assert_one(self.check({"a.cc": "// TO" "DO: later\n"}), "a.cc:1: unfinished")

    def test_whole_namespaces(self):
        self.assert_one(self.check({"a.cc": "  using namesp" "ace std;\n"}), "a.cc:1: whole namespaces")

    def test_vague_names(self):
        self.assert_one(self.check({"a/string_utils.h": "\n"}), "string_utils")

    def test_vague_folders(self):
        self.assert_one(self.check({"common/a.h": "\n"}), "common names no concept")

    def test_paths_of_a_machine(self):
        self.assert_one(self.check({"run.sh": "cd /ho" "me/someone\n"}), "run.sh:1: path of one machine")

    def test_long_files_warn_and_longer_ones_fail(self):
        self.write({"a.cc": "\n" * 301})
        findings, warnings = check_sources.check(self.root)
        self.assertEqual(findings, [])
        self.assert_one(warnings, "a.cc:301: warning")
        self.assert_one(self.check({"a.cc": "\n" * 601}), "a.cc:601: longer than 600")


if __name__ == "__main__":
    unittest.main()
