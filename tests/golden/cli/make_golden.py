# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the golden texts of graph, code and tabular next to itself, as PyTorch 2.13.0 prints them.

    python tests/golden/cli/make_golden.py      (pip install torch==2.13.0 tabulate)
"""

import pathlib
import re

import tabulate
import torch

HERE = pathlib.Path(__file__).parent
SAMPLES = HERE.parents[2] / "resources" / "samples"


def table(graph):
    rows = [[re.sub(r" at 0x[0-9a-f]+>", " at 0x0>", str(cell))
             for cell in (node.op, node.name, node.target, node.args, node.kwargs)] for node in graph.nodes]
    return tabulate.tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"])


def main():
    for name in ["simple_net.pt", "my_module.pt", "transformer.pt2"]:
        path = SAMPLES / name
        if name.endswith(".pt2"):
            module = torch.export.load(path).graph_module
        else:
            module = torch.load(path, weights_only=False)
        for verb, text in {"graph": str(module.graph), "code": module.code, "tabular": table(module.graph)}.items():
            (HERE / f"{name}.{verb}.txt").write_text(text + "\n")


if __name__ == "__main__":
    main()
