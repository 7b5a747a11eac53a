# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes in the styles of tutorials, torch.ao, FBGEMM/TorchRec, TensorRT and vendor back ends."""
import builtins
import collections
import copy
import dataclasses
import enum
import functools
import itertools
import logging
import operator
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple, Type, Union

import torch
import torch.fx
import torch.nn as nn
import torch.nn.functional as F
from torch import fx
from torch.fx import Graph, GraphModule, Interpreter, Node, Proxy, Tracer, Transformer, symbolic_trace
from torch.fx.graph import map_arg
from torch.fx.node import Argument, Target
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.split_module import split_module

logger = logging.getLogger(__name__)
_LOG = logging.getLogger("vendor")

ACTIVATIONS: Tuple[Type[nn.Module], ...] = (nn.ReLU, nn.ReLU6, nn.SiLU, nn.GELU)
REPLACEMENTS: Dict[Any, Any] = {torch.relu: torch.tanh, F.relu: torch.tanh, torch.sigmoid: F.hardsigmoid}


def _parent_name(target: str) -> Tuple[str, str]:
    *parent, name = target.rsplit(".", 1)
    return parent[0] if parent else "", name


def _matches(node: fx.Node, pattern: Iterable[Type], modules: Dict[str, Any]) -> bool:
    if len(node.args) == 0:
        return False
    nodes: Tuple[Any, fx.Node] = (node.args[0], node)
    for expected_type, current_node in zip(pattern, nodes):
        if not isinstance(current_node, fx.Node):
            return False
        if current_node.op != "call_module":
            return False
        if not isinstance(current_node.target, str):
            return False
        if current_node.target not in modules:
            return False
        if type(modules[current_node.target]) is not expected_type:
            return False
    return True


def _replace_node_module(node: fx.Node, modules: Dict[str, Any], new_module: torch.nn.Module):
    assert isinstance(node.target, str)
    parent_name, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent_name], name, new_module)


def swap_activation_modules(gm: GraphModule) -> GraphModule:
    """As torch.fx's optimization.py does."""
    modules = dict(gm.named_modules())
    new_graph = copy.deepcopy(gm.graph)
    for node in new_graph.nodes:
        if node.op == "call_module" and isinstance(modules.get(node.target), ACTIVATIONS):
            _replace_node_module(node, modules, nn.Hardswish())
    return fx.GraphModule(gm, new_graph)


def fold_pairs(gm: GraphModule) -> GraphModule:
    modules = dict(gm.named_modules())
    for pattern in [(nn.Conv2d, nn.ReLU), (nn.Linear, nn.ReLU)]:
        for node in list(gm.graph.nodes):
            if _matches(node, pattern, modules):
                if len(node.args[0].users) > 1:
                    continue
                node.replace_all_uses_with(node.args[0])
                gm.graph.erase_node(node)
    gm.recompile()
    return gm


def table_retarget(gm: GraphModule) -> GraphModule:
    for n in gm.graph.nodes:
        if n.op == "call_function" and n.target in REPLACEMENTS:
            n.target = REPLACEMENTS[n.target]
    gm.graph.lint()
    gm.recompile()
    return gm


class NodeKind(enum.Enum):
    COMPUTE = "compute"
    OTHER = 1


@dataclasses.dataclass
class Stats:
    counts: Dict[str, int] = dataclasses.field(default_factory=dict)
    total: int = 0

    def add(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1
        self.total += 1

    @property
    def most(self) -> Optional[str]:
        return max(self.counts, key=lambda k: (self.counts[k], k)) if self.counts else None


def _kind_of(node: Node) -> NodeKind:
    return NodeKind.COMPUTE if node.op.startswith("call_") else NodeKind.OTHER


def negate_most_common(gm: GraphModule) -> GraphModule:
    stats = Stats()
    for node in gm.graph.nodes:
        if _kind_of(node) is NodeKind.COMPUTE:
            stats.add(str(node.target))
    if stats.most is None:
        return gm
    for node in list(gm.graph.nodes):
        if _kind_of(node) == NodeKind.COMPUTE and str(node.target) == stats.most:
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.neg, args=(node,))
                node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    gm.recompile()
    return gm


