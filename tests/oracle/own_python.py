# SPDX-License-Identifier: GPL-3.0-or-later
"""`--python` with the Python that runs this script: symbolic_trace, else torch.export, in a child in the sandbox.

    own_python.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import safetensors.torch
import torch

from fake_environment import fake_environment

NETS = """
import torch
from torch import nn
print("the module of the user is imported")

class Net(nn.Module):
    def __init__(self, width=4, deep=False):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.deep = deep
    def forward(self, x):
        x = torch.relu(self.fc(x))
        return self.fc(x) if self.deep else x

class Branch(nn.Module):
    def forward(self, x):
        return x + 1 if x.shape[0] > 1 else x - 1

class Refuses(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum().item() > 1 else x - 1

def plain(a, b):
    return torch.add(a, b) * 2
"""


DEEP = """
import math
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, slope=0.1):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.act = nn.LeakyReLU(slope)
        self.norm = nn.BatchNorm1d(width)
        self.register_buffer("scale", torch.ones(width))
    def forward(self, x, keep: bool = True):
        x = self.act(self.norm(self.fc(x))) * self.scale
        x += 1
        return x.view(-1, x.size(1)), {"kept": keep}

class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(4), Block(4, 0.3)])
        self.conv = nn.Conv2d(3, 8, 3, stride=(2, 1), padding="same" if False else 1)
        self.table = nn.Parameter(torch.randn(7, 4))
    def forward(self, x, image, *rest, bias: torch.Tensor = None):
        for block in self.blocks:
            x, _ = block(x)
        unused = torch.relu(x)
        image = self.conv(image)[:, ::2, ..., None].to(torch.float64, memory_format=torch.contiguous_format)
        y = torch.cat([x, self.table[:3]], dim=0).masked_fill(x > math.pi, float("-inf"))
        return y, image.mean((1, 2)), {"a": [x, 3j, 1e-5]}
"""

ANNOTATED = """
from __future__ import annotations
import torch
from torch import nn

drawn = torch.rand(3)

class Annotated(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x: torch.Tensor, scale: float | None = None) -> torch.Tensor:
        return self.fc(x)
"""

KINDS = """
import enum
import torch
from torch import nn

class Mode(enum.Enum):
    A = 1

class Shape(nn.Module):
    def __init__(self, limit=1.0, shape=(2, 3), kind=torch.float32, more=None):
        super().__init__()
        self.limit, self.shape, self.kind, self.more = limit, shape, kind, more or {}
    def forward(self, x):
        return (torch.nan_to_num(x, self.limit) + len(self.shape)).to(self.kind) * len(self.more.get("a", ()))

class Chosen(nn.Module):
    def forward(self, x, mode=Mode.A):
        return x + 1

