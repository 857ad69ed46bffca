#!/usr/bin/env python3
"""Checks the documents: links resolve, every document is reachable, the support table names tests that exist.

    python3 tools/check_docs.py [--root DIR]

Prints `file:line: rule` for each violation. The support table is the first table below a README heading that contains
"support"; its last column names tests as `folder/name`, which is tests/folder/name.cc, .py or .sh.
"""
import argparse
import re
import sys
from pathlib import Path

from source_tree import report, tracked_files

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)")
NAME = re.compile(r"`([^`]+)`")
ENTRANCES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")


def anchors(text):
    """Anchors of a document's headings, as GitHub makes them."""
    found = set()
    for line in text.splitlines():
        if heading := HEADING.match(line):
            title = re.sub(r"[`*]", "", heading.group(1)).lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


def links(path, text):
    """(line number, target, anchor) of the relative links; fenced code is skipped."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        for target in LINK.findall(line):
            if not re.match(r"[a-z]+:", target):
                file, _, anchor = target.partition("#")
                yield number, (path.parent / file if file else path), anchor


def check_links(root, documents):
    for path, text in documents.items():
        for number, target, anchor in links(path, text):
            place = root / target
            if not place.exists():
                yield f"{path}:{number}: link to {target}, which does not exist"
            elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text()):
                yield f"{path}:{number}: {target} has no heading #{anchor}"


def check_reachable(root, documents):
    """Every document under docs/ is linked from an entrance, and the entrances from the README."""
    linked = {(root / target).resolve() for entrance in ENTRANCES if Path(entrance) in documents
              for _, target, _ in links(Path(entrance), documents[Path(entrance)])}
    for path in documents:
        wanted = path.parts[0] == "docs" or str(path) in ENTRANCES[1:]
        if wanted and (root / path).resolve() not in linked:
            yield f"{path}:1: not linked from {', '.join(ENTRANCES)}"


def support_rows(text):
    """(line number, cells) of the support table's rows; None if there is no such table."""
    rows, state = [], "search"
    for number, line in enumerate(text.splitlines(), 1):
        if (heading := HEADING.match(line)) and state != "table":
            state = "heading" if "support" in heading.group(1).lower() else state
        elif state == "heading" and line.startswith("|"):
            state = "table"
        elif state == "table" and not line.startswith("|"):
            break
        elif state == "table" and not re.fullmatch(r"[|\s:-]+", line):
            rows.append((number, [cell.strip() for cell in line.strip().strip("|").split("|")]))
    return rows if state == "table" else None


def check_support_table(root, documents):
    readme = Path("README.md")
    if readme not in documents:
        return
    rows = support_rows(documents[readme])
    if rows is None:
        yield f"{readme}:1: no support table"
        return
    for number, cells in rows:
        names = NAME.findall(cells[-1])
        if not names:
            yield f"{readme}:{number}: row names no test"
        for name in names:
            if not any((root / "tests" / (name + suffix)).is_file() for suffix in (".cc", ".py", ".sh")):
                yield f"{readme}:{number}: test {name} does not exist"


def check(root):
    documents = {path: (root / path).read_text() for path in tracked_files(root, ".md")}
    return [*check_links(root, documents), *check_reachable(root, documents), *check_support_table(root, documents)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    sys.exit(report(check(parser.parse_args().root)))
