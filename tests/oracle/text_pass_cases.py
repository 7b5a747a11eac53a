# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes as users write them. text_passes.py runs each in Python and in lancet; the file is the same for both."""

import operator

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.passes.infra.pass_base import PassBase, PassResult


def retarget(gm):
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target == torch.add:
            node.target = torch.mul
    gm.graph.lint()
    gm.recompile()
    return gm


def relu_to_sigmoid(gm):
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in {torch.relu, F.relu}:
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.sigmoid, node.args, node.kwargs)
                node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.recompile()
    return gm


def neg_twice(gm):
    for node in list(gm.graph.nodes):
        if node.op == "call_function" and node.target is torch.neg:
            with gm.graph.inserting_after(node):
                outer = gm.graph.call_function(torch.neg, args=(node,))
            node.replace_all_uses_with(outer, delete_user_cb=lambda user: user is not outer)
    gm.recompile()


def remove_neg_methods(gm):
    for node in gm.graph.nodes:
        if node.op == "call_method" and node.target == "neg":
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.recompile()


def drop_unused_backwards(gm):
    for node in reversed(gm.graph.nodes):
        if node.op not in ("placeholder", "output") and len(node.users) == 0:
            gm.graph.erase_node(node)
    gm.recompile()


def dead_code(gm):
    gm.graph.eliminate_dead_code()
    gm.recompile()


def scale_after_modules(gm):
    for node in gm.graph.nodes:
        if node.op == "call_module" and isinstance(gm.get_submodule(node.target), nn.Linear):
            with gm.graph.inserting_after(node):
                scaled = gm.graph.call_function(operator.mul, (node, 2.0))
            node.replace_all_uses_with(scaled, lambda user: user != scaled)
    gm.recompile()


def relu_modules_to_functions(gm):
    modules = dict(gm.named_modules())
    for node in gm.graph.nodes:
        if node.op == "call_module" and type(modules[node.target]) is nn.ReLU:
            with gm.graph.inserting_before(node):
                new = gm.graph.call_function(F.relu, node.args, {"inplace": False})
            node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.recompile()


def functions_to_relu_modules(gm):
    count = 0
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in (torch.relu, F.relu):
            name = f"act_{count}"
            count += 1
            gm.add_submodule(name, nn.ReLU())
            with gm.graph.inserting_before(node):
                new = gm.graph.call_module(name, (node.args[0],))
            node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.recompile()


class AtenAddToMul(PassBase):
    def call(self, graph_module):
        modified = False
        for node in graph_module.graph.nodes:
            if node.op == "call_function" and node.target == torch.ops.aten.add.Tensor:
                node.target = torch.ops.aten.mul.Tensor
                modified = True
        return PassResult(graph_module, modified)


class CountingPass(PassBase):
    """State, helper methods and requirements."""

    def __init__(self):
        self.seen = {}

    def requires(self, graph_module):
        assert len(graph_module.graph.nodes) > 0

    def visit(self, node):
        self.seen.setdefault(node.op, []).append(node)

    def call(self, graph_module):
        for node in graph_module.graph.nodes:
            self.visit(node)
        for node in self.seen.get("call_function", [])[:2]:
            node.name = node.name + "_first"
        graph_module.recompile()
        return PassResult(graph_module, True)


def swap_operands(gm):
    for node in gm.graph.find_nodes(op="call_function", target=operator.sub):
        a, b = node.args
        node.args = (b, a)
    gm.recompile()


def literals_up(gm):
    def bump(value):
        return value + 1 if isinstance(value, int) and not isinstance(value, bool) else value

    for node in gm.graph.nodes:
        if node.op == "call_function":
            node.args = fx.node.map_aggregate(node.args, bump)
    gm.recompile()


def update_second(gm):
    for node in gm.graph.nodes:
        if node.op == "call_function" and len(node.args) == 2:
            node.update_arg(1, node.args[0])
    gm.recompile()


def cat_dim(gm):
    for node in gm.graph.nodes:
        if node.target == torch.cat:
            node.update_kwarg("dim", -1)
    gm.recompile()


def replace_inputs(gm):
    inputs = [n for n in gm.graph.nodes if n.op == "placeholder"]
    for node in gm.graph.nodes:
        if len(inputs) > 1 and node.op == "call_function" and inputs[0] in node.all_input_nodes:
            node.replace_input_with(inputs[0], inputs[1])
    gm.recompile()


def merge_twins(gm):
    seen = {}
    for node in list(gm.graph.nodes):
        if node.op != "call_function" or node.kwargs or not all(isinstance(a, fx.Node) for a in node.args):
            continue
        key = (node.target, node.args)
        if key in seen:
            node.replace_all_uses_with(seen[key])
            gm.graph.erase_node(node)
        else:
            seen[key] = node
    gm.recompile()


def copy_graph(gm):
    new_graph = fx.Graph()
    env = {}
    for node in gm.graph.nodes:
        env[node] = new_graph.node_copy(node, lambda n: env[n])
    return fx.GraphModule(gm, new_graph)


def decompose_relu(gm):
    new_graph = fx.Graph()
    env = {}
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in (F.relu, torch.relu):
            x = env[node.args[0].name]
            positive = new_graph.call_function(operator.gt, (x, 0))
            env[node.name] = new_graph.call_function(operator.mul, (positive, x))
        else:
            env[node.name] = new_graph.node_copy(node, lambda n: env[n.name])
    return fx.GraphModule(gm, new_graph)


def walk_by_next(gm):
    node = next(iter(gm.graph.nodes))
    while node.op != "root":
        if node.op == "call_function" and node.target == torch.sigmoid:
            node.target = torch.tanh
        node = node.next
    gm.recompile()


def insert_after_inputs(gm):
    last = None
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            last = node
    if last is not None:
        with gm.graph.inserting_after(last):
            new = gm.graph.create_node("call_function", torch.neg, (last,), name="flipped")
        last.replace_all_uses_with(new, delete_user_cb=lambda u: u is not new)
    gm.recompile()


def move_to_front(gm):
    inputs = [n for n in gm.graph.nodes if n.op == "placeholder"]
    for node in list(gm.graph.nodes):
        if node.op == "get_attr" and inputs:
            inputs[-1].append(node)
    gm.graph.lint()
    gm.recompile()


def freeze_eps(gm):
    for name, module in gm.named_modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eps = 1e-3
    gm.eval()


def raises(gm):
    for node in gm.graph.nodes:
        if node.op == "output":
            raise RuntimeError("cannot handle " + node.name)


def erases_used(gm):
    for node in gm.graph.nodes:
        if len(node.users) > 0:
            gm.graph.erase_node(node)
            break


def breaks_order(gm):
    nodes = list(gm.graph.nodes)
    if len(nodes) > 2 and nodes[1].op != "placeholder":
        nodes[0].prepend(nodes[1])
    gm.graph.lint()
    gm.recompile()
    raise ValueError("broken on purpose")


def recurses(gm):
    recurses(gm)
