# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the Python that `lancet apply --as-python` writes, and compares its result with that of `lancet apply`.

    recipes.py --lancet BIN [--recipes N] [--seed S] [--only NUMBER]

Random recipes on random models: graph and code byte for byte, modules and weights bit for bit. Exit 1: a difference.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import textwrap

import numpy
import torch
from safetensors.torch import save_file

from edits import Script
from surgery import random_module, run, saved

PATTERNS = [("def pattern(x):\n    return torch.relu(x)\n", "def pattern(x):\n    return F.gelu(x)\n"),
            ("import operator as op\ndef add(x, y): return op.add(x, y)\n", "def other(x, y):\n    return torch.sub(x, y, alpha=2)\n"),
            ("def neg(x):\n    return x.neg()\n", "def none(x):\n    return x\n")]


# Replacements that create modules, each match its own.
CREATED = [("def pattern(x):\n    return torch.relu(x)\n", "def pattern(x):\n    return nn.ReLU6()(x)\n"),
           ("def pattern(x, m: nn.Linear):\n    return m(x)\n", "def pattern(x, m):\n    return nn.Linear(4, 4, bias=False)(x)\n"),
           ("def pattern(x):\n    return torch.neg(x)\n",
            "def pattern(x):\n    m = nn.Sequential(nn.Linear(4, 4), nn.GELU())\n    return m(nn.Dropout(0.1)(m(x)))\n")]


def tensor_file(gm, name, folder, chance):
    """Another tensor of the same form, in one of the formats."""
    old = gm.state_dict().get(name, torch.zeros(4))
    new = torch.rand(old.shape).to(old.dtype)
    kind = chance.choice([".npy", ".safetensors", ".pt", "_dict.pt", "_parameter.pt"])
    path = folder / f"tensor{chance.randrange(1 << 30)}{kind}"
    if kind == ".npy":
        numpy.save(path, numpy.asfortranarray(new.numpy()))
    elif kind == ".safetensors":
        save_file({name: new, "other": torch.zeros(1)}, path)
    else:
        torch.save({".pt": new, "_dict.pt": {"other": torch.zeros(1), name: new}}.get(kind, torch.nn.Parameter(new, requires_grad=False)), path)
    return path


def last_steps(gm, folder, chance):
    """Steps of kinds that edits.py does not make; they come last, since nothing mirrors them."""
    calls = [n.name for n in gm.graph.nodes if n.op.startswith("call")]
    modules = [p for p, _ in gm.named_modules() if p] or ["lin"]
    tensors = [p for p in gm.state_dict() if not p.startswith("_tensor_constant")] or ["b"]
    node = chance.choice(calls)
    pattern, replacement = chance.choice(PATTERNS)
    created = chance.choice(CREATED)
    return chance.sample([
        {"step": "insert_after", "node": node, "op": "call_module", "target": chance.choice(["fresh.act", modules[0]]), "args": [{"node": node}],
         "rewire_users": True, "module": {"type": "torch.nn.Linear", "settings": {"in_features": 4, "out_features": 2}, "seed": 3}},
        {"step": "insert_before", "node": node, "op": "call_function", "target": "torch.full", "args": [{"tuple": [2, 3]}, {"repr": "inf"}],
         "kwargs": {"dtype": {"repr": "torch.float64"}, "device": {"repr": "device('cpu')"}}},
        {"step": "set_args", "node": node, "args": [{"node": "x"}, {"slice": [0, None, 2]}, {"dict": [["k'\"\\", [1.5, True]]]}, {"repr": "1+2j"}, {"repr": "..."}]},
        {"step": "erase", "node": node, "cascade": True},
        {"step": "erase", "node": node, "replace_with": "x", "cascade": chance.random() < .5},
        {"step": "replace_pattern", "pattern": pattern, "replacement": replacement, "options": {"ignore_literals": chance.random() < .5}},
        {"step": "set_tensor", "path": tensors[0], "value": [1, 2.5, -1e-3, 0.1]},
        {"step": "set_tensor", "path": tensors[-1], "value": [[0.1, 2, 3, 1e30]]},
        {"step": "delete_module", "path": "conv"},
        {"step": "delete_module", "path": chance.choice(modules)},
        {"step": "replace_module", "path": "lin", "keep": True, "module": {"type": "torch.nn.Linear", "settings": {"bias": False}}},
        {"step": "replace_module", "path": "bn", "keep": True, "module": {"type": "torch.nn.BatchNorm1d"}},
        {"step": "replace_module_class", "from": "torch.nn.ReLU", "to": {"type": "torch.nn.ReLU6"}},
        {"step": "replace_module_class", "from": "torch.nn.Linear", "to": {"type": "torch.nn.Linear", "settings": {"bias": False}}, "keep": True},
        {"step": "replace_pattern", "pattern": created[0], "replacement": created[1], "options": {"seed": chance.randrange(3)}},
        {"step": "set_training", "path": "block", "value": False},
        {"step": "partition", "rules": {"supported": [{"target": "*"}], "unsupported": [{"name": node}]}, "fuse": True, "allow_single": chance.random() < .5,
         "non_compute": ["operator.add"], "trim_ends": chance.random() < .3, "no_horizontal": chance.random() < .5},
        {"step": "partition", "rules": {"unsupported": [{"name": node}]}, "split": True, "single_ok": ["torch.neg"]},
        {"step": "partition", "stages": 2},
        {"step": "lint"},
        {"step": "pass", "name": "cse", "settings": {"safe": False}},
        {"step": "pass", "name": "normalize_args"},
        {"step": "pass", "name": "normalize_operators"},
        {"step": "set_tensor", "path": tensors[0], "file": str(tensor_file(gm, tensors[0], folder, chance))},
    ], 4)


