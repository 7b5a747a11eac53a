#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/ops/python_functions.tsv: what Lancet knows of PyTorch's Python functions.

Run by developers, with a Python that has PyTorch 2.13.0 (./dev setup makes one in the cache folder):

    VENV/bin/python tools/python_functions.py core/ops/python_functions.tsv

One row an object; the columns are explained in core/ops/python_functions.h. Names are read from the objects. How a call
behaves while torch.fx traces is found by calling the function with probes, and then checked: every function whose row
says how it is recorded is called on real proxies in several forms, and the node that torch.fx made is compared with
what the row predicts. The counts are printed at the end; a wrong prediction stops the program.
"""

import sys
import warnings

warnings.simplefilter("ignore")

import torch

from torch_tables.behaviour import describe
from torch_tables.check import check
from torch_tables.objects import Row, add_dispatch_leaves, add_type_facts, collect
from torch_tables.text import write_table
from torch_tables.tracing import COUNTS


def main(path):
    found = collect()
    add_dispatch_leaves(found)
    add_type_facts(found)
    rows = sorted((Row(thing, paths) for thing, paths in found.values()), key=lambda row: row.path)
    path_of = {id(row.thing): row.path for row in rows}
    for row in rows:
        describe(row, path_of)
    check(rows, path_of)
    write_table(path, "python_functions.py", torch.__version__, [row.columns() for row in rows])
    counts = {}
    for row in rows:
        counts[row.behaviour or row.kind] = counts.get(row.behaviour or row.kind, 0) + 1
    print(len(rows), "objects,", sum(1 + len(row.aliases) for row in rows), "paths;", counts)
    print(f"checked on proxies: {COUNTS['functions']} Python functions in {COUNTS['calls']} calls, "
          f"{COUNTS['c functions']} C functions in {COUNTS['c calls']} calls")


if __name__ == "__main__":
    main(sys.argv[1])
