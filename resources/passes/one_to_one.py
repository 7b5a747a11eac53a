"""Calls another function instead: torch.add, operator.add and the method add become torch.mul."""
import operator

import torch
from torch import fx


def add_to_mul(gm: fx.GraphModule) -> fx.GraphModule:
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in (torch.add, operator.add):
            node.target = torch.mul
        elif node.op == "call_method" and node.target == "add":
            node.target = "mul"
    gm.graph.lint()
    gm.recompile()
    return gm
