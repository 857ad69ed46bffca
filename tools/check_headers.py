#!/usr/bin/env python3
"""Checks that every header compiles alone, without the build's precompiled header.

    python3 tools/check_headers.py --build DIR [--compiler clang++-16] [--jobs 2] [--root DIR] [HEADER ...]

Include paths and definitions are those of all sources together, from DIR/compile_commands.json. A header that
passed is not compiled again until it, a project header that it includes, or the flags change (DIR/header_check).

The costly external headers are precompiled one by one, and each is given only to headers that include it anyway, so that
none compiles which would not without.
"""
import argparse
import functools
import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
import threading
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


class Compiler:
    """Compiles headers alone, with costly external ones precompiled in `folder`."""

    def __init__(self, command, flags, folder):
        self.command, self.flags, self.folder = command, flags, folder
        self.lock = threading.Lock()  # of precompiled()

    @functools.cache
    def precompiled(self, external):
        """Options that put the external header in front; none if it does not compile."""
        source = self.folder / external.replace("/", "_")
        source.write_text(f"#include <{external}>\n")
        output = source.with_suffix(".pch")
        run = subprocess.run([self.command, "-x", "c++-header", "-fpch-instantiate-templates", *self.flags, *WARNINGS,
                              str(source), "-o", str(output)], capture_output=True)
        return ["-include-pch", str(output)] if run.returncode == 0 else []

    def complaints(self, header, texts):
        """What the compiler says about a header with errors; None about one without."""
        external = {name for text in texts.values() for name in EXTERNAL.findall(text)}
        costly = next((name for name in COSTLY if name in external), None)
        with self.lock:
            ahead = self.precompiled(costly) if costly else []
        run = subprocess.run([self.command, "-fsyntax-only", "-x", "c++", *ahead, *self.flags, *WARNINGS, str(header)],
                             capture_output=True, text=True)
        return None if run.returncode == 0 else run.stderr.strip()[:2000]


def check_header(header, root, compiler, cache):
    """A report of the compiler's complaints, or None."""
    texts = texts_of(header, root)
    done = cache / content_key(texts, [compiler.command, *compiler.flags])
    if done.exists():
        return None
    complaints = compiler.complaints(root / header, texts)
    if complaints is None:
        done.touch()
        return None
    return f"{header}:1: does not compile alone\n{complaints}"


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
    with ThreadPoolExecutor(args.jobs) as pool, tempfile.TemporaryDirectory(dir=args.build) as folder:
        compiler = Compiler(args.compiler, project_flags(args.build), Path(folder))
        results = pool.map(lambda header: check_header(header, args.root, compiler, cache), headers)
        return report([text for text in results if text])


if __name__ == "__main__":
    sys.exit(main())
