# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet match` and `lancet replace` with torch.fx's SubgraphMatcher and replace_pattern on random graphs: matches, filters
beside the same conditions as lambdas, and whether what `--explain` proposes makes the place match.

    surgery.py --lancet BIN [--graphs N] [--seed S] [--only NUMBER]

Each graph is saved and loaded again, so that both sides see the same one. Patterns are cut out of the graph (some changed
a little) or written by hand; each is matched with several flags and replaced by a random replacement. Exit 1: a difference.
"""

import argparse
import fnmatch
import json
import operator
import pathlib
import random
import subprocess
import sys
import tempfile
import textwrap

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
from torch.fx.subgraph_rewriter import replace_pattern_with_filters

FLAGS = [("match_output", "--match-output"), ("match_placeholder", "--match-placeholder"),
         ("ignore_literals", "--ignore-literals")]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.lin = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3), nn.Linear(4, 4)
        self.block = nn.Sequential(nn.ReLU(), nn.Linear(4, 4))
        self.p = nn.Parameter(torch.rand(4))
        self.register_buffer("b", torch.rand(4))


UNARY = [torch.relu, torch.neg, torch.sigmoid, F.relu, torch.ops.aten.relu.default, torch.ops.aten.neg.default]
BINARY = [operator.add, operator.mul, operator.sub, torch.add, torch.mul, torch.ops.aten.add.Tensor, torch.ops.aten.mul.Tensor]


def random_node(graph, values, chance):
    pick = lambda: chance.choice(values[-6:] if chance.random() < 0.8 else values)  # noqa: E731
    kind = chance.randrange(12)
    if kind < 4:
        return graph.call_function(chance.choice(UNARY), (pick(),))
    if kind < 7:
        other = pick() if chance.random() < 0.7 else chance.choice([1, 2, 0.5, True])
        return graph.call_function(chance.choice(BINARY), (pick(), other))
    if kind == 7:
        return graph.call_module(chance.choice(["conv", "bn", "lin", "block.0", "block.1"]), (pick(),))
    if kind == 8:
        name = chance.choice(["relu", "neg", "view", "sum"])
        return graph.call_method(name, (pick(),) + ((chance.choice([1, -1]),) if name in ("view", "sum") else ()))
    if kind == 9:
        return graph.call_function(torch.cat, ([pick() for _ in range(chance.randrange(1, 4))],), {"dim": chance.choice([0, 1])} if chance.random() < .5 else {})
    if kind == 10:
        return graph.call_function(operator.getitem, (pick(), chance.choice([0, slice(0, 2), (0, slice(None)), None])))
    return graph.get_attr(chance.choice(["p", "b"]))


def random_module(chance):
    graph = fx.Graph()
    values = [graph.placeholder(name) for name in ("x", "y")[:chance.randrange(1, 3)]]
    motif = random_motif(chance)
    for _ in range(chance.randrange(4, 30)):
        if chance.random() < 0.25:
            values.append(motif(graph, chance.choice(values), chance.choice(values)))
        else:
            values.append(random_node(graph, values, chance))
    last = values[-chance.randrange(1, 4):]
    graph.output(last[0] if len(last) == 1 else tuple(last))
    return fx.GraphModule(Net(), graph)


def random_motif(chance):
    first, second, third = chance.choice(UNARY), chance.choice(BINARY), chance.choice(UNARY)
    shape = chance.randrange(3)

    def motif(graph, a, b):
        if shape == 0:
            return graph.call_function(third, (graph.call_function(first, (a,)),))
        if shape == 1:
            return graph.call_function(second, (graph.call_function(first, (a,)), b))
        hidden = graph.call_function(first, (a,))
        return graph.call_function(second, (hidden, graph.call_function(third, (hidden,))))
    return motif


def cut_pattern(gm, chance):
    """A pattern of nodes that hang together, with what they take from outside as inputs."""
    inner = [n for n in gm.graph.nodes if n.op.startswith("call")]
    if not inner:
        return None
    chosen = {chance.choice(inner)}
    for _ in range(chance.randrange(0, 4)):
        near = [n for c in chosen for n in c.all_input_nodes + list(c.users) if n.op.startswith("call") or n.op == "get_attr"]
        if near:
            chosen.add(chance.choice(near))
    graph, inputs, values = fx.Graph(), {}, {}
    ordered = [n for n in gm.graph.nodes if n in chosen]
    for node in ordered:
        for source in node.all_input_nodes:
            if source not in chosen and source not in inputs:
                inputs[source] = graph.placeholder(f"a{len(inputs)}")
    for node in ordered:
        values[node] = graph.node_copy(node, lambda n: values.get(n, inputs.get(n)))
        if chance.random() < 0.08 and len(node.args) > 1 and isinstance(node.args[1], (int, float)):
            values[node].args = (values[node].args[0], 7) + tuple(values[node].args[2:])
    returned = [values[n] for n in ordered if not values[n].users or chance.random() < 0.1]
    graph.output(returned[0] if len(returned) == 1 else tuple(returned))
    return fx.GraphModule(gm, graph)


def random_replacement(pattern, chance):
    graph = fx.Graph()
    values = [graph.placeholder(n.target) for n in pattern.graph.nodes if n.op == "placeholder"]
    if not values:
        return None
    for _ in range(chance.randrange(0, 4)):
        kind = chance.randrange(4)
        a, b = chance.choice(values), chance.choice(values)
        values.append(graph.call_function(chance.choice(UNARY), (a,)) if kind < 2 else
                      graph.call_function(chance.choice(BINARY), (a, b)) if kind == 2 else
                      graph.call_module("block.0", (a,)))
    count = len(next(iter(reversed(pattern.graph.nodes))).all_input_nodes) if chance.random() < 0.95 else 2
    picks = [chance.choice(values) for _ in range(count)]
    graph.output(picks[0] if count == 1 else tuple(picks))
    return fx.GraphModule(Net(), graph)


HAND_WRITTEN = """
def relu_of_anything(x): return torch.relu(x)
def same_twice(x): return torch.add(x, x)
def either(x, y): return x + y
def chain(x): return torch.neg(torch.relu(x))
def with_literal(x): return x * 2
def scaled(x, s): return torch.relu(x) * s
def two_results(x): return torch.relu(x), torch.neg(x)
def both(x, y): return torch.relu(x), torch.neg(y)
def inner_and_outer(x):
    a = torch.relu(x)
    return a, torch.neg(a)
