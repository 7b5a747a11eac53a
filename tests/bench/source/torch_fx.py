# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx needs for the figures of bench_source.cpp: modules are made beforehand. One JSON line per figure.

    torch_fx.py [NODES...]        1000 and 10000 unless told
"""

import pathlib
import sys

import torch
from torch import fx

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "match")]
import nets  # noqa: E402
from chain import measure  # noqa: E402

for nodes in map(int, sys.argv[1:] or ["1000", "10000"]):
    for what, cls in (("loop", nets.Chain), ("modules", nets.Deep)):
        measure("source", what, nodes, 3, fx.symbolic_trace, lambda nodes=nodes, cls=cls: cls(nodes // 4))
with torch.device("meta"):
    resnet = nets.ResNet()
measure("source", "resnet152", len(fx.symbolic_trace(resnet).graph.nodes), 3, lambda _: fx.symbolic_trace(resnet))
