# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf classes, wrapped functions and operators of the user's source: `lancet run` of the source, of a saved GraphModule with
`--path`, of the `.ts` that Lancet writes, and `lancet verify` of both, against PyTorch.

    own_calls.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import importlib
import pathlib
import subprocess
import sys
import tempfile

import torch
from torch import fx

import own_call_cases as cases

SOURCE = '''
import torch
import torch.nn.functional as F
from torch import nn
from helpers import mix, Affine

torch.fx.wrap("mix")

@torch.fx.wrap
def clipped(x, limits=(-1.0, 1.0), *, mode=None):
    low, high = limits
    if mode == "soft":
        return torch.tanh(x) * high
    return mix(x.clamp(low, high), x)

@torch.library.custom_op("own_calls::shift", mutates_args=())
def shift(x: torch.Tensor, k: float = 0.5) -> torch.Tensor:
    return x + k * x.mean(-1, keepdim=True)

@shift.register_fake
def _(x, k=0.5):
    return torch.empty_like(x)

lib = torch.library.Library("own_calls2", "DEF")
lib.define("pair(Tensor x, int n) -> (Tensor, Tensor)")
lib.impl("pair", lambda x, n: (x * n, x.flip(-1)), "CompositeExplicitAutograd")

class Config:
    def __init__(self, heads):
        self.heads = heads

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.config = Config(heads)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.weights = None
    def forward(self, x, mask=None, need_weights: bool = False):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.config.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) * (c // self.config.heads) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        self.weights = scores.softmax(-1)
        y = self.out((self.weights @ v).transpose(1, 2).reshape(b, n, c))
        return (y, self.weights) if need_weights else y

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("table", torch.arange(4.0), persistent=False)
        self.scale = nn.Parameter(torch.rand(4))
    def forward(self, x):
        self.seen.add_(1)
        return x * self.scale + self.table * 2 + self.seen + torch.eye(4)[0]

class MyLinear(nn.Linear):
    def forward(self, x):
        return super().forward(x) + 1

class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(4)
        self.blocks = nn.Sequential(MyLinear(4, 4), nn.GELU(), Affine(4))
    def forward(self, x):
        return self.blocks(self.bn(x))

class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_forward_hook(lambda module, args, output: output * 3)
    def forward(self, x):
        return self.fc(x)

class Attends(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Attention(4, 2), Attention(4, 1)
    def forward(self, x):
        x = x.unsqueeze(0)
        y, weights = self.first(x, need_weights=True)
        return self.second(y, mask=weights[:, :1] > 0.5).squeeze(0) + self.first(x).squeeze(0)

class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.counter, self.norm = Counter(), Norm()
    def forward(self, x):
        return self.norm(self.counter(x)) + self.counter(x)

class Linears(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({"a": MyLinear(4, 4), "b": Affine(4)})
    def forward(self, x):
        for part in self.parts.values():
            x = part(x)
        return x, {"twice": self.parts["a"](x)}

class Wrapped(nn.Module):
    def forward(self, x):
        y = clipped(x, (-0.5, 0.5))
        return clipped(y, mode="soft") + mix(x, y, weight=0.25)

class Operators(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        a, b = torch.ops.own_calls2.pair(shift(self.fc(x), 2.0), 3)
        return torch.ops.own_calls.shift(a) - shift(b, k=1.5)

class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.hooked = Hooked()
    def forward(self, x):
        return self.hooked(x)
'''

HELPERS = '''
import torch
from torch import nn

def mix(a, b, weight=0.75):
    return torch.lerp(a, b, weight)

class Affine(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(width))
    def forward(self, x):
        return self.gain * x + x.size(-1)
'''

LEAFS = ["Attention", "Counter", "MyLinear", "Norm", "Affine", "Hooked"]
NETS = ["Attends", "Counts", "Linears", "Wrapped", "Operators", "Calls"]
# A hook is an object of the source: a saved GraphModule has it only as a pickled lambda, which PyTorch cannot save.
NOT_SAVED = {"Calls", "Linears"}  # Linears returns a dict, of which TorchScript has no tuple with a tensor


class Leafs(fx.Tracer):
    def is_leaf_module(self, module, path):
        return type(module).__name__ in LEAFS or super().is_leaf_module(module, path)


