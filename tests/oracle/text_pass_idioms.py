# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes that use much of Python and of Node, Graph and GraphModule."""

from __future__ import annotations
import copy, operator, re, logging, warnings, functools, itertools, math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Callable, Dict, List, Optional, Tuple, Union, Iterable
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.fx as fx
from torch.fx import Graph, GraphModule, Node, Proxy, Transformer, Interpreter, map_arg
from torch.fx.node import Argument, Target, map_aggregate
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.subgraph_rewriter import replace_pattern
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

log = logging.getLogger(__name__)

class Kind(Enum):
    UNARY = 1
    BINARY = "two"

@dataclass
class Rule:
    source: Any
    target: Any
    kind: Kind = Kind.UNARY
    hits: List[str] = field(default_factory=list)

    def matches(self, node: Node) -> bool:
        return node.op == "call_function" and node.target is self.source

_RULES = [Rule(torch.relu, F.relu), Rule(torch.add, operator.add, Kind.BINARY), Rule(operator.mul, torch.mul, Kind.BINARY)]

def rules_dataclass(gm: GraphModule) -> GraphModule:
    for node in gm.graph.nodes:
        for rule in _RULES:
            if rule.matches(node):
                node.target = rule.target
                rule.hits.append(node.name)
                break
    gm.recompile()
    return gm

def rebuild_with_env(gm):
    new_graph = fx.Graph()
    env: Dict[Node, Node] = {}
    for node in gm.graph.nodes:
        new = new_graph.node_copy(node, lambda n: env[n])
        env[node] = new
        if node.op == "call_function" and node.target in (torch.relu, F.relu):
            with new_graph.inserting_after(new):
                env[node] = new_graph.call_method("clone", (new,))
    new_graph.lint()
    return GraphModule(gm, new_graph)

def graph_copy_double(gm):
    g = Graph()
    vals = {}
    out = g.graph_copy(gm.graph, vals)
    r = g.call_function(torch.neg, (out,)) if isinstance(out, Node) else out
    g.output(r)
    return GraphModule(gm, g)

def find_nodes_api(gm):
    for n in gm.graph.find_nodes(op="call_function", target=torch.relu):
        n.target = torch.sigmoid
    for n in gm.graph.find_nodes(op="placeholder", sort=True):
        n.update_kwarg if False else None
    gm.recompile()
    return gm

def counter_names(gm):
    c = Counter(n.op for n in gm.graph.nodes)
    most, count = c.most_common(1)[0]
    if count > 2:
        last = [n for n in gm.graph.nodes if n.op == most][-1]
        if last.op not in ("output", "placeholder"):
            with gm.graph.inserting_after(last):
                new = gm.graph.call_function(torch.abs, (last,))
            last.replace_all_uses_with(new, delete_user_cb=lambda u: u is not new)
    gm.recompile()
    return gm

def deque_bfs(gm):
    out = next(n for n in reversed(gm.graph.nodes) if n.op == "output")
    seen = set()
    todo = deque([out])
    order = []
    while todo:
        n = todo.popleft()
        if n in seen:
            continue
        seen.add(n)
        order.append(n)
        todo.extend(n.all_input_nodes)
    for i, n in enumerate(order):
        if n.op == "call_function" and i % 2:
            n.kwargs = {**n.kwargs}
            n.args = tuple(n.args)
    for n in reversed(list(gm.graph.nodes)):
        if n not in seen and n.op != "placeholder":
            gm.graph.erase_node(n)
    gm.recompile()
    return gm

def match_stmt(gm):
    for node in list(gm.graph.nodes):
        match node.op:
            case "call_method" if node.target == "relu":
                with gm.graph.inserting_before(node):
                    new = gm.graph.call_function(F.relu, node.args, node.kwargs)
                node.replace_all_uses_with(new)
                gm.graph.erase_node(node)
            case "call_function" | "call_module":
                node.name.upper()
            case _:
                pass
    return gm

def walrus_zip(gm):
    prev = None
    for a, b in zip(gm.graph.nodes, itertools.islice(gm.graph.nodes, 1, None)):
        if (t := b.target) is torch.add and a in b.args:
            b.target = torch.sub
            prev = b
    gm.recompile()
    return gm