def random_recipe(lancet, folder, model, gm, chance):
    """Steps that lancet takes."""
    script, steps = Script(gm, chance), []
    for _ in range(chance.randrange(0, 7)):
        step = script.step()
        try:
            gm.graph.lint()
            gm.recompile()
        except Exception:
            break
        steps += [step] if step else []
    for step in last_steps(gm, folder, chance):
        if len(gm.graph.nodes) > 2 and run(lancet, "apply", model, recipe_file(folder, [*steps, step])).returncode == 0:
            steps.append(step)
    return steps


def recipe_file(folder, steps):
    path = folder / "recipe.json"
    path.write_text(json.dumps({"lancet_recipe": 1, "steps": steps}))
    return path


def indented(text):
    return textwrap.indent(text, "    ")


def compare(lancet, folder, model, steps):
    recipe, out = recipe_file(folder, steps), folder / "edited.pt"
    shown = {show: run(lancet, "apply", model, recipe, "--show", show) for show in ("code", "graph")}
    if shown["code"].returncode:
        return "" if shown["code"].returncode == 4 else shown["code"].stderr
    python = run(lancet, "apply", model, recipe, "--as-python")
    if python.returncode:
        return f"--as-python: exit {python.returncode} {python.stderr}"
    scope = {"__name__": "recipe"}
    try:
        exec(compile(python.stdout, "recipe", "exec"), scope)
        gm = scope["edit"](torch.load(model, weights_only=False))
    except Exception as error:
        return f"{error!r}\n{indented(python.stdout)}"
    for show, text in (("code", gm.code), ("graph", str(gm.graph))):
        if shown[show].stdout != text + "\n":
            return f"{show} of the script:\n{indented(text)}\nlancet:\n{indented(shown[show].stdout)}\n{indented(python.stdout)}"
    done = run(lancet, "apply", model, recipe, "-o", out)
    if done.returncode:
        return ""
    try:
        ours = torch.load(out, weights_only=False)
    except Exception:
        return ""
    return compare_modules(gm, ours, python.stdout)


def kind_of(module):
    """GraphModules inside are called as they like in memory, and GraphModule after loading."""
    return "GraphModule" if isinstance(module, torch.fx.GraphModule) else repr(module) if not list(module.children()) else type(module)


def compare_modules(gm, ours, script):
    listed = [{p: (kind_of(m), m.training) for p, m in g.named_modules() if p} for g in (gm, ours)]
    if listed[0] != listed[1]:
        return f"modules: {listed[0]}\nlancet: {listed[1]}\n{indented(script)}"
    states = [{k: v for k, v in g.state_dict().items() if not k.startswith("_tensor_constant")} for g in (gm, ours)]
    if states[0].keys() != states[1].keys() or not all(torch.equal(v, states[1][k]) for k, v in states[0].items()):
        return f"weights differ\n{indented(script)}"
    return ""


def check_process(lancet, folder):
    """The script as a program, with its default model, on a sample."""
    samples = pathlib.Path(__file__).parents[2] / "resources" / "samples"
    fused = folder / "fused.json"
    fused.write_text(json.dumps({"lancet_recipe": 1, "steps": [{"step": "set_training", "value": False}, {"step": "pass", "name": "conv_bn_fuse"}, {"step": "rename", "node": "conv1", "name": "first"}]}))
    for model, recipe in ((samples / "simple_net.pt", samples / "recipe.json"), (samples / "resnet.pt", fused),
                          (samples / "transformer.pt2", recipe_file(folder, [{"step": "rename", "node": "linear", "name": "projection"}, {"step": "dead_code"}]))):
        script, out = folder / "script.py", folder / ("out" + model.suffix)
        script.write_text(run(lancet, "apply", model, recipe, "--as-python").stdout)
        done = subprocess.run([sys.executable, script, model, out], capture_output=True, text=True)
        expected = run(lancet, "apply", model, recipe, "--show", "code").stdout
        if done.stdout != expected or not out.exists():
            return f"{model.name}: {done.stderr}\n{indented(done.stdout)}\nlancet:\n{indented(expected)}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--recipes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    lancet = pathlib.Path(options.lancet).resolve()
    failures, kinds = 0, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        differences = {"as a program": check_process(lancet, folder)}
        for number in range(options.recipes) if options.only is None else [options.only]:
            chance, model, gm = random.Random(f"recipe {options.seed}.{number}"), folder / "model.pt", None
            while gm is None:
                try:
                    gm = saved(random_module(chance), model)
                except Exception:  # what does not depend on an input runs while it loads
                    continue
            steps = random_recipe(lancet, folder, model, gm, chance)
            for step in steps:
                kinds[step["step"]] = kinds.get(step["step"], 0) + 1
            differences[f"recipe {number}"] = compare(lancet, folder, model, steps)
        for what, difference in differences.items():
            if difference:
                failures += 1
                print(f"FAIL {what}: {difference}", flush=True)
    print(f"steps run: {dict(sorted(kinds.items()))}; {failures} recipes differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
