# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet partition` with torch.fx's CapabilityBasedPartitioner, fuse_by_partitions and split_module.

    partitions.py --lancet BIN [--graphs N] [--seed S] [--only NUMBER] [--most NODES]

Random graphs of functions, modules and ATen operators, the samples, models of the corpus and exported programs, each with random
rules and flags: the same partitions in the same order, the same fused and split code; each cycle that lancet tells is a
way in the graph. Some results are saved and loaded with PyTorch. Graphs of more than NODES nodes, for which torch.fx takes
minutes each, are left out. Exit 1: a difference.
"""

import argparse
import fnmatch
import heapq
import json
import operator
import os
import pathlib
import random
import re
import signal
import sys
import tempfile
import textwrap
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.node import _get_qualified_name
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase, any_chain, chain, create_op_support
from torch.fx.passes.split_module import split_module
from torch.fx.passes.utils.fuser_utils import topo_sort

from saving import difference, load
from surgery import Net, run

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "resources" / "samples"
ATEN = torch.ops.aten
UNARY = [torch.relu, torch.neg, torch.sigmoid, F.gelu, torch.tanh]
BINARY = [operator.add, operator.mul, torch.add, torch.sub]
ATEN_UNARY = [ATEN.relu.default, ATEN.neg.default, ATEN.sigmoid.default, ATEN.tanh.default]
ATEN_BINARY = [ATEN.add.Tensor, ATEN.mul.Tensor, ATEN.sub.Tensor]


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────────────────────

def random_model(chance):
    aten = chance.random() < 0.35
    unary, binary = (ATEN_UNARY, ATEN_BINARY) if aten else (UNARY, BINARY)
    graph = fx.Graph()
    values = [graph.placeholder(name) for name in ("x", "y", "z")[:chance.randrange(1, 4)]]
    near = chance.choice([2, 4, 8, 30])
    pick = lambda: chance.choice(values[-near:] if chance.random() < 0.85 else values)  # noqa: E731
    for _ in range(chance.choice([3, 8, 20, 50, 120])):
        kind = chance.randrange(20)
        if kind < 8:
            values.append(graph.call_function(chance.choice(unary), (pick(),)))
        elif kind < 13:
            values.append(graph.call_function(chance.choice(binary), (pick(), pick() if chance.random() < 0.8 else 2)))
        elif kind == 13:
            split = graph.call_function(ATEN.split.Tensor if aten else torch.split, (pick(), 1))
            parts = [graph.call_function(operator.getitem, (split, i)) for i in range(chance.randrange(0, 4))]
            if parts and chance.random() < 0.3:
                parts.append(graph.call_function(operator.getitem, (parts[0], 0)))
            values += parts or [split]
        elif kind == 14:
            values.append(graph.call_function(ATEN.cat.default if aten else torch.cat, ([pick() for _ in range(chance.randrange(1, 5))],)))
        elif kind == 15:
            values.append(graph.call_function(ATEN.view.default if aten else torch.reshape, (pick(), [-1])))
        elif kind == 16 and not aten:
            values.append(graph.call_module(chance.choice(["conv", "lin", "block.0", "block.1"]), (pick(),)))
        elif kind == 17 and not aten:
            values.append(graph.call_method(chance.choice(["relu", "neg"]), (pick(),)))
        elif kind == 18:
            values.append(graph.get_attr(chance.choice(["p", "b", "lin.weight"])))
        else:
            values.append(graph.call_function(unary[0], (pick(),)))
    last = values[-chance.randrange(1, 4):]
    graph.output(last[0] if len(last) == 1 else tuple(last))
    return fx.GraphModule(Net(), graph)


class Resnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.ModuleList(nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()) for _ in range(3))
        self.scale = nn.Parameter(torch.rand(8, 1, 1))
        self.register_buffer("offset", torch.rand(1), persistent=False)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        x = torch.relu(self.stem(x))
        for block in self.blocks:
            inner = block(x)
            a, b = torch.split(inner, 4, 1)
            x = x + torch.cat([torch.sigmoid(a) * 2, torch.neg(b)], 1) * self.scale + self.offset
        pooled = F.adaptive_avg_pool2d(x, 1).flatten(1)
        values, indices = torch.topk(torch.tanh(self.head(pooled)), 2)
        return values, indices + 1


def corpus_files(count):
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))) / "lancet" / "oracle"
    if not folder.exists():
        return []
    newest = max((p for p in folder.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
    files = [f for topic in ("nets_*", "gm_models", "gm_random", "gm_modules", "gm_structure", "pt2_*") for f in sorted(newest.glob(f"{topic}/*.pt*"))]
    files = [f for f in files if f.suffix in (".pt", ".pt2")]
    return files[::max(1, len(files) // max(count, 1))][:count]


# ── rules ────────────────────────────────────────────────────────────────────────────────────────────────────────

def spelled(node):
    if node.op != "call_function":
        return node.target
    name = _get_qualified_name(node.target)
    return name.removeprefix("torch.ops.").removeprefix("_") if name.startswith("_operator.") else name.removeprefix("torch.ops.")


def type_of(gm, node):
    if node.op != "call_module":
        return None
    kind = type(gm.get_submodule(node.target))
    return f"{kind.__module__}.{kind.__qualname__}"


def dtype_of(gm, node):
    value = node.meta.get("val")
    if isinstance(value, (tuple, list)) and value:
        value = value[0]
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    if value is None and node.op == "get_attr":
        value = gm
        for part in node.target.split("."):
            value = getattr(value, part)
        return str(value.dtype).removeprefix("torch.") if isinstance(value, torch.Tensor) else None
    return None


def holds(gm, rule, node):
    if rule.get("op", node.op) != node.op:
        return False
    if "target" in rule:
        wanted = rule["target"]
        ops = wanted.startswith("torch.ops.")
        is_op = node.op == "call_function" and _get_qualified_name(node.target).startswith("torch.ops.")
        wanted = wanted.removeprefix("torch.ops.") if ops else wanted.removeprefix("_") if wanted.startswith("_operator.") else wanted
        if ops and not is_op or not fnmatch.fnmatchcase(spelled(node), wanted):
            return False
    if "module_type" in rule:
        kind = type_of(gm, node)
        if kind is None:
            return False
        short = "torch.nn." + kind.rpartition(".")[2] if kind.startswith("torch.nn.modules.") else kind
        if not fnmatch.fnmatchcase(kind, rule["module_type"]) and not fnmatch.fnmatchcase(short, rule["module_type"]):
            return False
    if "name" in rule and not fnmatch.fnmatchcase(node.name, rule["name"]):
        return False
    if "dtype" in rule:
        tensors = [n for n in node.all_input_nodes if not isinstance(n.meta.get("val"), (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool))]
        return all(dtype_of(gm, n) in rule["dtype"] for n in tensors or [node])
    return True


def support_of(gm, rules):
    if "any" in rules:
        return any_chain(*(support_of(gm, r) for r in rules["any"]))
    if "all" in rules:
        return chain(*(support_of(gm, r) for r in rules["all"]))

    def is_supported(_, node):
        if node.op in ("placeholder", "output"):
            return False
        if any(holds(gm, r, node) for r in rules.get("unsupported", [])):
            return False
        return "supported" not in rules or any(holds(gm, r, node) for r in rules["supported"])
    return create_op_support(is_supported)


class Asked(OperatorSupportBase):
    """What torch.fx is given: each node is judged once."""

    def __init__(self, gm, rules):
        support = support_of(gm, rules)
        self.yes = {n for n in gm.graph.nodes if n.op not in ("placeholder", "output") and support.is_node_supported({}, n)}

    def is_node_supported(self, submodules, node):
        return node in self.yes


def random_rule(gm, nodes, chance):
    node = chance.choice(nodes)
    target = spelled(node)
    kind = chance.randrange(8)
    if kind < 4:
        rule = {"target": target}
        if node.op == "call_function" and chance.random() < 0.3:
            rule["target"] = _get_qualified_name(node.target)
    elif kind == 4:
        rule = {"op": node.op}
    elif kind == 5:
        rule = {"name": node.name if chance.random() < 0.5 else node.name[:3] + "*"}
    elif kind == 6 and node.op == "call_module":
        rule = {"module_type": type_of(gm, node)}
    else:
        rule = {"target": target[:chance.randrange(1, len(target) + 1)].replace("[", "") + "*"}
    if any(n.meta.get("val") is not None for n in nodes) and chance.random() < 0.3:
        rule["dtype"] = chance.sample(["float32", "int64", "bool", "float64"], 2)
    return rule


def random_rules(gm, chance):
    nodes = [n for n in gm.graph.nodes if n.op.startswith("call") or n.op == "get_attr"]
    shape = chance.randrange(10)
    some = lambda most: [random_rule(gm, nodes, chance) for _ in range(chance.randrange(1, most))]  # noqa: E731
    few = [{"name": n.name} for n in nodes if chance.random() < chance.choice([0.02, 0.1, 0.3])]
    if shape < 3:
        return {"supported": [{"target": "*"}], "unsupported": few}
    if shape < 5:
        return {"supported": [{"op": "call_function"}, {"op": "call_module"}], "unsupported": few}
    if shape < 8:
        return {"supported": some(7)} | ({"unsupported": some(3)} if chance.random() < 0.5 else {})
    if shape == 8:
        return {"unsupported": some(4)}
    return {chance.choice(["any", "all"]): [{"supported": some(6)}, {"supported": [{"target": "*"}], "unsupported": few}]}


def random_flags(gm, chance):
    functions = sorted({_get_qualified_name(n.target) for n in gm.graph.nodes if n.op == "call_function"})
    pick = lambda: chance.sample(functions, min(len(functions), chance.randrange(1, 3)))  # noqa: E731
    return {"allow_single": chance.random() < 0.3, "no_horizontal": chance.random() < 0.4, "trim_ends": chance.random() < 0.25,
            "non_compute": pick() if functions and chance.random() < 0.35 else [], "single_ok": pick() if functions and chance.random() < 0.25 else []}


def words_of(flags):
    words = [w for key, w in (("allow_single", "--allow-single"), ("no_horizontal", "--no-horizontal"), ("trim_ends", "--trim-ends")) if flags[key]]
    for key, word in (("non_compute", "--non-compute"), ("single_ok", "--single-ok")):
        words += [word, *flags[key]] if flags[key] else []
    return words


# ── what torch.fx does ───────────────────────────────────────────────────────────────────────────────────────────

ENDLESS = 120  # seconds


class Endless(Exception):
    """torch.fx moves a getitem to and fro between the partitions of its inputs, and does not end."""


def endless(*_):
    raise Endless


def propose(gm, rules, flags):
    support = Asked(gm, rules)
    partitioner = CapabilityBasedPartitioner(gm, support, flags["allow_single"], flags["non_compute"], flags["single_ok"], flags["no_horizontal"])
    signal.signal(signal.SIGALRM, endless)
    signal.alarm(ENDLESS)
    try:
        partitions = partitioner.propose_partitions()
    finally:
        signal.alarm(0)
    if flags["trim_ends"]:
        partitioner.remove_bookend_non_compute_ops(partitions)
    return partitioner, partitions, support


def runs(gm, partitions):
    """The numbers of --split: partitions at the place of their last node, and runs of nodes between them."""
    place = {n: i for i, n in enumerate(gm.graph.nodes)}
    unit = {n: n for n in gm.graph.nodes}
    members, key = {n: [n] for n in gm.graph.nodes}, dict(place)
    for i, partition in enumerate(partitions):
        if not partition.nodes:
            continue
        members[i], key[i] = list(partition.nodes), place[topo_sort(list(partition.nodes))[-1]]
        for node in partition.nodes:
            unit[node] = i
    units = list(dict.fromkeys(unit.values()))
    waits = {u: 0 for u in units}
    for node in gm.graph.nodes:
        for user in node.users:
            waits[unit[user]] += unit[user] != unit[node]
    ready = [(key[u], i, u) for i, u in enumerate(units) if not waits[u]]
    heapq.heapify(ready)
    number, part, in_run = -1, {}, False
    while ready:
        current = heapq.heappop(ready)[2]
        call = isinstance(current, int) or current.op.startswith("call")
        if call:
            if isinstance(current, int) or not in_run:
                number += 1
            in_run = not isinstance(current, int)
        for node in members[current]:
            part[node] = number if call else None
            for user in node.users:
                if unit[user] != current:
                    waits[unit[user]] -= 1
                    if not waits[unit[user]]:
                        heapq.heappush(ready, (key[unit[user]], len(ready) + len(part), unit[user]))
    return part


# ── comparing ────────────────────────────────────────────────────────────────────────────────────────────────────

def check_way(gm, way, place, jump):
    """A way of edges, or from node to node of one partition; nothing in the middle is in the partitions of its ends."""
    nodes = {n.name: n for n in gm.graph.nodes}
    if len(way) < 3 or any(name not in nodes for name in way):
        return f"{way} is no way"
    for a, b in zip(way, way[1:]):
        if nodes[b] not in nodes[a].users and not jump(a, b):
            return f"{way}: {a} -> {b} is no edge"
    ends = {place.get(way[0], way[0]), place.get(way[-1], way[-1])}
    if any(place.get(name, name) in ends for name in way[1:-1]):
        return f"{way} does not leave"
    return None


def can_merge(gm, place, a, b):
    """No way out of both and back."""
    inside = {a, b}
    members = {}
    for node in gm.graph.nodes:
        members.setdefault(place.get(node.name, node.name), []).append(node)
    seen, queue = set(), [a, b]
    while queue:
        unit = queue.pop()
        for node in members[unit]:
            for user in node.users:
                other = place.get(user.name, user.name)
                if other in inside:
                    if unit not in inside:
                        return False
                elif other not in seen:
                    seen.add(other)
                    queue.append(other)
    return True


def check_reasons(gm, found, support, flags):
    place = {name: p["id"] for p in found["partitions"] for name in p["nodes"]}
    calls = [n for n in gm.graph.nodes if n.op.startswith("call")]
    listed = {u["node"]: u for u in found["unassigned"]}
    if list(listed) != [n.name for n in calls if n.name not in place]:
        return "unassigned nodes"
    for node in calls:
        told = listed.get(node.name)
        if told and "follows" not in told and (told["reason"] == "unsupported") != (node not in support.yes):
            return f"{node.name} is told to be {told['reason']}"
        if told and not told["rule"]:
            return f"{node.name}: no rule told"
        if told and (told["reason"] == "cycle") != ("cycle" in told):
            return f"{node.name}: cycle without a way"
    ends = {u["node"] for u in found["unassigned"] if u["reason"] == "cycle"} | {n.name for n in gm.graph.nodes if n.op == "get_attr" and n.name not in place}
    in_one = lambda a, b: a in place and place[a] == place.get(b)  # noqa: E731
    dropped = lambda a, b: in_one(a, b) or (flags["no_horizontal"] and a in listed and b in listed)  # noqa: E731
    for told in found["unassigned"]:
        if "cycle" in told:
            wrong = check_way(gm, told["cycle"], place, dropped)
            if wrong or not {told["cycle"][0], told["cycle"][-1]} & ends:
                return wrong or f"{told}: the node is at no end"
    pairs = {(p["a"], p["b"]): p for p in found["not_merged"]}
    for node in gm.graph.nodes:
        for user in node.users:
            if node.name in place and user.name in place and place[node.name] != place[user.name] and (place[node.name], place[user.name]) not in pairs:
                return f"nothing is said of {node.name} and {user.name}"
    for (a, b), told in pairs.items():
        if told["reason"] == "cycle":
            wrong = check_way(gm, told["cycle"], place, in_one)
            if wrong or (place[told["cycle"][0]], place[told["cycle"][-1]]) != (a, b):
                return wrong or f"{told} is between others"
        elif not can_merge(gm, place, a, b):
            return f"{told}: merging closes a cycle"
    return None


def check_boundaries(gm, found):
    nodes = {n.name: n for n in gm.graph.nodes}
    for p in found["partitions"]:
        inside = [nodes[name] for name in topo_sort_names(nodes, p["nodes"])]
        inputs = list(dict.fromkeys(i.name for n in inside for i in n.all_input_nodes if i not in inside))
        outputs = [n.name for n in inside if any(u not in inside for u in n.users)]
        if p["inputs"] != inputs or p["outputs"] != outputs:
            return shown(f"boundary of {p['id']}", (p["inputs"], p["outputs"]), (inputs, outputs))
    return None


def topo_sort_names(nodes, names):
    return [n.name for n in topo_sort([nodes[name] for name in names])]


def shown(title, ours, theirs):
    return f"{title}\ntorch.fx:\n{textwrap.indent(str(theirs), '    ')}\nlancet:\n{textwrap.indent(str(ours), '    ')}"


def compare_fused(lancet, model, folder, words, fresh, rules, flags, save):
    gm = fresh()
    partitioner, partitions, support = propose(gm, rules, flags)
    names = [[n.name for n in p.nodes] for p in partitions]
    before = fresh()
    if save:
        words = [*words, "-o", folder / "fused.pt"]
    done = run(lancet, "partition", model, *words, "--fuse", "--json")
    if done.returncode == 4 and save and "while the file loads" in done.stderr:
        return None  # a constant that only loading computes
    if done.returncode == 4:
        try:
            partitioner.fuse_partitions(partitions)
        except Exception:
            return None
        return f"exit 4 where torch.fx fuses: {done.stderr}"
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr}"
    found = json.loads(done.stdout)
    if [p["nodes"] for p in found["partitions"]] != names:
        return shown("partitions", [p["nodes"] for p in found["partitions"]], names)
    if done.returncode != (0 if names else 1):
        return f"exit {done.returncode} with {len(names)} partitions"
    if wrong := check_reasons(before, found, Asked(before, rules), flags) or check_boundaries(before, found):
        return wrong
    if not names:
        return None
    try:
        fused = partitioner.fuse_partitions(partitions)
    except Exception as error:
        return f"torch.fx fails where lancet fuses: {type(error).__name__}: {error}"
    fused.recompile()
    for path, ours, theirs in [("", found["code"], fused.code)] + [(m["path"], m["code"], getattr(fused, m["path"]).code) for m in found["modules"]]:
        if ours != theirs:
            return shown(f"code of {path or 'the model'}", ours, theirs)
    return compare_saved(folder / "fused.pt", fused, folder) if save else None


def compare_split(lancet, model, folder, words, fresh, rules, flags, save):
    gm = fresh()
    _, partitions, _ = propose(gm, rules, flags)
    if not partitions:
        return None
    if save:
        words = [*words, "-o", folder / "split.pt"]
    done = run(lancet, "partition", model, *words, "--split", "--json")
    try:
        part = runs(gm, partitions)
        split = split_module(gm, gm, lambda n: part[n])
    except Exception as error:
        return None if done.returncode == 4 else f"torch.fx fails, {type(error).__name__}: {error}; lancet: exit {done.returncode}"
    if done.returncode == 4 and save and "while the file loads" in done.stderr:
        return None
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr}"
    found = json.loads(done.stdout)
    for path, ours, theirs in [("", found["code"], split.code)] + [(m["path"], m["code"], getattr(split, m["path"]).code) for m in found["modules"]]:
        if ours != theirs:
            return shown(f"split code of {path or 'the model'}", ours, theirs)
    if {m["path"] for m in found["modules"]} != {n.target for n in split.graph.nodes if n.op == "call_module"}:
        return "names of the parts"
    return compare_saved(folder / "split.pt", split, folder) if save else None


def compare_saved(ours, theirs, folder):
    """What PyTorch loads is what it would load of its own; with its own file it may fail as well."""
    try:
        torch.save(theirs, folder / "theirs.pt")
        expected = load(folder / "theirs.pt")
    except Exception:
        return None
    try:
        wrong = difference(expected, load(ours))
        for name, inner in expected.named_children():
            if not wrong and isinstance(inner, fx.GraphModule):
                wrong = difference(inner, getattr(load(ours), name))
    except Exception as error:
        return f"saved: torch.load: {type(error).__name__}: {error}"
    if wrong and unnumbered(expected) == unnumbered(load(ours)):
        return None  # what is computed while loading is numbered in the order in which it is read
    return wrong and f"saved: {wrong}"


def unnumbered(module):
    """The code of the module and its parts; the numbers of constants apart."""
    parts = [module, *(part for part in module.modules() if isinstance(part, fx.GraphModule))]
    return [re.sub(r"_tensor_constant\d+(_\d+)?", "_tensor_constant", part.code) for part in parts]


def compare_stages(lancet, model, fresh, count, balance):
    """Each stage holds the calls between two cuts, and the code is split_module's."""
    gm = fresh()
    done = run(lancet, "partition", model, "--stages", count, "--balance", balance, "--json")
    if done.returncode:
        return f"stages: exit {done.returncode}: {done.stderr}"
    found = json.loads(done.stdout)
    listed = [name for p in found["partitions"] for name in p["nodes"]]
    if listed != [n.name for n in gm.graph.nodes if n.op.startswith("call")] or not all(p["nodes"] for p in found["partitions"]):
        return "stages: nodes"
    part = {name: p["id"] for p in found["partitions"] for name in p["nodes"]}
    split = split_module(gm, gm, lambda n: part[n.name])
    for path, ours, theirs in [("", found["code"], split.code)] + [(m["path"], m["code"], getattr(split, m["path"]).code) for m in found["modules"]]:
        if ours != theirs:
            return shown(f"stages: code of {path or 'the model'}", ours, theirs)
    return None