class Fc(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return self.fc(x)

made = Fc()

def plain(x, flag=1.0):
    return x * flag
"""

# What torch.save refuses: parametrised modules, functions and classes of functions, locks, weak references.
UNSAVED = """
import threading
import weakref
import torch
from torch import nn
torch.fx.wrap("scaled")

def decorated(function):
    def scaled(x, by=2):
        return function(x, by)
    return scaled

@decorated
def scaled(x, by):
    return x * by

def leaf():
    class Leaf(nn.Linear):
        def __init__(self):
            super().__init__(4, 4)
            self.act = lambda x: x + 1
            self.lock, self.own = threading.Lock(), weakref.ref(self)
        def forward(self, x):
            return self.act(super().forward(x))
    return Leaf()

class Parametrised(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
        self.b = nn.utils.parametrizations.spectral_norm(nn.Conv1d(4, 4, 1))
    def forward(self, x):
        return self.b(self.a(x))

class Made(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = leaf()
    def forward(self, x):
        return self.leaf(x)

class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.fc.register_forward_hook(lambda module, given, result: result * 2)
    def forward(self, x):
        return scaled(self.fc(x), 3)
"""

HOSTILE = """
import ctypes, os, socket, subprocess, sys, tempfile
from torch import nn
try:
    ATTEMPT
    print("DID IT", file=sys.stderr)
except BaseException as error:
    print("REFUSED", type(error).__name__, error, file=sys.stderr)

class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""

ATTEMPTS = {
    "read a file outside": "open('OUTSIDE/secret').read()",
    "list a folder outside": "os.listdir('OUTSIDE')",
    "write a file outside": "open('OUTSIDE/new', 'w')",
    "write beside its source": "open(__file__ + '.new', 'w')",
    "change its own source": "open(__file__, 'a')",
    "make a folder": "os.mkdir('OUTSIDE/new')",
    "remove a file": "os.remove('OUTSIDE/secret')",
    "rename a file": "os.rename('OUTSIDE/secret', 'OUTSIDE/moved')",
    "make a link": "os.symlink('/etc/passwd', 'OUTSIDE/link')",
    "change rights": "os.chmod('OUTSIDE/secret', 0o777)",
    "write a temporary file": "tempfile.NamedTemporaryFile()",
    "start a program": "subprocess.run(['/bin/true'], check=True)",
    "start a shell": "(lambda code: code == 0 or 1 / 0)(os.system('true'))",
    "fork": "os.fork()",
    "become a program": "os.execv('/bin/true', ['true'])",
    "open a socket": "socket.socket()",
    "open a local socket": "socket.socket(socket.AF_UNIX)",
    "signal its parent": "os.kill(os.getppid(), 0)",
    "read the memory of its parent": "open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "trace a process": "(lambda code: code == 0 or 1 / 0)(ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0))",
    "read the environment of its parent": "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
}


class Case:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.failures = lancet, folder, 0
        self.environment = dict(os.environ)

    def run(self, *arguments):
        return self.call("trace", "--python", sys.executable, *arguments)

    def call(self, *arguments, cwd=None, env=None):
        """One verb, with its arguments."""
        return subprocess.run([self.lancet, *arguments], cwd=cwd or self.folder, capture_output=True, text=True, timeout=120,
                              env=env or self.environment)

    def graph(self, file):
        return self.call("graph", file).stdout

    def start(self, *arguments):
        """A verb that goes on, and the process of its Python, which prints `pid N`."""
        child = subprocess.Popen([self.lancet, *arguments], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        return child, next(int(line.split()[2]) for line in child.stderr if line.startswith("python: pid"))

    def check(self, name, condition, told=""):
        print(f"{'ok' if condition else 'DIFFERS'}  {name}")
        if not condition:
            print(told)
            self.failures += 1


def has_ended(pid, seconds=10):
    """Whether a process ends in time; one that nobody has reaped has ended, too."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def symbolic(case, nets):
    done = case.run("nets:Net", "-o", "net.pt", "--init", '{"deep": true}', "--seed", "3")
    case.check("a class is traced by symbolic_trace", done.returncode == 0, done.stderr)
    case.check("what it prints is shown", "the module of the user is imported" in done.stderr, done.stderr)
    torch.manual_seed(3)
    model = nets.Net(deep=True)
    wanted = torch.fx.symbolic_trace(model)
    case.check("the graph is that of torch.fx", case.graph("net.pt") == f"{wanted.graph}\n", case.graph("net.pt"))
    loaded = torch.load(case.folder / "net.pt", weights_only=False)
    x = torch.randn(2, 4)
    case.check("the weights are those of the seed", torch.equal(loaded(x), model(x)))
    done = case.run("nets.py:Net(width=6)", "-o", "called.json")
    case.check("a file and a call are models", done.returncode == 0 and (case.folder / "called.json").exists(), done.stderr)
    done = case.run("nets:plain", "-o", "plain.pt")
    case.check("a function is a model", done.returncode == 0 and "torch.add" in case.graph("plain.pt"), done.stderr)
    torch.save({"fc.weight": torch.ones(4, 4), "fc.bias": torch.zeros(4)}, case.folder / "state.pt")
    done = case.run("nets:Net", "-o", "loaded.pt", "--weights", "state.pt")
    loaded = torch.load(case.folder / "loaded.pt", weights_only=False)
    case.check("a state dict is loaded", done.returncode == 0 and bool((loaded.fc.weight == 1).all()), done.stderr)


def exported(case):
    done = case.run("nets:Branch", "-o", "branch.pt2", "--input", "x=2x4")
    case.check("what symbolic_trace refuses is exported", done.returncode == 0, done.stderr)
    case.check("the refusal is shown", "torch.fx.symbolic_trace refused: TraceError" in done.stderr, done.stderr)
    case.check("the exported program is loaded by PyTorch",
               bool((torch.export.load(case.folder / "branch.pt2").module()(torch.zeros(2, 4)) == 1).all()))
    done = case.run("nets:Branch", "-o", "none.pt2")
    case.check("without inputs it says what to give", done.returncode == 4 and "--input" in done.stderr, done.stderr)
    done = case.run("nets:Refuses", "-o", "none.pt2", "--input", "x=2x4")
    case.check("both refusals are told", done.returncode == 4 and "torch.export refused" in done.stderr, done.stderr)


def as_the_interpreter(case):
    """What Python traces arrives as from Lancet's interpreter: names, code, source lines, modules, weights."""
    (case.folder / "deep.py").write_text(DEEP)
    ways = {}
    for way, options in (("own", []), ("python", ["--python", sys.executable])):
        done = subprocess.run([case.lancet, "convert", "deep.py:Deep", "-o", f"{way}.json", "--seed", "5", *options],
                              cwd=case.folder, capture_output=True, text=True)
        case.check(f"converted by {way}", done.returncode == 0, done.stderr)
        ways[way] = json.loads((case.folder / f"{way}.json").read_text())
        ways[way + " weights"] = safetensors.torch.load_file(case.folder / f"{way}.safetensors")
    own, python = ways["own"], ways["python"]
    for key in ("nodes", "modules", "names", "class_name"):
        a, b = plain(own.get(key)), plain(python.get(key))
        case.check(f"the same {key}", a == b, difference(a, b))
    weights, theirs = ways["own weights"], ways["python weights"]
    case.check("the same weights", weights.keys() == theirs.keys() and all(torch.equal(weights[k], theirs[k]) for k in weights),
               f"{sorted(weights)} {sorted(theirs)}")
    done = subprocess.run([case.lancet, "convert", "deep.py:Deep", "-o", "deep.pt", "--python", sys.executable],
                          cwd=case.folder, capture_output=True, text=True)
    sys.path.insert(0, str(case.folder))
    loaded = torch.load(case.folder / "deep.pt", weights_only=False)
    case.check("PyTorch loads what is saved of it", loaded.code == torch.fx.symbolic_trace(deep_of()).code, loaded.code)
    for verb in (["graph"], ["code"], ["info"], ["tabular"]):
        done = subprocess.run([case.lancet, *verb, "deep.py:Deep", "--python", "auto"], cwd=case.folder, text=True,
                              capture_output=True, env={**os.environ, "VIRTUAL_ENV": sys.prefix})
        case.check(f"{verb[0]} with the environment that is active",
                   done.returncode == 0 and "in the sandbox" in done.stderr, done.stderr)

def annotated_and_nested(case):
    """Annotations that are texts, and files in folders of packages without __init__.py."""
    (case.folder / "annotated.py").write_text(ANNOTATED)  # PyTorch itself cannot save such a graph
    (case.folder / "part/inner").mkdir(parents=True)  # has no __init__.py
    (case.folder / "part/__init__.py").write_text("")
    (case.folder / "part/inner/net.py").write_text("from ..other import Net\n")
    (case.folder / "part/other.py").write_text("from torch import nn\nclass Net(nn.ReLU): pass\n")
    done = case.call("graph", "part/inner/net.py:Net", "--python", sys.executable, "--path", case.folder)
    case.check("a file in a folder of a package without __init__.py", done.returncode == 0, done.stderr)
    made = []
    for options in ([], ["--python", sys.executable]):
        done = case.call("convert", "annotated.py:Annotated()", "-o", "annotated.json", *options)
        case.check("annotations that are texts", done.returncode == 0, done.stderr)
        made.append([case.graph("annotated.json"), safetensors.torch.load_file(case.folder / "annotated.safetensors")])
    case.check("the same graph of them", made[0][0] == made[1][0] != "", "\n".join(each[0] for each in made))
    case.check("the same weights though the import drew",
               all(torch.equal(made[0][1][key], each) for key, each in made[1][1].items()), str(made))


def unsaved(case):
    """Models that torch.fx traces and torch.save refuses arrive whole."""
    (case.folder / "unsaved.py").write_text(UNSAVED)
    sys.path.insert(0, str(case.folder))
    import unsaved
    for name, leafs in {"Parametrised": [], "Made": ["Leaf"], "Wrapped": []}.items():
        torch.manual_seed(3)
        wanted = torch.fx.symbolic_trace(getattr(unsaved, name)()) if not leafs else None
        written = case.folder / f"{name}.json"
        done = case.run(f"unsaved.py:{name}", "-o", written, "--seed", "3", *(f"--leaf={leaf}" for leaf in leafs))
        case.check(f"{name} is traced", done.returncode == 0, done.stderr)
        graph, code = (case.call(verb, written) for verb in ("graph", "code"))
        case.check(f"the graph of {name} is that of torch.fx",
                   "call_module[target=leaf]" in graph.stdout if leafs else
                   (graph.stdout, code.stdout) == (f"{wanted.graph}\n", f"{wanted.code}\n"), graph.stdout + code.stdout)
        weights = safetensors.torch.load_file(written.with_suffix(".safetensors"))
        torch.manual_seed(3)
        state = getattr(unsaved, name)().state_dict()
        case.check(f"the weights of {name} are those of PyTorch", weights.keys() == state.keys() and
                   all(torch.equal(weights[key], state[key]) for key in state), f"{list(weights)} {list(state)}")
        done = case.run(f"unsaved.py:{name}", "-o", "unsaved.pt", *(f"--leaf={leaf}" for leaf in leafs))
        case.check(f"{name} is not written as what torch.load refuses",
                   done.returncode == 4 and "torch.save does not write" in done.stderr, done.stderr)


def packaged(case):
    """What the packages of a file draw when they are imported comes before the seed, as without --python."""
    package = case.folder / "packaged/inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("import torch\ntorch.rand(5)\n")
    (package / "__init__.py").write_text("import torch\ntorch.rand(2)\nfrom . import net\n")
    (package / "net.py").write_text("from torch import nn\nclass Net(nn.Linear):\n    def __init__(self):\n"
                                    "        super().__init__(2, 2)\n")
    torch.manual_seed(3)
    wanted = torch.nn.Linear(2, 2).weight
    for way in ("packaged/inner/net.py:Net", "packaged.inner.net:Net"):
        done = case.run(way, "-o", "packaged.json", "--seed", "3")
        weights = safetensors.torch.load_file(case.folder / "packaged.safetensors") if done.returncode == 0 else {}
        case.check(f"the weights of {way} are those of the seed",
                   any(torch.equal(each, wanted) for each in weights.values()), done.stderr + str(weights))


def plain(value):
    """A GraphModule has plain modules in the place of those that it does not call."""
    if isinstance(value, dict):
        kept = {key: plain(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if key != "type" or each.startswith("torch.nn.modules")
                and not each.endswith((".ModuleList", ".Module"))} if isinstance(kept.get("type"), str) else kept
    return [plain(each) for each in value] if isinstance(value, list) else value


def deep_of():
    import deep
    return deep.Deep()


def difference(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return "\n".join(f"{x}\n{y}\n" for x, y in zip(a, b) if x != y)[:2000]
    return f"{a}\n{b}"[:2000]


def contained(case):
    """A model may try what it likes."""
    outside = case.folder / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    inner = case.folder / "inner"
    inner.mkdir()
    for name, attempt in ATTEMPTS.items():
        (inner / "hostile.py").write_text(HOSTILE.replace("ATTEMPT", attempt.replace("OUTSIDE", str(outside))))
        before = sorted(outside.iterdir())
        done = subprocess.run([case.lancet, "graph", str(inner / "hostile.py"), "--python", sys.executable],
                              cwd=inner, capture_output=True, text=True)
        case.check(f"the model cannot {name}", "REFUSED" in done.stderr and "DID IT" not in done.stderr, done.stderr)
        case.check(f"nothing is written when it tries to {name}",
                   sorted(outside.iterdir()) == before and [each.name for each in inner.iterdir()] == ["hostile.py"])


def wrong(case):
    for name, arguments, code, words in (
            ("a missing module", ("absent:Net",), 4, "cannot import"),
            ("a missing class", ("nets:Absent",), 4, "NameError"),
            ("no name", ("nets",), 2, "MODULE:NAME"),
            ("wrong arguments", ("nets:Net", "--init", '{"wide": 1}'), 4, "unexpected keyword argument")):
        done = case.run(*arguments, "-o", "none.pt")
        case.check(name, done.returncode == code and words in done.stderr, done.stderr)
    done = case.call("trace", "--python", "absent-python", "nets:Net", "-o", "none.pt")
    case.check("a missing interpreter", done.returncode == 5 and "cannot start" in done.stderr, done.stderr)
    case.check("nothing is written", not (case.folder / "none.pt").exists() and not (case.folder / "none.pt2").exists())


def values(case):
    """Values on the command line mean what they mean without --python."""
    (case.folder / "kinds.py").write_text(KINDS)
    torch.save({"state_dict": {"fc.weight": torch.ones(2, 2), "fc.bias": torch.zeros(2)}, "epoch": 1}, case.folder / "check.pt")
    for name, arguments in {
            "a tuple": ["kinds.py:Shape", "--init", '{"shape": {"tuple": [1, 2, 3]}}'],
            "a float": ["kinds.py:Shape", "--init", '{"limit": {"float": "inf"}}'],
            "a dtype and a dict": ["kinds.py:Shape", "--init", '{"kind": {"dtype": "torch.float64"}, "more": {"a": [1, {"tuple": []}]}}'],
            "nan as a fixed input": ["kinds.py:plain", "--concrete", '{"flag": {"float": "nan"}}'],
            "an enum as default": ["kinds.py:Chosen"],
            "a model that the file makes": ["kinds.py:made", "--seed", "3"],
            "a checkpoint": ["kinds.py:Fc", "--weights", "check.pt"],
    }.items():
        files = []
        for way, options in (("own", []), ("python", ["--python", sys.executable])):
            out = case.folder / f"value_{way}.json"
            done = case.call("convert", *arguments, "-o", out, *options)
            weights = out.with_suffix(".safetensors")
            files.append((done.returncode, [(each["op"], each["name"], each.get("args")) for each in json.loads(out.read_text())["nodes"]]
                          if out.exists() else done.stderr,
                          {key: each.tolist() for key, each in safetensors.torch.load_file(weights).items()} if weights.exists() else None))
            done = case.call("convert", *arguments, "-o", out.with_suffix(".pt"), *options)
            case.check(f"{name} is saved ({way})", done.returncode == 0, done.stderr)
            for each in (out, weights):
                each.unlink(missing_ok=True)
        case.check(f"{name} means the same", files[0] == files[1] and files[0][0] == 0, "\n".join(map(str, files)))


def deceived(case):
    """An environment beside a source may be a fake one."""
    root = case.folder / "fake"
    secret = case.folder / "outside"
    packages = fake_environment(
        root,
        f"import sys\nfor path in ({str(secret / 'secret')!r}, '/etc/shadow'):\n    try:\n        open(path).read()\n"
        "        print('DID READ', path, file=sys.stderr)\n    except OSError:\n        print('REFUSED', file=sys.stderr)\n",
        "2.13.0\x1b[31m")
    (packages / "more.pth").write_text(f"{secret}\n/etc\n")
    (root / "net.py").write_text("def net(x):\n    return x + 1\n")
    done = subprocess.run([case.lancet, "graph", str(root / "net.py"), "--python", "auto"], cwd=root, text=True,
                          capture_output=True, timeout=120)
    case.check("an environment does not choose what it may read",
               "REFUSED" in done.stderr and "DID READ" not in done.stderr and "\x1b" not in done.stderr, done.stderr)
    with tempfile.TemporaryDirectory() as elsewhere:
        program = pathlib.Path(elsewhere) / "talks"
        program.write_text("#!/bin/sh\nwhile true; do echo words; done\n")
        program.chmod(0o755)
        done = subprocess.run([case.lancet, "graph", str(root / "net.py"), "--python", str(program)], cwd=root, text=True,
                              capture_output=True, timeout=60)
    case.check("a program that talks for ever is no Python", done.returncode == 5 and len(done.stderr) < 10_000, done.stderr[:500])


OUTSIDE = """
import pickle
import torch
from torch import nn
print("the file is imported")

SCALES = pickle.loads(pickle.dumps([2.0, 3.0]))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return self.fc(x) * SCALES[1]

class Branch(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 1 else x - 1
"""


def by_itself(case):
    """A remembered environment traces what Lancet cannot, and no other one does."""
    root = case.folder / "itself"
    root.mkdir()
    (root / "net.py").write_text(OUTSIDE)
    clean = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "CONDA_PREFIX")}

    def run(*arguments, **more):
        return subprocess.run([case.lancet, *arguments], cwd=root, capture_output=True, text=True,
                              env={**clean, "XDG_CONFIG_HOME": str(root / "config"), **more})

    def refuses(name, done):
        case.check(name, done.returncode == 4 and "imported" not in done.stderr and "Python 3" not in done.stderr, done.stderr)

    refuses("no environment is remembered", run("graph", "net.py:Net"))
    done = run("graph", "net.py:Net", "--python", sys.executable, "--remember-python", LANCET_SANDBOX="off")
    case.check("without a sandbox none is remembered", done.returncode == 4 and not (root / "config").exists(), done.stderr)
    done = run("graph", "net.py:Net", "--remember-python")
    case.check("an interpreter has to be named", done.returncode == 2, done.stderr)
    wanted = run("graph", "net.py:Net", "--python", sys.executable, "--remember-python")
    listed = root / "config/lancet/allowed_pythons"
    case.check("it is remembered", wanted.returncode == 0 and listed.stat().st_mode & 0o777 == 0o600, wanted.stderr)
    done = run("graph", "net.py:Net")
    case.check("it traces by itself", done.returncode == 0 and done.stdout == wanted.stdout != "", done.stderr)
    case.check("one line says so", done.stderr.count("traced by Python") == 1 and f"torch {torch.__version__}, sandboxed" in done.stderr
               and "pickle" in done.stderr, done.stderr)
    done = run("convert", "net.py:Net", "-o", "net.pt", "--seed", "3", "--json")
    case.check("JSON says so", [each["code"] for each in json.loads(done.stdout)["warnings"]] == ["python.traced_by_itself"], done.stdout)
    torch.manual_seed(3)
    own = torch.load(root / "net.pt", weights_only=False)
    case.check("the weights are those of the seed", torch.equal(own.fc.weight, torch.nn.Linear(4, 4).weight))
    refuses("--python none keeps it out", run("graph", "net.py:Net", "--python", "none"))
    refuses("not without a sandbox", run("graph", "net.py:Net", LANCET_SANDBOX="off"))
    refuses("not for what Python refuses itself", run("graph", "net.py:Branch"))
    (root / "net2.py").write_text(OUTSIDE.replace("SCALES[1]", "SCALES[5]"))
    done = run("graph", "net2.py:Net")
    case.check("both refusals are told", done.returncode == 4 and "pickle" in done.stderr and "IndexError" in done.stderr, done.stderr)
    fake_environment(root / "download", "print('imported')\n")
    (root / "download/net.py").write_text(OUTSIDE)
    refuses("the environment of a download does not run", run("graph", "download/net.py:Net"))
    refuses("an active one that is not remembered does not run", run("graph", "net.py:Net", VIRTUAL_ENV=str(root / "download/.venv")))
    listed.write_text("nothing\n\x00\n")
    refuses("a damaged list allows nothing", run("graph", "net.py:Net"))


def left_alone(case):
    """Nobody waits for a child any more."""
    for signal_number in (signal.SIGKILL, signal.SIGHUP):
        (case.folder / "stays.py").write_text(
            "import os, signal\nfor n in (1, 2, 15):\n    signal.signal(n, signal.SIG_IGN)\nprint('pid', os.getpid(), flush=True)\n"
            "while True:\n    pass\n")
        child, pid = case.start("graph", "stays.py:net", "--python", sys.executable)
        child.send_signal(signal_number)
        child.wait(timeout=20)
        case.check(f"the child ends with Lancet ({signal_number.name})", has_ended(pid))


def cancelled(case):
    (case.folder / "slow.py").write_text("import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(60)\n")
    child, pid = case.start("trace", "--python", sys.executable, "slow:Net", "-o", "none.pt")
    child.terminate()
    code = child.wait(timeout=20)
    case.check("cancelling ends the child", code == 6 and has_ended(pid), f"exit {code}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    lancet = str(pathlib.Path(parser.parse_args().lancet).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "nets.py").write_text(NETS)
        sys.path.insert(0, name)
        import nets
        case = Case(lancet, folder)
        symbolic(case, nets)
        exported(case)
        as_the_interpreter(case)
        annotated_and_nested(case)
        unsaved(case)
        packaged(case)
        contained(case)
        values(case)
        deceived(case)
        by_itself(case)
        left_alone(case)
        wrong(case)
        cancelled(case)
    print(f"{case.failures} failures")
    sys.exit(1 if case.failures else 0)


if __name__ == "__main__":
    main()
