# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx needs for the figures of bench_passes.cpp. One JSON line per figure.

    torch_fx.py [PAIRS...]        500 unless told: 5000 pairs take some seconds
"""

import pathlib
import sys

import torch
from torch import fx, nn
from torch.fx.experimental import optimization

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "match"))
from chain import measure  # noqa: E402


def layers(pairs):
    net = nn.Sequential(*(layer for _ in range(pairs) for layer in (nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)))).eval()
    root = nn.Module()
    for name, layer in net.named_children():
        setattr(root, f"l{name}", layer)
    graph = fx.Graph()
    x = graph.placeholder("x")
    for name in net._modules:
        x = graph.call_module(f"l{name}", (x,))
    graph.output(x)
    return fx.GraphModule(root, graph)


for count in map(int, sys.argv[1:] or ["500"]):
    with torch.no_grad():
        measure("passes", "conv_bn_fuse", 2 * count + 2, 1 if count > 1000 else 3, lambda net: optimization.fuse(net, no_trace=True), lambda count=count: layers(count))