def check_numbers(lancet, folder):
    """A fused and a split model give what the model gives."""
    torch.manual_seed(0)
    model, rules = folder / "net.pt", folder / "rules.json"
    net = fx.symbolic_trace(Resnet().eval())
    torch.save(net, model)
    rules.write_text('{"supported": [{"target": "*"}], "unsupported": [{"target": "torch.sigmoid"}, {"target": "blocks.1.0"}]}')
    x = torch.randn(2, 3, 8, 8)
    for way in ("--fuse", "--split"):
        out = folder / "out.pt"
        done = run(lancet, "partition", model, "--support", rules, way, "-o", out)
        if done.returncode:
            return f"numbers {way}: exit {done.returncode}: {done.stderr}"
        if not all(torch.equal(a, b) for a, b in zip(net(x), load(out).eval()(x))):
            return f"numbers {way}: they differ"
    return None


def check(lancet, folder, model, fresh, chance, number):
    gm = fresh()
    if not any(n.op.startswith("call") for n in gm.graph.nodes):
        return None
    rules, flags = random_rules(gm, chance), random_flags(gm, chance)
    file = folder / "rules.json"
    file.write_text(json.dumps(rules, indent=1))
    words = ["--support", file, *words_of(flags)]
    save = number % 4 == 0 and model.suffix == ".pt"
    for compare in (compare_fused, compare_split):
        try:
            wrong = compare(lancet, model, folder, words, fresh, rules, flags, save)
        except Endless:
            done = run(lancet, "partition", model, *words)
            return None if "reassign it forever" in done.stderr else f"torch.fx does not end in {ENDLESS} s, lancet says: exit {done.returncode} {done.stderr}"
        if wrong:
            return f"{compare.__name__} {json.dumps(rules)} {words_of(flags)}\n{wrong}"
    if number % 10 == 0:
        calls = sum(n.op.startswith("call") for n in gm.graph.nodes)
        return compare_stages(lancet, model, fresh, min(calls, chance.randrange(1, 5)), "nodes")
    return None