class CountingPass(PassBase):
    def __init__(self, limit: int = 3, *, verbose=False):
        super().__init__()
        self.limit = limit
        self._n = 0
    def requires(self, graph_module):
        assert isinstance(graph_module, GraphModule), "need gm"
    def call(self, graph_module: GraphModule) -> Optional[PassResult]:
        modified = False
        for node in graph_module.graph.nodes:
            if self._n >= self.limit:
                break
            if node.op == "call_function" and node.target in {torch.add, operator.add}:
                node.target = operator.iadd if False else torch.sub
                self._n += 1
                modified = True
        return PassResult(graph_module, modified)
    def ensures(self, graph_module):
        graph_module.graph.lint()

class GeluToTanh(Transformer):
    def call_function(self, target: Target, args: Tuple[Argument, ...], kwargs: Dict[str, Any]) -> Any:
        if target is F.gelu:
            return super().call_function(target, args, {**kwargs, "approximate": "tanh"})
        if target == torch.relu:
            x = args[0]
            return x * torch.sigmoid(x)
        return super().call_function(target, args, kwargs)
    def call_method(self, target, args, kwargs):
        if target == "relu":
            self_obj, *rest = args
            return self_obj.clamp(min=0)
        return super().call_method(target, args, kwargs)

class Tagger(Interpreter):
    def __init__(self, module):
        super().__init__(module)
        self.seen = []

def module_swap(gm):
    def parent_name(target: str) -> Tuple[str, str]:
        *parent, name = target.rsplit(".", 1)
        return parent[0] if parent else "", name
    modules = dict(gm.named_modules())
    for node in gm.graph.nodes:
        if node.op != "call_module":
            continue
        mod = modules[node.target]
        if isinstance(mod, (nn.ReLU, nn.ReLU6)):
            p, n = parent_name(node.target)
            setattr(modules[p], n, nn.Hardtanh(0.0, 6.0))
        elif type(mod) is nn.Dropout:
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.graph.lint()
    gm.recompile()
    return gm

def reduce_getattr(gm):
    for node in gm.graph.nodes:
        if node.op == "get_attr":
            value = functools.reduce(getattr, node.target.split("."), gm)
            if isinstance(value, (torch.Tensor, nn.Parameter)):
                with gm.graph.inserting_after(node):
                    new = gm.graph.call_method("detach", (node,))
                node.replace_all_uses_with(new)
                new.args = (node,)
    gm.recompile()
    return gm

def re_rename(gm):
    for node in gm.graph.nodes:
        if m := re.match(r"^([a-z]+)_(\d+)$", node.name):
            base, number = m.groups()
            if int(number) % 2 == 0 and node.op == "call_function":
                with gm.graph.inserting_after(node):
                    new = gm.graph.create_node("call_function", torch.square, (node,), {}, name=f"{base}_sq_{number:0>3}")
                node.replace_all_uses_with(new)
                new.update_arg(0, node)
    gm.recompile()
    return gm

def deepcopy_returns(gm):
    other = copy.deepcopy(gm)
    for n in other.graph.nodes:
        if n.target is torch.relu:
            n.target = torch.tanh
    other.recompile()
    return other

def proxies_arith(gm):
    graph = gm.graph
    tracer = fx.proxy.GraphAppendingTracer(graph)
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target in [torch.add, operator.add] and len(node.args) == 2:
            with graph.inserting_before(node):
                a, b = (Proxy(x, tracer) if isinstance(x, Node) else x for x in node.args)
                if isinstance(a, Proxy):
                    out = -(-a - b) if not isinstance(b, str) else a
                    node.replace_all_uses_with(out.node)
                    graph.erase_node(node)
    graph.lint()
    gm.recompile()
    return gm

def new_module_with_buffer(gm):
    class Scale(nn.Module):
        def __init__(self, value):
            super().__init__()
            self.register_buffer("value", torch.full((1,), value))
        def forward(self, x):
            return x * self.value
    gm.add_module("scaler", Scale(2.0))
    out = list(gm.graph.nodes)[-1]
    first = out.args[0]
    if isinstance(first, Node):
        with gm.graph.inserting_before(out):
            n = gm.graph.call_module("scaler", (first,))
        out.replace_input_with(first, n)
    gm.recompile()
    return gm

