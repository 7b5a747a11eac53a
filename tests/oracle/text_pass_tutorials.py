# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes in the manner of PyTorch's tutorials, torch.ao and FBGEMM. text_passes.py runs each in Python and in lancet."""

import copy
import operator
import re
from collections import Counter, OrderedDict, defaultdict

import torch
import torch.fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx import GraphModule, Node, Proxy, Transformer
from torch.fx.graph import map_arg
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.infra.pass_manager import PassManager, pass_result_wrapper, this_before_that_pass_constraint
from torch.fx.passes.pass_manager import inplace_wrapper, loop_pass, these_before_those_pass_constraint


def replace_adds(m):
    """The FX overview: replace one op by another."""
    for n in m.graph.nodes:
        if any(n.target == pattern for pattern in (operator.add, torch.add, "add")):
            with m.graph.inserting_after(n):
                new_node = m.graph.call_function(torch.bitwise_and if False else torch.sub, n.args, n.kwargs)
                n.replace_all_uses_with(new_node)
            m.graph.erase_node(n)
    m.recompile()
    return m


def invert(model):
    """The tutorial on inverting functions, kept to what runs backwards: each function by its inverse."""
    inverses = {torch.sin: torch.arcsin, torch.cos: torch.arccos, torch.tanh: torch.atanh, torch.exp: torch.log,
                torch.neg: torch.neg, torch.relu: torch.relu, torch.sigmoid: torch.logit}
    new_graph = torch.fx.Graph()
    env = {}
    for node in model.graph.nodes:
        if node.op == "call_function" and node.target in inverses:
            env[node.name] = new_graph.call_function(inverses[node.target], (env[node.args[0].name],))
        elif node.op == "output":
            new_graph.output(map_arg(node.args[0], lambda n: env[n.name]))
        else:
            env[node.name] = new_graph.node_copy(node, lambda n: env[n.name])
    new_graph.lint()
    return GraphModule(model, new_graph)


def proxy_decomposition(gm):
    """Decompose by rules that work on proxies."""
    def relu_decomposition(x, *args, **kwargs):
        return (x > 0) * x

    decomposition_rules = {F.relu: relu_decomposition, torch.relu: relu_decomposition}
    new_graph = torch.fx.Graph()
    env = {}
    tracer = torch.fx.proxy.GraphAppendingTracer(new_graph)
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in decomposition_rules:
            proxy_args = [Proxy(env[x.name], tracer) if isinstance(x, Node) else x for x in node.args]
            output_proxy = decomposition_rules[node.target](*proxy_args)
            env[node.name] = output_proxy.node
        else:
            env[node.name] = new_graph.node_copy(node, lambda x: env[x.name])
    return GraphModule(gm, new_graph)


def named_paths(gm):
    """Modules by regular expressions on their paths."""
    pattern = re.compile(r"^(?P<stem>[a-z]+)_?(?P<number>\d*)$", re.IGNORECASE)
    for node in list(gm.graph.nodes):
        if node.op in ("placeholder", "output"):
            continue
        found = pattern.match(node.name)
        if found and found.group("number"):
            node.name = f"{found['stem']}__{int(found.group('number')):03d}"
        elif found is None:
            node.name = re.sub(r"_(\w)", lambda m: m.group(1).upper(), node.name)
    gm.graph.lint()
    gm.recompile()


def split_names(gm):
    for node in gm.graph.nodes:
        if node.op == "call_function":
            words = [word for word in re.split(r"[_\s]+", node.name) if word]
            if len(words) > 1 and not re.fullmatch(r"\d+", words[-1]):
                node.name = "".join(word.capitalize() for word in words) + "_x"
    gm.recompile()


