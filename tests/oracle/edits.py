# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet edit` with the same edits made by torch.fx: random scripts, the graph after each step.

    edits.py --lancet BIN [--scripts N] [--seed S] [--only NUMBER]

Also compares new modules (settings and weights after torch.manual_seed) with those of torch.nn. Exit 1: a difference.
"""

import argparse
import json
import operator
import pathlib
import random
import sys
import tempfile
import textwrap

import torch
from safetensors.torch import load_file
from torch import fx, nn

from surgery import random_module, run, saved

FUNCTIONS = {"torch.relu": torch.relu, "operator.add": operator.add, "torch.nn.functional.gelu": torch.nn.functional.gelu,
             "aten.mul.Tensor": torch.ops.aten.mul.Tensor, "torch.cat": torch.cat}
MODULES = [("torch.nn.Linear", nn.Linear, {"in_features": 4, "out_features": 3}),
           ("torch.nn.Linear", nn.Linear, {"in_features": 5, "out_features": 2, "bias": False}),
           ("torch.nn.Conv1d", nn.Conv1d, {"in_channels": 2, "out_channels": 4, "kernel_size": 3, "groups": 2}),
           ("torch.nn.Conv2d", nn.Conv2d, {"in_channels": 3, "out_channels": 4, "kernel_size": 3, "padding": "same", "padding_mode": "reflect"}),
           ("torch.nn.Conv3d", nn.Conv3d, {"in_channels": 1, "out_channels": 2, "kernel_size": 2, "stride": 2}),
           ("torch.nn.ConvTranspose2d", nn.ConvTranspose2d, {"in_channels": 2, "out_channels": 4, "kernel_size": 3}),
           ("torch.nn.BatchNorm2d", nn.BatchNorm2d, {"num_features": 4}),
           ("torch.nn.LayerNorm", nn.LayerNorm, {"normalized_shape": 4}),
           ("torch.nn.GroupNorm", nn.GroupNorm, {"num_groups": 2, "num_channels": 4}),
           ("torch.nn.PReLU", nn.PReLU, {}), ("torch.nn.ReLU6", nn.ReLU6, {}), ("torch.nn.GELU", nn.GELU, {}),
           ("torch.nn.MaxPool2d", nn.MaxPool2d, {"kernel_size": 2}), ("torch.nn.AvgPool1d", nn.AvgPool1d, {"kernel_size": 2}),
           ("torch.nn.ReflectionPad2d", nn.ReflectionPad2d, {"padding": 1}), ("torch.nn.Flatten", nn.Flatten, {}),
           ("torch.nn.Dropout", nn.Dropout, {"p": 0.25}), ("torch.nn.Softmax", nn.Softmax, {"dim": 1}),
           ("torch.nn.AdaptiveAvgPool2d", nn.AdaptiveAvgPool2d, {"output_size": 1}), ("torch.nn.Identity", nn.Identity, {})]


def value(json_value, graph):
    """A step's value in Python."""
    if isinstance(json_value, dict) and "node" in json_value:
        return next(n for n in graph.nodes if n.name == json_value["node"])
    if isinstance(json_value, list):
        return [value(v, graph) for v in json_value]
    return json_value


