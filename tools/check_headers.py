#!/usr/bin/env python3
"""Checks that every header compiles alone, without the build's precompiled header.

    python3 tools/check_headers.py --build DIR [--compiler clang++-16] [--jobs 2] [--root DIR] [HEADER ...]

Include paths and definitions are those of all sources together, from DIR/compile_commands.json. A header that
passed is not compiled again until it, a project header that it includes, or the flags change (DIR/header_check).

The costly external headers are precompiled one by one, and each is given only to headers that include it anyway, so that
none compiles which would not without.
"""
import argparse
import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import report, tracked_files

EXTERNAL = re.compile(r'^\s*#\s*include\s*<([^>]+)>', re.MULTILINE)
COSTLY = ("torch/nn/module.h", "ATen/ATen.h", "ATen/core/Tensor.h", "gmock/gmock.h", "gtest/gtest.h", "nlohmann/json.hpp",
          "fmt/format.h")  # the costliest first
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header", "-Wno-unused-const-variable",
            "-Wno-unused-function"]


def project_flags(build):
    """Include paths and the language version of all sources; of each definition the value that comes first in order."""
    paths, definitions, standard = [], {}, []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        for index, word in enumerate(words):
            if word == "-isystem" and words[index + 1] not in paths:
                paths += [word, words[index + 1]]
            elif word.startswith("-I") and word not in paths:
                paths.append(word)
            elif word.startswith("-D"):
                name = word.partition("=")[0]
                definitions[name] = min(word, definitions.get(name, word))
            elif word.startswith("-std="):
                standard = [word]
    return [*sorted(definitions.values()), *paths, *standard]


def texts_of(header, root):
    """The header and all project headers that it includes, directly or not, with their text."""
    texts, todo = {}, [header]
    while todo:
        path = todo.pop()
        if path in texts or not (root / path).is_file():
            continue
        texts[path] = (root / path).read_text(errors="replace")
        todo += [Path(name) for name in INCLUDE.findall(texts[path])]
    return texts


def content_key(texts, flags):
    """Hash over the flags and the texts."""
    digest = hashlib.sha256("\0".join(flags).encode())
    for path in sorted(texts):
        digest.update(f"{path}\0{texts[path]}".encode())
    return digest.hexdigest()


def costly_of(texts):
    """The costliest external header that the texts include, or None."""
    external = {name for text in texts.values() for name in EXTERNAL.findall(text)}
    return next((name for name in COSTLY if name in external), None)


def precompile(external, compiler, folder):
    """Options that put the external header in front; none if it does not compile."""
    source = folder / external.replace("/", "_")
    source.write_text(f"#include <{external}>\n")
    output = source.with_suffix(".pch")
    run = subprocess.run([*compiler, "-x", "c++-header", "-fpch-instantiate-templates", str(source), "-o", str(output)],
                         capture_output=True)
    return ["-include-pch", str(output)] if run.returncode == 0 else []


def check_header(header, root, compiler, ahead, done):
    """A report of the compiler's complaints, or None; then the file `done` is made."""
    run = subprocess.run([*compiler, "-fsyntax-only", "-x", "c++", *ahead, str(root / header)], capture_output=True,
                         text=True)
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
    cache = args.build / "header_check"
    cache.mkdir(exist_ok=True)
    headers = args.headers or [path for path in tracked_files(args.root, ".h") if path.parts[0] in ("hyperpp", "tests")]
    compiler = [args.compiler, *project_flags(args.build), *WARNINGS]
    todo = []  # header, costly external header, file that says that it passed
    for header in headers:
        texts = texts_of(header, args.root)
        done = cache / content_key(texts, compiler)
        if not done.exists():
            todo.append((header, costly_of(texts), done))
    with ThreadPoolExecutor(args.jobs) as pool, tempfile.TemporaryDirectory(dir=args.build) as folder:
        costly = sorted({external for _, external, _ in todo if external}, key=COSTLY.index)
        options = dict(zip(costly, pool.map(lambda external: precompile(external, compiler, Path(folder)), costly)))
        results = pool.map(lambda item: check_header(item[0], args.root, compiler, options.get(item[1], []), item[2]), todo)
        return report([text for text in results if text])


if __name__ == "__main__":
    sys.exit(main())
