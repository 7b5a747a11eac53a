# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the passes of text_pass_weights.py in Python and with `lancet pass --file`, and compares code and tensors.

    text_pass_values.py --lancet BIN [--only PASS]

What Python makes of a model and what lancet saves must have the same code, and tensors of the same bits. Exit 1: a
difference.
"""

import argparse
import copy
import inspect
import pathlib
import subprocess
import sys
import tempfile

import torch
import torch.nn as nn
from torch import fx

import text_pass_weights

FILE = pathlib.Path(text_pass_weights.__file__)


class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, bias=outputs % 2 == 0)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(3, 5), Block(5, 8))
        self.first, self.second = nn.Linear(8, 6), nn.Linear(6, 6)

    def forward(self, x):
        return self.second(torch.tanh(self.first(self.blocks(x).mean((2, 3)))))


class Twins(nn.Module):
    """Shared modules, tied weights and weights that are views."""

    def __init__(self):
        super().__init__()
        self.one = nn.Linear(8, 8)
        self.two = copy.deepcopy(self.one)
        self.tied = nn.Linear(8, 8, bias=False)
        self.tied.weight = self.one.weight
        self.register_buffer("scale", torch.rand(8))

    def forward(self, x):
        return self.one(self.tied(self.two(self.one(x)))) * self.scale


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4).to(torch.bfloat16)
        self.wide = nn.Linear(8, 4).double()

    def forward(self, x):
        return self.layer(x.to(torch.bfloat16)) + self.wide(x.double())


def models(folder):
    for kind in (Images, Twins, Half):
        torch.manual_seed(3)
        model = kind().eval()
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_()
                module.running_var.uniform_(0.5, 2)
                module.weight.data.normal_()
        path = folder / f"{kind.__name__}.pt"
        torch.save(fx.symbolic_trace(model), path)
        yield path


def in_python(path, what):
    gm = torch.load(path, weights_only=False)
    try:
        result = what()(gm) if inspect.isclass(what) else what(gm)
    except Exception as error:
        return error
    result = getattr(result, "graph_module", result)
    result = gm if result is None else result
    result.recompile()
    saved = path.with_name("expected.pt")
    torch.save(result, saved)
    return torch.load(saved, weights_only=False)  # traced again, as what lancet saves


def differences(expected, got):
    if expected.code != got.code:
        yield f"code:\n{expected.code}\n{got.code}"
    ours, theirs = got.state_dict(), expected.state_dict()
    for name in sorted(ours.keys() ^ theirs.keys()):
        yield f"only one has {name}"
    for name in sorted(ours.keys() & theirs.keys()):
        a, b = theirs[name], ours[name]
        if a.shape != b.shape or a.dtype != b.dtype or not torch.equal(a, b):
            yield f"{name}: {a.dtype} {tuple(a.shape)}, {b.dtype} {tuple(b.shape)}"


def compare(lancet, path, name, what):
    expected = in_python(path, what)
    out = path.with_name("out.pt")
    out.unlink(missing_ok=True)
    run = subprocess.run([lancet, "pass", path, "--file", f"{FILE}:{name}", "-o", out], capture_output=True, text=True)
    if isinstance(expected, Exception):
        return [] if run.returncode == 4 else [f"Python raises {expected!r}; lancet {run.returncode}: {run.stderr}"]
    if run.returncode not in (0, 1):
        return [f"lancet {run.returncode}: {run.stderr}"]
    return list(differences(expected, torch.load(out if run.returncode == 0 else path, weights_only=False)))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--lancet", required=True)
    options.add_argument("--only")
    options = options.parse_args()
    passes = [(name, what) for name, what in vars(text_pass_weights).items()
              if getattr(what, "__module__", "") == text_pass_weights.__name__ and not
              (inspect.isclass(what) and issubclass(what, fx.Interpreter))]
    runs = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in list(models(pathlib.Path(folder))):
            for name, what in passes:
                if options.only and name != options.only:
                    continue
                runs += 1
                for problem in compare(options.lancet, path, name, what):
                    failures += 1
                    print(f"{name} on {path.stem}: {problem}")
    print(f"{runs} runs, {failures} differences")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