class Script:
    """Makes steps that fit the graph and does them in Python."""

    def __init__(self, gm, chance):
        self.gm, self.graph, self.chance = gm, gm.graph, chance

    def nodes(self, *ops):
        return [n for n in self.graph.nodes if not ops or n.op in ops]

    def earlier(self, node):
        order = list(self.graph.nodes)
        return order[:order.index(node)]

    def step(self):
        kind = self.chance.choice(["insert_after", "insert_after", "insert_before", "set_args", "set_target", "rename", "replace_uses",
                                   "erase", "erase", "move", "set_output", "dead_code", "set_training", "add_module", "replace_module"])
        return getattr(self, kind)()

    def insert_after(self, side="after"):
        kinds = ("placeholder", "call_function", "call_method", "get_attr") if side == "after" else ("call_function", "output", "call_module")
        node = self.chance.choice(self.nodes(*kinds))
        inputs = self.earlier(node) + ([node] if side == "after" else [])
        if not inputs:
            return None
        target = self.chance.choice(list(FUNCTIONS))
        picks = [self.chance.choice(inputs), self.chance.choice([*inputs, 3])]
        args = [{"node": p.name} if isinstance(p, fx.Node) else p for p in (picks if target in ("operator.add", "aten.mul.Tensor") else picks[:1])]
        if target == "torch.cat":
            args = [args]
        rewire = side == "after" and node in picks and self.chance.random() < 0.5
        step = {"step": f"insert_{side}", "node": node.name, "op": "call_function", "target": target, "args": args}
        if self.chance.random() < 0.2:
            step["name"] = self.chance.choice(["relu", "my_node", "x", "add_1"])
        with (self.graph.inserting_after if side == "after" else self.graph.inserting_before)(node):
            new = self.graph.create_node("call_function", FUNCTIONS[target], tuple(value(args, self.graph)), {}, step.get("name"))
        if rewire:
            step["rewire_users"] = True
            node.replace_all_uses_with(new, delete_user_cb=lambda u: u is not new)
        return step

    def insert_before(self):
        return self.insert_after("before")

    def set_args(self):
        node = self.chance.choice(self.nodes("call_function", "call_method") or [None])
        if node is None or not self.earlier(node):
            return None
        args = [{"node": self.chance.choice(self.earlier(node)).name}, self.chance.choice([1, -2.5, True, None, "text"])][:self.chance.randrange(1, 3)]
        step = {"step": "set_args", "node": node.name, "args": args}
        node.args = tuple(value(args, self.graph))
        if self.chance.random() < 0.3:
            step["kwargs"] = {"dim": 1}
            node.kwargs = {"dim": 1}
        return step

    def set_target(self):
        node = self.chance.choice(self.nodes("call_function") or [None])
        if node is None:
            return None
        target = self.chance.choice(list(FUNCTIONS))
        node.target = FUNCTIONS[target]
        return {"step": "set_target", "node": node.name, "target": target}

    def rename(self):
        node = self.chance.choice(self.nodes("call_function", "call_method", "get_attr", "call_module", "placeholder"))
        step = {"step": "rename", "node": node.name, "name": self.chance.choice(["relu", "fresh", "x", "sum", "add_2", "9lives", "class"])}
        node._rename(step["name"])
        return step

    def replace_uses(self):
        node = self.chance.choice(self.nodes("call_function", "placeholder", "call_module"))
        others = [n for n in self.earlier(node)]
        if not others:
            return None
        other = self.chance.choice(others)
        node.replace_all_uses_with(other)
        return {"step": "replace_uses", "node": node.name, "with": other.name}

    def erase(self):
        free = [n for n in self.nodes("call_function", "call_method", "get_attr", "call_module") if not n.users]
        if not free:
            return None
        node = self.chance.choice(free)
        self.graph.erase_node(node)
        return {"step": "erase", "node": node.name}

    def move(self):
        node = self.chance.choice(self.nodes("call_function", "get_attr", "call_method") or [None])
        if node is None:
            return None
        order = list(self.graph.nodes)
        low = max([order.index(i) for i in node.all_input_nodes], default=-1)
        high = min([order.index(u) for u in node.users], default=len(order) - 1)
        places = [n for n in order[low + 1:high] if n is not node]
        if not places:
            return None
        anchor = self.chance.choice(places)
        if self.chance.random() < 0.5:
            anchor.prepend(node)
            return {"step": "move", "node": node.name, "before": anchor.name}
        anchor.append(node)
        return {"step": "move", "node": node.name, "after": anchor.name}

    def set_output(self):
        output = next(iter(reversed(self.graph.nodes)))
        picks = [{"node": self.chance.choice(self.earlier(output)).name} for _ in range(self.chance.randrange(1, 3))]
        step = {"step": "set_output", "value": picks[0] if len(picks) == 1 else picks}
        output.args = (value(step["value"], self.graph),)
        return step

    def dead_code(self):
        self.graph.eliminate_dead_code()
        return {"step": "dead_code"}

    def set_training(self):
        mode = self.chance.random() < 0.5
        self.gm.train(mode)
        return {"step": "set_training", "value": mode}

    def add_module(self):
        name, cls, settings = self.chance.choice(MODULES)
        path = self.chance.choice(["extra", "extra.inner", "block.extra"])
        torch.manual_seed(0)
        self.gm.add_submodule(path, cls(**settings))
        return {"step": "add_module", "path": path, "module": {"type": name, "settings": settings}}

    def replace_module(self):
        name, cls, settings = self.chance.choice(MODULES)
        paths = [p for p, _ in self.gm.named_modules() if p]
        if not paths:
            return None
        path = self.chance.choice(paths)
        torch.manual_seed(5)
        new = cls(**settings)
        new.training = self.gm.get_submodule(path).training
        parent, _, leaf = path.rpartition(".")
        setattr(self.gm.get_submodule(parent), leaf, new)
        return {"step": "replace_module", "path": path, "module": {"type": name, "settings": settings, "seed": 5}}


