#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet info --trust` with what torch.load does: whether weights_only=True refuses a file, and which classes
and functions a file imports and calls, methods too. The files are saved objects of many kinds, in both forms of
torch.save, random pickles, most of which no pickler writes, and pickles as an attacker writes them."""

import argparse
import collections
import io
import json
import pathlib
import pickle
import random
import struct
import subprocess
import sys
import tempfile
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore")


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x)


class Config:
    def __init__(self):
        self.depth = 3


class Slots:
    __slots__ = ("a",)

    def __init__(self):
        self.a = 1


class Runs:
    """What an attacker saves: `function(*args)` when it is loaded."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def with_attribute():
    tensor = torch.ones(2)
    tensor.note = "text"
    return tensor


def objects():
    model, own = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)), Own()
    adam = torch.optim.Adam(own.parameters())
    own(torch.ones(1, 2)).sum().backward()
    adam.step()
    yield "state_dict", own.state_dict()
    yield "whole_torch", model
    yield "whole_own", own
    yield "graph_module", torch.fx.symbolic_trace(own)
    yield "checkpoint", {"epoch": 1, "model": own.state_dict(), "optimizer": adam.state_dict()}
    yield "checkpoint_objects", {"model": own, "optimizer": adam}
    yield "tensor", torch.ones(2)
    yield "attribute", with_attribute()
    yield "parameter", nn.Parameter(torch.ones(2))
    yield "half", {"a": torch.ones(2, dtype=torch.bfloat16), "b": torch.ones(2, dtype=torch.float8_e5m2)}
    yield "quantized", torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    yield "per_channel", torch.quantize_per_channel(torch.ones(2, 2), torch.ones(2), torch.zeros(2), 0, torch.qint8)
    yield "sparse", torch.eye(3).to_sparse()
    yield "csr", torch.eye(3).to_sparse_csr()
    yield "meta", torch.ones(2, device="meta")
    yield "dtype", {"dtype": torch.float16, "device": torch.device("cpu"), "size": torch.Size([1])}
    yield "numbers", [1, -1, 2 ** 40, 2 ** 3000, 1.5, True, None, 1j, "é", b"bytes", bytearray(b"x")]
    yield "sets", {"set": {1, 2}, "frozen": frozenset([1])}
    yield "counter", collections.Counter("aab")
    yield "ordered", collections.OrderedDict(a=1)
    yield "default_dict", collections.defaultdict(list, a=[1])
    yield "named_tuple", torch.ones(2, 2).max(0)
    yield "object", Config()
    yield "slots", Slots()
    yield "class", {"cls": Config}
    yield "function", {"f": torch.relu, "g": print}
    yield "namespace", argparse.Namespace(lr=1)
    yield "path", pathlib.PurePosixPath("/a")
    yield "range", {"range": range(3), "slice": slice(1, 2)}
    yield "generator", torch.get_rng_state()
    yield "runs_system", Runs(__import__("os").getcwd)
    yield "runs_eval", Runs(eval, "1 + 1")
    yield "runs_getattr", {"weight": torch.ones(1), "x": Runs(getattr, "text", "upper")}
    yield "runs_import", Runs(__import__, "json")
    yield "runs_torch", Runs(torch.numel, torch.ones(2))
    yield "runs_allowed", Runs(torch._utils._rebuild_parameter, torch.ones(1), True, collections.OrderedDict())
    yield "runs_set", Runs(set, [1, 2])
    try:
        import numpy
        yield "numpy", {"array": numpy.ones(2), "scalar": numpy.float32(1)}
    except ImportError:
        pass


ALLOWED = ["collections OrderedDict", "collections Counter", "torch Size", "torch device", "builtins set",
           "__builtin__ set", "__builtin__ bytearray", "builtins complex", "torch float32", "torch FloatStorage",
           "torch.nn.parameter Parameter", "_codecs encode", "torch._utils _rebuild_tensor_v2", "torch qint8",
           "torch.storage UntypedStorage", "torch.cuda.sparse HalfTensor", "torch.sparse FloatTensor",
           "torch per_tensor_affine", "torch uint7", "torch.serialization _get_layout", "torch Tensor"]