def param_scaled(gm):
    with torch.no_grad():
        for name, p in gm.named_parameters():
            if p.dim() > 1:
                p.mul_(0.5)
    out = next(iter(reversed(gm.graph.nodes)))
    gm.register_parameter("gain", nn.Parameter(torch.ones(1)))
    if isinstance(out.args[0], Node):
        with gm.graph.inserting_before(out):
            gain = gm.graph.get_attr("gain")
            scaled = gm.graph.call_function(operator.mul, args=(out.args[0], gain))
        out.args = (scaled,)
    gm.recompile()
    return gm

def warn_and_log(gm):
    log.debug("have %d nodes", len(gm.graph.nodes))
    if len(gm.graph.nodes) > 10_000:
        warnings.warn("large")
    lines = [f"{gm.__class__.__name__}: {len(list(gm.graph.nodes)):>5} nodes"]
    for i, node in enumerate(gm.graph.nodes):
        lines.append(f"{i} {node.format_node() or '-'} {[str(u) for u in node.users]}")
    node.meta["note"] = "\n".join(lines)
    if "x" in lines[-1]:
        gm.graph.create_node("call_function", torch.neg, (next(iter(gm.graph.nodes)),), name="noted")
    return gm

def try_except(gm):
    for node in gm.graph.nodes:
        try:
            value = node.kwargs["dim"]
        except KeyError as e:
            continue
        else:
            node.kwargs = {**node.kwargs, "dim": int(value) if isinstance(value, int) else value}
        finally:
            pass
    gm.recompile()
    return gm

def generator_windows(gm):
    def windows(nodes: Iterable[Node], n: int):
        it = iter(nodes)
        window = deque(itertools.islice(it, n), maxlen=n)
        if len(window) == n:
            yield tuple(window)
        for x in it:
            window.append(x)
            yield tuple(window)
    done = set()
    for a, b in windows(list(gm.graph.nodes), 2):
        if a in b.all_input_nodes and a.op == b.op == "call_function" and len(a.users) == 1 and a not in done and b.target is a.target is torch.relu:
            b.replace_all_uses_with(a)
            gm.graph.erase_node(b)
            done.add(b)
    gm.recompile()
    return gm

def replace_with_pattern_text(gm):
    def pattern(x):
        return torch.relu(x)
    def replacement(x):
        return F.hardtanh(x, 0.0, 6.0)
    matches = replace_pattern(gm, pattern, replacement)
    for m in matches:
        assert m.anchor is not None
    return gm

def subgraph_matcher(gm):
    def pattern(x, y):
        return torch.relu(x + y)
    pg = fx.symbolic_trace(pattern).graph
    matcher = SubgraphMatcher(pg, match_output=False, match_placeholder=False, remove_overlapping_matches=True)
    for m in matcher.match(gm.graph):
        root = m.returning_nodes[0]
        with gm.graph.inserting_after(root):
            new = gm.graph.call_function(torch.abs, (root,))
        root.replace_all_uses_with(new, delete_user_cb=lambda u, new=new: u != new)
    gm.recompile()
    return gm

def map_arg_uses(gm):
    for node in gm.graph.nodes:
        if node.op == "call_function":
            ins = []
            fx.node.map_arg(node.args, lambda n: ins.append(n))
            if len(ins) == 2 and ins[0] is ins[1]:
                node.args = fx.map_arg(node.args, lambda n: ins[0])
            node.args = map_aggregate(node.args, lambda a: float(a) if isinstance(a, int) and not isinstance(a, bool) and node.target is torch.add else a)
    gm.recompile()
    return gm

def typing_names(gm):
    P = namedtuple("P", "x y")
    ps = [P(n, len(n.users)) for n in gm.graph.nodes if n.op not in ("output",)]
    best = max(ps, key=lambda p: (p.y, p.x.name))
    best.x.meta["best"] = True
    hot = sorted((n for n in gm.graph.nodes if n.meta.get("best")), key=operator.attrgetter("name"))
    for n in hot:
        if n.op == "call_function":
            n.meta = {}
    return gm

def erases_wrong(gm):
    for node in gm.graph.nodes:
        if node.users and node.op != "placeholder":
            gm.graph.erase_node(node)
    return gm

