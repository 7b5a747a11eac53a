# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes in the manner of back ends: pytrees, operator overloads, module swaps, liveness, graphs within graphs."""

import collections
import contextlib
import functools
import itertools
import operator
import time
import typing as t
import torch
import torch.utils._pytree as pytree
from torch import fx, nn
from torch.fx.passes.tools_common import get_node_target, legalize_graph
from torch.fx.graph import Graph
from torch.fx.node import Node

aten = torch.ops.aten
T = t.TypeVar("T")

def pytree_args(gm):
    for n in gm.graph.nodes:
        flat, spec = pytree.tree_flatten((n.args, n.kwargs))
        new = [x for x in flat]
        n.args, n.kwargs = pytree.tree_unflatten(new, spec)
        n.args = pytree.tree_map(lambda x: x, n.args)
        n.args = pytree.tree_map_only(Node, lambda x: x, n.args)
    return gm

class Partition:
    __slots__ = ("nodes", "name")
    def __init__(self, name):
        self.name = name
        self.nodes = []
    def __repr__(self):
        return f"<{self.name!r}: {len(self.nodes)}>"
    def __len__(self):
        return len(self.nodes)
    def __contains__(self, n):
        return n in self.nodes
    def __iter__(self):
        yield from self.nodes

def partitions_classes(gm):
    parts = collections.defaultdict(lambda: Partition("none"))
    for i, n in enumerate(gm.graph.nodes):
        p = parts[i // 4]
        p.name = f"p{i // 4}"
        p.nodes.append(n)
    for p in parts.values():
        if len(p) == 4 and any(x.op == "call_function" for x in p):
            for x in p:
                if x.op == "call_function" and x.target is torch.sigmoid:
                    x.target = torch.tanh
    gm.recompile()
    return gm

class ChainPass(fx.passes.infra.pass_base.PassBase):
    name: t.ClassVar[str] = "chain"
    def __init__(self):
        super().__init__()
        self.handlers: t.Dict[t.Any, t.Callable] = {}
        self.register(torch.relu)(lambda g, n: g.call_function(torch.clamp, n.args, {"min": 0}))
        self.register(torch.sigmoid, torch.tanh)(self._sig)
    def register(self, *targets):
        def deco(f):
            for x in targets:
                self.handlers[x] = f
            return f
        return deco
    @staticmethod
    def _sig(graph, n):
        one = graph.call_function(torch.exp, (graph.call_function(torch.neg, n.args[:1]),))
        return graph.call_function(torch.reciprocal, (graph.call_function(operator.add, (one, 1)),))
    def call(self, gm):
        changed = 0
        for n in list(gm.graph.nodes):
            f = self.handlers.get(n.target) if n.op == "call_function" else None
            if f is None:
                continue
            with gm.graph.inserting_before(n):
                new = f(gm.graph, n)
            n.replace_all_uses_with(new)
            gm.graph.erase_node(n)
            changed += 1
        gm.graph.eliminate_dead_code()
        gm.recompile()
        return fx.passes.infra.pass_base.PassResult(gm, bool(changed))

def singledispatch_like(gm):
    @functools.singledispatch
    def visit(a):
        return a
    @visit.register(tuple)
    def _(a):
        return tuple(visit(x) for x in a)
    @visit.register(list)
    def _(a):
        return [visit(x) for x in a]
    @visit.register(float)
    def _(a):
        return round(a * 2, 3)
    for n in gm.graph.nodes:
        n.args = visit(n.args)
    gm.recompile()
    return gm

def topological_again(gm):
    legalize_graph(gm)
    return gm

def inverse_map(gm):
    table = {torch.add: torch.sub, torch.sub: torch.add, operator.add: operator.sub, torch.mul: torch.div}
    inverse = {v: k for k, v in table.items()}
    both = {**inverse, **table}
    for n in gm.graph.nodes:
        n.target = both.get(n.target, n.target) if n.op == "call_function" else n.target
    gm.recompile()
    return gm

class ReluToModule(fx.Transformer):
    def __init__(self, gm):
        super().__init__(gm)
        self.count = 0
    def call_function(self, target, args, kwargs):
        if target in (torch.relu, nn.functional.relu):
            self.count += 1
            return super().call_method("relu", args[:1], {})
        return super().call_function(target, args, kwargs)
    def call_module(self, target, args, kwargs):
        submod = self.fetch_attr(target)
        if isinstance(submod, nn.Linear) and submod.bias is not None:
            y = super().call_module(target, args, kwargs)
            return y + 0
        return super().call_module(target, args, kwargs)
    def placeholder(self, target, args, kwargs):
        p = super().placeholder(target, args, kwargs)
        return p

def liveness(gm):
    last_use: t.Dict[Node, Node] = {}
    order = {n: i for i, n in enumerate(gm.graph.nodes)}
    for n in reversed(gm.graph.nodes):
        for i in n.all_input_nodes:
            last_use.setdefault(i, n)
    live, peak, where = set(), 0, None
    for n in gm.graph.nodes:
        live.add(n)
        live -= {i for i in n.all_input_nodes if last_use.get(i) is n}
        if len(live) > peak:
            peak, where = len(live), n
    if where is not None and where.op == "call_function" and order[where] % 2:
        with gm.graph.inserting_after(where):
            m = gm.graph.call_method("contiguous", (where,))
        where.replace_all_uses_with(m, lambda u: u is not m)
    gm.recompile()
    return gm

def context_managers(gm):
    @contextlib.contextmanager
    def before(node):
        with gm.graph.inserting_before(node):
            yield gm.graph
    class Timer:
        def __enter__(self):
            self.t0 = time.perf_counter()
            return self
        def __exit__(self, *exc):
            self.took = time.perf_counter() - self.t0
            return False
    with Timer() as timer:
        for n in list(gm.graph.nodes):
            if n.op == "output":
                with before(n) as g:
                    fresh = g.call_function(torch.abs, (n.args[0],)) if isinstance(n.args[0], Node) else None
                if fresh is not None:
                    n.args = (fresh,)
    assert timer.took >= 0
    gm.recompile()
    return gm

def swap_modules_by_type(gm):
    mapping = {nn.ReLU: nn.GELU, nn.BatchNorm2d: nn.Identity, nn.Linear: None}
    for name, mod in list(gm.named_modules()):
        if not name or type(mod) not in mapping or mapping[type(mod)] is None:
            continue
        gm.set_submodule(name, mapping[type(mod)]())
    gm.recompile()
    return gm

def named_children_walk(gm):
    def walk(m, prefix=""):
        for n, c in m.named_children():
            p = f"{prefix}.{n}" if prefix else n
            yield p, c
            yield from walk(c, p)
    total = sum(sum(p.numel() for p in c.parameters(recurse=False)) for _, c in walk(gm))
    gm.register_buffer("total", torch.tensor([total]))
    with gm.graph.inserting_before(next(n for n in gm.graph.nodes if n.op != "placeholder")):
        g = gm.graph.get_attr("total")
    out = [n for n in gm.graph.nodes if n.op == "output"][0]
    out.args = ((out.args[0], g),)
    gm.recompile()
    return gm

def output_arity(gm):
    *_, out = gm.graph.nodes
    val = out.args[0]
    if isinstance(val, (tuple, list)):
        out.args = (type(val)(reversed(val)),)
    elif isinstance(val, dict):
        out.args = (dict(sorted(val.items())),)
    else:
        out.args = ((val,),)
    gm.recompile()
    return gm

def removes_placeholder(gm):
    for n in [n for n in gm.graph.nodes if n.op == "placeholder"]:
        if not n.users:
            gm.graph.erase_node(n)
    gm.recompile()
    return gm

def fx_wrap_call(gm):
    for n in gm.graph.nodes:
        if n.op == "call_function" and n.target in (aten.relu.default, aten.neg.default):
            n.target = {aten.relu.default: aten.silu.default, aten.neg.default: aten.abs.default}[n.target]
    gm.recompile()
    return gm

def overload_attrs(gm):
    for n in gm.graph.nodes:
        if n.op == "call_function" and isinstance(n.target, torch._ops.OpOverload):
            name = n.target._schema.name
            assert n.target.namespace == "aten" and name.startswith("aten::")
            if n.target._overloadname == "Tensor" and n.target.overloadpacket in (aten.add, aten.mul):
                n.target = aten.sub.Tensor
            schema = n.target._schema
            if len(schema.arguments) and schema.arguments[0].name == "self" and n.target.name() == "aten::relu":
                n.target = getattr(aten, "relu6").default
    gm.recompile()
    return gm

def user_error(gm):
    for n in gm.graph.nodes:
        if n.op == "output":
            raise ValueError(f"cannot handle {n.format_node()!r}: {n.args}")
    return gm

def assertion(gm):
    assert all(n.op != "output" for n in gm.graph.nodes), "has output"
    return gm

def missing_attr(gm):
    for n in gm.graph.nodes:
        n.targets
    return gm

def name_clash(gm):
    g = gm.graph
    first = next(iter(g.nodes))
    with g.inserting_after(first):
        a = g.create_node("call_function", torch.neg, (first,), {}, name=first.name)
        b = g.create_node("call_function", torch.neg, (a,), {}, name="neg_1")
        c = g.call_method("neg", (b,))
        d = g.create_node("call_module", "lin" if hasattr(gm, "lin") else "block.0", (c,), None)
    first.replace_all_uses_with(d, delete_user_cb=lambda n: n not in (a, b, c, d))
    g.lint()
    gm.recompile()
    return gm

def sort_key(gm):
    ns = sorted(gm.graph.nodes, key=lambda n: (-len(n.users), n.name))
    groups = itertools.groupby(sorted(ns, key=lambda n: n.op), key=lambda n: n.op)
    sizes = {k: len(list(v)) for k, v in groups}
    if sizes.get("call_function", 0) > 3:
        x = ns[0]
        if x.op == "call_function":
            with gm.graph.inserting_after(x):
                y = gm.graph.call_function(torch.mul, (x, sizes["call_function"]))
            x.replace_all_uses_with(y, delete_user_cb=lambda u: u is not y)
    gm.recompile()
    return gm

def symbolic_sub(gm):
    class Block(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(n))
            self.act = nn.SiLU()
        def forward(self, x):
            return self.act(x) * self.scale
    traced = fx.symbolic_trace(Block(1))
    gm.add_submodule("extra", traced)
    out = [n for n in gm.graph.nodes][-1]
    if isinstance(out.args[0], Node):
        with gm.graph.inserting_before(out):
            new = gm.graph.call_module("extra", (out.args[0],))
        out.args = (new,)
    gm.recompile()
    return gm

def inline_submodule(gm):
    class Sub(nn.Module):
        def forward(self, a):
            return torch.exp(torch.neg(a))
    sub = fx.symbolic_trace(Sub())
    for n in list(gm.graph.nodes):
        if n.op == "call_function" and n.target is torch.sigmoid:
            with gm.graph.inserting_before(n):
                env = {}
                ph = [x for x in sub.graph.nodes if x.op == "placeholder"]
                env.update(zip(ph, n.args))
                result = gm.graph.graph_copy(sub.graph, env)
            n.replace_all_uses_with(result)
            gm.graph.erase_node(n)
    gm.graph.lint()
    gm.recompile()
    return gm
