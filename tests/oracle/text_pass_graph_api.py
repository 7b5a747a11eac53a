# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of Graph, Node and GraphModule in its corners, and weights."""
import builtins
import copy
import operator
import random
import string
import types
import warnings
from collections import OrderedDict, deque
from itertools import accumulate, chain, combinations, compress, dropwhile, groupby, pairwise, product, repeat, starmap, takewhile, tee, zip_longest
from math import ceil, floor, gcd, inf, isclose, isfinite, log2, prod, sqrt
from numbers import Number

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import fx
from torch.fx import GraphModule, Node


def insert_and_update(gm):
    for n in list(gm.graph.nodes):
        if n.op == "call_method" and n.target in ("view", "reshape"):
            n.insert_arg(1, 1)
        elif n.target is torch.cat:
            n.update_kwarg("dim", -1)
            n.update_arg(0, list(reversed(n.args[0])))
        elif n.target is operator.add:
            n.insert_arg(2, 7)
            n.args = n.args[:2][::-1]
    gm.recompile()
    return gm


def process_in_out(gm):
    out = gm.graph.output_node()
    first = next(iter(gm.graph.nodes))
    print(out.name, first.name, first.prev.op, out.next.op, out.next is first.prev, gm.graph.process_outputs(1))
    print(gm.graph.process_inputs(1, 2), gm.graph.owning_module is gm, out.graph is gm.graph)
    with gm.graph.inserting_before():
        n = gm.graph.create_node("placeholder", "lead", type_expr=int)
    print(n, n.type, n.prev, n.next, n < out, n.next > n, sorted([out, n, first])[0])
    return gm


def find_nodes_all(gm):
    for op in ("placeholder", "call_module", "call_method", "get_attr", "output"):
        print(op, gm.graph.find_nodes(op=op)[:3])
    print([n.name for n in gm.graph.find_nodes(op="call_function", target=operator.add, sort=False)])
    try:
        gm.graph.find_nodes(op="call_function")
    except AssertionError as e:
        print("AssertionError", e)
    return gm


def tables(gm):
    for pair in pairwise(gm.graph.nodes):
        if pair[0].op != pair[1].op:
            print(*pair, sep="/")
    sizes = [len(n.args) for n in gm.graph.nodes]
    print(list(accumulate(sizes))[-1], list(accumulate(sizes, max))[-1], prod(s or 1 for s in sizes), gcd(*sizes))
    print(list(takewhile(lambda n: n.op == "placeholder", gm.graph.nodes)), next(dropwhile(lambda n: n.op == "placeholder", gm.graph.nodes)))
    print(list(compress(gm.graph.nodes, (len(n.users) > 1 for n in gm.graph.nodes))), sum(1 for _ in combinations(range(4), 2)))
    print({k: [n.name for n in g][:2] for k, g in groupby(list(gm.graph.nodes), key=lambda n: n.op)})
    print(list(starmap(operator.sub, zip(sizes[1:4], sizes))), list(zip_longest("ab", sizes[:3], fillvalue="-")), list(product("ab", repeat=2))[:3])
    a, b = tee(sizes)
    print(sum(a) == sum(b), list(chain.from_iterable([[1], [2, 3]])), list(repeat("x", 2)), floor(sqrt(10)), ceil(2.1), log2(8), isclose(0.1 + 0.2, 0.3), inf > 3)
    return gm


def texts(gm):
    rows = [(n.name, n.op, n.op[::-1]) for n in gm.graph.nodes]
    w = [max(len(r[i]) for r in rows) for i in range(3)]
    for name, op, target in rows[:6]:
        print(f"|{name:<{w[0]}}|{op:^{w[1]}}|{target:>{w[2]}}|")
    print("%-10s|%5.2f|%03d|%r|%x|%e" % ("a", 1.5, 7, "q", 255, 12345.678), "{0!r:>8}{1:+.1e}{x[0]}".format("k", 3.0, x=[4]))
    print("a,b,,c".split(","), "x=1;y=2".partition(";"), "  pad ".strip().center(9, "*"), "Title case".title().swapcase())
    print(", ".join(c for c in string.ascii_lowercase[:5]), "a.b.c".rpartition("."), "tEST".capitalize(), "1_000".isdigit(), "x9".isalnum(), "Ete".casefold())
    print(f"{1234567.891:,.2f} {255:#x} {0.256:.1%} {5:b} {'é':>3} {True!s:>6} {None} {[1, 'a', 2.0]} { {'k': (1,)} }", b"ab", {1, 2} | {3}, frozenset({1}))
    return gm


