# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the step `set_code` of `lancet edit` with torch.fx: random edits of the code of models, traced again by Python.

    code_edits.py --lancet BIN [--edits N] [--seed S] [--only NUMBER] [MODEL.pt...]

Without models, random ones are made. Python executes the edited code (without the `;  x = None` that free values) under
symbolic_trace with modules as leaves and tensors of modules as proxies; node by node, op, target, args, kwargs and the whole
generated code must be the same, and nodes that a statement names must have that name. Where Python raises, lancet must
refuse. Exit 1: a difference.
"""

import argparse
import ast
import builtins
import json
import keyword
import pathlib
import random
import re
import sys
import tempfile
import textwrap

import torch
from torch import fx, nn

from surgery import random_module, run, saved

FREES = re.compile(r";\s+(?:\w+ = )+None(\s*#.*)?$")
UNARY = ["torch.relu", "torch.tanh", "torch.neg", "torch.nn.functional.gelu", "torch.ops.aten.relu.default"]
RESERVED = set(dir(builtins)) | set(keyword.kwlist) | {"torch", "device", "inf", "nan", "NoneType", "fx_pytree", "pytree"}


class Editor:
    """Changes the lines of a code at random, mostly so that it stays a code."""

    def __init__(self, code, chance):
        self.lines, self.chance = code.rstrip().split("\n"), chance
        self.head = next(i for i, line in enumerate(self.lines) if line.startswith("def "))

    def body(self):
        return range(self.head + 1, len(self.lines) - 1)

    def defined(self, before):
        names = re.findall(r"[(,] \*{0,2}(\w+)", self.lines[self.head])
        return names + [m[1] for line in self.lines[self.head + 1:before] if (m := re.match(r"    (\w+) = ", line))]

    def pick(self):
        named = [i for i in self.body() if re.match(r"    \w+ = ", self.lines[i])]
        return self.chance.choice(named) if named else None

    def use(self, at):
        names = self.defined(at)
        return self.chance.choice(names[-8:]) if names else "x"

    def insert(self, at, statement):
        self.lines.insert(at, "    " + statement)

    def replace_word(self, old, new, start, end=None):
        for i in range(start, len(self.lines) if end is None else end):
            self.lines[i] = re.sub(rf"(?<![\w.\"']){re.escape(old)}(?![\w\"']| =(?!=))", new, self.lines[i])

    def edit(self):
        kind = self.chance.choice(["target", "fresh", "fresh", "nest", "delete", "rename", "duplicate", "move", "literal", "typo", "again", "augment",
                                   "unpack", "parameter", "alias", "constant", "shape", "method", "break_line", "comment", "rewire"])
        getattr(self, kind)()

    def target(self):
        at = self.pick()
        if at:
            others = [["relu", "neg", "sigmoid", "tanh"], ["add", "mul", "sub"]]  # C functions count their arguments before they are traced
            same = {name: names for names in others for name in names}
            self.lines[at] = re.sub(r"torch\.(\w+)\(", lambda m: f"torch.{self.chance.choice(same.get(m[1], [m[1]]))}(", self.lines[at])

    def insert_one(self, text):
        at = self.chance.choice(list(self.body()) + [len(self.lines) - 1])
        value = self.use(at)
        name = self.chance.choice(["fresh", "t", "relu", "my_value", "add_1", value, "sum", "conv_2"])
        self.insert(at, f"{name} = " + text.format(v=value, f=self.chance.choice(UNARY), w=self.use(at)))
        if self.chance.random() < 0.7 and name != value:
            self.replace_word(value, name, at + 1, min(at + 1 + self.chance.randrange(1, 6), len(self.lines)))

    TEXTS = ["{f}({v})", "{v} + {w}", "{v} * 2.5", "torch.cat([{v}, {w}], dim=1)", "{v}[0, ..., 1:2]", "1 - {v}", "{v}.view(-1, 2)", "({v}, {w})[0] @ {w}", "3 < {v}"]

    def fresh(self):
        self.insert_one(self.chance.choice(self.TEXTS))

    def rewire(self):
        at = self.pick()
        if at:
            inside = re.findall(r"(?<![\w.\"'])[a-z]\w*(?![\w(\"'.]| =)", self.lines[at].split(" = ", 1)[1])
            inside = [w for w in inside if w in self.defined(at)]
            if inside:
                self.replace_word(self.chance.choice(inside), self.use(at), at, at + 1)

    def nest(self):
        self.insert_one(self.chance.choice(["{f}({v} + {w}) * {f}({w})", "{f}({f}({f}({v})))", "torch.cat([-{v}, {w}.neg()], 1) + 1", "{v}.relu().neg()"]))

    def delete(self):
        at = self.pick()
        if at:
            name = self.lines[at].split(" = ")[0].strip()
            del self.lines[at]
            self.replace_word(name, self.use(at), at)

    def rename(self):
        at = self.pick()
        if at:
            old, new = self.lines[at].split(" = ")[0].strip(), self.chance.choice(["other", "relu_77", "x", "value", "Add"])
            self.lines[at] = self.lines[at].replace(old, new, 1)
            self.replace_word(old, new, at + 1)

    def duplicate(self):
        at = self.pick()
        if at:
            self.lines.insert(at + 1, self.lines[at])

    def move(self):
        at = self.pick()
        if at:
            line = self.lines.pop(at)
            self.lines.insert(max(self.head + 1, at + self.chance.choice([-3, -1, 1, 2])), line)

    def literal(self):
        at = self.pick()
        if at:
            self.lines[at] = re.sub(r"(?<![\w.\"])\d+(?![\w.\"])", lambda m: str(int(m[0]) + 1), self.lines[at], count=1)

    def typo(self):
        if self.chance.random() < 0.3:
            at = self.pick()
            if at:
                self.lines[at] = self.lines[at].replace("(", "(undefined_name, ", 1)

    def again(self):
        self.insert_one("{f}({v})")

    def augment(self):
        at = self.chance.choice(list(self.body()) + [len(self.lines) - 1])
        self.insert(at, f"{self.use(at)} {self.chance.choice(['+=', '*=', '@='])} {self.use(at)}")

    def unpack(self):
        at = self.chance.choice(list(self.body()) + [len(self.lines) - 1])
        value = self.use(at)
        self.insert(at, f"left, right = {self.chance.choice(['torch.split(' + value + ', 2)', f'({value} + 1, {value} * 2)', value])}")
        self.insert(at + 1, f"joined = left + {self.chance.choice(['right', '1'])}")

    def parameter(self):
        self.lines[self.head] = self.lines[self.head].replace("):", self.chance.choice([", extra):", ", extra=None):", ", scale : float = 2.0):"]))
        if self.chance.random() < 0.3:
            name = self.defined(self.head + 1)[0]
            self.lines[self.head] = re.sub(rf"\b{name}\b", "renamed", self.lines[self.head], count=1)
            self.replace_word(name, "renamed", self.head + 1)

    def alias(self):
        self.insert_one("{v}")

    def constant(self):
        self.insert_one("{v} * (3 + 4)")

    def shape(self):
        self.insert_one("{v}.shape")

    def method(self):
        self.insert_one("{v}.add({w}, alpha=2)")

    def break_line(self):
        at = self.pick()
        if at:
            self.lines[at] = FREES.sub("", self.lines[at]).replace("(", "(\n        ", 1).replace(", ", ",\n  ", 1) if "(" in self.lines[at] and '"' not in self.lines[at] else self.lines[at]

    def comment(self):
        at = self.pick()
        if at:
            self.lines[at] += "  # a remark"


class Recorder(fx.Tracer):
    """Modules are leaves, and every read of a module's tensor is recorded."""

    proxy_buffer_attributes = True

    def is_leaf_module(self, module, path):
        return True

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        return super().getattr(attr, attr_val, {})