REFUSED = ["os system", "builtins eval", "__builtin__ eval", "posix system", "torch relu", "torch.nn.modules.linear Linear",
           "collections defaultdict", "builtins getattr", "torch.cuda.sparse BoolTensor", "torch QInt9Storage",
           "torch.cuda QInt8Storage", "torch.float32 x", "torch._tensor _rebuild_from_type", "sys exit",
           "torch.sparse FloatStorage", "torch bits9", "torch.tensor _rebuild_from_type_v2"]


def text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def storage(words):
    """An id of a storage, or something like one."""
    parts = [text("storage"), b"ctorch\nFloatStorage\n", text("0"), text("cpu"), b"K\x04"]
    if words.random() < 0.3:
        parts[words.randrange(5)] = words.choice([b"N", text("x"), b"]", b"K\x02", b"ctorch\nSize\n"])
    if words.random() < 0.15:
        parts.pop()
    return b"(" + b"".join(parts) + b"tQ"


def random_pickle(words):
    """Opcodes at random, more often those that leave something for the next one."""
    out = [b"\x80\x02"] if words.random() < 0.9 else [b"\x80\x04"]
    atoms = [b"N", b"\x88", b"\x89", b"K\x03", b"J\xff\xff\xff\xff", b"M\x01\x00", b"\x8a\x01\x05", b"G" + b"\0" * 8,
             text("a"), b"U\x01b", b"]", b"}", b")", b"\x8f", b"h\x00", b"h\x01", b"q\x00", b"q\x01", b"r\x01\0\0\0",
             b"j\x01\0\0\0", text("storage")]
    rare = [b"0", b"1", b"2", b"l", b"d", b"V1\n", b"I1\n", b"I01\n", b"S'x'\n", b"\x8c\x01a", b"C\x01a", b"\x94", b"\x90",
            b"\x95" + b"\0" * 8, b"p0\n", b"g0\n", b"\x8b\x01\0\0\0\x01", b"B\x01\0\0\0a", b"\x93", b"\x92", b"o",
            b"ios\nsystem\n", b"Pid\n", b"F1\n", b"L1L\n", b"T\x01\0\0\0a", b"U\x01\xff", b"X\x01\0\0\0\xff"]
    for _ in range(words.randrange(1, 14)):
        kind = words.random()
        if kind < 0.45: out.append(words.choice(atoms))
        elif kind < 0.47: out.append(words.choice(rare))
        elif kind < 0.62:
            name = words.choice(ALLOWED if words.random() < 0.93 else REFUSED)
            out.append(b"c" + name.replace(" ", "\n").encode() + b"\n")
        elif kind < 0.67: out.append(storage(words))
        else:
            out.append(words.choice([b"(", b"t", b"e", b"u", b"a", b"s", b"R", b"\x81", b"b", b"\x85", b"\x86", b"\x87",
                                     b")R", b")\x81", b"}b", b"\x85R", b"]\x85R"]))
    return b"".join(out) + b"."


def archive(data, path):
    writer = torch._C.PyTorchFileWriter(str(path))
    writer.write_record("data.pkl", data, len(data))
    writer.write_record("byteorder", b"little", 6)
    writer.write_record("data/0", b"\0" * 16, 16)
    writer.write_end_of_file()


def loads(path):
    """True or False; None for a failure of what weights_only accepts."""
    try:
        torch.load(path, map_location="cpu", weights_only=True)
        return True
    except pickle.UnpicklingError:
        return False
    except Exception:
        return None


class Noting(pickle._Unpickler):
    """Notes what it would import and call, and makes nothing."""
    dispatch = dict(pickle._Unpickler.dispatch)

    def __init__(self, file):
        super().__init__(file)
        self.imports = []

    def find_class(self, module, name):
        module, name = pickle._compat_pickle.NAME_MAPPING.get((module, name), (module, name))
        module = {"torch.tensor": "torch._tensor"}.get(module, module)  # as torch.load reads them
        self.imports.append(f"{pickle._compat_pickle.IMPORT_MAPPING.get(module, module)}.{name}")
        return lambda *args, **settings: Noted()

    def persistent_load(self, pid):
        return Noted()


class Noted(dict):
    def __new__(cls, *args, **settings):
        return super().__new__(cls)

    def __init__(self, *args, **settings):
        super().__init__()

    def __setstate__(self, state):
        pass

    def append(self, item):
        pass

    def extend(self, items):
        pass

    def add(self, item):
        pass


