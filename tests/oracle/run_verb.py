# SPDX-License-Identifier: GPL-3.0-or-later
"""`lancet run` as a user calls it: random inputs with PyTorch's bits, files of inputs and outputs, exit codes.

    run_verb.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import torch
from torch import fx

from running import call, difference

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Everything(torch.nn.Module):
    """Returns each kind of value that a graph can return."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(7, 4)

    def forward(self, x, ids, mask):
        found = self.embedding(ids)
        return {"sum": found.sum(), "max": torch.max(x, 1), "list": [x.half(), mask, x.size(0)], "pair": (x.shape[1], None)}


class Loop(torch.nn.Module):
    def forward(self, x):
        for _ in range(20000):
            x = torch.linalg.matrix_exp(x)
        return x


class Big(torch.nn.Module):
    def forward(self, x):
        return (x + 1).repeat(100000, 500000).sum()


def saved(module, path):
    torch.manual_seed(4)
    torch.save(fx.symbolic_trace(module()), path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", type=pathlib.Path, required=True)
    lancet = parser.parse_args().lancet
    failures = []

    def check(what, good):
        if not good:
            failures.append(what)
            print(f"FAIL {what}", flush=True)

    def run(*words):
        return subprocess.run([lancet, "run", *map(str, words)], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out, given = folder / "out.pt", folder / "in.pt"

        resnet = ROOT / "resources/samples/resnet.pt"
        done = run(resnet, "--input", "x=2x3x64x64", "--seed", 5, "--threads", torch.get_num_threads(), "-o", out, "--json")
        torch.manual_seed(5)
        expected = call(torch.load(resnet, weights_only=False), (torch.randn(2, 3, 64, 64),))
        check("resnet: the same bits", done.returncode == 0 and difference(expected, torch.load(out)) is None)
        told = json.loads(done.stdout)
        check("resnet: --json", told["outputs"][0]["shape"] == [2, 10] and told["outputs"][0]["dtype"] == "torch.float32" and told["millis"] > 0)
        check("resnet: statistics", abs(told["outputs"][0]["mean"] - expected.mean().item()) < 1e-6)

        model = saved(Everything, folder / "everything.pt")
        done = run(model, "--input", "ids=3:int64<7>", "--input", "x=2x5", "--input", "mask=4:bool", "-o", out)
        torch.manual_seed(0)
        inputs = torch.randn(2, 5), torch.randint(7, (3,)), torch.randint(2, (4,)).bool()
        expected = torch.load(model, weights_only=False)(*inputs)
        got = torch.load(out, weights_only=False)
        check("everything: drawn in the order of the placeholders", done.returncode == 0 and difference(expected, got) is None)
        for x, ids in (("torch.float32", "torch.int64"), ("float", "long"), ("torch.float", "torch.long")):
            out.unlink(missing_ok=True)
            run(model, "--input", f"ids=3:{ids}<7>", "--input", f"x=2x5:{x}", "--input", "mask=4:torch.bool", "-o", out)
            check(f"everything: {x} and {ids}", out.exists() and difference(expected, torch.load(out, weights_only=False)) is None)
        check("everything: exact types", type(got["max"]) is type(expected["max"]) and type(got["pair"]) is tuple and type(got["list"]) is list)
        for form in (inputs, list(inputs), dict(zip(("x", "ids", "mask"), inputs))):
            torch.save(form, given)
            out.unlink(missing_ok=True)
            run(model, "--inputs", given, "-o", out)
            check(f"everything: inputs as {type(form).__name__}", out.exists() and difference(expected, torch.load(out, weights_only=False)) is None)

        torch.save(dict(zip(("x", "ids", "musk"), inputs)), given)
        unknown = run(model, "--inputs", given, "--json")
        check("unknown name in a file: exit 2 and the names", unknown.returncode == 2 and "'musk'" in unknown.stderr and "x, ids, mask" in unknown.stderr)
        check("missing input: exit 2", run(model, "--input", "x=2x5").returncode == 2)
        check("unknown input: exit 2", run(resnet, "--input", "x=1x3x64x64", "--input", "z=1").returncode == 2)
        check("integers without range: exit 2", run(model, "--input", "x=2x5", "--input", "ids=3:int64", "--input", "mask=4:bool").returncode == 2)
        check("no file: exit 3", run(folder / "nowhere.pt", "--input", "x=1").returncode == 3)
        wrong = run(resnet, "--input", "x=1x5x64x64", "--json")
        check("wrong shape: exit 5 and the node", wrong.returncode == 5 and json.loads(wrong.stdout)["error"]["node"] == "conv1")
        big = run(saved(Big, folder / "big.pt"), "--input", "x=10x10", "--json")
        check("too much memory: exit 5 and the node", big.returncode == 5 and json.loads(big.stdout)["error"]["node"] == "repeat")
        slow, started = saved(Loop, folder / "loop.pt"), time.time()
        late = run(slow, "--input", "x=300x300", "--timeout", 1, "--json")
        check("timeout: exit 6 and the node", late.returncode == 6 and json.loads(late.stdout)["error"]["node"].startswith("linalg_matrix_exp"))
        print(f"timeout of 1 s told after {time.time() - started:.1f} s")
    print("run: all as it should be" if not failures else f"run: {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
