#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the graphs that lancet reads from what torch.compile writes with the GraphModules that wrote them.

    compilations.py --lancet BIN [--only NAME] [--quick] [--jobs N]

Each case of compilation_cases.py is compiled in a process of its own with TORCH_TRACE and TORCH_COMPILE_DEBUG. Whatever calls print_readable()
meanwhile is noted with its graph; each graph in the log and in the debug folder has then to be listed by `lancet compilation` and to be equal
to the noted one, nested graphs included. What `load_args` of runnables makes is run by both. Exit 1: a difference.
"""

import argparse
import collections
import copy
import concurrent.futures
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

QUICK = ["net_training", "cond", "dynamic_by_recompiling", "in_place", "constants_inductor"]
TEXTS = "texts"


# -- in the process of one case -------------------------------------------------------------------------------------------


def graph_text(module):
    """str(graph) without the types of nodes, which annotations replace."""
    types = [(node, node.type) for node in module.graph.nodes]
    for node, _ in types:
        node.type = None
    try:
        return str(module.graph)
    finally:
        for node, kind in types:
            node.type = kind


def described(module):
    import torch

    nested = {name: described(child) for name, child in module.named_children() if isinstance(child, torch.fx.GraphModule)}
    return {"graph": graph_text(module), "code": module.code, "nested": nested}


def make(name, folder):
    os.environ.update(TORCH_TRACE=f"{folder}/trace", TORCH_COMPILE_DEBUG="1", TORCH_COMPILE_DEBUG_DIR=folder,
                      TORCHINDUCTOR_CACHE_DIR=f"{folder}/cache", TORCHINDUCTOR_FORCE_DISABLE_CACHES="1")
    import torch
    from torch._dynamo import debug_utils

    import compilation_cases

    noted, modules = [], {}
    readable, convert = torch.fx.GraphModule.print_readable, debug_utils.NNModuleToString.convert

    def noting(write):
        def written(module, *args, **kwargs):
            text = write(module, *args, **kwargs)
            noted.append({"text": text, **described(module)})
            modules[text] = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
            return text
        return written

    torch.fx.GraphModule.print_readable = noting(readable)
    debug_utils.NNModuleToString.convert = staticmethod(noting(convert))
    torch.manual_seed(0)
    if name == TEXTS:
        for number, (title, module, options) in enumerate(compilation_cases.texts()):
            pathlib.Path(folder, f"{number}_{title}.py").write_text(module.print_readable(False, **options))
    else:
        compilation_cases.CASES[name]()
    torch.fx.GraphModule.print_readable = readable
    pathlib.Path(folder, "noted.json").write_text(json.dumps(noted))
    for number, path in enumerate(sorted(glob.glob(f"{folder}/torch_compile_debug/*/*/*/fx_graph_runnable.py"))):
        run_runnable(pathlib.Path(path), folder, number, modules)


def runnable_module(source, space, modules):
    """The module of a runnable. One with bodies of higher-order operators is not Python: then it is the one that wrote the text."""
    if "<lambda>()" not in source:
        exec(source, space)
        return space["mod"]
    start, end = source.index("class Repro(torch.nn.Module):"), source.index("def load_args(reader):")
    exec(source[:start] + source[end:source.index("mod = Repro()")], space)
    return next(module for text, module in modules.items() if text.strip() and text.strip() in source)


def run_runnable(path, folder, number, modules):
    """Saves inputs and outputs of a runnable, if Python can run it."""
    import torch
    from torch._dynamo.debug_utils import InputReader

    source = path.read_text()
    space = {"__name__": "runnable"}
    try:
        module = runnable_module(source, space, modules)
        reader = InputReader()
        space["load_args"](reader)
        torch.manual_seed(0)  # as lancet does
        outputs = module(*[arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in reader.args])
    except (NameError, RuntimeError):  # sizes that are symbols, or random inputs that it cannot take
        return
    torch.save(tuple(reader.args), f"{folder}/inputs_{number}.pt")
    torch.save(outputs, f"{folder}/outputs_{number}.pt")
    pathlib.Path(folder, f"runnable_{number}.txt").write_text(str(path))


# -- what lancet makes of it ------------------------------------------------------------------------------------------------


class Checker:
    def __init__(self, lancet, folder):
        self.lancet, self.folder = lancet, pathlib.Path(folder)
        self.problems, self.counts = [], collections.Counter()
        noted = json.loads((self.folder / "noted.json").read_text())
        self.noted = {entry["text"].strip(): entry for entry in noted}

    def run(self, *words):
        return subprocess.run([self.lancet, *map(str, words)], capture_output=True, text=True, timeout=300)

    def note(self, where, wanted, got):
        lines = [(a, b) for a, b in zip([*wanted.split("\n"), "<end>"], [*got.split("\n"), "<end>"]) if a != b]
        a, b = lines[0] if lines else (wanted[-200:], got[-200:])
        self.problems.append(f"{where}\n    PyTorch: {a[:400]}\n    lancet:  {b[:400]}")

    def expected(self, text):
        """What print_readable() noted for a text, or of a runnable the module in it."""
        text = text.strip()
        if text in self.noted:
            return self.noted[text]
        return next((entry for key, entry in self.noted.items() if key in text and ("class Repro(" in key or text.startswith(key))), None)

    def graph(self, where, model, entry):
        self.counts["graphs"] += 1
        done = self.run("graph", model)
        if done.returncode:
            self.problems.append(f"{where}: {done.stderr.strip()}")
        elif done.stdout != entry["graph"] + "\n" and not (  # code with a pytree does not say where in the graph its inputs stand
                "tree_flatten_spec" in entry["code"] and sorted(done.stdout.split("\n")) == sorted((entry["graph"] + "\n").split("\n"))):
            self.note(where, entry["graph"] + "\n", done.stdout)
        if "_in_shuffle_graph" in entry["code"] or " : " in entry["code"]:
            return
        code = self.run("code", model).stdout
        if code != entry["code"] + "\n":
            self.note(where + " code", entry["code"] + "\n", code)

    def nested(self, where, text, entry):
        """The classes inside a text, each as a text of its own."""
        for name, inner in entry["nested"].items():
            found = re.search(rf"^    class {re.escape(name)}\(torch\.nn\.Module\):\n(?:(?:      .*|\s*)\n)*", text + "\n", re.M)
            if not found:
                continue  # a runnable
            part = textwrap.dedent(found.group(0))
            if ': "' not in part:
                continue  # no annotation: Python source
            with tempfile.NamedTemporaryFile("w", suffix=".py", dir=self.folder) as file:
                file.write(part)
                file.flush()
                self.graph(f"{where} {name}", file.name, inner)
            self.nested(f"{where} {name}", part, inner)

    def file(self, path):
        text = path.read_text()
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        entry = self.expected(plain) or self.expected(text)
        if not entry:
            self.problems.append(f"{path}: nothing noted")
            return
        where = str(path.relative_to(self.folder))
        self.graph(where, path, entry)
        self.nested(where, plain, entry)

    def log(self, path):
        """The log as a plain reader understands it, against the listing."""
        done = self.run("compilation", path, "--json")
        if done.returncode:
            self.problems.append(f"compilation {path.name}: {done.stderr.strip()}")
            return
        listed = json.loads(done.stdout)["compilations"]
        self.counts["compilations"] += len(listed)
        stages = [stage for compilation in listed for stage in compilation["stages"] if stage["nodes"] is not None]
        texts = [payload for payload in payloads(path.read_text()) if self.expected(payload)]
        if len(stages) != len(texts):
            self.problems.append(f"{path.name}: {len(stages)} stages listed, {len(texts)} graphs in the log")
        seen = collections.Counter(self.expected(text)["graph"] for text in texts)
        for stage in stages:
            model = f"{path}#{stage['id']}"
            done = self.run("graph", model)
            self.counts["stages"] += 1
            if done.returncode:
                self.problems.append(f"{stage['id']}: {done.stderr.strip()}")
            elif seen[done.stdout[:-1]] == 0:
                self.problems.append(f"{stage['id']}: no noted graph prints as\n{done.stdout[:2000]}")
            else:
                seen[done.stdout[:-1]] -= 1
                nodes = done.stdout.count("\n") - 1
                if stage["nodes"] != nodes:
                    self.problems.append(f"{stage['id']}: {stage['nodes']} nodes listed, {nodes} in the graph")

    def runnable(self, number):
        import torch

        path = (self.folder / f"runnable_{number}.txt").read_text()
        out = self.folder / f"got_{number}.pt"
        done = self.run("run", path, "--inputs", self.folder / f"inputs_{number}.pt", "-o", out)
        if done.returncode:
            self.problems.append(f"run {path}: {done.stderr.strip()}")
            return
        self.counts["runs"] += 1
        wanted, got = (torch.utils._pytree.tree_leaves(torch.load(file)) for file in (self.folder / f"outputs_{number}.pt", out))
        for index, (a, b) in enumerate(zip(wanted, got, strict=True)):
            if isinstance(a, torch.Tensor) and not torch.equal(a, b) and not (a.isnan() & b.isnan()).any():
                self.problems.append(f"run {path}: output {index} differs by {(a.double() - b.double()).abs().max()}")

    def all(self):
        for path in sorted(self.folder.glob("*.py")):
            self.file(path)
        for path in sorted(self.folder.glob("torch_compile_debug/*/torchinductor/*/fx_graph_*.py")):
            self.file(path)
        for path in sorted(self.folder.glob("trace/*.log")):
            if '"frame_id"' in path.read_text():  # not what print_readable() alone makes torch log
                self.log(path)
        for path in sorted(self.folder.glob("runnable_*.txt")):
            self.runnable(path.stem.split("_")[1])
        return self


def payloads(log):
    """The payloads of a structured log."""
    lines = []
    for line in [*log.split("\n"), ""]:
        if line.startswith("\t"):
            lines.append(line[1:])
        elif lines:
            yield "\n".join(lines)
            lines = []


def check(lancet, name):
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([sys.executable, __file__, "--make", name, folder], capture_output=True, text=True)
        if made.returncode:
            return name, [f"could not be made: {made.stderr[-800:]}"], {}
        checker = Checker(lancet, folder).all()
        return name, checker.problems, checker.counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--quick", action="store_true", help="few cases")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--make", nargs=2, metavar=("CASE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        return make(*options.make)
    import compilation_cases

    names = [name for name in [*compilation_cases.CASES, TEXTS] if not options.only or options.only in name]
    if options.quick and not options.only:
        names = [*QUICK, TEXTS]
    failed, total = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, problems, counts in pool.map(lambda name: check(options.lancet.resolve(), name), names):
            failed += bool(problems)
            total.update(counts)
            for problem in problems[:5]:
                print(f"FAIL {name}: {problem}", flush=True)
    print(f"{len(names)} cases, {failed} failed: " + ", ".join(f"{count} {what}" for what, count in sorted(total.items())))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