def graph_module_state(gm):
    print(gm.training, len(list(gm.parameters())), hasattr(gm, "graph"), "forward" in dir(gm))
    gm.eval()
    print(gm.training, [type(c).__name__ for c in gm.children()])
    gm.train(True)
    gm.requires_grad_(False)
    print(all(not p.requires_grad for p in gm.parameters()), sum(p.numel() for p in gm.parameters()), sum(b.numel() for b in gm.buffers()))
    gm.meta["note"] = {"by": "pass"}
    print(gm.meta.get("note"), isinstance(gm, nn.Module), isinstance(gm, fx.GraphModule), callable(gm))
    return gm


def submodules_api(gm):
    gm.add_submodule("extra.deep.lin", nn.Linear(2, 3)) if hasattr(gm, "extra") else gm.add_submodule("extra", nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    print(gm.get_submodule("extra.0"), tuple(gm.get_parameter("extra.0.weight").shape), gm.extra[1], len(gm.extra), gm.delete_submodule("extra.1"), gm.delete_submodule("nothing"))
    for bad in ("extra.9", "none.at.all"):
        try:
            gm.get_submodule(bad)
        except AttributeError as e:
            print("AttributeError", e)
    print([n for n, _ in gm.extra.named_modules(prefix="p")], list(dict(gm.extra.named_parameters(prefix="w"))))
    gm.delete_all_unused_submodules()
    print(hasattr(gm, "extra"), "extra" in dict(gm.named_children()))
    return gm


def module_containers(gm):
    gm.lst = nn.ModuleList([nn.Linear(1, 1) for _ in range(2)])
    gm.lst.append(nn.ReLU())
    gm.lst.extend([nn.Tanh()])
    gm.dct = nn.ModuleDict({"a": nn.Linear(1, 2)})
    gm.dct["b"] = nn.Dropout(0.3)
    gm.seq = nn.Sequential(OrderedDict([("one", nn.Linear(2, 2)), ("two", nn.ReLU(inplace=True))]))
    gm.par = nn.ParameterList([nn.Parameter(torch.zeros(1))])
    print(len(gm.lst), gm.lst[-1], list(gm.dct), "a" in gm.dct, gm.dct["b"].p, gm.seq.two, gm.seq[0].in_features)
    print([type(m).__name__ for m in gm.lst], list(gm.dct.items())[0][0], [k for k, _ in gm.seq.named_children()])
    print(gm.lst)
    print(gm.seq, gm.dct, sep="\n")
    return gm


def modules_direct(gm):
    """What lies beneath: _modules, _parameters, _buffers, __dict__."""
    print(list(gm._modules), list(gm._parameters), list(gm._buffers))
    for name, child in list(gm._modules.items()):
        if isinstance(child, (nn.ReLU, nn.Sigmoid)):
            gm._modules[name] = nn.Tanh()
        if child is not None and len(child._modules):
            for k in child._modules:
                if type(child._modules[k]) is nn.ReLU:
                    child._modules[k] = nn.ReLU6()
    gm._buffers["offset"] = torch.zeros(2)
    print([n for n, _ in gm.named_buffers()], [type(m).__name__ for m in gm.modules()][1:])
    return gm


def raises_and_cleans(gm):
    log = []

    class Guard:
        def __enter__(self):
            log.append("in")
            return self

        def __exit__(self, kind, value, trace):
            log.append(kind.__name__ if kind else "ok")
            return kind is KeyError

    with Guard():
        {}["missing"]
    with Guard() as g, Guard():
        pass
    try:
        with Guard():
            raise ValueError("a", 2)
    except (TypeError, ValueError) as e:
        log.append((e.args, str(e), repr(e)))
        try:
            raise RuntimeError("wrapped") from e
        except RuntimeError as r:
            log.append(type(r.__cause__).__name__)
    finally:
        log.append("done")

    class Custom(Exception):
        def __init__(self, node):
            super().__init__(f"bad {node}")
            self.node = node

    for n in gm.graph.nodes:
        try:
            if n.op == "output":
                raise Custom(n)
        except Custom as c:
            log.append((c.node.name, str(c)))
    print(*log, sep="\n")
    return gm


def closures_generators(gm):
    def walk(node, seen=None):
        seen = set() if seen is None else seen
        if node in seen:
            return len(seen)
        seen.add(node)
        for i in node.all_input_nodes:
            yield from walk(i, seen)
        yield node
        return len(seen)

    print([n.name for n in walk(gm.graph.output_node())][-4:])

    def averager():
        total = count = 0
        value = None
        while True:
            value = yield value
            total, count = total + value, count + 1
            value = total / count

    a = averager()
    next(a)
    print([a.send(len(n.users)) for n in gm.graph.nodes][-1])
    a.close()
    fns = [lambda k=k: k * 2 for k in range(3)]
    print([f() for f in fns], (lambda *a, **k: (a, k))(1, *[2], z=3, **{"y": 4}))

    def counter():
        n = 0

        def inc(by: int = 1, /, *, twice=False):
            nonlocal n
            n += by * (1 + twice)
            return n

        return inc

    c = counter()
    print(c(), c(2), c(2, twice=True), [x for row in [[1, 2], [3]] for x in row if x % 2], {x: y for x, y in zip("ab", range(2))}, {i % 2 for i in range(5)})
    first, *middle, last = gm.graph.nodes
    print(first, len(middle), last, *(m for m in middle[:2]))
    return gm


def meta_everywhere(gm):
    for i, n in enumerate(gm.graph.nodes):
        n.meta["rank"] = i
        n.meta.setdefault("tags", []).append(n.op)
        n.meta["tags"] += ["late"] if i > 3 else []
    for n in gm.graph.nodes:
        if n.op.startswith("call"):
            with gm.graph.inserting_after(n):
                m = gm.graph.call_function(torch.clone, (n,))
                m.meta = copy.copy(n.meta)
                m.meta["tags"].append("copy")
            n.replace_all_uses_with(m, delete_user_cb=lambda u: u is not m, propagate_meta=False)
            break
    print([(n.name, n.meta["rank"], n.meta["tags"]) for n in gm.graph.nodes if "rank" in n.meta][:6], n.meta.pop("rank"), "rank" in n.meta)
    n.stack_trace = "line 1\n  in f"
    print(n.stack_trace, n.meta.get("stack_trace"), bool(n.meta))
    gm.recompile()
    return gm


def weights_read(gm):
    for name, p in gm.named_parameters():
        if p.dim() > 1:
            print(name, tuple(p.shape), p.shape[0], p.ndim, p.dtype, p.device, p.requires_grad, p.numel(), p.is_leaf, tuple(p.stride()), p.size(0), isinstance(p, nn.Parameter), len(p))
            break
    for name, b in gm.named_buffers():
        print(name, tuple(b.shape), type(b).__name__, b.element_size() * b.nelement(), b.is_floating_point(), b.tolist() if b.numel() < 5 else "...")
        break
    with torch.no_grad():
        for p in gm.parameters():
            p.copy_(p.sign() * p.abs().clamp(max=0.1))
            p.add_(torch.zeros_like(p)).mul_(2)
        print(max(float(p.max()) for p in gm.parameters()) <= 0.2 + 1e-6 if list(gm.parameters()) else None)
    return gm
