# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources and environments that attack `--python`, with the Python that runs this script.

    own_hostile.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch

from fake_environment import fake_environment

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return torch.relu(self.fc(x))
"""

# The source answers for itself on the descriptors of the result and the model.
ANSWERS = """
import os
here = os.path.dirname(os.path.abspath(__file__))
for descriptor, name in ((3, "result.bin"), (4, "model.bin")):
    data = open(os.path.join(here, name), "rb").read()
    while data:
        data = data[os.write(descriptor, data):]
os._exit(0)
"""

READS = """
import sys
for path in PATHS:
    try:
        open(path).read()
        print("DID READ", path, file=sys.stderr)
    except OSError:
        print("REFUSED", file=sys.stderr)
"""

RELU = {"op": "call_function", "target": "torch.relu", "args": [{"node": "x"}], "name": "relu"}


def output(name):
    return {"op": "output", "args": [{"node": name}]}


def graph(*nodes):
    return json.dumps({"lancet_ir": 1, "nodes": list(nodes)})


class Case:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.failures, self.count = lancet, folder, 0, 0

    def new(self, **files):
        """A folder with files: `net` is net.py."""
        self.count += 1
        place = self.folder / str(self.count)
        place.mkdir()
        for name, text in files.items():
            (place / f"{name}.py").write_text(text)
        return place

    def call(self, place, *arguments, python=sys.executable, env=None, model="net.py:Net", timeout=120):
        return subprocess.run([self.lancet, arguments[0], model, "--python", python, *arguments[1:]], cwd=place, text=True,
                              capture_output=True, timeout=timeout, env={**os.environ, **(env or {})}, errors="replace")

    def check(self, name, condition, told=""):
        print(f"{'ok' if condition else 'DIFFERS'}  {name}")
        if not condition:
            print(told)
            self.failures += 1


def answers(case):
    """What a child answers is a GraphModule and its graph, or an exported program; nothing else."""
    place = case.new(net=ANSWERS, real=NET)
    sys.path.insert(0, str(place))
    import real
    traced = torch.fx.symbolic_trace(real.Net())
    exported = torch.export.export(real.Net(), (torch.zeros(2, 2),))
    files = {"traced": place / "traced.pt", "exported": place / "exported.pt2", "description": place / "description.json"}
    torch.save(traced, files["traced"])
    torch.export.save(exported, files["exported"])
    files["description"].write_text(graph("x", output("x")))
    for name, model, result, code in (
            ("an exported program and a graph that shows less", "exported", {"graph": graph("x", output("x"))}, 5),
            ("an exported program and a graph that shows something else", "exported", {"graph": graph("x", RELU, output("relu"))}, 5),
            ("an exported program", "exported", {}, 0),
            ("a GraphModule and a graph", "traced", {"graph": graph("x", RELU, output("relu"))}, 0),
            ("a graph with another input", "traced", {"graph": graph("secret", output("secret"))}, 5),
            ("a graph with a missing module", "traced",
             {"graph": graph("x", {"op": "call_module", "target": "no.such", "args": [{"node": "x"}], "name": "m"}, output("m"))}, 5),
            ("a graph that calls a tensor", "traced",
             {"graph": graph("x", {"op": "call_module", "target": "fc.weight", "args": [{"node": "x"}], "name": "m"}, output("m"))}, 5),
            ("a graph with a missing attribute", "traced",
             {"graph": graph({"op": "get_attr", "target": "fc.none", "name": "m"}, output("m"))}, 5),
            ("a graph that uses a node before it is there", "traced",
             {"graph": graph("x", {**RELU, "args": [{"node": "later"}]}, {**RELU, "name": "later"}, output("relu"))}, 5),
            ("a description", "description", {"graph": graph("x", output("x"))}, 5),
            ("a list", "traced", [], 5), ("a number", "traced", 1, 5), ("an error that is a number", "traced", {"error": 5}, 5),
            ("a graph that is an object", "traced", {"graph": {}}, 5)):
        (place / "result.bin").write_text(json.dumps(result))
        shutil.copy(files[model], place / "model.bin")
        for verb in (["run", "--input", "x=2x2"], ["code"]):
            done = case.call(place, *verb)
            case.check(f"{name} ({verb[0]})", done.returncode == code and (code == 0 or sys.executable in done.stderr),
                       f"exit {done.returncode}\n{done.stderr[:2000]}")
    (place / "result.bin").write_text(json.dumps({"error": "A" * 3_000_000, "step": "import", "where": "B" * 1_000_000}))
    done = case.call(place, "graph")
    case.check("a long error is cut", done.returncode == 4 and len(done.stderr) < 10_000, done.stderr[:1000])


def scripts(case):
    """A script needs the rights of the user, so it must not have come with the source."""
    place, apart = case.new(net=NET), case.new()
    (place / ".venv/bin").mkdir(parents=True)
    text = f"#!/bin/sh\ntouch {case.folder}/RAN\nexec {sys.executable} \"$@\"\n"
    for script in (place / ".venv/bin/python", place / "tool"):
        script.write_text(text)
        script.chmod(0o755)
    for name in (".venv", "./tool", str(place / "tool")):
        done = case.call(place, "graph", python=name)
        case.check(f"the script {name} does not run", done.returncode == 4 and not (case.folder / "RAN").exists(), done.stderr)
    (apart / "net.py").symlink_to(place / "net.py")
    done = case.call(apart, "graph", python=str(place / "tool"))
    case.check("nor beside what a source leads to", done.returncode == 4 and not (case.folder / "RAN").exists(), done.stderr)
    with tempfile.TemporaryDirectory() as elsewhere:  # `link/..` is above what the link leads to, not beside it
        own = pathlib.Path(elsewhere)
        (own / "bin").mkdir()
        (own / "bin/python").write_text(text)
        (own / "bin/python").chmod(0o755)
        (own / "link").symlink_to(pathlib.Path(sys.prefix) / "lib")
        done = case.call(place, "graph", python="auto", env={"VIRTUAL_ENV": f"{own}/link/.."})
        case.check("auto runs no script beside a link", not (case.folder / "RAN").exists(), done.stderr)
    with tempfile.TemporaryDirectory() as elsewhere:
        script = pathlib.Path(elsewhere) / "shim"
        script.write_text(text)
        script.chmod(0o755)
        done = case.call(place, "graph", python=str(script))
        case.check("a script from elsewhere finds the interpreter of its environment", done.returncode == 0, done.stderr)
        case.check("it is said that the script ran with the user's rights",
                   f"with your rights, to find the interpreter: {script}" in done.stderr, done.stderr)
        beside = case.new(net=NET, sitecustomize=f"open('{case.folder}/IMPORTED', 'w')")
        for path in ("", ".", ":/opt", str(beside)):
            (case.folder / "RAN").unlink(missing_ok=True)
            case.call(beside, "graph", python=str(script), env={"PYTHONPATH": path})
            case.check(f"the script imports nothing beside the source (PYTHONPATH='{path}')",
                       (case.folder / "RAN").exists() and not (case.folder / "IMPORTED").exists())


def folders(case):
    """A source does not choose what it reads."""
    home = case.new()
    model = home / "model"
    model.mkdir()
    (home / "secret").write_text("secret")
    (model / "__init__.py").write_text("")
    (model / "part.py").write_text("")
    (model / "net.py").write_text("from . import part\nimport model.part\n" + READS.replace("PATHS", f"[{str(home / 'secret')!r}]") + NET)
    for name, env in (("a home", {"HOME": str(home)}), ("another folder", {})):
        done = case.call(model, "graph", env=env)
        case.check(f"a package does not open {name} above it",
                   done.returncode == 0 and "REFUSED" in done.stderr and "DID READ" not in done.stderr, done.stderr)
    (home / "alone.py").write_text(READS.replace("PATHS", f"[{str(home / 'secret')!r}]") + NET)
    done = case.call(home, "graph", env={"HOME": str(home)}, model="alone.py:Net")
    case.check("a source in the home reads itself only",
               done.returncode == 0 and "REFUSED" in done.stderr and "DID READ" not in done.stderr, done.stderr)


def linked(case):
    """What the link of a program leads to is read if it is an environment."""
    home = case.new()
    (home / "dl/other").mkdir(parents=True)
    secrets = [home / "dl/other/key", home / "key"]
    for secret in secrets:
        secret.write_text("secret")
    (case.folder / "homelink").symlink_to(home)
    link = case.folder / "homelink"
    for name, place, of in (("a link to the model's folder", home / "dl/model", home), ("a home that is a link", link / "m2", link)):
        fake_environment(place, READS.replace("PATHS", str([str(each) for each in secrets])), program="../../python")
        shutil.copy(os.path.realpath(sys.executable), place / "python")
        (place / "net.py").write_text(NET)
        done = case.call(place, "graph", python=".venv", env={"HOME": str(of)})
        case.check(f"{name} opens nothing", "REFUSED" in done.stderr and "DID READ" not in done.stderr, done.stderr)


def pipes(case):
    place = case.new(net=NET)
    (place / ".venv/bin").mkdir(parents=True)
    os.mkfifo(place / ".venv/bin/python")
    done = case.call(place, "graph", python=".venv", timeout=20)
    case.check("a pipe is no program", done.returncode == 5 and "not a regular file" in done.stderr, done.stderr)


def orphaned(case):
    """A child whose parent has ended before it began does not begin."""
    reader = pathlib.Path(case.lancet).parent / "lancet-reader"
    for name, parent, code in (("its parent", os.getpid(), 0), ("another process", 1, 1)):
        rights = {"read": ["/usr", "/lib", "/lib64", "/etc/ld.so.cache"], "largest_file": 0, "parent": parent,
                  "run": ["/usr/bin/env", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]}
        done = subprocess.run([reader, "--become", json.dumps(rights), "/usr/bin/env"], text=True, capture_output=True,
                              env={**os.environ, "TOKEN": "secret", "PYTHONSTARTUP": "x", "LC_ALL": "C"})
        case.check(f"a child of {name}", done.returncode == code and ("LC_ALL" in done.stdout) == (code == 0), done.stderr)
        case.check("its environment is small", "TOKEN" not in done.stdout and "PYTHONSTARTUP" not in done.stdout, done.stdout)


def memory(case):
    """The limit of memory holds for mappings that RLIMIT_DATA does not count, too: shared ones, and stacks that grow."""
    free = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemAvailable")) << 10
    place = case.new(net=f"import mmap\nSIZE = {free} * 9 // 10\n"
                         "for make in (lambda: bytearray(SIZE), lambda: mmap.mmap(-1, SIZE),\n"
                         "             lambda: mmap.mmap(-1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)):\n"
                         "    try:\n        make()\n        print('DID TAKE')\n"
                         "    except (MemoryError, OSError):\n        print('REFUSED')\n" + NET)
    done = case.call(place, "graph")
    case.check("memory is limited", done.stderr.count("REFUSED") == 3 and "DID TAKE" not in done.stderr, done.stderr)


def names(case):
    """One rule splits FILE:NAME."""
    place = case.new(a="print('WRONG FILE')\n")
    (place / "a.py:b").mkdir()
    (place / "a:b").mkdir()
    for folder in ("a:b", "a.py:b"):
        (place / folder / "net.py").write_text(NET)
        done = case.call(place, "graph", model=f"{folder}/net.py:Net")
        case.check(f"a file in {folder}", done.returncode == 0 and "WRONG FILE" not in done.stderr, done.stderr)
    blobs = place / "models--a--b/blobs"
    snapshot = place / f"models--a--b/snapshots/{'0' * 40}"
    for folder in (blobs, snapshot):
        folder.mkdir(parents=True)
    (blobs / ("1" * 40)).write_text(NET)
    (snapshot / "net.py").symlink_to(f"../../blobs/{'1' * 40}")
    done = case.call(snapshot, "graph")
    case.check("a source of a snapshot", done.returncode == 0, done.stderr)


def active(case):
    """The active environment comes before one that lies beside a source."""
    place = case.new(net=NET)
    fake_environment(place, "print('FAKE')\n", "9.9.9")
    done = case.call(place, "graph", python="auto", env={"VIRTUAL_ENV": sys.prefix})
    case.check("the active environment traces", done.returncode == 0 and "FAKE" not in done.stderr, done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    lancet = str(pathlib.Path(parser.parse_args().lancet).resolve())
    with tempfile.TemporaryDirectory() as name:
        case = Case(lancet, pathlib.Path(name))
        for each in (answers, scripts, folders, linked, pipes, orphaned, memory, names, active):
            each(case)
    print(f"{case.failures} failures")
    sys.exit(1 if case.failures else 0)


if __name__ == "__main__":
    main()
