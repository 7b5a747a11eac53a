# SPDX-License-Identifier: GPL-3.0-or-later
"""In the manner of fx2trt, torch_tensorrt, executorch, AIMET, mqbench and torch.fx.passes."""
import collections
import copy
import dataclasses
import enum
import functools
import itertools
import json
import logging
import math
import operator
import re
import typing
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple, Type, Union

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx import subgraph_rewriter
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_aggregate, map_arg
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.infra.pass_manager import PassManager
from torch.fx.passes.operator_support import OperatorSupport, OperatorSupportBase
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.split_module import split_module
from torch.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target
from torch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

_LOGGER: logging.Logger = logging.getLogger(__name__)

PassFunc = Callable[[fx.GraphModule], fx.GraphModule]


def _log_before_after(pass_: PassFunc) -> PassFunc:
    @functools.wraps(pass_)
    def wrapped(module: fx.GraphModule, *args, **kwargs) -> fx.GraphModule:
        before = str(module.graph)
        module = pass_(module, *args, **kwargs)
        after = str(module.graph)
        changed = "changed" if before != after else "unchanged"
        print(f"== Log pass {pass_.__name__}: {changed}, {before.count(chr(10))} -> {after.count(chr(10))} lines")
        return module

    return wrapped


def _chain(*passes):
    def run(gm):
        for p in passes:
            gm = p(gm)
        return gm

    return run


@_log_before_after
def replace_mutable_op(module):
    if not isinstance(module, fx.GraphModule):
        raise TypeError(f"expected a GraphModule, got {type(module)}")
    for n in module.graph.nodes:
        if n.op == "call_method" and n.target.endswith("_") and not n.target.startswith("__"):
            n.target = n.target[:-1]
        elif n.op == "call_module" and getattr(module.get_submodule(n.target), "inplace", False):
            module.get_submodule(n.target).inplace = False
            print("was inplace:", n.target)
    module.recompile()
    return module


@_log_before_after
def transform_setitem(gm):
    map_src_to_dst: Dict[fx.Node, fx.Node] = {}
    for node in gm.graph.nodes:
        for old in [*node.all_input_nodes]:
            if old in map_src_to_dst:
                node.replace_input_with(old, map_src_to_dst[old])
        if node.target is torch.add and node.kwargs.get("alpha", 1) != 1:
            with gm.graph.inserting_before(node):
                scaled = gm.graph.call_function(torch.mul, (node.args[1], node.kwargs["alpha"]))
                plain = gm.graph.call_function(torch.add, (node.args[0], scaled))
            map_src_to_dst[node] = plain
    gm.graph.eliminate_dead_code()
    gm.recompile()
    return gm


_chained = _chain(replace_mutable_op, transform_setitem)


def run_chain(gm):
    return _chained(gm)


@_log_before_after
def fuse_permute_transpose(gm):
    for node in gm.graph.nodes:
        if node.op == "call_method" and node.target == "transpose" and len(node.args) == 3:
            with gm.graph.inserting_before(node):
                new = gm.graph.call_function(torch.transpose, args=(node.args[0],), kwargs={"dim0": node.args[1], "dim1": node.args[2]})
                new.meta = node.meta.copy()
            node.replace_all_uses_with(new)
    gm.graph.eliminate_dead_code()
    gm.graph.lint()
    gm.recompile()
    return gm


class _Registry:
    def __init__(self):
        self._passes: Dict[str, Tuple[int, PassFunc]] = {}

    def __call__(self, fn=None, *, priority: int = 0):
        if fn is None:
            return partial(self, priority=priority)
        self._passes[fn.__name__] = (priority, fn)
        return fn

    def __iter__(self):
        return iter(fn for _, fn in sorted(self._passes.values(), key=operator.itemgetter(0)))

    def __contains__(self, name):
        return name in self._passes

    def __repr__(self):
        return "{}({})".format(type(self).__name__, ", ".join("%s=%d" % (k, v[0]) for k, v in self._passes.items()))


