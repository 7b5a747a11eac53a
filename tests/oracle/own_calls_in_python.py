# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf classes, wrapped functions and operators whose control flow depends on values: `lancet run`, `verify`, `bench` and
shapes with `--python` (the Python that runs this script), against PyTorch; and sources that attack it.

    own_calls_in_python.py --lancet BIN [--part NAME] [--every N]

Exit 1: something is not as it should be.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import types

import torch
from torch import fx

import deciding_nets
from deciding_nets import Calls, Net

SEED = 3
# An object of the source is not in a file: its classes are never made from it.
NOT_FROM_FILES = {"Objects", "Hooked"}


class Leafs(fx.Tracer):
    def is_leaf_module(self, module, path):
        return path == "part" or super().is_leaf_module(module, path)


def same(got, wanted):
    if isinstance(wanted, torch.Tensor):
        return isinstance(got, torch.Tensor) and got.dtype == wanted.dtype and got.shape == wanted.shape and \
            torch.allclose(got, wanted, rtol=1e-5, atol=1e-6, equal_nan=True)
    if isinstance(wanted, dict):
        return isinstance(got, dict) and wanted.keys() == got.keys() and all(same(got[key], wanted[key]) for key in wanted)
    if isinstance(wanted, (tuple, list)):
        return isinstance(got, (tuple, list)) and len(got) == len(wanted) and all(map(same, got, wanted))
    return type(got) is type(wanted) and (abs(got - wanted) < 1e-5 if isinstance(wanted, float) else got == wanted)


class Checks:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.failed, self.count = lancet, folder, 0, 0

    def check(self, what, holds, detail=""):
        self.count += 1
        if not holds:
            self.failed += 1
            print(f"FAILED {what}\n    {detail}", flush=True)

    def call(self, *words):
        return subprocess.run([self.lancet, *map(str, words), "--python", sys.executable], capture_output=True, text=True,
                              cwd=self.folder, timeout=600)

    def runs(self, what, wanted, *words):
        out = self.folder / "out.pt"
        out.unlink(missing_ok=True)
        done = self.call("run", *words, "--inputs", "x.pt", "--seed", SEED, "-o", out)
        got = torch.load(out, weights_only=False) if out.exists() else None
        self.check(what, done.returncode == 0 and same(got, wanted), f"{done.stderr}\n{got}\n    {wanted}")
        says = "in Python 3." in done.stderr and "sandboxed" in done.stderr
        self.check(f"{what}: says so", says or "graphs traced from" in done.stderr, done.stderr)


def wanted_of(module, x):
    torch.manual_seed(SEED)
    with torch.no_grad():
        return module(x.clone())


def parts(checks, x, only, every):
    for part in deciding_nets.PARTS[::every]:
        name = part.__name__
        if only and name != only:
            continue
        torch.manual_seed(SEED)
        net = Net(name)
        traced = fx.GraphModule(net, Leafs().trace(net), "Net")
        if name not in NOT_FROM_FILES:
            torch.save(traced, checks.folder / f"{name}.pt")
        wanted = wanted_of(traced, x)
        checks.runs(name, wanted, "deciding_nets.py:Net", "--init", json.dumps([name]), "--leaf", name)
        if name not in NOT_FROM_FILES:
            checks.runs(f"{name} of a file", wanted, f"{name}.pt", "--path", ".")


def calls(checks, x):
    torch.manual_seed(SEED)
    traced = fx.symbolic_trace(Calls())
    checks.runs("functions", wanted_of(traced, x), "deciding_nets.py:Calls")
    torch.save(traced, checks.folder / "Calls.pt")
    checks.runs("functions of a file", wanted_of(traced, x), "Calls.pt", "--path", ".")


NAMES = '''
import functools
import torch
from os.path import join as joined

def twice(function):
    @functools.wraps(function)
    def inner(x):
        return function(x) * 2 if x.sum() == x.sum() else x
    return inner

def plain(x):
    return x + 1 if x.sum() == x.sum() else x

doubled = twice(plain)
torch.fx.wrap("doubled")

class Net(torch.nn.Module):
    def forward(self, x):
        return doubled(x)
'''


