# SPDX-License-Identifier: GPL-3.0-or-later
"""Names: keywords, builtins, clashes, counters, camel case, and what is no identifier at all."""

import functools
import operator

import torch
import torch.nn.functional as F
from torch import nn

from corpus import support
from corpus.support import graph_module

PLACEHOLDERS = {
    "builtins": ["input", "sum", "len", "print", "max", "list", "dict", "type", "object", "Exception", "True_"],
    "reserved": ["torch", "device", "inf", "nan", "NoneType", "fx_pytree", "pytree"],
    "soft_keywords": ["match", "case", "_", "type"],
    "underscores": ["__", "_x", "x_", "__x", "__x__", "_1", "_a_1"],
    "camel": ["CamelCase", "camelCase", "HTTPServer", "aB", "ABc", "x1Y2", "addReLU"],
    "counters": ["x", "x_1", "x_01", "x_5", "x_5_1", "add_5", "add"],
    "like_functions": ["relu", "add", "linear", "conv2d", "getattr_1", "relu_1", "output", "output_1"],
    "like_globals": ["math_sqrt", "typing_List", "operator", "math", "builtins", "torch_1", "_operator_not_"],
    "unicode": ["é", "日本", "µ", "x²y" if "x²y".isidentifier() else "ñ"],
    "self_like": ["this", "cls", "root", "args", "kwargs", "forward"],
    "digits": ["x1", "x1_2", "x_1_2_3", "x0001", "x_0", "x_00"],
    "numbers_end": ["layer_99999999999999999999", "layer_18446744073709551616", "layer"],
}
METHODS = ["float", "max", "sum", "type", "__getitem__", "__call__", "__add__", "CamelCase", "a b", "1", "a.b", "é",
           "_private", "add_", "input", "x-y", "print", "it's", "日本", "a(b", "#", "node", "tracer", "__class__x"]
MODULES = ["0", "a b", "a-b", "é", "1x", "x", "relu", "CamelCase", "a'b", "_", "for_", "torch", "näme", "日本", "  ",
           "#", "(", "a,b", "[0]", "x)", "a=b", "a;b", ";  x = None", "self_", "2.5".replace(".", ","), "%s", "{x}"]
ATTRIBUTES = ["shape", "dtype", "T", "a b", "1", "é", "_private", "input", "x-y", "print", "it's", "日本", "a(b", "#"]


def same_operations(names):
    def fill(graph):
        nodes = [graph.placeholder(name) for name in names]
        nodes += [graph.call_function(torch.relu, (node,)) for node in nodes]
        total = nodes[0]
        for node in nodes[1:]:
            total = graph.call_function(operator.add, (total, node))
        graph.output((total, nodes[-1]))

    return graph_module(fill)


def methods(names):
    def fill(graph):
        x = graph.placeholder("x")
        graph.output([graph.call_method(name, (x, i), {"k": i}) for i, name in enumerate(names)])

    return graph_module(fill)


def attributes(names):
    def fill(graph):
        x = graph.placeholder("x")
        graph.output([graph.call_function(getattr, (x, name)) for name in names])

    return graph_module(fill)


def keywords(names):
    def fill(graph):
        x = graph.placeholder("x")
        graph.output(graph.call_method("take", (x,), {name: x for name in names}))

    return graph_module(fill)


def modules(names, nested):
    root = nn.Module()
    paths = []
    for i, name in enumerate(names):
        module = support.Leaf(i + 1)
        if nested:
            inner = nn.Module()
            inner.add_module("0", nn.Sequential(module, nn.ReLU()))
            paths += [f"{name}.0.0", f"{name}.0.1"]
            module = inner
        else:
            paths.append(name)
        root.add_module(name, module)

    def fill(graph):
        x = graph.placeholder("x")
        for path in paths:
            x = graph.call_module(path, (x,))
        graph.output(x)

    return graph_module(fill, root)


def parameters(names, nested):
    root = nn.Module()
    paths = []
    for i, name in enumerate(names):
        owner = root
        if nested:
            owner = nn.Module()
            root.add_module(f"layer {i}", owner)
        owner.register_parameter(name, nn.Parameter(torch.randn(i + 1)))
        owner.register_buffer(f"{name}_buffer", torch.arange(i + 1))
        prefix = f"layer {i}." if nested else ""
        paths += [prefix + name, f"{prefix}{name}_buffer"]

    def fill(graph):
        graph.output([graph.get_attr(path) for path in paths] + [graph.placeholder("x")])

    return graph_module(fill, root)


class ManyOfEach(nn.Module):
    """Counters of several bases that meet."""

    def __init__(self):
        super().__init__()
        self.relu_1 = nn.ReLU()
        self.add = nn.ReLU()
        self.x = nn.Linear(2, 2)
        self.linear = nn.Linear(2, 2)
        self.getitem = nn.Identity()
        self.add_1 = nn.Parameter(torch.ones(2))

    def forward(self, x, add, relu_2, _x):
        a = F.relu(x) + add
        b = self.relu_1(a) + relu_2 + self.add(a) + self.add_1
        c = self.x(b) + self.linear(b) + F.linear(b, self.x.weight) + _x
        d = self.getitem(c)[0] + self.getitem(c[1]) + c.add(1).add(2) + torch.add(c, 1)
        return d.relu() + torch.relu(d) + d.relu().relu() + self.linear(d) + self.linear.weight


class GlobalClash(nn.Module):
    def forward(self, math_sqrt, x, torch_1):
        import math

        y = math.sqrt(x)
        return math.sqrt(y) + math_sqrt + torch_1 + support.wrapped_leaf(x) + support.wrappedCamelCase(x)


class GlobalFirst(nn.Module):
    def forward(self, x):
        import math

        sqrt = math.sqrt(x)
        math_sqrt = x.math_sqrt()
        return sqrt + math_sqrt + math.sin(math_sqrt) + x.math_sin() + math.floor(x)


def items():
    made = {}
    for name, names in PLACEHOLDERS.items():
        made[f"placeholders_{name}"] = functools.partial(same_operations, names)
    made["placeholder_self"] = functools.partial(same_operations, ["self", "x"])
    made["methods"] = functools.partial(methods, METHODS[:-3])
    for i, name in enumerate(METHODS):
        made[f"method_{i}"] = functools.partial(methods, [name, name])
    made["method_empty"] = functools.partial(methods, [""])
    made["attributes"] = functools.partial(attributes, ATTRIBUTES)
    made["attribute_of_the_proxy"] = functools.partial(attributes, ["__getitem__"])
    made["keywords"] = functools.partial(keywords, ["input", "other", "dim", "_x", "torch", "é", "k1"])
    for nested in (False, True):
        kind = "nested" if nested else "flat"
        for i in range(0, len(MODULES), 9):
            made[f"modules_{kind}_{i // 9}"] = functools.partial(modules, MODULES[i:i + 9], nested)
        made[f"parameters_{kind}"] = functools.partial(parameters, ["0", "a b", "é", "x", "weight", "a-b"], nested)
    for cls in (ManyOfEach, GlobalClash, GlobalFirst):
        made[cls.__name__] = lambda cls=cls: torch.fx.symbolic_trace(cls())
    return made