_register = _Registry()


@_register
def _relu_to_clamp(gm):
    for n in gm.graph.find_nodes(op="call_function", target=torch.relu):
        n.target, n.kwargs = torch.clamp, {"min": 0.0}
    return gm


@_register(priority=-1)
def _double_relu(gm):
    for n in gm.graph.find_nodes(op="call_function", target=torch.relu):
        if (inner := n.args[0]).target is torch.relu:
            n.replace_all_uses_with(inner)
            gm.graph.erase_node(n)
    return gm


def registered(gm):
    print(_register, "_double_relu" in _register, "x" in _register)
    for fn in _register:
        gm = fn(gm)
        print("ran", fn.__name__, fn.__qualname__, len(gm.graph.nodes))
    gm.recompile()
    return gm


class _Support(OperatorSupportBase):
    def is_node_supported(self, submodules: typing.Mapping[str, nn.Module], node: fx.Node) -> bool:
        if node.op == "call_module":
            return not isinstance(submodules[node.target], (nn.LayerNorm, nn.Dropout))
        return node.op == "call_function" and node.target in {operator.add, operator.mul, torch.relu, F.relu, torch.add, torch.cat, operator.matmul}


def partitioned(gm):
    partitioner = CapabilityBasedPartitioner(gm, _Support(), allows_single_node_partition=True)
    parts = partitioner.propose_partitions()
    for p in parts:
        print(p.id, sorted(n.name for n in p.nodes))
    return partitioner.fuse_partitions(parts)


def support_dict(gm):
    support = OperatorSupport({"torch.nn.modules.linear.Linear": None, "torch.relu": None, "_operator.add": None})
    modules = dict(gm.named_modules())
    for n in gm.graph.nodes:
        if n.op in CALLABLE_NODE_OPS:
            print(n.name, get_node_target(modules, n), support.is_node_supported(modules, n))
    return gm


def split_by_type(gm):
    part, last = itertools.count(), None
    ids: Dict[str, int] = {}
    current = next(part)
    for n in gm.graph.nodes:
        if n.op in ("placeholder", "output", "get_attr"):
            continue
        if last is not None and (n.op == "call_module") != last:
            current = next(part)
        ids[n.name], last = current, n.op == "call_module"
    new = split_module(gm, gm, lambda n: ids[n.name])
    for name, child in new.named_children():
        print(name, type(child).__name__, [x.name for x in child.graph.nodes])
    return new