def models(folder, graphs, seed):
    """(name, file, a function that gives the torch.fx module anew)"""
    for number in range(graphs):
        path = folder / f"random{number}.pt"
        def write(path=path, number=number):
            chance = random.Random(f"partition {seed}.{number}")
            while True:
                torch.save(random_model(chance), path)
                try:
                    load(path)
                    return
                except Exception:  # what does not depend on an input runs while it loads
                    continue
        yield f"random {number}", path, write
    real = [p for p in sorted(SAMPLES.glob("*.pt*")) if p.suffix in (".pt", ".pt2")]
    for path in real * 4 + corpus_files(graphs // 2):
        yield f"{path.parent.name}/{path.name}", path, lambda: None


def opener(path):
    if path.suffix == ".pt2":
        return lambda: torch.export.load(path).graph_module
    return lambda: load(path)


def main():
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HERE / "corpus"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--graphs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--most", type=int, default=1500)
    options = parser.parse_args()
    lancet = pathlib.Path(options.lancet).resolve()
    failures = compared = unequal = large = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.only is None and (wrong := check_numbers(lancet, folder)):
            failures += 1
            print(f"FAIL {wrong}", flush=True)
        for number, (label, path, write) in enumerate(models(folder, options.graphs, options.seed)):
            if options.only is not None and number != options.only:
                continue
            write()
            try:
                loaded = opener(path)()
                code = loaded.code
            except Exception:
                continue  # what PyTorch cannot load is compared elsewhere
            if len(loaded.graph.nodes) > options.most:
                large += 1
                continue
            if path.suffix == ".pt" and run(lancet, "code", path).stdout != code + "\n":
                unequal += 1  # the graphs differ before anything is done: a matter of run_oracle.py
                continue
            wrong = check(lancet, folder, path, opener(path), random.Random(f"rules {options.seed}.{number}"), number)
            compared += 1
            if wrong:
                failures += 1
                print(f"FAIL {number} ({label}): {wrong[:3000]}", flush=True)
            if folder in path.parents:
                path.unlink()
    print(f"{compared} partitionings compared, {failures} differ; {unequal} models left out that are read differently, {large} that are large")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