def is_refused_by_torch(lancet, model, words, graph):
    """Whether the call that Lancet names cannot be made in Python either, whatever tensors it gets."""
    error = json.loads(run(lancet, "edit", model, *words, "-o", model.with_suffix(".refused.json"), "--json").stdout).get("error", {})
    node = next((n for n in graph.nodes if n.name == error.get("node")), None)
    if node is None or node.op != "call_function":
        return False
    args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda n: torch.ones(2, 4))
    try:
        node.target(*args, **kwargs)
    except (TypeError, RuntimeError):
        return True
    return False


def check_script(lancet, folder, number, seed):
    chance = random.Random(f"edit {seed}.{number}")
    model, gm = folder / f"model{number}.pt", None
    while gm is None:
        try:
            gm = saved(random_module(chance), model)
        except Exception:  # what does not depend on an input runs while it loads
            continue
    script, words, steps = Script(gm, chance), [], 0
    for _ in range(8):
        step = script.step()
        if step is None:
            continue
        words += ["--step", json.dumps(step)]
        steps += 1
        try:
            gm.graph.lint()
        except Exception:
            done = run(lancet, "edit", model, *words)
            return (f"torch.fx's lint refuses, lancet: exit {done.returncode}" if done.returncode != 4 else None), steps
        try:
            gm.recompile()
        except Exception:  # arguments that no code can be made of
            return None, steps
        for show, text in (("graph", str(gm.graph)), ("code", gm.code)):
            done = run(lancet, "edit", model, *words, "--show", show)
            if done.returncode == 4 and is_refused_by_torch(lancet, model, words, gm.graph):
                return None, steps
            if done.returncode or done.stdout != text + "\n":
                return f"{words}\ntorch.fx:\n{textwrap.indent(text, '    ')}\nlancet: exit {done.returncode} {done.stderr}\n{textwrap.indent(done.stdout, '    ')}", steps
    return check_modules(lancet, folder, model, words, gm), steps


def check_modules(lancet, folder, model, words, gm):
    out = folder / "edited.json"
    done = run(lancet, "edit", model, *(words or ["--step", '{"step": "lint"}']), "-o", out)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr}"
    listed = json.loads(run(lancet, "modules", out, "--json").stdout)["modules"]
    theirs = {path: repr(module) for path, module in gm.named_modules() if path and not list(module.children())}
    ours = {m["path"]: m for m in listed}
    if set(theirs) - set(ours):
        return f"modules missing: {set(theirs) - set(ours)}"
    file = out.with_suffix(".safetensors")
    tensors = load_file(file) if file.exists() else {}
    for name, tensor in gm.state_dict().items():
        if name.startswith("_tensor_constant"):  # an expression, which is not evaluated
            continue
        if not any(t.shape == tensor.shape and torch.equal(t, tensor) for t in tensors.values()):
            return f"{words}: no tensor equal to {name} {tuple(tensor.shape)}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--scripts", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    failures = total = 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(options.scripts) if options.only is None else [options.only]:
            difference, steps = check_script(pathlib.Path(options.lancet).resolve(), pathlib.Path(name), number, options.seed)
            total += steps
            if difference:
                failures += 1
                print(f"FAIL script {number}: {difference}", flush=True)
    print(f"{total} steps compared, {failures} scripts differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
