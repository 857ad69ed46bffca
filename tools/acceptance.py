#!/usr/bin/env python3
"""Runs the part of the acceptance suite that tools/acceptance_selection.txt names.

    python tools/acceptance.py --hyperpp PATH [--suite DIR] [--selection FILE] [--limit SECONDS]

Needs the Python packages of the suite (its README). Each line of the selection is one process; the last line of all is
'N passed, N failed', and the exit status is 1 if anything failed. A script that dies, or is not done when the time is up,
counts as one failed case more than it reported.
"""
import argparse
import importlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
CASE = re.compile(r"^(ok|FAIL) ", re.MULTILINE)


def read_selection(path):
    """(arguments, excluded names) of each line."""
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            arguments, _, excluded = line.partition(" except ")
            yield arguments.split(), excluded.split()


def leave_out(module, excluded):
    """Removes cases from a script's list of cases, which is a function, a list or a dictionary."""
    def name(entry):
        return entry if isinstance(entry, str) else entry["name"]

    known = module.cases() if hasattr(module, "cases") else module.CASES
    if unknown := set(excluded) - {name(entry) for entry in known}:
        raise SystemExit(f"{module.__name__} has no case {', '.join(sorted(unknown))}")
    if hasattr(module, "cases"):
        module.cases = lambda: [entry for entry in known if name(entry) not in excluded]
    else:
        for entry in [entry for entry in known if name(entry) in excluded]:
            known.pop(entry) if isinstance(known, dict) else known.remove(entry)


def run_script(suite, hyperpp, arguments, excluded):
    """Runs one script in this process and returns its exit status."""
    sys.path.insert(0, str(suite))
    module = importlib.import_module(arguments[0].removesuffix(".py"))
    leave_out(module, excluded)
    sys.argv = [arguments[0], "--hyperpp", str(hyperpp), *arguments[1:]]
    return module.main()


def count(output):
    """(passed, failed) of a script's output; one more failed if it did not come to its summary."""
    if summary := SUMMARY.findall(output):
        return tuple(map(int, summary[-1]))
    marks = CASE.findall(output)
    return marks.count("ok"), marks.count("FAIL") + 1


def run_line(index, args, deadline):
    """Runs line `index` of the selection in a process of its own, and shows and returns its output."""
    command = [sys.executable, "-u", __file__, "--hyperpp", args.hyperpp, "--suite", args.suite, "--selection",
               args.selection, "--line", str(index)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=max(1.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        output += "\nstopped: the time is up"
    print(output.rstrip(), flush=True)
    return output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hyperpp", type=Path, required=True)
    parser.add_argument("--suite", type=Path, default=HERE / "../../shared/acceptance")
    parser.add_argument("--selection", type=Path, default=HERE / "acceptance_selection.txt")
    parser.add_argument("--limit", type=float, default=3600, help="seconds for everything")
    parser.add_argument("--line", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    selection = list(read_selection(args.selection))
    if args.line is not None:
        return run_script(args.suite.resolve(), args.hyperpp.absolute(), *selection[args.line])

    deadline = time.monotonic() + args.limit
    totals, rows = [0, 0], []
    for index, (arguments, _) in enumerate(selection):
        print(f"== {' '.join(arguments)}", flush=True)
        passed, failed = count(run_line(index, args, deadline))
        totals[0] += passed
        totals[1] += failed
        rows.append(f"{passed:4d} passed {failed:4d} failed  {' '.join(arguments)}")
    print("\n".join(["== summary", *rows]))
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
