# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits exported programs with lancet and loads them with PyTorch: what the file says of each value, and the numbers.

    program_values.py --lancet BIN [--edits N] [--every N] [--only TEXT]

Each program of `program_models.py` is edited in N ways (all if there are fewer), by steps, recipes, replacements and
passes. torch.export.load takes the file; `meta["val"]` of every node equals what FakeTensorProp finds from the inputs,
also for other values of the symbols; run_decompositions and .module() run; and the results are those of the same edit made
in Python. A value that lancet cannot compute is named in a warning, and listed here. Exit 1: a difference.
"""

import argparse
import copy
import json
import operator
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings

import torch
from torch._guards import detect_fake_mode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils._pytree import tree_leaves

from program_models import programs
from running import difference

aten = torch.ops.aten
WIDE = (torch.float16, torch.float32, torch.float64)


def is_float(node):
    value = node.meta.get("val")
    return node.op == "call_function" and isinstance(value, torch.Tensor) and value.dtype in WIDE


def is_result(node):
    return any(user.op == "output" for user in node.users)


class Edit:
    """The steps of an edit, and the same in Python."""

    def __init__(self, program, chance):
        self.program, self.chance = program, chance
        self.gm = copy.deepcopy(program.graph_module)
        self.graph = self.gm.graph
        self.steps, self.verb = [], None

    def pick(self, accepts):
        nodes = [node for node in self.graph.nodes if accepts(node)]
        return self.chance.choice(nodes) if nodes else None

    def arguments(self, args):
        return [{"node": a.name} if isinstance(a, torch.fx.Node) else [{"node": b.name} for b in a] if isinstance(a, list) and a and isinstance(a[0], torch.fx.Node)
                else {"dtype": str(a)} if isinstance(a, torch.dtype) else a for a in args]

    def insert(self, node, target, *args, rewire=True, name=None):
        name = name or f"made_{len(self.steps)}"
        self.steps.append({"step": "insert_after", "node": node.name, "op": "call_function", "target": f"torch.ops.{target}", "args": self.arguments(args),
                           "name": name, "rewire_users": rewire})
        with self.graph.inserting_after(node):
            new = self.graph.create_node("call_function", target, args, {}, name)
        if rewire:
            node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
        return new

    # ── the kinds ──
    def pointwise(self):
        node = self.pick(is_float)
        return node and self.insert(node, self.chance.choice([aten.neg.default, aten.tanh.default, aten.square.default]), node)

    def other_dtype(self):
        node = self.pick(lambda n: is_float(n) and is_result(n))
        return node and self.insert(node, *self.chance.choice([(aten.gt.Scalar, node, 0), (aten.to.dtype, node, torch.float64), (aten.isnan.default, node)]))

    def other_shape(self):
        node = self.pick(lambda n: is_float(n) and is_result(n) and n.meta["val"].dim() > 1)
        if node is None:
            return None
        return self.insert(node, *self.chance.choice([(aten.transpose.int, node, 0, 1), (aten.sum.dim_IntList, node, [0]), (aten.cat.default, [node, node], 1),
                                                      (aten.unsqueeze.default, node, 1), (aten.slice.Tensor, node, 0, 1, 9223372036854775807), (aten.flatten.using_ints, node),
                                                      (aten.constant_pad_nd.default, node, [1, 1]), (aten.slice.Tensor, node, 1, 0, 9223372036854775807, 2)]))

    def there_and_back(self):
        node = self.pick(is_float)
        if node is None:
            return None
        up = self.insert(node, aten.unsqueeze.default, node, 0)
        twice = self.insert(up, aten.cat.default, [up, up], 0)
        return self.insert(twice, aten.select.int, twice, 0, 1)

    def several(self):
        node = self.pick(lambda n: is_float(n) and n.meta["val"].dim() > 0)
        if node is None:
            return None
        name = f"made_{len(self.steps)}"
        self.insert(node, aten.sort.default, node, rewire=False)
        made = next(n for n in self.graph.nodes if n.name == name)
        self.steps.append({"step": "insert_after", "node": name, "op": "call_function", "target": "operator.getitem", "args": [{"node": name}, 0], "name": "first_of_it"})
        with self.graph.inserting_after(made):
            item = self.graph.create_node("call_function", operator.getitem, (made, 0), {}, "first_of_it")
        self.steps.append({"step": "replace_uses", "node": node.name, "with": "first_of_it"})
        self.steps.append({"step": "set_args", "node": name, "args": [{"node": node.name}]})
        node.replace_all_uses_with(item)
        made.args = (node,)
        return made

    def target(self):
        swaps = {aten.relu.default: aten.sigmoid.default, aten.neg.default: aten.abs.default, aten.add.Tensor: aten.sub.Tensor, aten.gt.Scalar: aten.ge.Scalar,
                 aten.exp.default: aten.signbit.default, aten.mean.dim: aten.amax.default}
        node = self.pick(lambda n: n.target in swaps and (n.target != aten.exp.default or is_result(n)))
        if node is None:
            return None
        node.target = swaps[node.target]
        self.steps.append({"step": "set_target", "node": node.name, "target": f"torch.ops.{node.target}"})
        return node

    def argument(self):
        node = self.pick(lambda n: is_result(n) and n.target in (aten.sum.dim_IntList, aten.mean.dim, aten.var.correction, aten.amax.default, aten.permute.default, aten.transpose.int))
        if node is None:
            return None
        turns = node.target in (aten.permute.default, aten.transpose.int)
        args = (node.args[0],) + (tuple(reversed(node.args[1:])) if node.target == aten.transpose.int else ([*reversed(node.args[1])],) if turns else ([0], True))
        if node.target == aten.var.correction:
            return None
        node.args = args
        self.steps.append({"step": "set_args", "node": node.name, "args": self.arguments(args)})
        return node

    def output(self):
        output = next(n for n in self.graph.nodes if n.op == "output")
        node = self.pick(lambda n: is_float(n) and n.meta["val"].dim() > 0)
        if node is None or not isinstance(output.args[0], (tuple, list)):
            return None
        new = self.insert(node, aten.cumsum.default, node, 0, rewire=False)
        kept = list(output.args[0])
        results = [spec.kind.name for spec in self.program.graph_signature.output_specs]
        if results[-1] != "USER_OUTPUT":
            return None
        kept[-1] = new
        output.args = (tuple(kept),)
        self.steps.append({"step": "set_output", "value": {"tuple": self.arguments(kept)}})
        return new

    def library(self):
        """Other arguments for an operator of a library; another call of it."""
        node = self.pick(lambda n: str(n.target) == "lancet_oracle.scale.default")
        if node is None:
            return None
        node.args = (node.args[0], 0.25)
        self.steps.append({"step": "set_args", "node": node.name, "args": self.arguments(node.args), "kwargs": {"mode": 2}})
        node.kwargs = {"mode": 2}
        return self.insert(node, node.target, node, 3.0)

    def erased(self):
        node = self.pick(lambda n: n.target in (aten.relu.default, aten.neg.default, aten.contiguous.default) and isinstance(n.args[0], torch.fx.Node))
        if node is None:
            return None
        self.steps.append({"step": "erase", "node": node.name, "replace_with": node.args[0].name})
        node.replace_all_uses_with(node.args[0])
        self.graph.erase_node(node)
        return True

    def replaced(self):
        node = self.pick(lambda n: n.target in (aten.relu.default, aten.neg.default))
        if node is None:
            return None
        name = str(node.target)
        self.verb = ("def pattern(x):\n    return torch.ops.%s(x)\n\ndef replacement(x):\n    y = torch.ops.aten.unsqueeze.default(x, 0)\n"
                     "    return torch.ops.aten.squeeze.dim(torch.ops.aten.exp.default(y), 0)\n" % name)
        for old in [n for n in self.graph.nodes if n.target == node.target]:
            with self.graph.inserting_before(old):
                up = self.graph.call_function(aten.unsqueeze.default, (old.args[0], 0))
                new = self.graph.call_function(aten.squeeze.dim, (self.graph.call_function(aten.exp.default, (up,)), 0))
            old.replace_all_uses_with(new)
            self.graph.erase_node(old)
        return True

    def filtered(self):
        """A recipe whose filter asks for the dtype of a node that its first step has made."""
        node = self.pick(lambda n: is_float(n) and is_result(n))
        if node is None:
            return None
        double = self.insert(node, aten.to.dtype, node, torch.float64)
        new = self.insert(double, aten.neg.default, double)
        pattern = "def pattern(x):\n    return torch.ops.aten.neg.default(x)\n"
        self.steps.append({"step": "replace_pattern", "pattern": pattern, "replacement": "def replacement(x):\n    return torch.ops.aten.abs.default(x)\n",
                           "options": {"filter": {"node": "neg_default", "dtype": "torch.float64"}}})
        for old in [n for n in self.graph.nodes if n.target == aten.neg.default]:
            if old is new or old.meta.get("val") is not None and old.meta["val"].dtype == torch.float64:
                old.target = aten.abs.default
        return True

    def passes(self):
        self.steps += [{"step": "pass", "name": name} for name in ("cse", "dead_code", "shape_prop")]
        return True


KINDS = ["pointwise", "other_dtype", "other_shape", "there_and_back", "several", "target", "argument", "output", "library", "erased", "replaced", "filtered", "passes"]


def numbers_of(size, symbols):
    return int(size.node.expr.xreplace(symbols)) if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)) else size


def described(value, symbols):
    if isinstance(value, torch.Tensor):
        return (str(value.dtype), [numbers_of(s, symbols) for s in value.shape], [numbers_of(s, symbols) for s in value.stride()], str(value.device))
    return numbers_of(value, symbols)


def value_differences(program, unknown):
    """Between what the file says and a fresh propagation from the inputs."""
    gm = program.graph_module
    inputs = [node.meta["val"] for node in gm.graph.nodes if node.op == "placeholder"]
    said = [(node.name, node.meta.get("val")) for node in gm.graph.nodes]
    mode = detect_fake_mode([value for value in inputs if isinstance(value, torch.Tensor)])
    fresh = copy.deepcopy(gm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        FakeTensorProp(fresh, mode).propagate_dont_convert_inputs(*inputs)
    symbols = {symbol for value in inputs if isinstance(value, torch.Tensor) for size in value.shape if isinstance(size, torch.SymInt) for symbol in size.node.expr.free_symbols}
    samples = [{symbol: 8 + 3 * place + 7 * sample for place, symbol in enumerate(sorted(symbols, key=str))} for sample in range(3)] if symbols else [{}]
    for (name, value), node in zip(said, fresh.graph.nodes):
        if node.op == "output" or name in unknown:
            continue
        mine, theirs = tree_leaves(value), tree_leaves(node.meta.get("val"))
        for sample in samples:
            try:
                a, b = [described(v, sample) for v in mine if v is not None], [described(v, sample) for v in theirs if v is not None]
            except (TypeError, ValueError) as error:
                return f"{name}: {value} {error}"
            if a != b:
                return f"{name} ({node.target}): {a} in the file, {b} in truth, for {sample}"
    return None


def results(edited, program, inputs):
    """Of the graph alone, with the tensors and inputs of a program."""
    torch.manual_seed(0)  # dropout
    flat = program._graph_module_flat_inputs(copy.deepcopy(inputs), {})
    return torch.fx.Interpreter(edited).run(*(value.clone() if isinstance(value, torch.Tensor) else value for value in flat))


class Run:
    def __init__(self, lancet, folder):
        self.lancet, self.folder = lancet, folder
        self.failures, self.unknown, self.edits, self.skipped = [], [], 0, 0

    def lancet_edits(self, path, edit, out):
        if edit.verb:
            (self.folder / "pattern.py").write_text("import torch\n" + edit.verb)
            words = ["replace", path, "--pattern", self.folder / "pattern.py", "-o", out]
        elif self.edits % 3 == 2:
            (self.folder / "recipe.json").write_text(json.dumps({"lancet_recipe": 1, "steps": edit.steps}))
            words = ["apply", path, self.folder / "recipe.json", "-o", out]
        else:
            words = ["edit", path, *(word for step in edit.steps for word in ("--step", json.dumps(step))), "-o", out]
        return subprocess.run([self.lancet, *map(str, words)], capture_output=True, text=True)

    def check(self, name, path, program, inputs, kind, seed):
        edit = Edit(program, random.Random(f"{name} {kind} {seed}"))
        if not getattr(edit, kind)():
            return False
        out = self.folder / "edited.pt2"
        out.unlink(missing_ok=True)
        done = self.lancet_edits(path, edit, out)
        self.edits += 1
        wrong = self.difference(edit, program, inputs, done, out)
        if wrong:
            self.failures.append(f"{name}, {kind}")
            print(f"FAIL {name}, {kind}: {wrong}\n    {json.dumps(edit.steps) if edit.steps else edit.verb}", flush=True)
        unknown = re.findall(r"warning: (\w+): .*unknown", done.stderr)
        self.unknown += [f"{name}, {kind}: {node}" for node in unknown]
        return True

    def difference(self, edit, program, inputs, done, out):
        edit.graph.lint()
        try:
            wanted = results(edit.gm, program, inputs)
        except Exception as error:  # the edit makes no sense to PyTorch
            wanted = error
        if done.returncode:
            return None if isinstance(wanted, Exception) else f"exit {done.returncode}: {done.stderr}"
        try:
            after = torch.export.load(out)
        except Exception as error:
            return f"torch.export.load: {error}"
        if isinstance(wanted, Exception):
            self.skipped += 1
            return None
        unknown = re.findall(r"warning: (\w+): .*unknown", done.stderr)
        wrong = value_differences(after, unknown)
        wrong = wrong or difference(wanted, results(after.graph_module, after, inputs)) and "numbers of the graph"
        if wrong:
            return wrong
        try:
            got = after.module()(*copy.deepcopy(inputs))
            if not self.decomposes:
                return None
            decomposed = torch.export.load(out).run_decompositions().module()(*copy.deepcopy(inputs))  # with its own buffers
        except Exception as error:
            return f"run: {type(error).__name__}: {error}"[:600]
        if any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) for node in after.graph.nodes):
            return None  # the decomposition of a dropout draws other numbers
        mine, theirs = tree_leaves(got), tree_leaves(decomposed)
        same = len(mine) == len(theirs) and all(torch.allclose(a, b, 1e-4, 1e-5, equal_nan=True) if isinstance(a, torch.Tensor) else a == b for a, b in zip(mine, theirs))
        return None if same else "numbers after run_decompositions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", type=pathlib.Path, required=True)
    parser.add_argument("--edits", type=int, default=12, help="edits of each program")
    parser.add_argument("--every", type=int, default=1, help="only every N-th program")
    parser.add_argument("--only", default="", help="programs with this in their names")
    options = parser.parse_args()
    count = 0
    with tempfile.TemporaryDirectory() as name:
        run = Run(options.lancet, pathlib.Path(name))
        for place, (title, model, inputs, dynamic) in enumerate(programs()):
            if place % options.every or options.only not in title:
                continue
            torch.manual_seed(0)
            path = run.folder / f"{title}.pt2"
            torch.export.save(torch.export.export(model, inputs, dynamic_shapes=dynamic), path)
            program = torch.export.load(path)
            try:
                torch.export.load(path).run_decompositions()
                run.decomposes = True
            except AssertionError:  # PyTorch cannot decompose what it has saved
                run.decomposes = False
            count += 1
            made, start = 0, place * 5
            for kind in (KINDS[start % len(KINDS):] + KINDS[:start % len(KINDS)]):
                made += made < options.edits and run.check(title, path, program, inputs, kind, 0)
    for unknown in run.unknown:
        print(f"unknown: {unknown}")
    print(f"program_values: {run.edits} edits of {count} programs, {len(run.failures)} failures, {len(run.unknown)} unknown values, "
          f"{run.skipped} edits that PyTorch cannot run")
    return bool(run.failures)


if __name__ == "__main__":
    sys.exit(main())
