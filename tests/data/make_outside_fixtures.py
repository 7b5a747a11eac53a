# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes models that try to reach beyond their tensors: files in the working folder, processes, memory.

    make_outside_fixtures.py tests/data/outside

Every file opens; running one must be refused, and no file named TARGET may appear. Run by the Python of the cache folder.
"""

import io
import json
import os
import pathlib
import sys
import zipfile

import torch
from torch import fx

TARGET = "reached_by_a_model"
OUT = pathlib.Path(sys.argv[1])


def rewritten(data, change):
    """The archive with `change(name, bytes)` of each member."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.infolist():
            new.writestr(member, change(member.filename, old.read(member)))
    return out.getvalue()


def graph_module(name, make):
    graph = fx.Graph()
    x = graph.placeholder("x")
    made = make(graph, x)
    graph.output(graph.call_function(torch.add, (x, made)))
    torch.save(fx.GraphModule(torch.nn.Module(), graph), OUT / f"{name}.pt")


def call(function, *args):
    return lambda graph, x: graph.call_function(function, tuple(x if a is Ellipsis else a for a in args))


def mapped_into(graph, x):
    mapped = graph.call_function(torch.from_file, (TARGET, True, 64))
    return graph.call_method("copy_", (mapped, x))


def constant_in_code(name):
    """What the saved code computes from constants when it is traced."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.relu, (x,)))
    saved = io.BytesIO()
    torch.save(fx.GraphModule(torch.nn.Module(), graph), saved)

    def change(member, data):
        at = data.find(b"torch.relu(x)")
        if not member.endswith("data.pkl") or at < 0:
            return data
        start = max(i for i in range(at) if data[i : i + 1] == b"X" and
                    i + 5 <= at < i + 5 + int.from_bytes(data[i + 1 : i + 5], "little") < len(data))
        size = int.from_bytes(data[start + 1 : start + 5], "little")
        text = data[start + 5 : start + 5 + size]
        text = text.replace(b"torch.relu(x)", b"torch.relu(x + torch.from_file('%s', True, 3))" % TARGET.encode())
        return data[: start + 1] + len(text).to_bytes(4, "little") + text + data[start + 5 + size :]

    (OUT / f"{name}.pt").write_bytes(rewritten(saved.getvalue(), change))


class Saves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.target = TARGET

    def forward(self, x):
        torch.save(x, self.target)
        return torch.relu(x)


class Maps(Saves):
    def forward(self, x):
        return torch.relu(x) + torch.from_file(self.target, True, 64).fill_(1.0).sum()


class SavesInABranch(Saves):
    def forward(self, x):
        if bool(x.sum() > -1e9):
            torch.save(x, self.target)
        return torch.relu(x)


class SavesInAFork(Saves):
    @torch.jit.export
    def write(self, x):
        torch.save(x, self.target)
        return x

    def forward(self, x):
        return torch.relu(torch.jit.wait(torch.jit.fork(self.write, x)))


class SavesOnLoading(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.target = TARGET

    @torch.jit.export
    def __getstate__(self):
        return (self.target, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[str, bool]):
        self.target = state[0]
        self.training = state[1]
        torch.save(torch.ones(3), state[0])

    def forward(self, x):
        return torch.relu(x)


class LoadsALibrary(torch.nn.Module):
    def forward(self, x):
        compilation = torch.classes._nnapi.Compilation()
        compilation.init(x, [x])
        return torch.relu(x)


class Relu(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def script(name, module, change=lambda member, data: data):
    saved = io.BytesIO()
    torch.jit.save(torch.jit.script(module), saved)
    (OUT / f"{name}.ts").write_bytes(rewritten(saved.getvalue(), change))


def mapped_default(member, data):
    """LibTorch computes the default of an argument while it loads the code."""
    return data.replace(b"x: Tensor)", b"x: Tensor,\n    y: Tensor=torch.from_file('%s', True, 64))" % TARGET.encode())


def exported(name):
    saved = io.BytesIO()
    torch.export.save(torch.export.export(Relu(), (torch.randn(3),)), saved)

    def change(member, data):
        if b"torch.ops.aten.relu.default" not in data:
            return data
        program = json.loads(data)
        node = program["graph_module"]["graph"]["nodes"][0]
        node["target"] = "torch.ops.aten.from_file.default"
        node["inputs"] = [{"name": "filename", "arg": {"as_string": TARGET}, "kind": 1},
                          {"name": "shared", "arg": {"as_bool": True}, "kind": 1},
                          {"name": "size", "arg": {"as_int": 3}, "kind": 1}]
        node["metadata"].pop("stack_trace", None)  # names the folder of this script
        return json.dumps(program).encode()

    (OUT / f"{name}.pt2").write_bytes(rewritten(saved.getvalue(), change))


OUT.mkdir(exist_ok=True)
graph_module("function", mapped_into)
graph_module("overload", call(torch.ops.aten.from_file.default, TARGET, True, 64))
graph_module("packet", call(torch.ops.aten.from_file, TARGET, True, 64))
graph_module("save", call(torch.save, ..., TARGET))
graph_module("open", call(open, TARGET, "w"))
graph_module("process", call(os.system, f"touch {TARGET}"))
graph_module("collective", call(torch.ops._c10d_functional.all_reduce.default, ..., "sum", "0"))
graph_module("memory", call(torch.ops.inductor._reinterpret_tensor.default, ..., [100000], [1], 0))
constant_in_code("constant")
script("script_save", Saves())
script("script_map", Maps())
script("script_branch", SavesInABranch())
script("script_fork", SavesInAFork())
script("script_class", LoadsALibrary())
script("loading_setstate", SavesOnLoading())
script("loading_default", Relu(), mapped_default)
exported("exported")
(OUT / "source.py").write_text(f"""\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.from_file("{TARGET}", True, 64))

    def forward(self, x):
        return torch.relu(x) + self.w.sum()
""")
