# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and folders that lead elsewhere: links, absolute names, pipes, sockets, devices, folders without end.

`make(folder, target)` writes them and gives a list of `Hostile` of the kind "file": opening, comparing, converting and drawing
them must read nothing of the user's, wait for nothing and stay small. What is beside them is a whole model, so that only the
one thing is wrong with each.
"""

import io
import json
import os
import pathlib
import shutil
import socket
import struct
import zipfile

import torch

from hostile_models import Base, Hostile, edited_script

MODULE = """
import torch

from torch.nn import *
class FxModule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('b', torch.empty([4], dtype=torch.float32))
        self.load_state_dict(torch.load(r'{state}'))

    def forward(self, x):
        b = self.b
        add = x + b;  x = b = None
        return add
"""
GRAPH = {"lancet_ir": 1, "nodes": ["x", {"op": "get_attr", "name": "b", "target": "b"},
                                   {"op": "call_function", "name": "add", "target": "operator.add", "args": [{"node": "x"}, {"node": "b"}]},
                                   {"op": "output", "args": [{"node": "add"}]}],
         "buffers": {"b": "b"}}
STAGE = 'class GraphModule(torch.nn.Module):\n    def forward(self, x: "f32[4]"):\n        relu: "f32[4]" = torch.ops.aten.relu.default(x);  x = None\n        return (relu,)\n'


def state(values=4):
    data = io.BytesIO()
    torch.save({"b": torch.ones(values)}, data)
    return data.getvalue()


def weights(name="b", values=4):
    header = json.dumps({name: {"dtype": "F32", "shape": [values], "data_offsets": [0, 4 * values]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(4 * values)


def calls(path, **more):
    """A description that calls a TorchScript file."""
    return {"lancet_ir": 1, "nodes": ["x", {"op": "call_module", "name": "s", "target": "s", "args": [{"node": "x"}]},
                                      {"op": "output", "args": [{"node": "s"}]}],
            "modules": {"s": {"type": "torchscript.ScriptFile", "settings": {"path": path, **more}}}}


def changed(archive, change=lambda info, content: content, more=()):
    """The zip archive with the content that `change` gives, and more members."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w") as new:
        for item in old.infolist():
            content = change(item, old.read(item))
            new.writestr(item, content)
        root = old.namelist()[0].partition("/")[0]
        for name in more:
            new.writestr(name.replace("ROOT", root), b"touch")
    return out.getvalue()


def saved(module=None):
    data = io.BytesIO()
    torch.save(torch.fx.symbolic_trace(module or Base()), data)
    return data.getvalue()


class Folder:
    """A folder of to_folder, a description or a dump in the making."""

    def __init__(self, path):
        self.path = path
        path.mkdir()

    def model(self, state_name="state_dict.pt"):
        (self.path / "module.py").write_text(MODULE.format(state=f"{self.path}/{state_name}"))
        (self.path / "state_dict.pt").write_bytes(state())
        return self

    def replace(self, name, make):
        (self.path / name).unlink(missing_ok=True)
        make(self.path / name)
        return self


def links_to(target):
    return lambda path: path.symlink_to(target)


def is_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(path.parent, os.O_RDONLY)  # names of sockets are short
        made.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


OTHERS = {"zeros": links_to("/dev/zero"), "memory": links_to("/proc/self/mem"), "input": links_to("/dev/stdin"),
          "descriptor": links_to("/proc/self/fd/0"), "terminal": links_to("/dev/tty"), "pipe": os.mkfifo, "socket": is_socket,
          "loop": lambda path: path.symlink_to(path.name), "folder": lambda path: path.mkdir()}


def places(folder, t):
    """(name, path of the model, path in it that something else takes the place of)"""
    one = Folder(folder / "f").model().path
    yield "folder_state", one, one / "state_dict.pt"
    yield "folder_module", one, one / "module.py"
    two = folder / "d.json"
    two.write_text(json.dumps(GRAPH))
    (folder / "d.safetensors").write_bytes(weights())
    three = Folder(folder / "e").model().path
    yield "folder_extra", three, three / "extra.pt"
    yield "weights", two, folder / "d.safetensors"
    dump = folder / "dump"
    (dump / "model__0_inference_0.0").mkdir(parents=True)
    stage = dump / "model__0_inference_0.0/fx_graph_readable.py"
    stage.write_text(STAGE)
    yield "dump_stage", f"{dump}#model__0_inference_0.0:fx_graph_readable", stage
    yield "dump_log", f"{dump}#model__0_inference_0.0:fx_graph_readable", dump / "a.log"
    (folder / "net.py").write_text("from helper import scale\nimport torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return scale(x)\n")
    (folder / "helper.py").write_text("def scale(x):\n    return x * 2\n")
    yield "import", folder / "net.py", folder / "helper.py"