def same(got, wanted):
    if isinstance(wanted, torch.Tensor):
        return isinstance(got, torch.Tensor) and torch.allclose(got, wanted, rtol=1e-5, atol=1e-6)
    if isinstance(wanted, dict):
        return wanted.keys() == got.keys() and all(same(got[key], wanted[key]) for key in wanted)
    return len(got) == len(wanted) and all(map(same, got, wanted))


class Checks:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.failed, self.count = lancet, folder, 0, 0

    def check(self, what, holds, detail=""):
        self.count += 1
        if not holds:
            self.failed += 1
            print(f"FAILED {what}\n    {detail}")

    def call(self, *words):
        return subprocess.run([self.lancet, *map(str, words)], capture_output=True, text=True, cwd=self.folder, timeout=120)

    def runs(self, what, wanted, *words):
        out = self.folder / "out.pt"
        out.unlink(missing_ok=True)
        done = self.call("run", *words, "--inputs", "x.pt", "-o", out)
        got = torch.load(out) if out.exists() else None
        self.check(what, done.returncode == 0 and same(got, wanted), done.stderr or f"{got}\n    {wanted}")


def nets(checks, folder, module):
    leafs = [word for leaf in LEAFS for word in ("--leaf", leaf)]
    x = torch.load(folder / "x.pt")
    for name in NETS:
        torch.manual_seed(3)
        net = getattr(module, name)()
        traced = fx.GraphModule(net, Leafs().trace(net), name)
        source = f"net.py:{name}", *leafs, "--seed", 3
        graph = checks.call("graph", *source)
        checks.check(f"{name}: graph", graph.stdout.strip() == str(traced.graph).strip(), graph.stdout + graph.stderr)
        if name not in NOT_SAVED:
            torch.save(traced, folder / f"{name}.pt")
        with torch.no_grad():
            wanted = traced(x)
        checks.runs(f"{name}: run", wanted, *source)
        done = checks.call("bench", *source, "--inputs", "x.pt", "--seconds", 0.2)
        checks.check(f"{name}: bench", done.returncode == 0, done.stderr)
        if name in NOT_SAVED:
            continue
        if name == "Attends":  # the file holds its Config as an object of a class that is never made
            done = checks.call("run", f"{name}.pt", "--path", ".", "--inputs", "x.pt")
            checks.check("Attends: refusal of the file", done.returncode == 5 and "net.Config" in done.stderr and "net.py, line" in done.stderr, done.stderr)
        else:
            checks.runs(f"{name}: run of the file", wanted, f"{name}.pt", "--path", ".")
            done = checks.call("verify", f"{name}.pt", f"{name}.pt", "--path", ".", "--inputs", "x.pt")
            checks.check(f"{name}: verify", done.returncode == 0, done.stdout + done.stderr)
        done = checks.call("convert", *source, "-o", f"{name}.ts", "--inputs", "x.pt")
        checks.check(f"{name}: .ts", done.returncode == 0, done.stderr)
        if done.returncode == 0:
            with torch.no_grad():
                got = torch.jit.load(folder / f"{name}.ts")(x)
            checks.check(f"{name}: numbers of .ts", same(got, wanted), f"{got}\n    {wanted}")
        done = checks.call("convert", *source, "-o", f"{name}.json")
        checks.check(f"{name}: .json keeps the calls", done.returncode == 0 and checks.call("graph", f"{name}.json").stdout.strip() == str(traced.graph).strip(),
                     done.stderr)


FUNCTION_NET = '''
{wrap}
class Net(nn.Module):
    def forward(self, x, y):
        a = f(x, y)
        b = f(x, y)
        return a, b, x * 1, y * 1
'''
CLASS_NET = '''
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = F()
    def forward(self, x, y):
        a = self.f(x, y)
        b = self.f(x, y)
        return a, b, x * 1, y * 1
'''


class LeafF(fx.Tracer):
    def is_leaf_module(self, module, path):
        return type(module).__name__ == "F" or super().is_leaf_module(module, path)


def program(folder, name, text):
    net = CLASS_NET if "class F(" in text else FUNCTION_NET.format(wrap="" if "torch.library" in text else "torch.fx.wrap('f')")
    (folder / f"case_{name}.py").write_text(cases.HEAD + text + net)
    return f"case_{name}.py:Net", "--leaf", "F", "--seed", 3, "--inputs", "two.pt"


