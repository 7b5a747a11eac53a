"""Runs the model twice and prints the milliseconds of each node in the second run, the slowest first.

As in PyTorch's tutorial on a profiling interpreter. The times contain what it costs to call each node by itself; `lancet
bench` and the panel Timing measure a model as it runs.
"""
import time

import torch
from torch import fx

SIZES = {}
USUAL = (1, 3, 32, 32)


class Profiler(fx.Interpreter):
    def __init__(self, gm):
        super().__init__(gm)
        self.seconds = {}

    def run_node(self, n):
        start = time.perf_counter()
        result = super().run_node(n)
        if isinstance(result, torch.Tensor):
            result.sum().item()  # until it is computed
        self.seconds[n] = time.perf_counter() - start
        return result


def profile(gm: fx.GraphModule) -> fx.GraphModule:
    inputs = [torch.ones(SIZES.get(node.target, USUAL)) for node in gm.graph.nodes if node.op == "placeholder"]
    profiler = Profiler(gm)
    for _ in range(2):
        profiler.run(*inputs)
    for node, seconds in sorted(profiler.seconds.items(), key=lambda item: -item[1]):
        print(f"{seconds * 1000:8.3f} ms  {node.op:14s} {node.name}")
    return gm