class NoteNames(ast.NodeTransformer):
    """Tells `__note__` of every name that an assignment gives; `x.attr` of a statement that was there before is recorded there."""

    def __init__(self, code, before):
        self.code, self.before = code, before

    def visit_Assign(self, node):
        segment = ast.get_source_segment(self.code, node)
        kept = segment in self.before
        self.before.discard(segment)
        names = [item.id for target in node.targets for item in ast.walk(target) if isinstance(item, ast.Name)]
        calls = [ast.Expr(ast.Call(ast.Name("__note__", ast.Load()), [ast.Constant(name), ast.Name(name, ast.Load()), ast.Constant(kept)], [])) for name in names]
        return [node, *calls]


def retraced(gm, code, before):
    """The graph that Python makes of the code, and the names that it gives to nodes."""
    tree = ast.fix_missing_locations(NoteNames(code, before).visit(ast.parse(code)))
    notes = []

    def note(name, value, kept):
        if kept and isinstance(value, fx.proxy.Attribute):
            value.node  # noqa: B018
        notes.append((name, value))

    scope = {"math": __import__("math"), "operator": __import__("operator"), "nn": nn, "F": nn.functional, **gm.graph.python_code("self").globals, "__note__": note}
    exec(compile(tree, "edited", "exec"), scope)  # noqa: S102

    class Edited(nn.Module):
        def __init__(self):
            super().__init__()
            self.__dict__ = dict(gm.__dict__)

    Edited.forward = scope["forward"]
    root = Edited()
    graph = Recorder().trace(root)
    names = {}
    for name, value in notes:
        node = getattr(value, "_node", None) if isinstance(value, fx.proxy.Attribute) else value.node if isinstance(value, fx.Proxy) else None
        if node is not None and node.op not in ("placeholder", "output"):
            names.setdefault(node, name)
    return root, graph, names


