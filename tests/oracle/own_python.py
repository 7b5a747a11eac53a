# SPDX-License-Identifier: GPL-3.0-or-later
"""`lancet trace --python` with the Python that runs this script: symbolic_trace, else torch.export, in a child process.

    own_python.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import torch

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


class Case:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.failures = lancet, folder, 0
        self.environment = dict(os.environ)

    def run(self, *arguments, timeout=120):
        return subprocess.run([self.lancet, "trace", "--python", sys.executable, *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=timeout, env=self.environment)

    def graph(self, file):
        return subprocess.run([self.lancet, "graph", file], cwd=self.folder, capture_output=True, text=True).stdout

    def check(self, name, condition, told=""):
        print(f"{'ok' if condition else 'DIFFERS'}  {name}")
        if not condition:
            print(told)
            self.failures += 1


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


def wrong(case):
    for name, arguments, code, words in (
            ("a missing module", ("absent:Net",), 4, "cannot import"),
            ("a missing class", ("nets:Absent",), 4, "NameError"),
            ("no name", ("nets",), 2, "MODULE:NAME"),
            ("wrong arguments", ("nets:Net", "--init", '{"wide": 1}'), 4, "unexpected keyword argument")):
        done = case.run(*arguments, "-o", "none.pt")
        case.check(name, done.returncode == code and words in done.stderr, done.stderr)
    done = subprocess.run([case.lancet, "trace", "--python", "absent-python", "nets:Net", "-o", "none.pt"], cwd=case.folder,
                          capture_output=True, text=True)
    case.check("a missing interpreter", done.returncode == 5 and "cannot start" in done.stderr, done.stderr)
    case.check("nothing is written", not (case.folder / "none.pt").exists() and not (case.folder / "none.pt2").exists())


def cancelled(case):
    (case.folder / "slow.py").write_text("import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(60)\n")
    child = subprocess.Popen([case.lancet, "trace", "--python", sys.executable, "slow:Net", "-o", "none.pt"],
                             cwd=case.folder, stderr=subprocess.PIPE, text=True)
    pid = None
    for line in child.stderr:
        if line.startswith("pid"):
            pid = int(line.split()[1])
            break
    child.terminate()
    code = child.wait(timeout=20)
    time.sleep(0.3)
    alive = pathlib.Path(f"/proc/{pid}").exists() and "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2]
    case.check("cancelling ends the child", code == 6 and not alive, f"exit {code}, alive {alive}")


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
        wrong(case)
        cancelled(case)
    print(f"{case.failures} failures")
    sys.exit(1 if case.failures else 0)


if __name__ == "__main__":
    main()