def identity(x): return x
def joined(xs): return torch.cat(xs)
def joined_two(x, y): return torch.cat([x, y])
def method(x): return x.relu()
def viewed(x): return x.view(-1)
def function(x): return F.relu(x)
def aten(x, y): return torch.ops.aten.add.Tensor(x, y)
def aten_alpha(x, y): return torch.ops.aten.add.Tensor(x, y, alpha=1)
def item(x): return x[0]
def unused(x, y): return torch.relu(x)
def dead(x):
    torch.neg(x)
    return torch.relu(x)
"""


def saved(gm, path):
    torch.save(gm, path)
    return torch.load(path, weights_only=False)


def run(lancet, *words):
    return subprocess.run([lancet, *map(str, words)], capture_output=True, text=True)


def name_of(value):
    if isinstance(value, fx.Node):
        return value.name
    return {"literal": None}


def plain(value):
    """Literals are compared as present or not; their spelling is tested elsewhere."""
    return {"literal": None} if isinstance(value, dict) else value


def expected_matches(gm, pattern, flags):
    matches = SubgraphMatcher(pattern.graph, **flags).match(gm.graph)
    listed = []
    for match in matches:
        nodes = {p.name: name_of(g) for p, g in match.nodes_map.items() if p.op not in ("placeholder", "output")}
        listed.append({"anchors": [name_of(match.nodes_map[a]) for a in match.anchors], "nodes": nodes,
                       "placeholders": [name_of(v) for v in match.placeholder_nodes],
                       "returning": [name_of(v) for v in match.returning_nodes]})
    return listed


def has_unused_input(pattern):
    """torch.fx takes these and fails while it matches; lancet refuses them at once."""
    return any(n.op == "placeholder" and not n.users for n in pattern.graph.nodes)


def may_raise(error, done):
    """With literals ignored an input may be compared with nothing: torch.fx then dies of a KeyError, lancet drops that match."""
    return done.returncode in (1, 4) or (isinstance(error, KeyError) and done.returncode == 0)


def check_match(lancet, model, gm, where, pattern, flags, words):
    done = run(lancet, "match", model, "--pattern", where, "--json", *words)
    if has_unused_input(pattern):
        return None if done.returncode == 4 else f"an unused input: exit {done.returncode}"
    try:
        expected = expected_matches(gm, pattern, flags)
    except Exception as error:  # torch.fx raises errors of many kinds
        return None if may_raise(error, done) else f"torch.fx raises {error!r}, lancet: exit {done.returncode} {done.stdout[:300]}"
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr}"
    found = json.loads(done.stdout)["matches"]
    for match in found:
        for key in ("placeholders", "returning"):
            match[key] = [plain(v) for v in match[key]]
        match["nodes"] = {k: plain(v) for k, v in match["nodes"].items()}
    if [list(m["nodes"].items()) for m in found] != [list(m["nodes"].items()) for m in expected] or found != expected:
        return f"torch.fx: {json.dumps(expected)}\n    lancet:   {json.dumps(found)}"
    return None


def check_replace(lancet, model, where, pattern, where_replacement, replacement, ignore):
    gm = torch.load(model, weights_only=False)
    words = ["--ignore-literals"] if ignore else []
    done = run(lancet, "replace", model, "--pattern", where, "--replacement", where_replacement, "--show", "graph", *words)
    code = run(lancet, "replace", model, "--pattern", where, "--replacement", where_replacement, "--show", "code", *words)
    if has_unused_input(pattern if isinstance(pattern, fx.GraphModule) else fx.symbolic_trace(pattern)):
        return None if done.returncode == 4 else f"an unused input: exit {done.returncode}"
    try:
        replaced = replace_pattern_with_filters(gm, pattern, replacement, ignore_literals=ignore)
    except Exception as error:
        return None if may_raise(error, done) else f"torch.fx raises {error!r}, lancet: exit {done.returncode} {done.stdout[-300:]}"
    if done.returncode != (0 if replaced else 1):
        return f"exit {done.returncode}: {done.stderr}"
    if done.stdout != str(gm.graph) + "\n":
        return f"torch.fx:\n{textwrap.indent(str(gm.graph), '    ')}\nlancet:\n{textwrap.indent(done.stdout, '    ')}"
    if code.stdout != gm.code + "\n":
        return f"torch.fx:\n{textwrap.indent(gm.code, '    ')}\nlancet:\n{textwrap.indent(code.stdout, '    ')}"
    return None


def qualified(node):
    return fx.node._get_qualified_name(node.target) if node.op == "call_function" else node.target


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def random_leaf(gm, pattern, chance):
    """A condition on one node, and the same as a function of what that node matched."""
    name = chance.choice([n.name for n in pattern.graph.nodes if n.op != "output"])
    kind = chance.randrange(7)
    if kind == 0:
        least = chance.randrange(3)
        return {"node": name, "users": {"min": least}}, lambda g: isinstance(g, fx.Node) and len(g.users) >= least
    if kind == 1:
        glob = chance.choice(["*_1", "relu*", "*", "[a-m]*"])
        return {"node": name, "name": glob}, lambda g: isinstance(g, fx.Node) and fnmatch.fnmatchcase(g.name, glob)
    if kind == 2:
        globs = chance.choice([["torch.*"], ["_operator.add", "torch.relu"], ["*relu*"], ["block.?"]])
        return {"node": name, "target": globs}, lambda g: isinstance(g, fx.Node) and any(fnmatch.fnmatchcase(qualified(g), glob) for glob in globs)
    if kind == 3:
        value = chance.choice([1, 2, 0.5, True, -1])
        return ({"node": name, "args": {"1": value}},
                lambda g: isinstance(g, fx.Node) and len(g.args) > 1 and not isinstance(g.args[1], fx.Node) and g.args[1] == value)
    if kind == 4:
        least = chance.choice([1, 2])
        return {"node": name, "literal": {"min": least}}, lambda g: not isinstance(g, fx.Node) and is_number(g) and g >= least
    if kind == 5:
        wanted = chance.choice([nn.ReLU, nn.Linear, nn.Conv2d])
        return ({"node": name, "module_type": f"torch.nn.{wanted.__name__}"},
                lambda g: isinstance(g, fx.Node) and g.op == "call_module" and type(gm.get_submodule(g.target)) is wanted)
    op = chance.choice(["placeholder", "call_function", "call_module"])
    return {"node": name, "op": op}, lambda g: isinstance(g, fx.Node) and g.op == op


def random_filter(gm, pattern, chance, depth=0):
    """A filter as data, and as torch.fx takes it: a function of the match, the graph and the pattern."""
    kind = chance.randrange(5) if depth < 3 else 4
    if kind < 2:
        parts = [random_filter(gm, pattern, chance, depth + 1) for _ in range(chance.randrange(1, 3))]
        tests, combine = [p[1] for p in parts], (all, any)[kind]
        return {("all", "any")[kind]: [p[0] for p in parts]}, lambda *match: combine([test(*match) for test in tests])
    if kind == 2:
        inner, test = random_filter(gm, pattern, chance, depth + 1)
        return {"not": inner}, lambda *match: not test(*match)
    leaf, test = random_leaf(gm, pattern, chance)
    return leaf, lambda match, graph, wanted: test(next(g for p, g in match.nodes_map.items() if p.name == leaf["node"]))


def check_filter(lancet, model, where, pattern, where_replacement, replacement, chance):
    gm = torch.load(model, weights_only=False)
    condition, function = random_filter(gm, pattern, chance)
    words = ["--pattern", where, "--filter", json.dumps(condition)]
    done = run(lancet, "replace", model, *words, "--replacement", where_replacement, "--show", "graph")
    if has_unused_input(pattern):
        return None if done.returncode == 4 else f"an unused input: exit {done.returncode}"
    try:
        replaced = replace_pattern_with_filters(gm, pattern, replacement, match_filters=[function])
    except Exception as error:
        return None if may_raise(error, done) else f"{words}: torch.fx raises {error!r}, lancet: exit {done.returncode} {done.stdout[-300:]}"
    if done.returncode != (0 if replaced else 1) or done.stdout != str(gm.graph) + "\n":
        return f"{words}: exit {done.returncode}: {done.stderr}torch.fx:\n{textwrap.indent(str(gm.graph), '    ')}\nlancet:\n{textwrap.indent(done.stdout, '    ')}"
    found = run(lancet, "match", model, *words, "--json")
    count = len(json.loads(found.stdout)["matches"])
    return None if count == len(replaced) else f"{words}: match tells {count}, replaced are {len(replaced)}"


def check_explain(lancet, model, where, words, counts):
    """What is proposed has to make the place match; a place that matches is no near miss."""
    done = run(lancet, "match", model, "--pattern", where, "--explain", "--limit", 4, "--json", *words)
    if done.returncode not in (0, 1):
        return None if done.returncode == 4 else f"exit {done.returncode}: {done.stderr}"
    told = json.loads(done.stdout)
    matched = [m["anchors"][0] for m in told["matches"] if m["anchors"]]
    for miss in told["near_misses"]:
        counts["near misses"] += 1
        if miss["anchor"] in matched or not miss["mismatches"] or miss["matched"] > miss["of"]:
            return f"no near miss: {miss}"
        for relax in miss["relax"]:
            counts["relaxations"] += 1
            again = run(lancet, "match", model, "--pattern", where, "--json", "--relax", relax, *words)
            if again.returncode or not any(miss["anchor"] in m["returning"] for m in json.loads(again.stdout)["matches"]):
                return f"{relax} does not help at {miss['anchor']}: exit {again.returncode} {again.stderr}{again.stdout[:300]}"
    return None


class Runner:
    def __init__(self, lancet, folder):
        self.lancet, self.folder = lancet, folder
        self.counts = {"match": 0, "replace": 0, "filter": 0, "near misses": 0, "relaxations": 0}
        self.failures = 0

    def report(self, what, difference):
        if difference:
            self.failures += 1
            print(f"FAIL {what}\n    {difference}", flush=True)

    def graph(self, number, seed):
        chance = random.Random(f"{seed}.{number}")
        model = self.folder / f"model{number}.pt"
        gm = None
        while gm is None:
            try:
                gm = saved(random_module(chance), model)
            except Exception:  # what does not depend on an input runs while it loads, and may fail
                continue
        patterns = [(f"cut {i}", *self.cut(gm, number, i, chance)) for i in range(3)]
        patterns += [(f"hand {name}", *self.hand(name)) for name in chance.sample(list(self.functions), 3)]
        for name, where, pattern, function in patterns:
            if where is None:
                continue
            for flag in [None, *FLAGS]:
                flags, words = ({flag[0]: True}, [flag[1]]) if flag else ({}, [])
                if chance.random() < 0.3:
                    flags["remove_overlapping_matches"] = False
                    words.append("--keep-overlapping")
                self.counts["match"] += 1
                self.report(f"graph {number} match {name} {words}", check_match(self.lancet, model, gm, where, pattern, flags, words))
                if chance.random() < 0.4:
                    self.report(f"graph {number} explain {name} {words}", check_explain(self.lancet, model, where, words, self.counts))
            replacement = random_replacement(pattern, chance)
            if replacement is None:
                continue
            path = self.folder / f"replacement{number}.pt"
            replacement = saved(replacement, path)
            self.counts["replace"] += 1
            self.report(f"graph {number} replace {name}", check_replace(self.lancet, model, where, function or pattern, path, replacement, chance.random() < 0.2))
            self.counts["filter"] += 1
            self.report(f"graph {number} filter {name}", check_filter(self.lancet, model, where, pattern, path, replacement, chance))

    def cut(self, gm, number, i, chance):
        pattern = cut_pattern(gm, chance)
        if pattern is None:
            return None, None, None
        path = self.folder / f"pattern{number}_{i}.pt"
        try:
            return path, saved(pattern, path), None
        except Exception:  # what torch.fx cannot load again is no pattern
            return None, None, None

    @property
    def functions(self):
        scope = {"torch": torch, "F": F}
        exec(HAND_WRITTEN, scope)  # noqa: S102
        return {name: f for name, f in scope.items() if callable(f) and getattr(f, "__module__", "") not in ("torch",) and name not in ("torch", "F", "__builtins__")}

    def hand(self, name):
        path = self.folder / "patterns.py"
        path.write_text("import torch\nimport torch.nn.functional as F\n" + HAND_WRITTEN)
        function = self.functions[name]
        return f"{path}:{name}", fx.symbolic_trace(function), function


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--graphs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(pathlib.Path(options.lancet).resolve(), pathlib.Path(name))
        for number in range(options.graphs) if options.only is None else [options.only]:
            runner.graph(number, options.seed)
        print(", ".join(f"{count} {what}" for what, count in runner.counts.items()) + f" compared, {runner.failures} differ")
        sys.exit(1 if runner.failures else 0)


if __name__ == "__main__":
    main()
