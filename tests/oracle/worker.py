# SPDX-License-Identifier: GPL-3.0-or-later
"""Talks to lancet-worker as core/remote does: frames of a header, JSON and the bytes of tensors."""

import ctypes
import json
import select
import struct
import subprocess
import time

import torch

HEADER = struct.Struct("<4sHHIIQQ")
VERSION = 2
REQUEST, RESULT, ERROR, CRASH, FILES = 1, 2, 3, 4, 10


class Died(Exception):
    """The worker ended instead of answering."""


class Refused(Exception):
    """The worker answered with an error: a dict with what, node, hint..."""


class Worker:
    def __init__(self, program, environment=None):
        self.command, self.environment, self.process = [str(program)], environment, None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=self.environment)
        self.read(60)
        self.send(FILES, {"read": ["/"]})  # models and inputs are anywhere

    def send(self, kind, message):
        text = json.dumps(message).encode()
        self.process.stdin.write(HEADER.pack(b"LNCW", VERSION, kind, 1, 0, len(text), 0) + text)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def read_bytes(self, count, deadline):
        data = bytearray()
        while len(data) < count:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.time()))
            piece = self.process.stdout.read(min(count - len(data), 1 << 20)) if ready else b""
            if not piece:
                raise Died("timed out" if not ready else "ended")
            data += piece
        return bytes(data)

    def read(self, timeout):
        deadline = time.time() + timeout
        magic, _, kind, number, _, size, blob = HEADER.unpack(self.read_bytes(HEADER.size, deadline))
        assert magic == b"LNCW", magic
        return kind, number, json.loads(self.read_bytes(size, deadline)), self.read_bytes(blob, deadline)

    def call(self, message, timeout=60):
        """The result and its blob. Starts the worker when there is none; a worker that fails to answer is ended."""
        if not self.process:
            self.start()
        try:
            self.send(REQUEST, message)
            kind = None
            while kind not in (RESULT, ERROR, CRASH):  # others report progress
                kind, _, answer, blob = self.read(timeout)
        except (Died, BrokenPipeError) as error:
            self.stop()
            raise Died(str(error)) from None
        if kind == CRASH:
            self.stop()
            raise Died(f"crashed at {answer['node']}")
        if kind == ERROR:
            raise Refused(answer)
        return answer, blob

    def run(self, model, inputs, seed=0, timeout=60):
        """What the model returns. `inputs`: a tuple of tensors and numbers."""
        tables = Tables(inputs)
        message = {"verb": "run", "model": str(model), "seed": str(seed), "threads": torch.get_num_threads(), "random": [],
                   "inputs": tables.tree, "tensors": tables.tensors, "storages": tables.storages}
        answer, blob = self.call(message, timeout)
        return value(answer["output"], tensors(answer, blob))


class Tables:
    """Values as JSON; tensors as places in a file that torch.save has not written: plain bytes."""

    def __init__(self, inputs):
        import tempfile
        self.file = tempfile.NamedTemporaryFile(prefix="lancet-inputs-")
        self.tensors, self.storages, self.size = [], [], 0
        self.tree = self.encode(tuple(inputs))
        self.file.flush()

    def encode(self, item):
        if isinstance(item, torch.Tensor):
            data = bits(item)
            self.storages.append({"file": self.file.name, "at": self.size, "bytes": len(data)})
            self.file.write(data + bytes(-len(data) % 64))
            self.size += len(data) + (-len(data) % 64)
            self.tensors.append({"dtype": str(item.dtype), "sizes": list(item.shape), "strides": list(item.contiguous().stride()),
                                 "offset": 0, "storage": len(self.storages) - 1})
            return {"tensor": len(self.tensors) - 1}
        if isinstance(item, tuple):
            return {"tuple": [self.encode(part) for part in item]}
        if isinstance(item, list):
            return [self.encode(part) for part in item]
        if isinstance(item, dict):
            return {"mapping": [self.encode(part) for pair in item.items() for part in pair]}
        if isinstance(item, float) and (item != item or abs(item) == float("inf")):
            return {"float": str(item)}
        return item


def bits(tensor):
    plain = tensor.detach().resolve_conj().resolve_neg().reshape(-1).clone(memory_format=torch.contiguous_format)
    return ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size())


def tensors(message, blob):
    out = []
    for row in message["tensors"]:
        storage = message["storages"][row["storage"]]
        data = bytearray(blob[storage["at"]:storage["at"] + storage["bytes"]])
        dtype = getattr(torch, row["dtype"].removeprefix("torch."))
        flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        out.append(flat.as_strided(row["sizes"], row["strides"], row["offset"]))
    return out


def value(item, known):
    if isinstance(item, list):
        return [value(part, known) for part in item]
    if not isinstance(item, dict):
        return item
    if "tensor" in item:
        return known[item["tensor"]]
    if "float" in item:
        return float(item["float"])
    if "tuple" in item:
        return tuple(value(part, known) for part in item["tuple"])
    if "size" in item:
        return torch.Size(item["size"])
    if "named" in item:
        return tuple(value(part, known) for part in item["named"])
    if "mapping" in item:
        parts = [value(part, known) for part in item["mapping"]]
        return dict(zip(parts[::2], parts[1::2]))
    if "dict" in item:
        return {value(key, known): value(part, known) for key, part in item["dict"]}
    for kind in ("dtype", "layout", "memory_format", "qscheme"):
        if kind in item:
            return getattr(torch, item[kind].removeprefix("torch."))
    if "device" in item:
        return torch.device(item["device"], item["index"]) if "index" in item else torch.device(item["device"])
    if "ellipsis" in item:
        return Ellipsis
    if "slice" in item:
        return slice(*(value(part, known) for part in item["slice"]))
    if "complex" in item:
        return complex(*(value(part, known) for part in item["complex"]))
    raise ValueError(item)
