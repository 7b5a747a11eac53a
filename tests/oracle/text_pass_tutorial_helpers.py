# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutorials' manner: small helpers, graph building, decompositions and profiling, with typing and logging."""
from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import itertools
import logging
import operator
import sys
import textwrap
import time
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from dataclasses import asdict, astuple, dataclass, field, replace
from enum import Enum, IntEnum, auto
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple, TypeVar, Union, cast

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx import Graph, GraphModule, Interpreter, Node, Proxy, Tracer, Transformer, symbolic_trace
from torch.fx.node import Argument, Target, map_arg
from torch.fx.passes.infra.pass_base import PassBase, PassResult

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

NodeFn = Callable[[Node], bool]
_T = TypeVar("_T")


class Level(IntEnum):
    LOW = auto()
    HIGH = auto()

    @classmethod
    def of(cls, node: Node) -> "Level":
        return cls.HIGH if len(node.users) > 1 else cls.LOW


class OpCount(NamedTuple):
    op: str
    count: int = 0

    def more(self) -> "OpCount":
        return self._replace(count=self.count + 1)


def print_summary(gm: GraphModule) -> GraphModule:
    """Counts ops and prints a table with aligned columns."""
    counts: Dict[str, OpCount] = {}
    for node in gm.graph.nodes:
        counts[node.op] = counts.get(node.op, OpCount(node.op)).more()
    width = max(map(len, counts))
    print(f"{'op':<{width}} | {'count':>6}")
    print("-" * width + "-+-" + "-" * 6)
    for op, count in sorted(counts.values(), key=lambda c: (-c.count, c.op)):
        print(f"{op:<{width}} | {count:>6d}")
    total = sum(c.count for c in counts.values())
    print(f"total {total:,} mean {total / len(counts):.2f} share {counts['output'].count / total:.1%}")
    return gm


def print_graph_and_nodes(gm):
    print(gm.graph)
    for i, node in enumerate(gm.graph.nodes):
        print(i, node.format_node(), repr(node), str(node), node.name, node.op, sep=" | ")
    for n in reversed(gm.graph.nodes):
        print(f"{n!s:>20}", n.args, dict(n.kwargs), end=";\n")
    print(list(gm.graph.nodes)[:3], gm.graph.nodes.__class__.__name__, len(gm.graph.nodes))
    return gm


def print_users_maps(gm):
    for n in gm.graph.nodes:
        print(n, list(n.users), list(n.users.keys()), tuple(n.all_input_nodes), n.is_impure())
    return gm


def levels(gm):
    by: Dict[Level, List[str]] = {level: [] for level in Level}
    for n in gm.graph.nodes:
        by[Level.of(n)].append(n.name)
    for level, names in by.items():
        print(level.name, int(level), level, textwrap.shorten(", ".join(names), 60))
    return gm


@dataclass(frozen=True, order=True)
class Edge:
    rank: int
    src: str = field(compare=False)
    dst: str = field(compare=False, default="")


@dataclass
class Report:
    edges: List[Edge] = field(default_factory=list)
    title: str = "edges"
    widest: int = field(init=False, default=0)

    def __post_init__(self):
        self.widest = len(self.title)

    def add(self, *edges: Edge) -> Report:
        self.edges.extend(edges)
        self.widest = max(self.widest, *(len(e.src) for e in edges))
        return self


def edges_report(gm: GraphModule):
    report = Report()
    rank = {n: i for i, n in enumerate(gm.graph.nodes)}
    for n in gm.graph.nodes:
        for u in n.users:
            report.add(Edge(rank[u] - rank[n], n.name, u.name))
    longest = max(report.edges)
    print(longest, astuple(longest), asdict(longest), report.widest)
    print(replace(longest, rank=-1), longest == Edge(longest.rank, "other"), hash(longest) == hash(Edge(longest.rank, "o")))
    return gm


class ShapeFreeProfiler:
    """A helper that is no Interpreter, called like one."""

    def __init__(self, gm: GraphModule, clock: Callable[[], float] = time.perf_counter):
        self.gm, self.clock = gm, clock
        self.runtimes: Dict[Node, List[float]] = defaultdict(list)

    def __call__(self, times: int = 2) -> "ShapeFreeProfiler":
        for _ in range(times):
            for n in self.gm.graph.nodes:
                start = self.clock()
                self.runtimes[n].append(self.clock() - start)
        return self

    def __getitem__(self, node):
        return sum(self.runtimes[node]) / len(self.runtimes[node])

    def __len__(self):
        return len(self.runtimes)

    def __bool__(self):
        return True


