#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/pickle/cases.txt: Python's pickles of many values in all protocols, and what they hold.

One line a case, separated by tabs: name, hex of the pickle, description. A description is: N, T, F; i<decimal>;
f<hex of the double's bits>; s<hex of the UTF-8 text>; b<hex>; a<hex> (bytearray); (..), [..], {k:v,..}, <..> (set, sorted),
!<..> (frozenset, sorted); @module.name (global); kind@callable(args)|state|items for calls; ^ for a cycle."""
import collections
import pathlib
import pickle
import struct

OUT = pathlib.Path(__file__).parent / "pickle" / "cases.txt"

VALUES = {
    "none": None, "true": True, "false": False,
    "ints": [0, 1, -1, 255, 256, 65535, 65536, -65536, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**63 - 1, -2**63],
    "bigints": [2**63, -2**63 - 1, 2**64, 10**40, -10**40, 2**800 + 1, -2**800, -256**9, 255 * 256**8],
    "floats": [0.0, -0.0, 1.5, -1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 0.1, 5e-324],
    "texts": ["", "plain", "line\nbreak\ttab\\back'slash\"", "\u00e9\u20ac\U0001f600", "\x00\x7f\x80\xff", "lone \ud800", "x" * 300],
    "bytes": [b"", b"abc", bytes(range(256)), b"y" * 300],
    "containers": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], [1, [2, [3]]], {}, {"a": 1}, {1: (2, {3: []})}],
    "long": [list(range(1100)), {i: str(i) for i in range(1100)}],
    "shared": (lambda x: [x, x, (x, x)])([1]),
}


def cycle_list():
    x = [1]
    x.append(x)
    return x


def cycle_dict():
    d = {}
    d["self"] = {"up": d}
    return d


def text(s):
    return "s" + s.encode("utf-8", "surrogatepass").hex()


def describe(v, protocol, path=()):
    d = lambda x: describe(x, protocol, path + (id(v),))
    joined = lambda xs: ",".join(map(d, xs))
    if id(v) in path:
        return "^"
    if v is None or isinstance(v, bool):
        return str(v)[0]
    if isinstance(v, int):
        return f"i{v}"
    if isinstance(v, float):
        return "f" + struct.pack(">d", v).hex()
    if isinstance(v, str):
        return text(v)
    if isinstance(v, bytes) and protocol < 3:
        if not v:
            return "R@builtins.bytes()"
        return f"R@_codecs.encode({text(v.decode('latin1'))},{text('latin1')})"
    if isinstance(v, bytes):
        return "b" + v.hex()
    if isinstance(v, tuple):
        return f"({joined(v)})"
    if isinstance(v, list):
        return f"[{joined(v)}]"
    if isinstance(v, dict):
        return "{" + ",".join(f"{d(k)}:{d(x)}" for k, x in v.items()) + "}"
    raise TypeError(v)


def main():
    lines = []

    def add(name, data, expected):
        lines.append(f"{name}\t{data.hex()}\t{expected}")

    values = dict(VALUES, cycle_list=cycle_list(), cycle_dict=cycle_dict())
    for protocol in range(6):
        for name, value in values.items():
            add(f"{name} {protocol}", pickle.dumps(value, protocol), describe(value, protocol))
    # What Python pickles as calls.
    empty = "R@collections.OrderedDict()"
    add("ordered dict 2", pickle.dumps(collections.OrderedDict(a=1, b=2), 2), empty + f"||{{{text('a')}:i1,{text('b')}:i2}}")
    add("set 4", pickle.dumps({3, 1, 2}, 4), "<i1,i2,i3>")
    add("frozenset 4", pickle.dumps(frozenset([1]), 4), "!<i1>")
    add("set 2", pickle.dumps({1}, 2), "R@builtins.set([i1])")
    add("range 2", pickle.dumps(range(1, 9, 2), 2), "R@builtins.range(i1,i9,i2)")
    add("complex 4", pickle.dumps(1 + 2j, 4), "R@builtins.complex(f3ff0000000000000,f4000000000000000)")
    add("slice 2", pickle.dumps(slice(1, None), 2), "R@builtins.slice(i1,N,N)")
    add("ellipsis 2", pickle.dumps(..., 2), "@builtins.Ellipsis")
    add("function 0", pickle.dumps(len, 0), "@builtins.len")
    add("function 4", pickle.dumps(struct.pack, 4), "@_struct.pack")
    add("bytearray 5", pickle.dumps(bytearray(b"abc"), 5), "a616263")
    add("instance 2", b"\x80\x02csomewhere\nThing\n)\x81}(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00bX\x03\x00\x00\x00twoub.",
        f"O@somewhere.Thing()|{{{text('a')}:i1,{text('b')}:{text('two')}}}")
    add("instance of protocol 1", b"(isomewhere\nThing\n}(U\x01aK\x01ub.", f"R@somewhere.Thing()|{{{text('a')}:i1}}")
    add("obj opcode", b"(csomewhere\nThing\nK\x01o.", "R@somewhere.Thing(i1)")
    add("newobj_ex 4", pickle.dumps(Ex(), 4).replace(b"\x8c\x08__main__", b"\x8c\x08elsewher"), f"X@elsewher.Ex((i1),{{{text('k')}:i2}})")
    add("persistent", b"\x80\x02(X\x07\x00\x00\x00storageK\x07tQ.", f"P({text('storage')},i7)")
    add("persistent by line", b"Pkey\n.", f"P{text('key')}")
    add("pop and dup", b"(K\x01K\x020K\x0322t.", "(i1,i3,i3,i3)")
    add("pop mark", b"K\x05(K\x01K\x021.", "i5")
    add("pop of a mark", b"K\x05(0.", "i5")
    add("python 2 str", b"U\x02hi.", text("hi"))
    add("python 2 bytes", b"U\x02\xff\xfe.", "bfffe")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n")


class Ex:
    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __getnewargs_ex__(self):
        return (1,), {"k": 2}


if __name__ == "__main__":
    main()
