# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx needs for the figures of bench_edit.cpp that it has: going back means a deep copy before each edit."""

import copy
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "match"))
from chain import chain, measure  # noqa: E402


def insert(net):
    node = next(node for node in net.graph.nodes if node.name == "relu_250")
    with net.graph.inserting_after(node):
        made = net.graph.call_function(torch.relu, (node,))
    node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made)


def edit_and_undo(net):
    kept = copy.deepcopy(net)
    insert(net)
    return kept


def recipe(net):
    """1,000 steps as `lancet apply --as-python` writes them: nodes by name, the code once."""
    nodes = {node.name: node for node in net.graph.nodes}
    for i in range(1, 1001):
        node = nodes[f"relu_{i}"]
        if i % 2 == 0:
            node.name = net.graph._graph_namespace.create_name(f"renamed_{i}", node)
            continue
        with net.graph.inserting_after(node):
            made = net.graph.call_function(torch.relu, (node,))
        node.replace_all_uses_with(made, delete_user_cb=lambda user, made=made: user is not made)
    net.graph.lint()
    net.recompile()


for pairs in (500, 5000):
    size = len(chain(pairs).graph.nodes)
    measure("edit", "one edit and undo", size, 1 if pairs > 1000 else 3, edit_and_undo, lambda pairs=pairs: chain(pairs))
measure("edit", "recipe of 1,000 steps: insert and rename", size, 1, recipe, lambda: chain(5000))