def proven_cases(checks, folder, every):
    """Two calls of each case, and what they have done to their inputs: as PyTorch runs the GraphModule, or refused."""
    torch.manual_seed(1)
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    torch.save((x, y), folder / "two.pt")
    for name, text in list({**cases.FUNCTIONS, **cases.CLASSES, **cases.OPERATORS}.items())[::every]:
        words = program(folder, name, text)
        module = importlib.import_module(f"case_{name}")
        torch.manual_seed(3)
        net = module.Net()
        traced = fx.GraphModule(net, LeafF().trace(net))
        with torch.no_grad():
            wanted = traced(x.clone(), y.clone())
        out = folder / "out.pt"
        out.unlink(missing_ok=True)
        done = checks.call("run", *words, "-o", out)
        got = torch.load(out) if out.exists() else None
        checks.check(f"case {name}", done.returncode == 0 and same(got, wanted), done.stderr or f"{got}\n    {wanted}")
    for name, (text, word) in list(cases.REFUSED.items())[::every]:
        done = checks.call("run", *program(folder, name, text))
        refused = done.returncode == 5 and ("cannot run" in done.stderr or "AssertionError" in done.stderr) and word in done.stderr and ("AssertionError" in done.stderr or f"case_{name}." in done.stderr)
        checks.check(f"refusal {name}", refused, done.stdout + done.stderr)


REFUSED = '''
import torch
from torch import nn

class Branches(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x

class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        return x * self.calls

class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(2, 4))
    def forward(self, x):
        y = x + self.last
        self.last = y
        return y

class Net(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = globals()[part]()
    def forward(self, x):
        return self.part(x)
'''


def refusals(checks, folder):
    (folder / "refused.py").write_text(REFUSED)
    for name, words in (("Branches", ["control flow", "refused.py, line 7"]), ("Counts", ["changes 'calls'", "buffers"]), ("Keeps", ["changes 'last'"])):
        text = f'import refused\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.part = refused.{name}()\n' \
               f'    def forward(self, x):\n        return self.part(x)\n'
        (folder / f"uses{name}.py").write_text(text)
        done = checks.call("run", f"uses{name}.py", "--leaf", name, "--inputs", "x.pt")
        checks.check(f"{name} is refused", done.returncode == 5 and all(word in done.stderr for word in words), done.stdout + done.stderr)
    done = checks.call("run", "Counts.pt", "--inputs", "x.pt")
    checks.check("without source", done.returncode == 5 and "net.Counter" in done.stderr and "--path" in done.stderr, done.stderr)


STATES = '''
import torch
from torch import nn

def other(x):
    return x * 11

class Restores(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 2
    def __setstate__(self, state):
        self.__dict__.update(state, k=state["k"] * 10)
    def forward(self, x):
        return x * self.k

class Plain(nn.Module):
    def forward(self, x):
        return x * 2
'''


def files(checks, folder):
    """What a file holds besides data: a class that changes its state when it is loaded, and another forward of an object."""
    (folder / "states.py").write_text(STATES)
    states = importlib.import_module("states")
    for name, word in (("Restores", "__setstate__"), ("Plain", "'forward'")):
        root, graph = torch.nn.Module(), fx.Graph()
        root.part = getattr(states, name)()
        graph.output(graph.call_module("part", (graph.placeholder("x"),)))
        saved = fx.GraphModule(root, graph)
        if name == "Plain":
            saved.part.forward = states.other
        torch.save(saved, folder / "states.pt")
        done = checks.call("run", "states.pt", "--path", ".", "--inputs", "x.pt")
        checks.check(f"file of {name}", done.returncode == 5 and word in done.stderr, done.stdout + done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    options = parser.parse_args()
    lancet = str(pathlib.Path(options.lancet).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "net.py").write_text(SOURCE)
        (folder / "helpers.py").write_text(HELPERS)
        sys.path.insert(0, name)
        module = importlib.import_module("net")
        torch.manual_seed(0)
        torch.save(torch.randn(3, 4), folder / "x.pt")
        checks = Checks(lancet, folder)
        nets(checks, folder, module)
        torch.save(torch.randn(2, 4), folder / "x.pt")
        refusals(checks, folder)
        files(checks, folder)
        proven_cases(checks, folder, options.every)
    print(f"{checks.count} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
