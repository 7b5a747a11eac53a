#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet info --trust` with what torch.load does: whether weights_only=True refuses a file, and which classes
and functions a file imports. The files are saved objects of many kinds, in both forms of torch.save, and random
pickles, most of which no pickler writes."""

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
            if code != 0:
                counts["unreadable"] += 1
                if is_saved or expected: wrong.append(f"{path.name}: exit {code}, expected {expected}: {data}")
                continue
            counts[f"{answer['weights_only']}, torch {expected}"] += 1
            if expected is not None and verdict != expected:
                wrong.append(f"{path.name}: {answer['weights_only']} ({answer['reason']}), expected {expected}: {data}")
            imports = imports_of(data) if data else None
            if imports is not None and imports != set(answer["imports"]):
                wrong.append(f"{path.name}: imports {answer['imports']}, expected {sorted(imports)}")
    for line in wrong:
        print(line)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) + f"; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