def imports_of(data):
    """None where this unpickler itself stops."""
    unpickler = Noting(io.BytesIO(data))
    unpickler.dispatch[pickle.NEWOBJ[0]] = lambda self: (self.stack.pop(), self.stack.pop(), self.append(Noted()))
    try:
        unpickler.load()
    except Exception:
        return None
    return set(unpickler.imports)


def u8(value):
    return b"\x8c" + bytes([len(value)]) + value.encode()


def attacks():
    """Pickles that call something without a REDUCE of what they import, or hide it: name, pickle, and whether Lancet has to
    read all of it."""
    own, list_ = b"cnet\nOwn\n", b"cnet\nitems\n"
    made = own + b")\x81"
    yield "append", made + b"K\x01a.", True
    yield "appends", made + b"(K\x01K\x02e.", True
    yield "appends_nothing", made + b"(e.", True
    yield "setitem", made + text("a") + b"K\x01s.", True
    yield "setitems", made + b"(" + text("a") + b"K\x01" + text("b") + b"K\x02u.", True
    yield "setitems_nothing", made + b"(u.", True
    yield "additems", b"\x80\x04" + made + b"(K\x01\x90.", True
    yield "build", made + b"}b.", True
    yield "build_twice", made + b"}b}b.", True
    yield "build_slots", made + b"N}" + text("a") + b"K\x01s\x86b.", True
    yield "imported_append", list_ + b"K\x01a.", True
    yield "imported_setitem", b"cos\nenviron\n" + text("a") + text("b") + b"s.", True
    yield "imported_build", list_ + b"}b.", True
    yield "key_of_dict", b"}" + made + b"K\x01s.", True
    yield "key_in_tuple", b"}(" + made + b"K\x01tK\x01s.", True
    yield "key_of_set", b"\x80\x04\x8f(" + made + b"\x90.", True
    yield "key_of_frozenset", b"\x80\x04(" + made + b"\x91.", True
    yield "key_of_old_dict", b"(" + made + b"K\x01d.", True
    yield "inst", b"(K\x01inet\nOwn\n.", True
    yield "obj", b"(" + own + b"K\x01o.", True
    yield "obj_without_args", b"(" + own + b"o.", True
    yield "newobj_ex", b"\x80\x04" + own + b")}\x92.", True
    yield "reduce", own + b"K\x01\x85R.", True
    yield "reduce_of_result", own + b")R)R.", True
    yield "stack_global", b"\x80\x04" + u8("net") + u8("Own") + b"\x93)\x81.", True
    yield "dotted", b"\x80\x04" + u8("net") + u8("Own.run") + b"\x93)R.", True
    yield "memo", own + b"q\x050h\x05)\x81q\x060h\x06}b.", True
    yield "dup", made + b"2K\x01a0}b.", True
    yield "popped", made + b"0N.", True
    yield "popped_with_mark", b"(" + made + b"1N.", True
    yield "protocol_0", b"(inet\nOwn\np1\n(dp2\nb.", True
    yield "then_garbage", own + b")R\xff\xff", False
    yield "then_extension", own + b")R\x82\x01.", False
    yield "then_buffer", own + b")R\x97.", False
    yield "then_cut", own + b")R" + b"X\xff\0\0\0a", False
    yield "then_no_class", own + b")RK\x01K\x02\x93.", False


class Called:
    """A method of something that is imported, as an attribute of the class and of its instances."""

    def __init__(self, method):
        self.method = method

    def __get__(self, made, owner):
        name = owner.called + ("(…)" if made is not None else "") + "." + self.method
        return lambda *args: owner.calls.append(name) or (7 if self.method == "__hash__" else None)


def watched(calls, name):
    """A class that notes what is called of it, instead of the import `name`."""

    class Meta(type):
        def __call__(cls, *args, **settings):
            calls.append(name)
            return object.__new__(cls)

        def __setitem__(cls, key, value):
            calls.append(name + ".__setitem__")

    def new(cls, *args, **settings):
        calls.append(name)
        return object.__new__(cls)

    members = {method: Called(method) for method in ("extend", "append", "add", "__setitem__", "__setstate__", "__hash__")}
    made = Meta("Watched", (), {**members, "__new__": new, "calls": calls, "called": name,
                                "run": staticmethod(lambda *args: calls.append(name + ".run"))})
    made.__call__ = lambda self, *args, **settings: calls.append(name + "(…)")
    return made