def difference(lancet, recipe, model, gm, code, before):
    bare = [[FREES.sub("", line) for line in text.split("\n")] for text in (code, before)]
    try:
        root, graph, names = retraced(gm, "\n".join(bare[0]), {line.strip() for line in bare[1]})
        failure = None
    except Exception as error:
        failure = error
    recipe.write_text(json.dumps({"lancet_recipe": 1, "steps": [{"step": "set_code", "code": code}]}))
    words = ["apply", model, recipe]
    done = run(lancet, *words, "--show", "graph")
    if failure is not None:
        return f"Python: {failure!r}, lancet: exit {done.returncode}" if done.returncode != 4 else None
    if done.returncode:
        return f"lancet: exit {done.returncode} {done.stderr}"
    given = re.findall(r"^    %(\w+) :", done.stdout, re.M)
    nodes = [n for n in graph.nodes if n.op != "output"]
    if len(given) != len(nodes):
        return f"{len(nodes)} nodes, lancet has {len(given)}:\n{graph}\n{done.stdout}"
    wishes, inputs = list(names.values()), {n.name for n in nodes if n.op == "placeholder"}
    for node, name in zip(nodes, given):
        wish = names.get(node)
        free = wish and wish not in RESERVED and wishes.count(wish) == 1 and wish not in inputs
        if wish and (name != wish if free else not re.fullmatch(rf"{wish.rstrip('0123456789')}\w*", name)):
            return f"the node of `{wish} = ...` is called {name}"
        node.name = f"__{name}"
    for node, name in zip(nodes, given):
        node.name = name
    if (text := str(graph)) + "\n" != done.stdout:
        return f"torch.fx:\n{textwrap.indent(text, '    ')}\nlancet:\n{textwrap.indent(done.stdout, '    ')}"
    theirs, ours = fx.GraphModule(root, graph).code, run(lancet, *words, "--show", "code").stdout
    return f"torch.fx:\n{theirs}\nlancet:\n{ours}" if theirs + "\n" != ours else None


def check(lancet, recipe, model, gm, chance):
    code = run(lancet, "code", model).stdout
    editor = Editor(code, chance)
    for _ in range(chance.randrange(1, 6)):
        editor.edit()
    edited = "\n".join(editor.lines) + "\n"
    problem = difference(lancet, recipe, model, gm, edited, code)
    if problem:
        import difflib
        return problem + "\nedit:\n" + "\n".join(difflib.unified_diff(code.split("\n"), edited.split("\n"), lineterm="", n=1))
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    failures = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.edits) if options.only is None else [options.only]:
            chance = random.Random(f"code {options.seed}.{number}")
            model, gm = pathlib.Path(folder) / "model.pt", None
            if options.models:
                model = pathlib.Path(options.models[number % len(options.models)]).resolve()
                try:
                    gm = torch.load(model, weights_only=False)
                except Exception:  # the corpus has files that Python cannot load
                    continue
            while gm is None:
                try:
                    gm = saved(random_module(chance), model)
                except Exception:  # what does not depend on an input runs while it loads
                    continue
            total += 1
            problem = check(pathlib.Path(options.lancet).resolve(), pathlib.Path(folder) / "recipe.json", model, gm, chance)
            if problem:
                failures += 1
                print(f"FAIL edit {number} ({model.name}): {problem}", flush=True)
    print(f"{total} edits compared, {failures} differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