def count_letters(gm):
    """findall, finditer and a counter decide what is changed."""
    counts = Counter(letter for node in gm.graph.nodes for letter in re.findall("[aeiou]", node.name))
    spans = [m.span() for node in gm.graph.nodes for m in re.finditer(r"(.)\1", node.name)]
    factor = float(sum(counts.values()) % 7 + len(spans))
    for node in list(gm.graph.nodes):
        if node.op == "call_function" and node.target in (torch.relu, F.relu):
            with gm.graph.inserting_after(node):
                scaled = gm.graph.call_function(torch.mul, (node, factor))
            node.replace_all_uses_with(scaled, lambda user, scaled=scaled: user is not scaled)
    gm.recompile()


class ReplaceReluWithGelu(PassBase):
    def call(self, graph_module):
        modified = False
        for node in graph_module.graph.nodes:
            if node.op == "call_function" and node.target in (torch.relu, F.relu):
                node.target = F.gelu
                node.kwargs = {}
                node.args = node.args[:1]
                modified = True
        return PassResult(graph_module, modified)


class DropNegs(PassBase):
    def requires(self, graph_module):
        graph_module.graph.lint()

    def call(self, graph_module):
        dropped = [n for n in graph_module.graph.nodes if n.target in (torch.neg, operator.neg, "neg")]
        for node in dropped:
            node.replace_all_uses_with(node.args[0])
            graph_module.graph.erase_node(node)
        return PassResult(graph_module, bool(dropped))


def two_managed(gm):
    manager = PassManager(passes=[DropNegs(), ReplaceReluWithGelu()], run_checks_after_each_pass=True)
    manager.add_checks(lambda module: module.graph.lint())
    return manager(gm)


def _wrapped_neg(gm):
    for node in list(gm.graph.nodes):
        if node.target in (F.gelu, torch.relu, F.relu):
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.neg, (node,))
            node.replace_all_uses_with(new, lambda user, new=new: user is not new)


def _neg_to_abs(gm):
    for node in gm.graph.nodes:
        if node.target == torch.neg:
            node.target = torch.abs
    return gm


def ordered_by_constraints(gm):
    first, then = pass_result_wrapper(_wrapped_neg), pass_result_wrapper(_neg_to_abs)
    manager = PassManager(passes=[then, first])
    manager.add_constraint(this_before_that_pass_constraint(first, then))
    return manager(gm)


def cycle_of_constraints(gm):
    first, then = pass_result_wrapper(_wrapped_neg), pass_result_wrapper(_neg_to_abs)
    manager = PassManager(passes=[then, first], constraints=[this_before_that_pass_constraint(first, then),
                                                             this_before_that_pass_constraint(then, first)])
    return manager(gm)


def several_steps(gm):
    def once(module):
        for node in module.graph.nodes:
            if node.target == torch.neg:
                node.target = torch.sigmoid
                return PassResult(module, True)
        return PassResult(module, False)
    return PassManager(passes=[once], steps=3)(gm)


def looped(gm):
    grow = loop_pass(inplace_wrapper(_wrapped_neg), n_iter=2)
    from torch.fx.passes.pass_manager import PassManager as Plain
    manager = Plain(passes=[grow, inplace_wrapper(_neg_to_abs)],
                    constraints=[these_before_those_pass_constraint(_wrapped_neg, _neg_to_abs)])
    return manager(gm)


def broken_schedule(gm):
    from torch.fx.passes.pass_manager import PassManager as Plain, this_before_that_pass_constraint as before
    return Plain(passes=[_neg_to_abs, _wrapped_neg], constraints=[before(_wrapped_neg, _neg_to_abs)])(gm)


def on_a_deep_copy(gm):
    """The original is left alone; the copy is returned."""
    other = copy.deepcopy(gm)
    for node in other.graph.nodes:
        if node.op == "call_function" and len(node.users) > 1:
            node.update_kwarg("marker", 1)
    for node in list(gm.graph.nodes):
        if node.op == "call_function":
            node.name = node.name + "_seen"
    for node in other.graph.nodes:
        node.kwargs = {k: v for k, v in node.kwargs.items() if k != "marker"}
        if node.target in (torch.relu, F.relu):
            node.target = torch.tanh
            node.args, node.kwargs = node.args[:1], {}
    other.graph.lint()
    other.recompile()
    return other


