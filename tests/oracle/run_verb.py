# SPDX-License-Identifier: GPL-3.0-or-later
"""`lancet run` as a user calls it: random inputs with PyTorch's bits, files of inputs and outputs, exit codes.

    run_verb.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import collections
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


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x, y):
        return self.linear(x) + y.sum()


def check_guards(lancet, run, check, folder):
    """Inputs that PyTorch refuses, as the export was made for other sizes, are refused; others run."""
    batch = torch.export.Dim("batch", min=3, max=16)
    example = torch.randn(4, 8), torch.randn(4)
    for name, dynamic in (("fixed", None), ("dynamic", ({0: batch}, {0: batch}))):
        path = folder / f"{name}.pt2"
        torch.export.save(torch.export.export(Two().eval(), example, dynamic_shapes=dynamic), path)
        edited = folder / f"{name}_edited.pt2"
        subprocess.run([lancet, "edit", path, "--step", '{"step": "rename", "node": "linear", "name": "lin"}', "-o", edited], check=True, capture_output=True)
        for x, y in (([4, 8], [4]), ([3, 8], [3]), ([2, 8], [2]), ([16, 8], [16]), ([17, 8], [17]), ([5, 8], [4]), ([4, 8], [4, 2]), ([4, 1], [4])):
            try:
                torch.export.load(path).module()(torch.randn(x), torch.randn(y))
                expected = 0
            except (AssertionError, RuntimeError):
                expected = 5
            for model in (path, edited):
                done = run(model, "--input", "x=" + "x".join(map(str, x)), "--input", "y=" + "x".join(map(str, y)))
                check(f"{model.name}: x {x}, y {y} ends with {expected}", done.returncode == expected)
                check(f"{model.name}: x {x}, y {y} names an input", not expected or "the input '" in done.stderr)


class Views(torch.nn.Module):
    def forward(self, x):
        return x.t(), x[:, 1], x.expand(2, 3, 4), (x + 1).relu()[1:]


class OfLarge(torch.nn.Module):
    def forward(self, x):
        return x.repeat(1000, 1000)[:, 7], x[0]


class Nested(torch.nn.Module):
    """Adds up in a buffer, and takes and returns containers."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, more):
        self.calls.add_(x.sum())
        return self.kind(b=x + self.calls, a=[more["y"] * 2, (x.sum(),)])


def check_views(run, check, folder, out):
    """Outputs keep strides, offsets and what they share; a large storage is not written for a few numbers."""
    x = torch.randn(3, 4)
    torch.save((x,), folder / "views.in")
    run(saved(Views, folder / "views.pt"), "--inputs", folder / "views.in", "-o", out)
    got, expected = torch.load(out), Views()(x)
    check("views: values", difference(expected, got) is None)
    check("views: strides and offsets", all(a.stride() == b.stride() and a.storage_offset() == b.storage_offset() for a, b in zip(expected, got)))
    check("views: one storage", len({part.untyped_storage().data_ptr() for part in got}) == 2)
    run(saved(OfLarge, folder / "large.pt"), "--inputs", folder / "views.in", "-o", out)
    got = torch.load(out)
    check("views: few numbers of many", difference(OfLarge()(x), got) is None and out.stat().st_size < 1 << 20)


def check_exported(lancet, run, check, folder, out):
    """An exported program, and its description as .json: what its module returns, in the containers that it returns."""
    x, more = torch.randn(3), {"y": torch.randn(2)}
    torch.save((x, more), folder / "nested.in")
    for kind in (dict, collections.OrderedDict):
        path = folder / f"nested_{kind.__name__}.pt2"
        torch.export.save(torch.export.export(Nested(kind), (x, more)), path)
        subprocess.run([lancet, "convert", path, "-o", path.with_suffix(".json")], check=True, capture_output=True)
        expected = Nested(kind)(x, more)
        subprocess.run([lancet, "convert", path.with_suffix(".json"), "-o", path.with_suffix(".pt")], check=True, capture_output=True)
        for model in (path, path.with_suffix(".json"), path.with_suffix(".pt")):
            out.unlink(missing_ok=True)
            run(model, "--inputs", folder / "nested.in", "-o", out)
            got = torch.load(out)
            check(f"{model.name}: the same", type(got) is kind and list(got) == list(expected) and difference(expected, got) is None)
        same = subprocess.run([lancet, "verify", path, path.with_suffix(".json"), "--inputs", folder / "nested.in"], capture_output=True)
        check(f"{path.name}: verify", same.returncode == 0)
        module, original = torch.load(path.with_suffix(".pt"), weights_only=False), Nested(kind)
        for call_number in range(2):
            wanted, got = original(x, more), module(x, more)
            check(f"{path.stem}.pt: the same in call {call_number}", type(got) is kind and difference(wanted, got) is None)


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
        check("everything: exact types", type(got["max"]) is type(expected["max"]) and type(got["pair"]) is tuple and type(got["list"]) is list)
        for form in (inputs, list(inputs), dict(zip(("x", "ids", "mask"), inputs))):
            torch.save(form, given)
            out.unlink(missing_ok=True)
            run(model, "--inputs", given, "-o", out)
            check(f"everything: inputs as {type(form).__name__}", out.exists() and difference(expected, torch.load(out, weights_only=False)) is None)

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
        check_views(run, check, folder, out)
        check_exported(lancet, run, check, folder, out)
        check_guards(lancet, run, check, folder)
    print("run: all as it should be" if not failures else f"run: {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
