"""tools/check_headers.py finds a header that needs another, and compiles unchanged headers once."""
import json
import subprocess
import sys
import unittest

from tree import ROOT, TreeTest


class CheckHeadersTest(TreeTest):
    def setUp(self):
        super().setUp()
        command = f"clang++-16 -include-pch x -I{self.root} -std=c++20 -o a.o -c {self.root}/hyperpp/core/a.cc"
        self.write({"hyperpp/core/a.h": "#pragma once\n#include <string>\nstd::string Name();\n",
                    "hyperpp/core/a.cc": "", "build/compile_commands.json": json.dumps(
                        [dict(directory=str(self.root), file="hyperpp/core/a.cc", command=command)])})

    def run_check(self, *more):
        return subprocess.run([sys.executable, ROOT / "tools/check_headers.py", "--root", self.root, "--build",
                               self.root / "build", *more], capture_output=True, text=True)

    def test_complete_headers_pass(self):
        self.assertEqual(self.run_check().returncode, 0)

    def test_header_that_needs_another_is_named(self):
        self.write({"hyperpp/core/b.h": "#pragma once\nstd::string Other();\n"})
        run = self.run_check()
        self.assertEqual(run.returncode, 1)
        self.assertIn("hyperpp/core/b.h:1: does not compile alone", run.stdout)

    def test_costly_header_in_front_hides_nothing(self):
        self.write({"hyperpp/core/b.h": '#pragma once\n#include <nlohmann/json.hpp>\nnlohmann::json Value();\n',
                    "hyperpp/core/c.h": '#pragma once\n#include "hyperpp/core/b.h"\nnlohmann::json More();\n',
                    "hyperpp/core/d.h": "#pragma once\nnlohmann::json Other();\n"})
        run = self.run_check()
        self.assertIn("hyperpp/core/d.h:1: does not compile alone", run.stdout)
        self.assertNotIn("hyperpp/core/b.h", run.stdout)
        self.assertNotIn("hyperpp/core/c.h", run.stdout)

    def test_unchanged_headers_are_not_compiled_again(self):
        self.write({"hyperpp/core/c.h": '#pragma once\n#include "hyperpp/core/a.h"\nstd::string More();\n'})
        self.assertEqual(self.run_check().returncode, 0)
        done = sorted((self.root / "build/header_check").iterdir())
        self.assertEqual(len(done), 2)
        self.assertEqual(self.run_check().returncode, 0)
        self.assertEqual(sorted((self.root / "build/header_check").iterdir()), done)
        # A change of a.h also reaches c.h, which includes it.
        self.write({"hyperpp/core/a.h": "#pragma once\n"})
        self.assertIn("hyperpp/core/c.h", self.run_check().stdout)


if __name__ == "__main__":
    unittest.main()
