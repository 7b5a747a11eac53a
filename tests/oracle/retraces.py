# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the pass `retrace` with torch.fx: a saved model traced again with other leaf modules.

    retraces.py --lancet BIN

Exit 1: a difference.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
from torch import fx, nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.act = nn.Linear(3, 3), nn.ReLU()

    def forward(self, x):
        return self.act(self.linear(x)) + F.relu(x)


class Net(nn.Module):
    """Has a GraphModule and a Sequential as leaves."""

    def __init__(self):
        super().__init__()
        self.inner, self.seq = fx.symbolic_trace(Inner()), nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(self.seq(self.inner(x))).relu()


class AllLeaves(fx.Tracer):
    def is_leaf_module(self, m, name):
        return True


class Again(fx.Tracer):
    def __init__(self, inline, keep):
        super().__init__()
        self.inline, self.keep = inline, keep

    def is_leaf_module(self, m, name):
        known = {name, type(m).__name__} | ({"GraphModule"} if isinstance(m, fx.GraphModule) else set())
        if known & set(self.keep):
            return True
        return not known & set(self.inline) and super().is_leaf_module(m, name)


CASES = [([], []), (["Linear"], []), (["LayerNorm"], ["GraphModule"]), (["inner.linear", "norm"], ["seq"]),
         (["ReLU", "Dropout"], [])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    lancet = parser.parse_args().lancet
    net = Net().eval()
    model = fx.GraphModule(net, AllLeaves().trace(net))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "net.pt")
        torch.save(model, path)
        for inline, keep in CASES:
            wanted = fx.GraphModule(model, Again(inline, keep).trace(model)).code
            settings = json.dumps({"inline": inline, "keep": keep})
            done = subprocess.run([lancet, "pass", path, "retrace=" + settings, "--show", "code"],
                                  capture_output=True, text=True)
            if done.stdout != wanted + "\n":
                failed += 1
                print(f"{settings}: torch.fx\n{wanted}\nlancet\n{done.stdout}{done.stderr}")
    print(f"{len(CASES) - failed} of {len(CASES)} equal")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