def helper_object(gm):
    prof = ShapeFreeProfiler(gm)()
    assert prof and len(prof) == len(list(gm.graph.nodes))
    ok = all(prof[n] >= 0 for n in gm.graph.nodes)
    print("ok" if ok else "not ok", len(prof))
    return gm


def build_from_scratch(gm: GraphModule) -> GraphModule:
    """Builds a small graph around the whole model, which becomes a leaf."""
    graph = Graph()
    names = [n.target for n in gm.graph.nodes if n.op == "placeholder"]
    inputs = [graph.placeholder(str(name).lstrip("*")) for name in names]
    called = graph.call_module("inner", tuple(inputs))
    with graph.inserting_after(called):
        item = graph.call_function(operator.getitem, (called, 0))
    graph.output((called, item))
    graph.lint()
    return GraphModule({"inner": gm}, graph, class_name="Wrapped")


def nested_root(gm):
    root = nn.Module()
    root.body = nn.ModuleList([nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 2))])
    root.register_buffer("shift", torch.zeros(2))
    root.gain = nn.Parameter(torch.ones(2))
    g = fx.Graph()
    x = g.placeholder("x")
    y = g.call_module("body.0", args=(x,))
    y = g.call_module("body.1.0", args=(y,))
    y = g.call_module("body.1.1", args=(y,))
    y = g.call_function(operator.add, (y, g.get_attr("shift")))
    y = g.call_method("mul", (y, g.get_attr("gain")), {})
    g.output(y)
    new = GraphModule(root, g, "Nested")
    print(new)
    print(new.code)
    print([n for n, _ in new.named_parameters()], [n for n, _ in new.named_buffers()])
    return new


def trace_and_replace(gm: fx.GraphModule) -> fx.GraphModule:
    """symbolic_trace of a module that holds the model."""

    class Outer(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner
            self.gate = nn.Linear(1, 1)

        def forward(self, *args):
            return self.inner(*args)

    traced = fx.symbolic_trace(Outer(gm).eval())
    print(traced.training, [n.name for n in traced.graph.nodes][:4])
    return traced


class ModuleLeafTracer(fx.Tracer):
    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, (nn.Sequential,)) or super().is_leaf_module(m, module_qualified_name)


def retrace_with_tracer(gm):
    tracer = ModuleLeafTracer()
    graph = tracer.trace(gm)
    name = gm.__class__.__name__ if isinstance(gm, torch.nn.Module) else gm.__name__
    return fx.GraphModule(tracer.root, graph, name)


def count_calls_recursive(gm):
    def depth(node: Node, memo: Dict[Node, int]) -> int:
        if node in memo:
            return memo[node]
        memo[node] = 1 + max((depth(i, memo) for i in node.all_input_nodes), default=0)
        return memo[node]

    memo: Dict[Node, int] = {}
    out = gm.graph.output_node()
    print("depth", depth(out, memo), "of", len(memo))
    deepest = sorted(memo, key=memo.__getitem__)[-3:]
    print(*[f"{n.name}@{memo[n]}" for n in deepest])
    return gm


class TaggedTransformer(Transformer):
    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.log: List[str] = []
        self._depth = itertools.count(1)

    def run_node(self, n: Node) -> Any:
        self.log.append(f"{next(self._depth)}:{n.op}")
        return super().run_node(n)

    def call_module(self, target: Target, args: Tuple[Argument, ...], kwargs: Dict[str, Any]) -> Any:
        sub = self.fetch_attr(target)
        if isinstance(sub, nn.Dropout):
            return args[0]
        if isinstance(sub, (nn.ReLU, nn.ReLU6)):
            return F.hardtanh(args[0], 0.0, getattr(sub, "max_val", 6.0))
        return super().call_module(target, args, kwargs)

    def get_attr(self, target, args, kwargs):
        value = super().get_attr(target, args, kwargs)
        return value * 1 if isinstance(value, Proxy) else value


def tagged(gm):
    t = TaggedTransformer(gm)
    new = t.transform()
    print(len(t.log), t.log[:2], Counter(x.split(":")[1] for x in t.log).most_common(2))
    return new


def loop_else(gm):
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in (torch.flatten, torch.cat):
            print("found", node.name)
            break
    else:
        print("none")
        raise_it = False
        try:
            assert raise_it, "nothing to do"
        except AssertionError as e:
            print(type(e).__name__, e, e.args)
    return gm
