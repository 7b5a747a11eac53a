# SPDX-License-Identifier: GPL-3.0-or-later
"""The passes that bench_textpasses.cpp and torch_fx.py time, as users write them."""

import torch
from torch import fx


def one_to_one(gm):
    """Each relu becomes a sigmoid, as a new node."""
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is torch.relu:
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.sigmoid, node.args, node.kwargs)
            node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.graph.lint()
    gm.recompile()
    return gm


def retarget(gm):
    """The same in place."""
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is torch.relu:
            node.target = torch.sigmoid
    gm.recompile()
    return gm


class Replacing(fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target is torch.relu:
            target = torch.sigmoid
        return super().call_function(target, args, kwargs)
