#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.fx's figures for the graphs of bench_core.cpp; same keys, "bench": "torch.fx"."""
import copy
import json
import statistics
import sys
import time

import torch
import torch.fx


def build(nodes):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Identity()
            self.bn = torch.nn.Identity()

    class Root(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(Block() for _ in range(-(-nodes // 6)))

        def forward(self, x):
            for layer in self.layers:
                skip = x
                x = torch.nn.functional.relu(layer.bn(layer.conv(x))) + skip
                y = x.view(-1, 16, (2, 3))
                x.size(0)
                x = y
            return x

    return Root()


def figure(what, nodes, work, runs):
    millis = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        millis.append((time.perf_counter() - start) * 1000)
    print(json.dumps({"bench": "torch.fx", "what": what, "nodes": nodes, "millis": round(statistics.median(millis), 4),
                      "min": round(min(millis), 4), "max": round(max(millis), 4)}), flush=True)


for count in [int(a) for a in sys.argv[1:]] or [1000, 10000]:
    root = build(count)
    traced = torch.fx.Tracer().trace(root)
    graph = copy.deepcopy(traced)
    few = 3 if count > 1000 else 5
    figure("retrace", count, lambda: torch.fx.Tracer().trace(root), 1 if count > 1000 else 3)
    figure("code", count, lambda: graph.python_code("self"), few)
    figure("print", count, lambda: str(graph), few)
    figure("lint", count, graph.lint, few)
    figure("iterate", count, lambda: sum(len(n._input_nodes) for n in graph.nodes), few)
    figure("snapshot", count, lambda: copy.deepcopy(graph), few)
