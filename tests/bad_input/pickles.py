# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes pickles opcode by opcode, so that they can be wrong in any place. No torch needed."""

import dataclasses
import struct
from typing import Any

IMPORTS = """NoneType = type(None)
from math import inf
from math import nan
from torch import device
import torch
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree"""

CODE = """


def forward(self, x):
    linear = self.linear(x);  x = None
    weight = self.weight
    mul = linear * weight;  linear = weight = None
    return mul
    """


@dataclasses.dataclass
class Raw:
    """Opcodes as they are."""
    opcodes: bytes


@dataclasses.dataclass
class Global:
    module: str
    name: str


@dataclasses.dataclass
class Call:
    """REDUCE: what a pickle that runs code uses."""
    function: Any
    arguments: tuple


@dataclasses.dataclass
class New:
    """NEWOBJ and BUILD."""
    cls: Global
    state: Any


@dataclasses.dataclass
class Persistent:
    identity: tuple


def encode(value):
    """The opcodes that push `value`."""
    return ENCODERS[type(value)](value)


def integer(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if -2**31 <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    length = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([length]) + value.to_bytes(length, "little", signed=True)


def text(value):
    raw = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(raw)) + raw


def items(values):
    return b"".join(map(encode, values))


def dictionary(value):
    return b"}(" + b"".join(encode(k) + encode(v) for k, v in value.items()) + b"u"


ENCODERS = {
    Raw: lambda v: v.opcodes,
    Global: lambda v: b"c" + v.module.encode() + b"\n" + v.name.encode() + b"\n",
    Call: lambda v: encode(v.function) + encode(v.arguments) + b"R",
    New: lambda v: encode(v.cls) + b")\x81" + encode(v.state) + b"b",
    Persistent: lambda v: encode(v.identity) + b"Q",
    type(None): lambda v: b"N",
    bool: lambda v: b"\x88" if v else b"\x89",
    int: integer,
    float: lambda v: b"G" + struct.pack(">d", v),
    str: text,
    tuple: lambda v: b"(" + items(v) + b"t",
    list: lambda v: b"](" + items(v) + b"e",
    dict: dictionary,
}


def whole(value):
    return b"\x80\x02" + encode(value) + b"."


def tensor(sizes, strides, *, offset=0, key="0", numel=None, storage=Global("torch", "FloatStorage")):
    if numel is None:
        numel = 1
        for size in sizes:
            numel *= size
    return Call(Global("torch._utils", "_rebuild_tensor_v2"),
                (Persistent(("storage", storage, key, "cpu", numel)), offset, tuple(sizes), tuple(strides), False,
                 Call(Global("collections", "OrderedDict"), ())))


def parameter(value):
    return Call(Global("torch._utils", "_rebuild_parameter"), (value, True, Call(Global("collections", "OrderedDict"), ())))


def module_state(parameters=None, modules=None, **attributes):
    return {"training": True, "_parameters": parameters or {}, "_buffers": {}, "_modules": modules or {}, **attributes}


def linear():
    return New(Global("torch.nn.modules.linear", "Linear"),
               module_state({"weight": parameter(tensor((2, 2), (2, 1))), "bias": None}, in_features=2, out_features=2))


def graph_module(code=CODE, imports=IMPORTS, modules=None, parameters=None, **attributes):
    """A small module whose graph is linear(x) * weight; every part may be replaced."""
    state = module_state({"weight": parameter(tensor((2,), (1,), key="1"))} if parameters is None else parameters,
                         {"linear": linear()} if modules is None else modules, _code=code, **attributes)
    return Call(Global("torch.fx.graph_module", "reduce_graph_module"), (state, imports))
