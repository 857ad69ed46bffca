#!/usr/bin/env python3
"""Checks that every header compiles alone, without the precompiled header.

    python3 tools/check_headers.py --build DIR [--compiler clang++-16] [--jobs 2] [--root DIR] [HEADER ...]

Include paths and definitions are those of the sources beside the header, from DIR/compile_commands.json. A header that
passed is not compiled again until it, a project header that it includes, or the flags change (DIR/header_check).
"""
import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import report, tracked_files

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header", "-Wno-unused-const-variable",
            "-Wno-unused-function"]


def kept_flags(command):
    """Include paths, definitions and the language version of a compile command."""
    words, kept = shlex.split(command), []
    for index, word in enumerate(words):
        if word in ("-isystem", "-I", "-D"):
            kept += [word, words[index + 1]]
        elif re.match(r"-(I.|D.|std=)", word):
            kept.append(word)
    return kept


def flags_by_folder(build, root):
    """Folder of a source -> flags; of several sources the one that may include most counts.

    Sources that are built once per instruction set (x.simd.cc) share headers in a folder simd/ beside them.
    """
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(os.path.relpath(os.path.join(entry["directory"], entry["file"]), root))
        folder = source.parent / "simd" if source.name.endswith(".simd.cc") else source.parent
        flags[folder] = max(flags.get(folder, []), kept_flags(entry["command"]), key=len)
    return flags


def flags_for(header, flags):
    """Flags of the nearest folder with sources: the header's own, one below it, then its parents."""
    for folder in header.parents:
        if folder in flags:
            return flags[folder]
        below = sorted(other for other in flags if folder in other.parents and str(folder) != ".")
        if below:
            return flags[below[0]]
    return next(iter(flags.values()))


def content_key(header, root, flags):
    """Hash over the flags, the header and all project headers that it includes, directly or not."""
    digest = hashlib.sha256("\0".join(flags).encode())
    seen, todo = set(), [header]
    while todo:
        path = todo.pop()
        if path in seen or not (root / path).is_file():
            continue
        seen.add(path)
        todo += [Path(name) for name in INCLUDE.findall((root / path).read_text(errors="replace"))]
    for path in sorted(seen):
        digest.update(str(path).encode() + b"\0" + (root / path).read_bytes())
    return digest.hexdigest()


def check_header(header, root, flags, compiler, cache):
    """Text of the compiler's complaints, or None."""
    done = cache / content_key(header, root, [compiler, *flags])
    if done.exists():
        return None
    run = subprocess.run([compiler, "-fsyntax-only", "-x", "c++", *flags, *WARNINGS, str(root / header)],
                         capture_output=True, text=True)
    if run.returncode == 0:
        done.touch()
        return None
    return f"{header}:1: does not compile alone\n{run.stderr.strip()[:2000]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--compiler", default="clang++-16")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("headers", type=Path, nargs="*")
    args = parser.parse_args()
    flags = flags_by_folder(args.build, args.root)
    cache = args.build / "header_check"
    cache.mkdir(exist_ok=True)
    headers = args.headers or [path for path in tracked_files(args.root, ".h") if path.parts[0] in ("hyperpp", "tests")]
    with ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda header: check_header(header, args.root, flags_for(header, flags), args.compiler,
                                                       cache), headers)
    return report([text for text in results if text])


if __name__ == "__main__":
    sys.exit(main())