def graph_of_a_copy(gm):
    graph = copy.deepcopy(gm.graph)
    for node in graph.nodes:
        if node.op == "call_function" and node.target == torch.add:
            node.target = torch.sub
    return GraphModule(gm, graph)


def only_children(gm):
    """A GraphModule whose root is a dict of what the graph names."""
    graph = torch.fx.Graph()
    env, root = {}, {}
    for node in gm.graph.nodes:
        env[node] = graph.node_copy(node, lambda n: env[n])
        if node.op == "call_module":
            root[node.target] = gm.get_submodule(node.target)
        elif node.op == "get_attr":
            value = gm
            for atom in node.target.split("."):
                value = getattr(value, atom)
            root[node.target] = value
    return GraphModule(root, graph, "Small")


class Widened(Transformer):
    """Keeps a count of its own and calls its base."""

    def __init__(self, module):
        super().__init__(module)
        self.count = 0

    def call_function(self, target, args, kwargs):
        self.count += 1
        out = super().call_function(target, args, kwargs)
        return out * float(self.count) if target in (torch.relu, F.relu) else out


class Helper(object):
    def __init__(self, gm):
        super().__init__()
        self.gm, self.names = gm, OrderedDict()

    def collect(self):
        for node in self.gm.graph.nodes:
            self.names.setdefault(node.op, []).append(node.name)
        return self

    def apply(self):
        for name in self.names.get("call_function", []):
            node = next(n for n in self.gm.graph.nodes if n.name == name)
            if not node.users:
                self.gm.graph.erase_node(node)


def with_a_helper(gm):
    Helper(gm).collect().apply()
    gm.recompile()


def users_by_op(gm):
    table = defaultdict(list)
    for node in gm.graph.nodes:
        for user in node.users:
            table[(node.op, user.op)].append((node, user))
    for (op, user_op), pairs in sorted(table.items(), key=lambda item: item[0]):
        if op == "placeholder" and user_op == "call_function":
            node, user = pairs[0]
            with gm.graph.inserting_before(user):
                new = gm.graph.call_function(torch.clone, (node,))
            user.replace_input_with(node, new)
    gm.recompile()


def observe_activations(gm):
    """In the manner of FX quantisation's preparation: an observer after every activation and module."""
    env, count = {}, 0
    modules = dict(gm.named_modules())
    graph = torch.fx.Graph()
    for node in gm.graph.nodes:
        copied = graph.node_copy(node, lambda n: env[n])
        wants = (node.op == "call_module" and isinstance(modules[node.target], (nn.Linear, nn.Conv2d, nn.ReLU)) or
                 node.op == "call_function" and node.target in (torch.relu, F.relu, torch.add, operator.add))
        if wants:
            path = f"activation_post_process_{count}"
            count += 1
            setattr(gm, path, nn.Identity())
            copied = graph.call_module(path, (copied,))
        env[node] = copied
    return GraphModule(gm, graph)


def dedupe_modules(gm):
    """The same settings, the same module object: one path for all (as vendors' clean-ups do)."""
    first = {}
    for node in gm.graph.nodes:
        if node.op == "call_module":
            module = gm.get_submodule(node.target)
            if isinstance(module, (nn.ReLU, nn.Identity)):
                key = (type(module).__name__, getattr(module, "inplace", None))
                node.target = first.setdefault(key, node.target)
    gm.delete_all_unused_submodules()
    gm.recompile()


def squeeze_chains(gm):
    """Unary functions in a row, the outer first: walks backwards with a work list."""
    work = [n for n in reversed(gm.graph.nodes)]
    while work:
        node = work.pop(0)
        if node.op != "call_function" or node.target not in (torch.relu, F.relu, torch.neg):
            continue
        source = node.args[0]
        if isinstance(source, Node) and source.target == node.target and len(source.users) == 1:
            node.replace_input_with(source, source.args[0])
            gm.graph.erase_node(source)
            work = [n for n in work if n is not source]
    gm.graph.eliminate_dead_code()
    gm.recompile()

