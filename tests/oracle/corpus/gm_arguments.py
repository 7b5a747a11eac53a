# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of value that can stand as an argument, one file each: a method, a function and a module get it."""

import collections
import functools

import torch
from torch import nn

from corpus import support
from corpus.support import Color, Empty, Flag, Level, Pair

NUMBERS = {
    "int_small": [0, 1, -1, 255, 256, 65536, -128],
    "int_wide": [2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64],
    "int_huge": [10**30, -10**100, 2**1000],
    "bool": [True, False],
    "float_plain": [0.0, -0.0, 1.0, -1.5, 0.1, 100.0, 123456789.125],
    "float_exponent": [1e-5, 1e-4, 0.0001234, 1e15, 1e16, 1e17, 123456789012345680.0, 1e22, 1e23, 1.5e300, 1e-7],
    "float_limits": [3.4028234663852886e38, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 1e-320],
    "float_shortest": [0.1 + 0.2, 1 / 3, 2.0**53, 2.0**53 + 2, 9007199254740993.0, 5e-5, 4.35, 0.3, 2.675],
    "float_special": [float("inf"), float("-inf"), float("nan")],
    "complex": [1 + 2j, 1j, -1j, 0j, 1.5 - 2.5j, complex(0, -0.0), complex(-1, 1e22), 1e-7j],
    "complex_negative_zero": [complex(-0.0, 1), complex(-0.0, -1)],
    "complex_inf": [complex(float("inf"), 0)],
    "complex_nan": [complex(1, float("nan"))],
}
TEXTS = {
    "str_plain": ["", "a", "sum", "same", "reflect", "a b", "None", "0x12", "ij,jk->ik"],
    "str_quotes": ["it's", 'say "hi"', "it's \"both\"", "'", '"', "''", '""', "\\", "\\'", "'''", '"""', "\\n"],
    "str_controls": ["\n", "\t", "\r", "\x00", "\x01\x1f", "\x7f", "\x80\x9f", "\x1b[1m", "a\nb\\nc", "\v\f\b\a"],
    "str_latin": ["é", "ÿ", "\xa0", "\xad", "¡", "ß"],
    "str_wide": ["日本語", "Ελληνικά", "עברית", "\u0301", "\u200b", "\u2028", "\ufeff", "\ue000", "\uffff"],
    "str_astral": ["😀", "𝒳", "\U000e0001", "\U0010ffff", "👩\u200d🚀"],
    "str_format": ["{x}", "%s", "%(a)s", "$x", "#comment", "a; b", "x = None", "return x"],
    "str_counter": ["# COUNTER: 3"],
    "str_separators": [", ", "a, b", "(", ")", "[", "]", "}", "{", "=", ":", "a=(b", "'a', 'b'", ";  x = None"],
    "str_long": ["long " * 500],
}
TORCH = {
    "dtype": [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int16,
              torch.int32, torch.int64, torch.bool, torch.complex64, torch.complex128, torch.complex32],
    "dtype_new": [torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2,
                  torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu, torch.float4_e2m1fn_x2],
    "dtype_alias": [torch.float, torch.double, torch.half, torch.long, torch.int, torch.short, torch.cfloat],
    "dtype_quantized": [torch.qint8, torch.quint8, torch.qint32, torch.quint4x2],
    "device": [torch.device("cpu"), torch.device("cuda"), torch.device("cuda", 3), torch.device("meta"),
               torch.device("cpu:0")],
    "layout": [torch.strided, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr],
    "layout_mkldnn": [torch._mkldnn],
    "memory_format": [torch.contiguous_format, torch.channels_last, torch.channels_last_3d, torch.preserve_format],
    "qscheme": [torch.per_tensor_affine],
    "size": [torch.Size([2, 3]), torch.Size([]), torch.Size([7])],
    "overload": [torch.ops.aten.add.Tensor, torch.ops.aten.relu.default],
    "higher_order": [torch.ops.higher_order.cond],
}
PLAIN = {
    "none": [None],
    "ellipsis": [...],
    "slice_literal": [slice(None), slice(1, 2), slice(None, None, -1), slice(0, 10, 3), slice(None, 5, None)],
    "range": [range(3), range(1, 10), range(10, 0, -2), range(0)],
    "tuple": [(), (1,), (1, 2), ((),), ((1,), (2, (3,))), (None, ..., True)],
    "list": [[], [1], [1, [2, [3, []]]], [(), [()]], [None, "a", 1.5]],
    "dict": [{}, {"a": 1}, {"a": {"b": {"c": ()}}}, {"it's": 'a"b', "": None}],
    "dict_odd_keys": [{1: 2, 1.5: "x", True: 0, None: 1, (1, 2): 3}, {-1: float(2)}],
    "dict_of_torch": [{"d": torch.float32, "v": torch.device("cpu"), "l": torch.strided}],
    "dict_of_inf": [{"a": float("inf"), "b": [float("nan")]}],
    "ordered_dict": [collections.OrderedDict(a=1, b=2)],
    "enum": [Color.RED, Color.DARK_BLUE, [Color.RED], (Color.RED, 1)],
    "enum_int": [Level.LOW, Level.HIGH],
    "enum_flag": [Flag.A],
    "named_tuple": [Pair(1, "x"), Pair((1, 2), [3])],
    "named_tuple_empty": [Empty()],
    "named_tuple_nested": [Pair((1, 2), [Pair(None, {})])],
    "named_tuple_in_list": [[Pair(1, 2)]],
    "named_tuple_in_dict": [{"k": Pair(1, 2)}],
    "bytes": [b"ab\x00"],
    "set": [{1, 2}],
    "frozenset": [frozenset([1])],
    "dtype_of_numpy": [__import__("numpy").float32(1.5)],
    "deep_list": [functools.reduce(lambda inner, _: [inner], range(40), 1)],
    "deep_tuple": [functools.reduce(lambda inner, _: (inner,), range(40), ())],
    "many_arguments": list(range(300)),
}


