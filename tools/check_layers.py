#!/usr/bin/env python3
"""Checks every #include and every CMake link of hyperpp/ against tools/layers.txt.

    python3 tools/check_layers.py [--root DIR]

Prints `file:line: rule` for each violation. Rules: a file includes only its own package and those that layers.txt
allows it; torch headers only with +torch, c10d headers only with +c10d, <torch/torch.h> never; includes are written as
repository paths and exist; layers.txt has no cycle, lists every folder that holds sources, and lists nothing else; the
DEPENDS of CMake's hyperpp_add_package stay within the same edges.
"""
import argparse
import re
import sys
from pathlib import Path

from source_tree import report, tracked_files

LAYERS = Path("tools/layers.txt")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TORCH = re.compile(r"^(ATen|c10|torch|caffe2)/")
C10D = re.compile(r"^(torch/csrc/distributed/|gloo/|nccl\.h)")
WHOLE_TORCH = ("torch/torch.h", "torch/all.h", "torch/extension.h")
PACKAGE_CALL = re.compile(r"hyperpp_add_package\(\s*(\w+)([^)]*)\)")
KEYWORDS = ("SOURCES", "DEPENDS", "LIBRARIES", "TORCH")


class Layers:
    """The parsed tools/layers.txt: package -> packages it may include, and its '+' marks."""

    def __init__(self, root):
        self.allowed, self.marks, self.lines, self.findings = {}, {}, {}, []
        for number, line in enumerate((root / LAYERS).read_text().splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, rest = line.partition(":")
            words = rest.split()
            self.allowed[name] = {word for word in words if not word.startswith("+")}
            self.marks[name] = {word for word in words if word.startswith("+")}
            self.lines[name] = number
        for name, allowed in self.allowed.items():
            for other in sorted(allowed - self.allowed.keys()):
                self.findings.append(f"{LAYERS}:{self.lines[name]}: {name} may include {other}, which is not listed")

    def package_of(self, path):
        """The longest listed folder that holds `path` (relative to hyperpp/), or None."""
        for parent in path.parents:
            if str(parent) in self.allowed:
                return str(parent)
        return None

    def cycle(self):
        """A list of packages that include each other in a ring, or None."""
        done = set()

        def visit(name, trail):
            if name in trail:
                return trail[trail.index(name):] + [name]
            if name in done:
                return None
            for other in sorted(self.allowed.get(name, ())):
                if found := visit(other, trail + [name]):
                    return found
            done.add(name)
            return None

        return next((ring for name in self.allowed if (ring := visit(name, []))), None)


def check_include(layers, package, bracket, header, root):
    """The rule that `package` breaks with this include, or None."""
    marks = layers.marks[package]
    if header in WHOLE_TORCH:
        return f"<{header}> is never included; include the narrow headers"
    if C10D.match(header):
        return None if "+c10d" in marks else f"{package} is not marked +c10d and includes <{header}>"
    if TORCH.match(header):
        return None if "+torch" in marks else f"{package} is not marked +torch and includes <{header}>"
    if header.startswith("hyperpp/"):
        if not (root / header).is_file():
            return f'"{header}" does not exist'
        other = layers.package_of(Path(header).relative_to("hyperpp"))
        if other is None or other == package or other in layers.allowed[package]:
            return None
        return f"{package} may not include {other}"
    return "write includes of the project as repository paths" if bracket == '"' else None


def check_sources(layers, root):
    for path in tracked_files(root, ".h", ".cc", ".cu"):
        if path.parts[0] != "hyperpp":
            continue
        package = layers.package_of(path.relative_to("hyperpp"))
        if package is None:
            yield f"{path}:1: its folder is not listed in {LAYERS}"
            continue
        for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
            if (include := INCLUDE.match(line)) and (rule := check_include(layers, package, *include.groups(), root)):
                yield f"{path}:{number}: {rule}"


def cmake_packages(root):
    """(file, line, name, folder, depends) of every hyperpp_add_package call."""
    for path in tracked_files(root, "CMakeLists.txt"):
        if path.parts[0] != "hyperpp":
            continue
        text = (root / path).read_text()
        for call in PACKAGE_CALL.finditer(text):
            words, keyword = call.group(2).split(), None
            depends = []
            for word in words:
                if word in KEYWORDS:
                    keyword = word
                elif keyword == "DEPENDS":
                    depends.append(word)
            folder = path.parent.relative_to("hyperpp")
            yield path, text.count("\n", 0, call.start()) + 1, call.group(1), folder, depends


def check_links(layers, root):
    calls = list(cmake_packages(root))
    folder_of = {name: layers.package_of(folder / "CMakeLists.txt") for _, _, name, folder, _ in calls}
    for path, line, name, folder, depends in calls:
        if str(folder) not in layers.allowed:
            yield f"{path}:{line}: package folder {folder} is not listed in {LAYERS}"
            continue
        for dependency in depends:
            other = folder_of.get(dependency)
            if other is None:
                yield f"{path}:{line}: {name} links {dependency}, which is no package"
            elif other != str(folder) and other not in layers.allowed[str(folder)]:
                yield f"{path}:{line}: {folder} may not link {other}"


def check(root):
    layers = Layers(root)
    findings = list(layers.findings)
    if ring := layers.cycle():
        findings.append(f"{LAYERS}:{layers.lines[ring[0]]}: cycle {' -> '.join(ring)}")
    return findings + list(check_sources(layers, root)) + list(check_links(layers, root))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    sys.exit(report(check(parser.parse_args().root)))
