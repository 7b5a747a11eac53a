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


class SwapNegSigmoid(fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target is torch.sigmoid:
            return torch.neg(*args, **kwargs)
        return super().call_function(target, args, kwargs)

    def call_method(self, target, args, kwargs):
        if target == "neg":
            call_self, *args_tail = args
            return call_self.sigmoid(*args_tail, **kwargs)
        return super().call_method(target, args, kwargs)


def swapped(gm):
    return SwapNegSigmoid(gm).transform()


def transformed(gm):
    return fx.Transformer(gm).transform()


class HardenedModules(fx.Transformer):
    """Activations that are modules become functions; what a Linear returns is scaled."""

    def call_module(self, target, args, kwargs):
        module = self.fetch_attr(target)
        if isinstance(module, nn.ReLU):
            return F.relu(args[0])
        out = super().call_module(target, args, kwargs)
        return out * 0.5 if isinstance(module, nn.Linear) else out


def hardened(gm):
    new = HardenedModules(gm).transform()
    new.graph.lint()
    return new


class NamedNodes(fx.Transformer):
    def run_node(self, n):
        result = super().run_node(n)
        if n.op == "call_function":
            result.node.name = "t_" + result.node.name
        return result


def named(gm):
    return NamedNodes(gm).transform()


def proxies_in_place(gm):
    for node in list(gm.graph.nodes):
        if node.op == "call_function" and node.target in (torch.relu, F.relu):
            with gm.graph.inserting_before(node):
                x = fx.Proxy(node.args[0])
                out = (x > 0) * x + 1 - 1
            node.replace_all_uses_with(out.node)
            gm.graph.erase_node(node)
    gm.recompile()


decomposition_rules = {F.relu: lambda x: (x > 0) * x, torch.relu: lambda x: (x > 0) * x, torch.sigmoid: lambda x: 1 / (1 + torch.exp(-x))}


def decompose_by_rules(gm):
    new_graph = fx.Graph()
    env = {}
    tracer = fx.proxy.GraphAppendingTracer(new_graph)
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in decomposition_rules:
            proxy_args = [fx.Proxy(env[x.name], tracer) if isinstance(x, fx.Node) else x for x in node.args]
            env[node.name] = decomposition_rules[node.target](*proxy_args).node
        else:
            env[node.name] = new_graph.node_copy(node, lambda x: env[x.name])
    return fx.GraphModule(gm, new_graph)


def rewrite_add_relu(gm):
    def pattern(x, y):
        return torch.relu(x + y)

    def replacement(x, y):
        return torch.clamp_min(torch.add(x, y), 0)

    fx.replace_pattern(gm, pattern, replacement)


def rewrite_neg(gm):
    matches = fx.replace_pattern(gm, lambda x: torch.neg(x), lambda x: torch.mul(x, -1))
    for match in matches:
        assert match.anchor.op == "call_function"


def rewrite_filtered(gm):
    from torch.fx.subgraph_rewriter import replace_pattern_with_filters

    def first_only(match, original_graph, pattern_graph):
        return len(match.nodes_map) > 0 and any(n.op == "placeholder" for n in match.placeholder_nodes if isinstance(n, fx.Node))

    replaced = replace_pattern_with_filters(gm, lambda x: torch.sigmoid(x), lambda x: torch.tanh(x), [first_only])
    for each in replaced:
        for node in each.replacements:
            node.name = "was_sigmoid"
    gm.recompile()


def rewrite_by_callback(gm):
    from torch.fx.subgraph_rewriter import replace_pattern_with_filters

    def made(match, original_graph, pattern_graph):
        graph = fx.Graph()
        x = graph.placeholder("x")
        graph.output(graph.call_function(torch.tanh, (graph.call_function(torch.abs, (x,)),)))
        return graph

    for each in replace_pattern_with_filters(gm, lambda x: torch.relu(x), replacement_callback=made):
        assert len(each.replacements) == 2
    gm.recompile()


def count_matches(gm):
    from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

    pattern = fx.Graph()
    x = pattern.placeholder("x")
    y = pattern.call_function(torch.relu, (x,))
    pattern.output(y)
    for match in SubgraphMatcher(pattern).match(gm.graph):
        match.nodes_map[y].target = torch.tanh
    gm.recompile()


def copied_graph(gm):
    new = fx.Graph()
    result = new.graph_copy(gm.graph, {})
    new.output(result)
    return fx.GraphModule(gm, new)


def retraced(gm):
    graph = fx.Tracer().trace(gm)
    for node in graph.nodes:
        if node.target is operator.add:
            node.target = torch.add
    return fx.GraphModule(gm, graph)


class Interpreted(fx.Interpreter):
    """Follows the graph on proxies of another one."""

    def call_function(self, target, args, kwargs):
        return super().call_function(torch.tanh if target is torch.sigmoid else target, args, kwargs)


def interpreted(gm):
    new = fx.Graph()
    tracer = fx.proxy.GraphAppendingTracer(new)
    names = {n.target: fx.Proxy(new.placeholder(n.target), tracer) for n in gm.graph.nodes if n.op == "placeholder"}
    if any(n.op in ("call_module", "get_attr") for n in gm.graph.nodes):
        return gm
    out = Interpreted(gm).run(*names.values())
    new.output(fx.node.map_aggregate(out, lambda p: p.node if isinstance(p, fx.Proxy) else p))
    return fx.GraphModule(gm, new)
