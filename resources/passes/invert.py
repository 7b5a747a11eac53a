"""Turns a chain of functions around: the result is the model that computes the input from the output.

Each function must have an inverse in INVERSES and one tensor as its argument; the functions are called from the output
back to the input.
"""
import torch
from torch import fx

INVERSES = {
    torch.exp: torch.log, torch.log: torch.exp,
    torch.sin: torch.arcsin, torch.arcsin: torch.sin,
    torch.cos: torch.arccos, torch.arccos: torch.cos,
    torch.tan: torch.arctan, torch.arctan: torch.tan,
    torch.tanh: torch.atanh, torch.atanh: torch.tanh,
    torch.sigmoid: torch.logit, torch.logit: torch.sigmoid,
    torch.neg: torch.neg, torch.reciprocal: torch.reciprocal,
}


def invert(gm: fx.GraphModule) -> fx.GraphModule:
    inputs = [node for node in gm.graph.nodes if node.op == "placeholder"]
    node = next(iter(reversed(gm.graph.nodes))).args[0]
    if len(inputs) != 1 or not isinstance(node, fx.Node):
        raise ValueError("only a model with one input and one output can be turned around")
    graph = fx.Graph()
    value = graph.placeholder("output")
    while node.op != "placeholder":
        if node.op != "call_function" or node.target not in INVERSES or len(node.args) != 1 or node.kwargs:
            raise ValueError(f"there is no inverse of {node.name}: {node.op} of {node.target}")
        value = graph.call_function(INVERSES[node.target], (value,))
        node = node.args[0]
    graph.output(value)
    graph.lint()
    return fx.GraphModule(gm, graph)