def names(checks, x):
    """A name of several functions, and one that the source only imports: a file must not reach the standard library by it."""
    (checks.folder / "names_of.py").write_text(NAMES)
    done = checks.call("run", "names_of.py:Net", "--inputs", "x.pt")
    checks.check("a name of two functions", done.returncode == 5 and "to several" in done.stderr, done.stdout + done.stderr)

    def stand_in(x):
        return x
    stand_in.__module__, stand_in.__name__, stand_in.__qualname__ = "names_of", "joined", "joined"
    sys.modules["names_of"] = types.ModuleType("names_of")
    sys.modules["names_of"].joined = stand_in
    graph = fx.Graph()
    graph.output(graph.call_function(stand_in, (graph.placeholder("x"),)))
    torch.save(fx.GraphModule(torch.nn.Module(), graph), checks.folder / "joins.pt")
    done = checks.call("run", "joins.pt", "--path", ".", "--inputs", "x.pt")
    checks.check("a function of the standard library", done.returncode == 5 and "not yours" in done.stderr, done.stdout + done.stderr)


def verbs(checks):
    """`verify` runs a model several times, from the same state; `bench` runs it often."""
    for name in ("Remembers", "Replaces", "Running"):
        done = checks.call("verify", f"{name}.pt", f"{name}.pt", "--path", ".", "--inputs", "x.pt")
        checks.check(f"{name}: verify", done.returncode == 0, done.stdout + done.stderr)
    changed = torch.load(checks.folder / "Halves.pt", weights_only=False)
    changed.before.weight.data += 1
    torch.save(changed, checks.folder / "changed.pt")
    done = checks.call("verify", "Halves.pt", "changed.pt", "--path", ".", "--inputs", "x.pt")
    checks.check("verify finds the difference", done.returncode == 1, done.stdout + done.stderr)
    done = checks.call("bench", "Halves.pt", "--path", ".", "--inputs", "x.pt", "--seconds", 0.5)
    checks.check("bench", done.returncode == 0 and "2 calls in the user's Python" in done.stdout + done.stderr, done.stdout + done.stderr)
    done = checks.call("convert", "Halves.pt", "--path", ".", "-o", "halves.ts", "--inputs", "x.pt")
    checks.check("no .ts", done.returncode != 0 and not (checks.folder / "halves.ts").exists(), done.stdout + done.stderr)
    done = subprocess.run([checks.lancet, "run", "Halves.pt", "--path", ".", "--python", "none", "--inputs", "x.pt"], capture_output=True, text=True,
                          cwd=checks.folder)
    checks.check("not without being asked", done.returncode == 5 and "Python" in done.stderr, done.stderr)