def move_nodes(gm):
    nodes = [n for n in gm.graph.nodes if n.op == "get_attr"]
    ph = [n for n in gm.graph.nodes if n.op == "placeholder"]
    for n in nodes:
        ph[-1].append(n)
    for n in reversed(nodes):
        n.prev, n.next
        ph[0].prepend(n)
    gm.graph.lint()
    gm.recompile()
    return gm

def normalise_kwargs(gm):
    for node in gm.graph.nodes:
        if node.op in ("call_function", "call_module"):
            if node.op == "call_module" or node.target in (F.relu, F.dropout, F.softmax):
                norm = node.normalized_arguments(gm, normalize_to_only_use_kwargs=True)
                if norm is not None:
                    node.args, node.kwargs = norm
    gm.recompile()
    return gm

def process_inputs(gm):
    phs = gm.graph.find_nodes(op="placeholder")
    with gm.graph.inserting_after(phs[-1]):
        extra = gm.graph.placeholder("extra", default_value=None)
    extra2 = None
    with gm.graph.inserting_before(next(iter(gm.graph.nodes))):
        extra2 = gm.graph.placeholder("first", torch.Tensor)
    gm.graph.lint()
    gm.recompile()
    return gm

def normalise_with_schemas(gm):
    from torch.fx.operator_schemas import normalize_function
    for node in gm.graph.nodes:
        if node.op == "call_function" and getattr(node.target, "__module__", "") == "torch.nn.functional":
            found = normalize_function(node.target, node.args, node.kwargs, normalize_to_only_use_kwargs=False)
            if found:
                args, kwargs = found
                node.args, node.kwargs = args, {k: v for k, v in kwargs.items() if v is not None}
    gm.recompile()
    return gm

def ambiguous_schemas(gm):
    """What torch.fx cannot choose is told in its words."""
    from torch.fx.operator_schemas import normalize_function
    x = next(iter(gm.graph.nodes))
    said = []
    for target in (torch.add, torch.sum, torch.max, torch.mean, torch.clamp, torch.ops.aten.mul, torch.relu, torch.split):
        try:
            normalize_function(target, (x, 1) if target is not torch.relu else (x,))
        except RuntimeError as error:
            said.append(str(error))
    with gm.graph.inserting_before(list(gm.graph.nodes)[-1]):
        gm.graph.call_function(len, (said,))
    gm.recompile()
    return gm

def typed_nodes(gm):
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            node.type = torch.Tensor
        elif node.op == "call_function" and node.type is None:
            with gm.graph.inserting_after(node):
                made = gm.graph.call_function(torch.neg, (node,), type_expr=torch.Tensor)
            node.replace_all_uses_with(made)
            made.args = (node,)
            made.meta = dict(node.meta)
            assert made.type is torch.Tensor
            break
    assert "def forward" in gm.code and gm.graph.python_code("self").src
    return gm

def shapes_by_torch(gm):
    ShapeProp(gm).propagate(*[torch.ones(2, 8) for n in gm.graph.nodes if n.op == "placeholder"])
    for node in gm.graph.nodes:
        meta = node.meta.get("tensor_meta")
        if meta is not None and node.op == "call_function" and len(meta.shape) == 2:
            assert meta.stride == (meta.shape[1], 1) or meta.memory_format is None
            node.kwargs = {**node.kwargs}
            if meta.dtype is torch.float32 and meta.shape[-1] > 4:
                with gm.graph.inserting_after(node):
                    made = gm.graph.call_method("reshape", (node, tuple(meta.shape)))
                node.replace_all_uses_with(made)
                made.update_arg(0, node)
    gm.recompile()
    return gm

def impure_and_dce(gm):
    with gm.graph.inserting_before(list(gm.graph.nodes)[-1]):
        first = next(iter(gm.graph.nodes))
        a = gm.graph.call_function(torch._assert, (True, "fine"))
        b = gm.graph.call_function(torch.neg, (first,))
        c = gm.graph.call_method("add_", (first, 1))
    changed = gm.graph.eliminate_dead_code(is_impure_node=lambda n: n.is_impure() or n.target == "add_")
    gm.recompile()
    return gm
