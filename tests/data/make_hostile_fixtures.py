#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/graphmodule/hostile: saved GraphModules that nobody writes by accident, as raw pickle opcodes."""
import io
import pathlib
import struct
import zipfile

OUT = pathlib.Path(__file__).parent / "graphmodule" / "hostile"
IMPORTS = "import torch"
CODE = "\n\n\ndef forward(self, x):\n    return x\n    "


def text(s):
    data = s.encode() if isinstance(s, str) else s
    return b"X" + struct.pack("<I", len(data)) + data


def mapping(items):
    return b"}(" + b"".join(k + v for k, v in items) + b"u"


def named(**items):
    return mapping([(text(k), v) for k, v in items.items()])


def body(code=CODE, parameters=b"}", modules=b"}", **attributes):
    return named(training=b"\x88", _parameters=parameters, _buffers=b"}", _modules=modules, _code=text(code), **attributes)


def module(modules=b"}"):
    return b"ctorch.nn.modules.module\nModule\n)\x81" + named(training=b"\x88", _parameters=b"}", _buffers=b"}", _modules=modules) + b"b"


def graph_module(content):
    return b"\x80\x02ctorch.fx.graph_module\nreduce_graph_module\n" + content + text(IMPORTS) + b"\x86R."


def put(index):
    return b"r" + struct.pack("<I", index)


def get(index):
    return b"j" + struct.pack("<I", index)


def save(name, pickle, members=()):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for member, content in [("m/data.pkl", pickle), ("m/byteorder", b"little"), ("m/version", b"3\n"), *members]:
            z.writestr(zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)
    (OUT / f"{name}.pt").write_bytes(out.getvalue())


def deep_lists(levels):
    return b"]" * levels + b"a" * (levels - 1)


def deep_modules(levels):
    head = b"ctorch.nn.modules.module\nModule\n)\x81}(" + text("_modules") + b"}" + text("m")
    return head * levels + b"N" + b"sub" * levels


def laughs(levels):
    """x0 = []; x1 = [x0, x0]; x2 = [x1, x1] ..."""
    out = b"]" + put(100) + b"0"
    for i in range(levels):
        out += b"](" + get(100 + i) + get(100 + i) + b"e" + put(101 + i) + b"0"
    return out + get(100 + levels)


def chain(count):
    """Siblings, last first, of which each holds the one before: the longest path is not the one met first."""
    items, previous = b"", b"N"
    for i in range(count):
        one = b"ctorch.nn.modules.module\nModule\n)\x81}(" + text("_modules") + b"}" + text("m") + previous + b"sub" + put(50 + i)
        items += text(f"c{i}") + one
        previous = get(50 + i)
    return b"}(" + items + b"u"


def tensor(sizes, strides, numel=4, offset=0, rebuild=b"torch._utils\n_rebuild_tensor_v2"):
    number = lambda i: b"\x8a\x08" + struct.pack("<q", i)
    sequence = lambda values: b"(" + b"".join(map(number, values)) + b"t"
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + number(numel) + b"tQ"
    return b"c" + rebuild + b"\n(" + storage + number(offset) + sequence(sizes) + sequence(strides) + b"\x89ccollections\nOrderedDict\n)RtR"


def main():
    OUT.mkdir(exist_ok=True)
    save("plain", graph_module(body()))
    save("deep_attribute", graph_module(body(deep=deep_lists(1_000_000))))
    save("deep_pickle", b"\x80\x02" + deep_lists(1_000_000) + b".")
    save("deep_modules", graph_module(body(modules=mapping([(text("m"), deep_modules(100_000))]))))
    save("long_chain", graph_module(body(modules=chain(3000))))
    save("cycle_modules", graph_module(body(modules=mapping([(text("m"), b"ctorch.nn.modules.module\nModule\n)\x81" + put(7) +
                                                              named(_modules=mapping([(text("up"), get(7))])) + b"b")]))))
    save("cycle_root", graph_module(body(loop=b"]" + put(7) + get(7) + b"a")))
    save("laughs", graph_module(body(laughs=laughs(90))))
    save("deep_laughs", graph_module(body(laughs=laughs(400))))
    long_modules = text(b"n" * 1_000_000) + put(9) + b"0" + b"}("
    for i in range(300):
        long_modules += text(f"m{i}") + b"ctorch.nn.modules.module\nModule\n)\x81}(" + get(9) + b"Nub"
    save("long_names", graph_module(body(modules=long_modules + b"u")))
    save("runs_code", graph_module(body(evil=b"cposix\nsystem\n" + text("touch /tmp/lancet-ran-code") + b"\x85R")))
    save("runs_code_at_root", b"\x80\x02cposix\nsystem\n" + text("touch /tmp/lancet-ran-code") + b"\x85R.")
    save("code_that_runs", graph_module(body(code="\n\n\ndef forward(self, x):\n    __import__('os').system('touch /tmp/lancet-ran-code')\n    return x\n")))
    save("no_such_module", graph_module(body(code="\n\n\ndef forward(self, x):\n    y = self.a.b(x)\n    return y\n")))
    save("bad_syntax", graph_module(body(code="\n\n\ndef forward(self, x):\n    y = ((x\n    return y\n")))
    save("no_code", graph_module(named(training=b"\x88", _modules=b"}")))
    save("empty_body", graph_module(b"}"))
    save("body_is_none", graph_module(b"N"))
    save("child_is_a_number", graph_module(body(modules=mapping([(text("n"), b"K\x01")]))))
    save("modules_is_a_list", graph_module(body(modules=b"]")))
    weights = [("m/data/0", b"\0" * 16)]
    for name, args in {
        "tensor_past_end": dict(sizes=[5], strides=[1]),
        "tensor_offset_past_end": dict(sizes=[1], strides=[1], offset=4),
        "tensor_huge": dict(sizes=[2**62, 2**62], strides=[1, 1]),
        "tensor_negative": dict(sizes=[-1], strides=[1]),
        "tensor_negative_offset": dict(sizes=[1], strides=[1], offset=-1),
        "tensor_storage_overflow": dict(sizes=[1], strides=[1], numel=2**62),
        "tensor_negative_storage": dict(sizes=[1], strides=[1], numel=-1),
    }.items():
        save(name, graph_module(body(parameters=mapping([(text("w"), tensor(**args))]))), weights)
    save("tensor_in_tensors", graph_module(body(parameters=mapping([(text("w"),
         b"ctorch._utils\n_rebuild_parameter\n" + wrapped(60) + b"R")]))), weights)


def wrapped(levels):
    """Arguments of a parameter around a parameter around ..."""
    out = b""
    for _ in range(levels):
        out += b"(ctorch._utils\n_rebuild_parameter\n"
    return out + b"(N\x88}t" + b"R\x88}t" * levels


if __name__ == "__main__":
    main()