HOSTILE = '''
import os
import struct
import torch
from torch import nn

def answer(storages, value):
    body = struct.pack("<I", len(storages)) + b"".join(struct.pack("<QQB", *each[:2], 1) + each[2] for each in storages) + value
    os.write(3, struct.pack("<Q", len(body)) + body)
    os.read(4, 1)

def tensor(number, offset, sizes, strides, dtype=b"torch.float32"):
    return b"a" + struct.pack("<I", len(dtype)) + dtype + struct.pack("<QQI", number, offset, len(sizes)) + \\
        struct.pack(f"<{len(sizes)}q", *sizes) + struct.pack(f"<{len(sizes)}q", *strides)

def ok(value):
    return b"t" + struct.pack("<I", 4) + b"s" + struct.pack("<I", 2) + b"ok" + value + b"l" + struct.pack("<I", 0) + \\
        tensor(1 << 33, 0, [1], [1], b"torch.uint8")

OWN = [(1 << 33, 1, b"x"), (1 << 34, 8, bytes(8))]

ATTACKS = {
    "rubbish": lambda: os.write(3, os.urandom(100000)),
    "short": lambda: answer([], b""),
    "long length": lambda: (os.write(3, struct.pack("<Q", 1 << 62)), os.read(4, 1)),
    "many storages": lambda: os.write(3, struct.pack("<QI", 8, 0xFFFFFFFF) + b"xxxx"),
    "huge storage": lambda: os.write(3, struct.pack("<QIQQB", 21, 1, 1 << 33, 1 << 60, 1)),
    "outside": lambda: answer(OWN, ok(tensor(1 << 34, 1, [2], [1]))),
    "stride": lambda: answer(OWN, ok(tensor(1 << 34, 0, [2], [1 << 62]))),
    "negative": lambda: answer(OWN, ok(tensor(1 << 34, 0, [-1], [1]))),
    "negative stride": lambda: answer(OWN, ok(tensor(1 << 34, 1, [2], [-1]))),
    "count": lambda: answer(OWN, ok(tensor(1 << 34, 0, [1 << 40] * 4, [0] * 4))),
    "other storage": lambda: answer(OWN, ok(tensor(77777, 0, [1], [1]))),
    "other size": lambda: answer([*OWN, (1, 4, bytes(4))], ok(b"N")),
    "dtype": lambda: answer(OWN, ok(tensor(1 << 34, 0, [1], [1], b"torch.qint8"))),
    "deep": lambda: answer(OWN, ok((b"l" + struct.pack("<I", 1)) * 100000)),
    "many items": lambda: answer(OWN, ok(b"l" + struct.pack("<I", 0xFFFFFFFF))),
    "state": lambda: answer(OWN, ok(b"N").replace(b"l" + struct.pack("<I", 0), b"l" + struct.pack("<I", 1) + b"t" + struct.pack("<I", 2) + b"i" +
                                                  struct.pack("<q", 99) + tensor(1 << 34, 0, [1], [1]))),
    "generator": lambda: answer(OWN, ok(b"N")),
    "exit": lambda: os._exit(0),
    "signal": lambda: os.kill(os.getpid(), 9),
    "closes": lambda: (os.close(3), os.close(4)),
    "allocates": lambda: [torch.ones(1 << 28) for _ in range(1 << 20)],
    "recurses": lambda: ATTACKS["recurses"](),
    "raises": lambda: exec("raise SystemExit('gone')"),
}
HANGS = lambda: [None for _ in iter(int, 1)]

class Attack(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name
    def forward(self, x):
        if x.sum() == x.sum():
            (HANGS if self.name == "hangs" else ATTACKS[self.name])()
        return x

class Reach(nn.Module):
    """What the sandbox refuses: a write, a socket, a process, and a file of the user."""
    def __init__(self, folder):
        super().__init__()
        self.folder = folder
    def forward(self, x):
        import socket, subprocess
        for each in (lambda: open(os.path.join(self.folder, "written"), "w"), lambda: socket.create_connection(("127.0.0.1", 9)),
                     lambda: subprocess.run(["/bin/true"]), lambda: open(os.path.join(self.folder, "secret")).read()):
            try:
                each()
                return x + 1000
            except OSError:
                pass
        return x * 0

class Net(nn.Module):
    def __init__(self, part, argument):
        super().__init__()
        self.part = globals()[part](argument)
    def forward(self, x):
        return self.part(x)
'''


def hostile(checks, elsewhere, every):
    (checks.folder / "hostile.py").write_text(HOSTILE)
    scope = {}
    exec(HOSTILE, scope)
    for name in [*scope["ATTACKS"], "hangs"][::every]:
        start = time.monotonic()
        done = checks.call("run", "hostile.py:Net", "--init", json.dumps(["Attack", name]), "--leaf", "Attack", "--inputs", "x.pt", "--timeout", 120)
        took = time.monotonic() - start
        checks.check(f"attack {name}", done.returncode in (5, 6) and "part" in done.stderr and "signal" not in done.stderr and took < 300,
                     f"{done.returncode}, {took:.0f} s\n{done.stderr[-2000:]}")
    (elsewhere / "secret").write_text("secret")
    checks.runs("out of reach", torch.zeros(3, 4), "hostile.py:Net", "--init", json.dumps(["Reach", str(elsewhere)]), "--leaf", "Reach")
    checks.check("nothing is written", not (elsewhere / "written").exists())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--part", help="only this class of deciding_nets.py")
    parser.add_argument("--every", type=int, default=1, help="only every N-th class and attack, and only `run`")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as elsewhere:
        folder = pathlib.Path(name)
        shutil.copy(deciding_nets.__file__, folder)
        torch.manual_seed(0)
        x = torch.randn(3, 4)
        torch.save(x, folder / "x.pt")
        checks = Checks(str(pathlib.Path(options.lancet).resolve()), folder)
        parts(checks, x, options.part, options.every)
        if not options.part:
            calls(checks, x)
            names(checks, x)
            if options.every == 1:
                verbs(checks)
            hostile(checks, pathlib.Path(elsewhere), options.every)
    print(f"{checks.count} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
