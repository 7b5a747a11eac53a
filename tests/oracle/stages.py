# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs what `lancet partition --stages N --pipeline DIR` writes, as processes under torchrun, against the unsplit model.

    stages.py --lancet BIN [--only NAME]

Two and three processes on this machine (gloo), with one and with several microbatches. The numbers have to be those of the whole
model. Exit 1: a difference.
"""

import argparse
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


def models(folder):
    torch.manual_seed(1)
    for net, inputs in ((Skips(), (torch.randn(4, 8), torch.randn(4, 8))), (Sizes(), (torch.randn(4, 8),))):
        path = folder / f"{type(net).__name__}.pt"
        torch.save(fx.symbolic_trace(net.eval()), path)
        yield type(net).__name__, path, inputs
    yield "resnet", SAMPLES / "resnet.pt", (torch.randn(4, 3, 32, 32),)


def run(folder, stages, inputs, microbatches):
    torch.save(inputs, folder / "in.pt")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(stages), folder / "run_pipeline.py",
               "--inputs", folder / "in.pt", "--output", folder / "out.pt", "--microbatches", str(microbatches)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return torch.load(folder / "out.pt", weights_only=False)


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    failures = compared = 0
    with tempfile.TemporaryDirectory() as name:
        for label, path, inputs in models(pathlib.Path(name)):
            if options.only not in (None, label):
                continue
            module = torch.load(path, weights_only=False).eval()
            with torch.no_grad():
                wanted = module(*inputs)
            torch.save(module, pathlib.Path(name) / "eval.pt")
            for stages, microbatches in ((2, 1), (3, 2)):
                folder = pathlib.Path(name) / f"{label}_{stages}"
                if label == "Sizes":
                    refused = subprocess.run([options.lancet, "partition", path, "--stages", str(stages), "--pipeline", folder], capture_output=True, text=True)
                    compared += 1
                    if refused.returncode != 4 or "only tensors are sent" not in refused.stderr or folder.exists():
                        failures += 1
                        print(f"FAIL {label}: not refused: {refused.stderr}")
                    continue
                try:
                    subprocess.run([options.lancet, "partition", pathlib.Path(name) / "eval.pt", "--stages", str(stages), "--pipeline", folder],
                                   check=True, capture_output=True, text=True)
                    compared += 1
                    torch.testing.assert_close(run(folder, stages, inputs, microbatches), wanted)
                except subprocess.CalledProcessError as error:
                    failures += 1
                    print(f"FAIL {label}, {stages} stages: {error.stderr}", flush=True)
                except Exception as error: # whatever is wrong, the others are compared
                    failures += 1
                    print(f"FAIL {label}, {stages} stages: {error}", flush=True)
    print(f"{compared} pipelines run, {failures} differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
