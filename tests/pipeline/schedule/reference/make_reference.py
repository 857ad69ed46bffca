#!/usr/bin/env python3
"""Writes torch_schedules.csv: the compute orders that torch.distributed.pipelining generates.

    python make_reference.py > torch_schedules.csv

Made with torch 2.13.0. Each block is a line "# NAME ranks=P chunks=V microbatches=M" and one line of
actions per rank; idle slots and REDUCE_GRAD are left out. Generators are called without stages or
process groups: they read a few attributes only.

Not comparable, and how it is treated in the test:
- ScheduleGPipe runs backward in forward order; hyperpp's GPipe reverses it.
- Schedule1F1B's table (not its step()) starts the last rank at microbatch 1, and names microbatches
  that do not exist when there are fewer than ranks - 1: only microbatches >= ranks are written, and
  the test leaves out the last rank.
- ScheduleInterleaved1F1B refuses microbatch counts that its rounds do not divide.
"""
from types import SimpleNamespace

import torch
from torch.distributed.pipelining import schedules

SHAPES = [(p, v, m) for p in (2, 3, 4) for v in (1, 2, 3) for m in range(1, 13)]


def single(kind, p, m):
    return kind._get_pipeline_order(SimpleNamespace(_num_stages=p, _n_microbatches=m))


def interleaved(p, v, m):
    rounds = max(1, m // p)
    if m % rounds != 0:
        return None
    attributes = SimpleNamespace(pp_group_size=p, n_local_stages=v, _n_microbatches=m, number_of_rounds=rounds,
                                 microbatches_per_round=m // rounds)
    calculate = schedules.ScheduleInterleaved1F1B._calculate_single_rank_operations
    return {rank: calculate(attributes, rank) for rank in range(p)}


def write(name, p, v, m, order):
    print(f"# {name} ranks={p} chunks={v} microbatches={m}")
    for rank in range(p):
        actions = [str(action) for action in order[rank] if action is not None]
        print(",".join(action for action in actions if "REDUCE_GRAD" not in action))


def main():
    assert torch.__version__.startswith("2.13"), torch.__version__
    for p, v, m in SHAPES:
        if v == 1:
            write("gpipe", p, v, m, single(schedules.ScheduleGPipe, p, m))
            if m >= p:
                write("1f1b", p, v, m, single(schedules.Schedule1F1B, p, m))
        elif (order := interleaved(p, v, m)) is not None:
            write("interleaved1f1b", p, v, m, order)


main()