def make_links(folder, t):
    secrets = t.secret.parent
    (secrets / "state.pt").write_bytes(state())
    (secrets / "weights.safetensors").write_bytes(weights())
    (secrets / "stage.py").write_text(STAGE)
    (secrets / "helper.py").write_text("def scale(x):\n    return x * 3\n")
    (secrets / "module.py").write_text(MODULE.format(state="state_dict.pt"))
    fitting = {"folder_state": "state.pt", "folder_module": "module.py", "folder_extra": "state.pt", "weights": "weights.safetensors", "dump_stage": "stage.py",
               "dump_log": "stage.py", "import": "helper.py"}
    for name, secret in fitting.items():
        for kind, other in {"secret": links_to(t.secret), "fitting": links_to(secrets / secret),
                            "relative": None, "chain": None, **OTHERS}.items():
            own = folder / f"{name}_{kind}"
            own.mkdir()
            model, taken = next((model, taken) for place, model, taken in places(own, t) if place == name)
            if kind == "relative":
                other = links_to(os.path.relpath(secrets / secret, taken.parent))
            elif kind == "chain":
                (own / "out").symlink_to(secrets)
                other = links_to(own / "out" / secret)
            taken.unlink(missing_ok=True)
            other(taken)
            yield own.name, model


def make_names(folder, t):
    """Names in files."""
    def put(name, content):
        (folder / name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return name, folder / name

    named = Folder(folder / "folder_absolute").model()
    text = (named.path / "module.py").read_text().replace(f"{named.path}/state_dict.pt", str(t.secret))
    (named.path / "module.py").write_text(text.replace("self.register_buffer", f"setattr(self, 'c', torch.load(r'{t.secret}', weights_only=False)) # Relu()\n        self.register_buffer"))
    yield "folder_absolute", named.path
    for name, path in {"absolute": str(t.secret), "zero": "/dev/zero", "relative": "../../home/secret.bin", "memory": "/proc/self/mem"}.items():
        yield put(f"calls_{name}.json", calls(path))
        yield put(f"calls_{name}_beside.json", calls(path, relative_path="../../home/secret.bin"))
        yield put(f"tensor_{name}.json", {**GRAPH, "buffers": {"b": path}})
    yield put("absolute_weights.json", {**GRAPH, "buffers": {"b": str(t.fresh)}})
    put("absolute_weights.safetensors", weights(str(t.fresh)))
    for name, other in {"slip": "../../home/new.sh", "absolute": str(t.fresh), "deep": "a/" * 200 + "b"}.items():
        yield put(f"zip_{name}.pt", changed(saved(), more=(f"ROOT/{other}", f"ROOT/data/{other}")))
        yield put(f"zip_{name}.ts", changed(edited_script(Base(), lambda code: code), more=(f"ROOT/{other}", f"ROOT/code/{other}.py")))

    def as_link(info, content):
        info.external_attr = 0o120777 << 16
        return str(t.secret).encode() if "/data/" in info.filename else content
    yield put("zip_links.pt", changed(saved(torch.nn.Linear(4, 4)), as_link))
    project = io.BytesIO()
    with zipfile.ZipFile(project, "w") as archive:
        archive.writestr("lancet.json", json.dumps({
            "lancet": 1, "original": {"description": "original.json", "weights": [], "path": str(t.secret), "format": "graphmodule"},
            "version": 1, "graph": "", "edits": [{"name": "a", "steps": "edits/1.json", "time": 0}]}))
        archive.writestr("original.json", json.dumps(calls(str(t.secret))))
        archive.writestr("edits/1.json", json.dumps([{"step": "set_tensor", "path": "b", "file": str(t.secret)}]))
        archive.writestr("inputs.json", json.dumps({"seed": "0", "inputs": [{"name": "x", "sizes": [4], "dtype": "torch.float32", "generator": "file", "file": str(t.secret), "entry": "", "batch_dim": -1}]}))
    yield put("project.lancet", project.getvalue())


def make_sizes(folder, t):
    """More than there is room for."""
    for suffix in (".pt", ".json", ".py", ".ts", ".safetensors", ".lancet"):
        path = folder / f"sparse{suffix}"
        path.touch()
        os.truncate(path, 8 << 40)
        yield path.name, path
    for many in (Folder(folder / "many_entries").model().path, Folder(folder / "many_logs").path):
        for i in range(60_000):
            os.close(os.open(many / f"{i}.log", os.O_CREAT, 0o600))
        yield many.name, many
    deep = here = folder / "deep"
    for _ in range(300):
        here.mkdir()
        (here / "again").symlink_to(deep)
        here = here / "d"
    yield "deep", deep
    for name in ("pipe", "socket", "zeros", "input", "loop"):
        OTHERS[name](folder / f"itself_{name}.pt")
        yield f"itself_{name}", folder / f"itself_{name}.pt"


def pickled(entries):
    """A .pt whose pickle is written by hand, since torch.save shares less than a pickle can."""
    def text(word):
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    def name(module, of):
        return f"c{module}\n{of}\n".encode()
    body, buffers, more = entries(text, name)
    stream = b"\x80\x02" + body + name("torch.fx.graph_module", "reduce_graph_module") + b"(}("
    for key, value in {"_code": text("def forward(self, x):\n    return x\n"), "_graphmodule_cls_name": text("GraphModule"), "training": b"\x89",
                       "_buffers": b"}(" + buffers + b"u", **more, "_parameters": b"}", "_modules": b"}"}.items():
        stream += text(key) + value
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, content in {"data.pkl": stream + b"u" + text("import torch\n") + b"tR.", "byteorder": b"little", "data/0": b"x", "version": b"3\n"}.items():
            archive.writestr(f"a/{member}", content)
    return out.getvalue()


def make_shared(folder, t):
    """Long lists that many objects share."""
    def scales(text, name, count=1000, length=200_000):
        storage = b"(" + text("storage") + name("torch", "QInt8Storage") + text("0") + text("cpu") + b"K\x01tQ"
        one = b"G" + struct.pack(">d", 1.0) + b"q\x010](" + b"h\x01" * length + b"eq\x020" + storage + b"q\x030"
        scheme = b"(" + name("torch", "per_channel_affine") + b"h\x02h\x02K\x00tq\x040(h\x03K\x00))h\x04\x89}tq\x050"
        call = name("torch._utils", "_rebuild_qtensor") + b"q\x060"
        return one + scheme + call, b"".join(text(f"b{i}") + b"h\x06h\x05R" for i in range(count)), {}

    def names(text, name, buffers=20_000, length=400_000):
        listed = text("c") + b"q\x010](" + b"h\x01" * length + b"eq\x020"
        return listed, b"".join(text(f"b{i:06}") + b"N" for i in range(buffers)), {"_non_persistent_buffers_set": b"h\x02"}

    def arguments(text, name, count=10_000, length=400_000):
        storage = b"(" + text("storage") + name("torch", "FloatStorage") + text("0") + text("cpu") + b"K\x00tQq\x030"
        shared = b"(h\x03K\x00K\x00\x85K\x01\x85\x89}" + b"K\x00" * length + b"tq\x050" + name("torch._utils", "_rebuild_tensor_v2") + b"q\x060"
        return storage + shared, b"".join(text(f"b{i}") + b"h\x06h\x05R" for i in range(count)), {}
    def devices(text, name, count=20_000, length=1_000_000):
        storage = b"(" + text("storage") + name("torch", "FloatStorage") + text("0") + text("c" * length) + b"K\x00tQq\x030"
        shared = b"(h\x03K\x00K\x00\x85K\x01\x85\x89}tq\x050" + name("torch._utils", "_rebuild_tensor_v2") + b"q\x060"
        return storage + shared, b"".join(text(f"b{i}") + b"h\x06h\x05R" for i in range(count)), {}

    def classes(text, name, count=3_000, length=1_000_000):
        storage = b"(" + text("storage") + name("torch", "FloatStorage") + text("0") + text("cpu") + b"K\x00tQq\x030"
        inner = b"(h\x03K\x00K\x00\x85K\x01\x85\x89}tq\x050"
        call = b"(" + name("torch._utils", "_rebuild_tensor_v2") + name("m", "C" * length) + b"h\x05}tq\x070" + name("torch._tensor", "_rebuild_from_type_v2") + b"q\x060"
        return storage + inner + call, b"".join(text(f"b{i}") + b"h\x06h\x07R" for i in range(count)), {}
    for each in (scales, names, arguments, devices, classes):
        path = folder / f"shared_{each.__name__}.pt"
        path.write_bytes(pickled(each))
        yield path.name, path


def make(folder, t):
    out = []
    for kind in (make_links, make_names, make_sizes, make_shared):
        own = folder / kind.__name__
        own.mkdir()
        out += [Hostile(name, path, "file") for name, path in kind(own, t)]
    return out