def split_with_dict(gm):
    nodes = [n for n in gm.graph.nodes if n.op not in ("placeholder", "output")]
    half = {n: int(i >= len(nodes) // 2) for i, n in enumerate(nodes)}
    qualname_map: Dict[str, str] = {}
    new = split_module(gm, None, half.__getitem__, qualname_map)
    print(json.dumps(dict(itertools.islice(qualname_map.items(), 4)), indent=1, sort_keys=True))
    return new


class _OpPassBase(PassBase):
    """In the manner of executorch: a pass that rebuilds the graph by an interpreter of its own."""

    def call_operator(self, op, args, kwargs, meta):
        return self.graph.call_function(op, args, kwargs)

    def call(self, graph_module):
        self.graph = fx.Graph()
        env: Dict[Node, Any] = {}

        def load(a):
            return map_arg(a, env.__getitem__)

        for node in graph_module.graph.nodes:
            if node.op == "call_function":
                env[node] = self.call_operator(node.target, load(node.args), load(node.kwargs), node.meta)
            elif node.op == "output":
                self.graph.output(load(node.args[0]))
            else:
                env[node] = self.graph.node_copy(node, env.__getitem__)
        self.graph.lint()
        return PassResult(fx.GraphModule(graph_module, self.graph), True)


class ReplaceWithDecomposed(_OpPassBase):
    _OPS: typing.ClassVar[Dict[Any, str]] = {F.relu: "clamp_min", torch.relu: "clamp_min"}

    def call_operator(self, op, args, kwargs, meta):
        if op in self._OPS:
            return self.graph.call_method(self._OPS[op], (args[0], 0))
        if op is F.log_softmax:
            soft = super().call_operator(F.softmax, args, {k: v for k, v in kwargs.items() if k == "dim"}, meta)
            return super().call_operator(torch.log, (soft,), {}, meta)
        if op == F.dropout:
            return args[0]
        return super().call_operator(op, args, kwargs, meta)


class RemoveClones(_OpPassBase):
    def call_operator(self, op, args, kwargs, meta):
        if op not in (torch.neg, torch.zeros_like):
            return super().call_operator(op, args, kwargs, meta)
        if len(args) != 1:
            raise ValueError(f"{op.__name__} expects exactly one argument, got {len(args)}")
        if "dtype" in kwargs:
            _LOGGER.warning(f"Removing {op.__name__} with dtype '{kwargs['dtype']}'.")
        return args[0]


class RunUntilStable(PassBase):
    def __init__(self):
        super().__init__()
        self.passes = [self._pairs, self._adds_of_zero]

    def _pairs(self, gm) -> bool:
        for n in gm.graph.nodes:
            if n.target in (torch.neg, operator.neg) and isinstance(n.args[0], Node) and n.args[0].target in (torch.neg, operator.neg):
                n.replace_all_uses_with(n.args[0].args[0])
                gm.graph.eliminate_dead_code()
                return True
        return False

    def _adds_of_zero(self, gm) -> bool:
        zeros = [n for n in gm.graph.nodes if n.target is operator.add and any(a == 0 for a in n.args if not isinstance(a, Node))]
        for n in zeros:
            n.replace_all_uses_with(n.args[0])
            gm.graph.erase_node(n)
        return bool(zeros)

    def call(self, graph_module):
        rounds = 0
        while any([p(graph_module) for p in self.passes]):
            rounds += 1
        print(f"{rounds=}")
        return PassResult(graph_module, rounds > 0)


def managed(gm):
    """A PassManager of functions and classes with checks."""
    pm = PassManager(passes=[RunUntilStable(), ReplaceWithDecomposed()], steps=2, run_checks_after_each_pass=True)
    pm.add_checks(lambda m: None)
    result = pm(gm)
    print(result.modified, type(result).__name__)
    return result.graph_module


def rewriter_filters(gm):
    def pattern(x, y):
        return torch.add(x, y, alpha=2)

    def replacement(x, y):
        return x + y * 2

    def only_calls(match: InternalMatch, original: fx.Graph, pattern_graph: fx.Graph) -> bool:
        return all(n.op.startswith("call") for n in match.placeholder_nodes)

    found = subgraph_rewriter.replace_pattern_with_filters(gm, pattern, replacement, match_filters=[only_calls], ignore_literals=False)
    print(len(found), [[r.name for r in f.replacements] for f in found], [f.anchor.name for f in found])
    return gm


def rewriter_literals(gm):
    def pattern(x):
        return x.transpose(1, 2)

    def replacement(x):
        return x.permute(0, 2, 1, 3)

    found = subgraph_rewriter.replace_pattern_with_filters(gm, pattern, replacement, ignore_literals=True)
    print(len(found))
    return gm


def rewriter_modules(gm):
    class Pattern(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 1, 1)
            self.bn = nn.BatchNorm2d(1)

        def forward(self, x):
            return self.bn(self.conv(x))

    pattern = fx.symbolic_trace(Pattern())
    matcher = SubgraphMatcher(pattern.graph, match_output=False, match_placeholder=False)
    for m in matcher.match(gm.graph):
        print([n.name for n in m.anchors], {k.name: v.name for k, v in m.nodes_map.items()}, m.returning_nodes)
    conv_bn = [m for m in matcher.match(gm.graph)]
    return gm

