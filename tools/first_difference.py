#!/usr/bin/env python3
"""Finds the first place where two runs with output.checksums part.

    python3 tools/first_difference.py RUN_A RUN_B

RUN_x is an output.directory. Compares checksums/rank_R.jsonl of both, step by step and then rank by rank, gradients before
weights, in the order of the model. Prints the first difference, or that there is none. Exit status: 0 equal, 1 different,
2 the folders cannot be compared.
"""
import json
import sys
from pathlib import Path


def read(folder):
    """{rank: {step: record}} of a run."""
    files = sorted(Path(folder, "checksums").glob("rank_*.jsonl"), key=lambda f: int(f.stem.split("_")[1]))
    if not files:
        sys.exit(f"{folder}: no checksums/rank_*.jsonl; run with output.checksums: true")
    return {int(f.stem.split("_")[1]): {r["step"]: r for r in map(json.loads, f.read_text().splitlines())} for f in files}


def differences(a, b):
    """Yields descriptions of differences, earliest first."""
    for step in sorted({step for records in a.values() for step in records}):
        for rank in sorted(a):
            if step not in a[rank] or step not in b[rank]:
                yield f"step {step}, rank {rank}: only one run has a record"
                continue
            for kind in ("gradients", "weights"):
                of_a, of_b = a[rank][step][kind], b[rank][step][kind]
                for name in of_a:
                    if of_a[name] != of_b.get(name):
                        yield f"step {step}, rank {rank}, {kind}: {name}: {of_a[name]} and {of_b.get(name, 'absent')}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    a, b = read(sys.argv[1]), read(sys.argv[2])
    if a.keys() != b.keys():
        print(f"ranks {sorted(a)} and {sorted(b)}: runs of different layouts cannot be compared")
        return 2
    first = next(differences(a, b), None)
    print(first or f"no difference in {max(len(r) for r in a.values())} steps of {len(a)} ranks")
    return 1 if first else 0


if __name__ == "__main__":
    sys.exit(main())