def with_nodes(x, y):
    """Arguments that hold values of the graph."""
    return {
        "nodes_nested": [(x, [y, {"a": x, "b": [(y,)]}])],
        "nodes_slice": [slice(x, None, 2), slice(None, y), slice(x, y, x), slice(1, None, y)],
        "nodes_tuple_of_slices": [(slice(x, y), None, ..., slice(None, None, -1), 0)],
        "nodes_dict": [{"x": x, "y": {"z": y}, "n": None}],
        "nodes_named_tuple": [Pair(x, y), Pair([x], (y, 1))],
        "nodes_named_tuple_nested": [Pair([x], [Pair(y)])],
        "nodes_repeated": [x, x, (x, x), [x, y, x], {"x": x}],
        "nodes_single": [(x,), [x], ((x,),)],
    }


def build(values):
    """`values(x, y)` gives what is passed, positionally and by keyword, to a method, a function and a module."""
    def fill(graph):
        x, y = graph.placeholder("x"), graph.placeholder("y")
        given = tuple(values(x, y))
        method = graph.call_method("take", (x, *given), {"alone": given[0]})
        function = support.call_wrapped(graph, support.wrapped_leaf, (method, *given), {"last": given[-1], "y": y})
        graph.output(graph.call_module("leaf", (function, *given), {"kw": given[-1]}))

    return support.graph_module(fill, nn.ModuleDict({"leaf": support.Leaf()}))


def returned(values):
    def fill(graph):
        x, y = graph.placeholder("x"), graph.placeholder("y")
        graph.output((graph.call_method("add", (x, y)), *values))

    return support.graph_module(fill)


def subscript(values):
    def fill(graph):
        x = graph.placeholder("x")
        for value in values:
            graph.call_function(__import__("operator").getitem, (x, value))
        graph.output(x)

    return support.graph_module(fill)


def items():
    made = {}
    for name, values in {**NUMBERS, **TEXTS, **TORCH, **PLAIN}.items():
        made[name] = functools.partial(build, lambda x, y, values=values: values)
    for name in with_nodes(0, 1):
        made[name] = functools.partial(build, lambda x, y, name=name: with_nodes(x, y)[name])
    for name in ("int_wide", "float_special", "str_quotes", "dtype", "dict_odd_keys", "tuple", "enum", "named_tuple",
                 "slice_literal", "none"):
        values = {**NUMBERS, **TEXTS, **TORCH, **PLAIN}[name]
        made[f"returned_{name}"] = functools.partial(returned, values)
    for name in ("int_small", "str_plain", "slice_literal", "ellipsis", "none", "tuple", "list", "float_plain"):
        made[f"subscript_{name}"] = functools.partial(subscript, {**NUMBERS, **TEXTS, **PLAIN}[name])
    return made
