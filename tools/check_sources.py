#!/usr/bin/env python3
"""Checks sizes, characters, words and names of all files that people write.

    python3 tools/check_sources.py [--root DIR] [--sizes]

Prints `file:line: rule` for each violation, and a warning for files that grow long. --sizes prints the longest files.
"""
import argparse
import re
import sys
from pathlib import Path

from source_tree import report, tracked_files

CODE = (".h", ".cc", ".cu")
TEXT = CODE + (".py", ".sh", ".cmake", ".in", "CMakeLists.txt", ".md", ".yaml", ".yml", ".txt", "Makefile", ".clang-tidy",
               ".clang-format", "CMakePresets.json")
WARN_LINES, MAX_LINES = 300, 600
# The words are put together here, so that this file does not hold them.
LEFT_OVER = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK")) + r")\b")
NAMESPACE = re.compile(r"^\s*using\s+" r"namespace\b")
VAGUE = re.compile(r"(^|_)(utils?|helpers?|common|misc)$")
MACHINE_PATH = re.compile(r"(?<![\w.$}/])/(home|root|work|Users)/\w")


def check_line(path, line):
    """Rules that one line breaks."""
    if not line.isascii():
        yield "not ASCII"
    if "\t" in line and path.name != "Makefile":
        yield "tab"
    if LEFT_OVER.search(line):
        yield "unfinished work; do it or open an issue"
    if MACHINE_PATH.search(line):
        yield "path of one machine"
    if path.name.endswith(CODE) and NAMESPACE.match(line):
        yield "whole namespaces are not imported"


def check_names(path):
    parts = list(path.parts[:-1]) + [path.name.split(".")[0]]
    for part in parts:
        if VAGUE.search(part):
            yield f"{path}:1: {part} names no concept"


def check(root):
    """(violations, warnings) of the tree at `root`."""
    findings, warnings = [], []
    for path in tracked_files(root, *TEXT):
        if "reference" in path.parts and path.suffix != ".py":
            continue  # data of tests
        findings += check_names(path)
        lines = (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            findings += [f"{path}:{number}: {rule}" for rule in check_line(path, line)]
        if not path.name.endswith(CODE + (".py",)):
            continue
        if len(lines) > MAX_LINES:
            findings.append(f"{path}:{len(lines)}: longer than {MAX_LINES} lines; split it")
        elif len(lines) > WARN_LINES:
            warnings.append(f"{path}:{len(lines)}: warning: longer than {WARN_LINES} lines")
    return findings, warnings


def print_sizes(root, count=20):
    sizes = [(len((root / path).read_text(errors="replace").splitlines()), path)
             for path in tracked_files(root, *CODE, ".py")]
    sizes.sort(key=lambda entry: -entry[0])
    for lines, path in sizes[:count]:
        print(f"{lines:6d} {path}")
    middle = sizes[len(sizes) // 2][0] if sizes else 0
    print(f"{len(sizes)} files, median {middle} lines, {sum(lines for lines, _ in sizes)} in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--sizes", action="store_true")
    args = parser.parse_args()
    if args.sizes:
        print_sizes(args.root)
    findings, warnings = check(args.root)
    for warning in warnings:
        print(warning)
    return report(findings)


if __name__ == "__main__":
    sys.exit(main())
