# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs what `lancet partition --stages N --pipeline DIR` writes, as processes under torchrun, against the unsplit model.

    stages.py --lancet BIN [--only NAME] [--quick]

Two and three processes on this machine (gloo), with one and with several microbatches; with --quick two processes alone. The numbers have to be
those of the whole model. Exit 1: a difference.
"""

import argparse
import copy
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn

SAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "resources" / "samples"


class Skips(nn.Module):
    """Values that pass through stages, several results, a parameter that two stages read."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.scale = nn.Parameter(torch.randn(8))

    def forward(self, x, y):
        a = F.relu(self.first(x)) * self.scale
        left, right = torch.split(a, 4, dim=1)
        b = self.second(torch.cat([right, left], 1)) + y
        c = self.third(b) * self.scale + x
        return {"out": c, "pair": (b, [left, None])}


class Sizes(nn.Module):
    """A size that is used stages later: it cannot be sent."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        batch = x.size(0)
        width = x.shape[1]
        x = self.second(torch.relu(self.first(x)))
        return torch.tanh(x).reshape(batch, 2, width // 2)


class Branches(nn.Module):
    """Graphs of higher-order operators, which read weights of their own, and results that nest."""

    def __init__(self):
        super().__init__()
        self.first, self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("mean", torch.randn(8))

    def forward(self, x):
        x = torch.relu(self.first(x)) - self.mean
        x = torch.cond(x.sum() > 0, lambda x: self.a(x), lambda x: self.b(x) - 1, (x,))
        y = torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))
        return {"y": y * 2, "both": [x + self.mean, (y,)]}


class Counts(nn.Module):
    """An export that changes a buffer: no stage does that."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return torch.relu(self.first(x)) + self.calls


class Remembers(nn.Module):
    """A buffer that the first stage writes and the last one reads."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("seen", torch.zeros(8))

    def forward(self, x):
        self.seen.add_(x.sum(0))
        return self.second(torch.relu(self.first(x))) + self.seen


class Numbers(nn.Module):
    """A region of autocast, and a number beside a tensor."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        x = torch.relu(self.first(x))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.second(x)
        return y.float() + x, x.sum()


class Writes(nn.Module):
    """Writes to its input, to a buffer and to what it has made, as the schedule must not do twice."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)
        self.register_buffer("seen", torch.ones(8))

    def forward(self, x):
        x.add_(1)
        y = torch.tanh(self.lin(x * self.seen.add_(x.mean(0))))
        z = torch.sigmoid(y)
        y.mul_(2)
        return torch.relu(z) + y


class Shares(nn.Module):
    """Writes through a view to what another stage has made."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, x):
        y = self.lin(x)
        flat = y.view(-1)
        z = torch.relu(torch.sigmoid(torch.tanh(y)))
        flat.add_(1.0)
        return torch.neg(z) + y


def models(folder):
    """name, file, module, inputs, None or what a refusal says"""
    torch.manual_seed(1)
    for net, inputs, refusal in ((Skips(), (torch.randn(4, 8), torch.randn(4, 8)), None), (Sizes(), (torch.randn(4, 8),), "stages only exchange tensors"),
                                 (Remembers(), (torch.randn(4, 8),), "writes to seen"), (Writes(), (torch.randn(4, 8),), None),
                                 (Shares(), (torch.randn(4, 8),), "shares memory")):
        path = folder / f"{type(net).__name__}.pt"
        torch.save(fx.symbolic_trace(net.eval()), path)
        yield type(net).__name__, path, net, inputs, refusal
    for net, inputs, refusal in ((Branches(), (torch.randn(4, 8),), None), (Numbers(), (torch.randn(4, 8),), None), (Counts(), (torch.randn(4, 8),), "changes calls")):
        path = folder / f"{type(net).__name__}.pt2"
        exported = torch.export.export(net.eval(), inputs)
        torch.export.save(exported.run_decompositions({}) if refusal else exported, path)
        yield type(net).__name__, path, net, inputs, refusal
    resnet = torch.load(SAMPLES / "resnet.pt", weights_only=False).eval()
    torch.save(resnet, folder / "resnet.pt")
    yield "resnet", folder / "resnet.pt", resnet, (torch.randn(4, 3, 32, 32),), None


def run(folder, stages, inputs, microbatches):
    torch.save(inputs, folder / "in.pt")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(stages), folder / "run_pipeline.py",
               "--inputs", folder / "in.pt", "--output", folder / "out.pt", "--microbatches", str(microbatches)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return torch.load(folder / "out.pt", weights_only=False)


def compare(lancet, folder, path, module, inputs, refusal, stages, microbatches):
    """What is wrong, or None."""
    done = subprocess.run([lancet, "partition", path, "--stages", str(stages), "--pipeline", folder], capture_output=True, text=True)
    if refusal:
        return None if done.returncode == 4 and refusal in done.stderr and not folder.exists() else f"not refused: {done.stderr}"
    if done.returncode:
        return done.stderr
    with torch.no_grad():
        wanted = copy.deepcopy(module)(*(each.clone() for each in inputs))
    try:
        torch.testing.assert_close(run(folder, stages, inputs, microbatches), wanted)
    except Exception as error: # whatever is wrong, the others are compared
        return str(error)
    return None


def recipe_by_time(lancet, folder):
    """`lancet apply` measures what a step that balances by time lacks. What is wrong, or None."""
    (folder / "recipe.json").write_text('{"lancet_recipe": 1, "steps": [{"step": "rename", "node": "conv1", "name": "stem"}, {"step": "partition", "stages": 2, "balance": "time"}]}')
    done = subprocess.run([lancet, "apply", folder / "resnet.pt", folder / "recipe.json", "--input", "x=1x3x64x64", "--show", "code"], capture_output=True, text=True)
    return None if done.returncode == 0 and "self.submod_1(" in done.stdout else f"exit {done.returncode}: {done.stderr}{done.stdout}"


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    failures = compared = 0
    with tempfile.TemporaryDirectory() as name:
        for label, path, module, inputs, refusal in models(pathlib.Path(name)):
            if options.only not in (None, label):
                continue
            # A condition on a whole batch is another one on a part of it.
            for stages, microbatches in ((2, 1), (3, 1 if label in ("Branches", "Numbers", "Writes") else 2))[:1 if options.quick else 2]:
                wrong = compare(options.lancet, pathlib.Path(name) / f"{label}_{stages}", path, module, inputs, refusal, stages, microbatches)
                compared += 1
                failures += wrong is not None
                if wrong is not None:
                    print(f"FAIL {label}, {stages} stages: {wrong}", flush=True)
        if options.only in (None, "resnet"):
            wrong = recipe_by_time(options.lancet, pathlib.Path(name))
            failures += wrong is not None
            print(f"FAIL recipe by time: {wrong}" if wrong else "ok: a recipe balanced by time", flush=True)
    print(f"{compared} pipelines run, {failures} differ")
    sys.exit(1 if failures or not compared else 0)


if __name__ == "__main__":
    main()