def horizontal_sigmoid(gm: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """One activation for several users of one tensor."""
    groups: Dict[Node, List[Node]] = defaultdict(list)
    for node in gm.graph.nodes:
        for inp in node.all_input_nodes:
            groups[inp].append(node)
    for source, users in groups.items():
        if len(users) < 2:
            continue
        with gm.graph.inserting_after(source):
            act = gm.graph.create_node("call_function", torch.sigmoid, (source,), {}, name="shared")
        for user in users:
            user.replace_input_with(source, act)
    gm.graph.eliminate_dead_code()
    return gm


def topological_levels(gm: GraphModule) -> GraphModule:
    levels: Dict[Node, int] = {}
    for node in gm.graph.nodes:
        levels[node] = 1 + max((levels[i] for i in node.all_input_nodes), default=-1)
    deepest = sorted(((lv, n.name) for n, lv in levels.items() if n.op == "call_function"), reverse=True)[:2]
    names = {name for _, name in deepest}
    for node in gm.graph.nodes:
        if node.name in names:
            node.meta["level"] = levels[node]
            with gm.graph.inserting_before(node):
                first = node.all_input_nodes[0] if node.all_input_nodes else None
                if first is not None:
                    scaled = gm.graph.call_method("mul", (first, float(levels[node])))
                    node.replace_input_with(first, scaled)
    gm.recompile()
    return gm


def worklist_fuse_neg(gm: GraphModule) -> GraphModule:
    work = deque(n for n in gm.graph.nodes if n.op == "call_method" and n.target == "neg" or n.target is torch.neg)
    seen: Set[Node] = set()
    while work:
        node = work.popleft()
        if node in seen:
            continue
        seen.add(node)
        if not node.args or not isinstance(node.args[0], Node):
            continue
        inner = node.args[0]
        if inner.target is torch.neg or inner.target == "neg":
            node.replace_all_uses_with(inner.args[0])
    gm.graph.eliminate_dead_code()
    gm.recompile()
    return gm


class ConvertToInplace(PassBase):
    TABLE = {torch.add: "add_", operator.add: operator.iadd, torch.relu: torch.relu_}

    def __init__(self, limit: int = 3):
        super().__init__()
        self.limit = limit

    def requires(self, graph_module: GraphModule) -> None:
        assert isinstance(graph_module, GraphModule)

    def ensures(self, graph_module: GraphModule) -> None:
        graph_module.graph.lint()

    def call(self, graph_module: GraphModule) -> PassResult:
        done = 0
        for node in graph_module.graph.nodes:
            if done >= self.limit:
                break
            target = self.TABLE.get(node.target)
            if target is None or not node.args or not isinstance(node.args[0], Node):
                continue
            if len(node.args[0].users) != 1 or node.args[0].op == "placeholder":
                continue
            if isinstance(target, str):
                node.op, node.target = "call_method", target
            else:
                node.target = target
            done += 1
        graph_module.recompile()
        return PassResult(graph_module, bool(done))


class LegalizeTransformer(Transformer):
    """Replaces functions by methods and back."""

    def __init__(self, gm):
        super().__init__(gm)
        self.seen = Counter()

    def call_function(self, target: Target, args: Tuple[Argument, ...], kwargs: Dict[str, Any]) -> Any:
        self.seen[str(target)] += 1
        if target in (torch.add, operator.add):
            lhs, rhs = args[:2]
            if isinstance(rhs, Proxy):
                return super().call_function(torch.sub, (lhs, super().call_function(torch.neg, (rhs,), {})), {})
        return super().call_function(target, args, kwargs)

    def call_method(self, target, args, kwargs):
        if target == "relu":
            return super().call_function(F.relu, args, {"inplace": False})
        return super().call_method(target, args, kwargs)

    def output(self, target, args, kwargs):
        return super().output(target, args, kwargs)


def copy_with_val_map(gm: GraphModule) -> GraphModule:
    new_graph = Graph()
    env: Dict[str, Node] = {}

    def load_arg(a):
        return map_arg(a, lambda n: env[n.name])

    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target in (torch.relu, F.relu):
            x = env[node.args[0].name]
            env[node.name] = new_graph.call_function(torch.clamp, (x,), {"min": 0})
        elif node.op == "output":
            new_graph.output(load_arg(node.args[0]))
        else:
            env[node.name] = new_graph.node_copy(node, lambda n: env[n.name])
    return GraphModule(gm, new_graph)


def graph_copy_append(gm: GraphModule) -> GraphModule:
    g = Graph()
    val_map: Dict[Node, Node] = {}
    out = g.graph_copy(gm.graph, val_map)
    g.output(torch.fx.node.map_aggregate(out, lambda a: g.call_function(torch.abs, (a,)) if isinstance(a, Node) else a))
    return GraphModule(gm, g)


def number_calls(gm):
    for i, node in enumerate(filter(lambda n: n.op in {"call_function", "call_method"}, list(gm.graph.nodes))):
        if i % 2 == 0:
            continue
        try:
            index = next(k for k, a in enumerate(node.args) if isinstance(a, (int, float)) and not isinstance(a, bool))
        except StopIteration:
            continue
        else:
            node.update_arg(index, node.args[index] + i)
    gm.recompile()


def chain_users(gm):
    """Walks users while there is one only."""
    for node in gm.graph.find_nodes(op="placeholder"):
        chain = [node]
        while len(chain[-1].users) == 1:
            (user,) = chain[-1].users
            chain.append(user)
        logger.info("chain of %d: %s", len(chain), " -> ".join(n.name for n in chain))
        if len(chain) > 2 and chain[1].op != "output":
            with gm.graph.inserting_after(chain[1]):
                extra = gm.graph.call_function(torch.clone, (chain[1],))
            for user in [u for u in chain[1].users if u is not extra]:
                user.replace_input_with(chain[1], extra)
    gm.recompile()
    return gm


def sort_kwargs(gm):
    for node in gm.graph.nodes:
        if node.kwargs:
            node.kwargs = {k: v for k, v in sorted(node.kwargs.items(), key=lambda kv: kv[0], reverse=True)}
    gm.recompile()
    return gm


def add_submodules(gm):
    class Scale(nn.Module):
        def __init__(self, factor: float):
            super().__init__()
            self.factor = factor

        def forward(self, x):
            return x * self.factor

    outs = [n for n in gm.graph.nodes if n.op == "output"]
    assert len(outs) == 1, f"expected one output, got {len(outs)}"
    target = "post_act"
    if not hasattr(gm, target):
        gm.add_submodule(target, nn.Softplus(beta=2))
    first = outs[0].all_input_nodes[0]
    with gm.graph.inserting_before(outs[0]):
        new = gm.graph.call_module(target, (first,))
    outs[0].replace_input_with(first, new)
    gm.recompile()
    return gm


def delete_unused(gm):
    for node in reversed(gm.graph.nodes):
        if node.op == "call_module" and not node.users:
            gm.graph.erase_node(node)
        elif node.op == "call_module" and isinstance(gm.get_submodule(node.target), (nn.Dropout, nn.Identity)):
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.recompile()
    return gm


def rename_nodes(gm):
    counter = itertools.count()
    for node in gm.graph.nodes:
        if node.op.startswith("call_"):
            node._rename(f"op_{next(counter)}_{node.op[5:]}")
    gm.recompile()
    return gm



def _guard_fn(fn):
    @functools.wraps(fn)
    def wrapper(gm, *args, **kwargs):
        before = len(gm.graph.nodes)
        result = fn(gm, *args, **kwargs)
        if len(gm.graph.nodes) > 10 * before:
            raise RuntimeError("graph grew too much")
        return result

    return wrapper


@_guard_fn
def decorated(gm: GraphModule, suffix: str = "x") -> GraphModule:
    for node in gm.graph.nodes:
        match (node.op, node.target):
            case ("call_function", torch.relu | F.relu):
                node.target = torch.sigmoid
            case ("call_method", "relu"):
                node.target = "tanh"
            case _:
                pass
    gm.recompile()
    return gm


def erase_views(gm):
    views = {"view", "reshape", "flatten", "contiguous"}
    changed = True
    rounds = 0
    while changed and rounds < 10:
        changed = False
        rounds += 1
        for node in gm.graph.nodes:
            if node.op != "call_method" or node.target not in views:
                continue
            src = node.args[0]
            if isinstance(src, Node) and src.op == "call_method" and src.target == node.target and len(src.users) == 1:
                node.args = (src.args[0], *node.args[1:])
                gm.graph.erase_node(src)
                changed = True
                break
    gm.recompile()
    return gm


def walrus_and_sets(gm):
    done = set()
    for node in gm.graph.nodes:
        if (key := (node.op, str(node.target), tuple(map(str, node.args)))) in done and node.op == "call_function":
            node.meta.setdefault("dup", True)
        done |= {key}
    dups = [n for n in gm.graph.nodes if n.meta.get("dup")]
    for n in dups:
        n.append(gm.graph.create_node("call_function", torch.zeros_like, (n,)))
    gm.graph.lint()
    gm.recompile()
    return gm


def partition_by_op(gm):
    names = [n.name for n in gm.graph.nodes]
    print(f"{len(names)=} {names[0]!r:>10}")
    half = len(names) // 2
    keep, rest = names[:half], names[half:]
    assert set(keep).isdisjoint(rest)
    for a, b in zip(keep, rest):
        _LOG.debug("%s/%s", a, b)
    return gm


def global_counter(gm):
    global _count
    _count = 0

    def bump():
        global _count
        _count += 1
        return _count

    for n in gm.graph.nodes:
        if n.op == "call_function" and n.target is torch.add:
            n.kwargs = {**n.kwargs, "alpha": bump()}
    gm.recompile()
    return gm
