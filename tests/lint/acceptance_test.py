"""tools/acceptance.py runs the named cases of all kinds of scripts, leaves out the excluded, and adds up."""
import subprocess
import sys
import unittest

from tree import ROOT, TreeTest

# A script of the suite in small: `cases` as a function, a list or a dictionary.
MAIN = """
def main():
    names = [c if isinstance(c, str) else c["name"] for c in (cases() if "cases" in globals() else CASES)]
    failed = [name for name in names if name.startswith("bad")]
    for name in names:
        print("FAIL " if name in failed else "ok   ", name)
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return len(failed)
"""


class AcceptanceTest(TreeTest):
    def run_suite(self, selection):
        self.write({"suite/function.py": 'def cases():\n    return [dict(name="a"), dict(name="bad")]\n' + MAIN,
                    "suite/listed.py": 'CASES = [dict(name="a"), dict(name="b")]\n' + MAIN,
                    "suite/named.py": "CASES = dict(a=1, bad=2)\n" + MAIN,
                    "suite/dies.py": 'CASES = []\ndef main():\n    print("ok    first")\n    raise RuntimeError("x")\n',
                    "suite/slow.py": "import time\nCASES = []\ndef main():\n    time.sleep(60)\n",
                    "selection.txt": selection})
        run = subprocess.run([sys.executable, ROOT / "tools/acceptance.py", "--hyperpp", "program", "--suite",
                              self.root / "suite", "--selection", self.root / "selection.txt", "--limit", "4"],
                             capture_output=True, text=True, timeout=60)
        return run.returncode, run.stdout.splitlines()[-1]

    def test_results_are_added_up(self):
        self.assertEqual(self.run_suite("# all\nfunction.py\nlisted.py\n"), (1, "3 passed, 1 failed"))

    def test_excluded_cases_do_not_run(self):
        self.assertEqual(self.run_suite("function.py except bad\nnamed.py except bad\nlisted.py except b\n"),
                         (0, "3 passed, 0 failed"))

    def test_unknown_exclusions_fail(self):
        self.assertEqual(self.run_suite("named.py except gone\n"), (1, "0 passed, 1 failed"))

    def test_script_that_dies_fails(self):
        self.assertEqual(self.run_suite("dies.py\n"), (1, "1 passed, 1 failed"))

    def test_script_that_hangs_is_stopped(self):
        self.assertEqual(self.run_suite("slow.py\n"), (1, "0 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