def calls_of(data):
    """What CPython's own unpickler (in C, which torch.load uses) calls of what it imports."""
    calls = []

    class Watching(pickle.Unpickler):
        known = {}

        def find_class(self, module, name):
            if "." in name:
                return getattr(self.find_class(module, name.split(".")[0]), name.split(".")[1])
            return self.known.setdefault((module, name), watched(calls, f"{module}.{name}"))

        def persistent_load(self, pid):
            return None

    try:
        Watching(io.BytesIO(data)).load()
    except Exception:
        pass
    return set(calls)


def attack_problems(lancet, folder):
    """Compares the calls on a card with those of the unpickler, as torch.save's archive, as a bare file and as an old one."""
    wrong, count = [], 0
    for name, data, is_read in attacks():
        expected = calls_of(data)
        for form in "zip", "bare":
            path = folder / f"attack_{name}.pt"
            path.unlink(missing_ok=True)
            archive(data, path) if form == "zip" else path.write_bytes(data)
            count += 1
            code, answer = card(lancet, path)
            # a state with slots sets attributes only if there is no __setstate__
            got = {call.removesuffix(" or append") for call in answer.get("calls", []) if not call.endswith("__setattr__")}
            if code != (0 if is_read else 1) or (answer["unread"] is None) != is_read:
                wrong.append(f"{name} {form}: exit {code} {answer}")
            elif got != expected:
                wrong.append(f"{name} {form}: calls {sorted(got)}, expected {sorted(expected)}")
    return wrong, count


def folder_problems(lancet, folder):
    """The folder of a GraphModule, of which one member is a whole module."""
    net = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), Leaf()), concrete_args=None)
    net.to_folder(folder / "saved", "Net")
    torch.save({"x": Runs(eval, "1")}, folder / "saved" / "state_dict.pt")
    code, answer = card(lancet, folder / "saved")
    if code != 0 or answer["texts"] != 1 or "builtins.eval" not in answer["calls"] or answer["weights_only"] != "refuses":
        return [f"folder: exit {code} {answer}"]
    return []


class Leaf(nn.Module):
    def forward(self, x):
        return x + 1


def card(lancet, path):
    done = subprocess.run([lancet, "info", str(path), "--trust", "--json", "--quiet"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--count", type=int, default=400, help="random pickles")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong, counts = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, value in objects():
            for old in (False, True):
                path = pathlib.Path(folder, name + ("_old.pt" if old else ".pt"))
                try:
                    torch.save(value, path, _use_new_zipfile_serialization=not old)
                except Exception:
                    continue
                data = None
                if not old:
                    data = torch._C.PyTorchFileReader(str(path)).get_record("data.pkl")
                files.append((path, data, loads(path), True))
        words = random.Random(options.seed)
        for number in range(options.count):
            path, data = pathlib.Path(folder, f"random_{number}.pt"), random_pickle(words)
            archive(data, path)
            files.append((path, data, loads(path), False))
        for path, data, expected, is_saved in files:
            code, answer = card(options.lancet, path)
            verdict = {"loads": True, "refuses": False}.get(answer.get("weights_only"))
            if code != 0 and not answer.get("unread"):
                counts["unreadable"] += 1
                if is_saved or expected: wrong.append(f"{path.name}: exit {code}, expected {expected}: {data}")
                continue
            counts[f"{answer['weights_only']}, torch {expected}"] += 1
            if expected is not None and verdict != expected:
                wrong.append(f"{path.name}: {answer['weights_only']} ({answer['reason']}), expected {expected}: {data}")
            imports = imports_of(data) if data and not answer["unread"] else None
            if imports is not None and imports != set(answer["imports"]):
                wrong.append(f"{path.name}: imports {answer['imports']}, expected {sorted(imports)}")
        found, count = attack_problems(options.lancet, pathlib.Path(folder))
        counts["attacks"] = count
        wrong += found + folder_problems(options.lancet, pathlib.Path(folder))
    for line in wrong:
        print(line)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) + f"; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
