# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: infix, reflected, unary, in place, and those without a spelling."""

import builtins
import functools
import math
import operator

import torch
from torch import nn

from corpus import support
from corpus.support import graph_module

BINARY = ["add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "getitem",
          "matmul", "eq", "ne", "lt", "gt", "le", "ge"]
UNARY = ["pos", "neg", "invert"]
IN_PLACE = ["iadd", "iand", "ifloordiv", "ilshift", "imod", "imul", "imatmul", "ior", "ipow", "irshift", "isub",
            "itruediv", "ixor"]
OTHER = ["not_", "abs", "index", "truth", "concat", "contains", "is_", "is_not", "delitem", "countOf", "indexOf",
         "length_hint", "inv", "call", "iconcat"]
MATH = ["sqrt", "floor", "ceil", "exp", "log", "sin", "cos", "tanh", "pow", "fabs", "isnan", "prod", "gcd", "trunc"]
BUILTINS = ["len", "abs", "max", "round", "int", "float", "bool", "str", "repr", "print", "range", "list", "iter", "type",
            "callable"]


def function_items(module, names, arity):
    """One file for each function: some can be loaded, others make Python raise."""
    return {f"{module.__name__.strip('_')}_{name}": functools.partial(calls, [getattr(module, name)], arity)
            for name in names if hasattr(module, name)}


def calls(functions, arity):
    def fill(graph):
        values = [graph.placeholder(name) for name in "xyz"]
        results = [graph.call_function(function, tuple(values[:arity])) for function in functions]
        graph.output(tuple(results))

    return graph_module(fill)


def literal_operands(function):
    def fill(graph):
        x = graph.placeholder("x")
        left = [graph.call_function(function, (literal, x)) for literal in (2, 1.5, True, -3, -0.5)]
        right = [graph.call_function(function, (x, literal)) for literal in (2, 1.5, True, -3, -0.5)]
        graph.output(left + right)

    return graph_module(fill)


def in_place(function):
    def fill(graph):
        x, y = graph.placeholder("x"), graph.placeholder("y")
        relu = graph.call_function(torch.relu, (x,))
        first = graph.call_function(function, (relu, y))
        second = graph.call_function(function, (first, 2))
        graph.call_function(function, (x, 3))
        graph.output((second, relu))

    return graph_module(fill)


class Expressions(nn.Module):
    def forward(self, x, y):
        a = (x + y) * (x - y) / 2 // 3 % 5 ** 2
        b = -x + +y - ~x
        c = (x & y) | (x ^ y) << 1 >> 2
        return a @ b @ c, 1 - x, 2 * x, 3 / x, 4 // x, 5 % x, 6 ** x, 7 + x, 1.5 - y, 2 @ x if False else x @ y


class Comparisons(nn.Module):
    def forward(self, x, y):
        less = x < y
        return (less, x <= y, x > 1, 1 > x, 1 < x, 1 <= x, 1 >= x, x == y, x != 1, 1 == x, x == None,  # noqa: E711
                (x < 1) & (x > 0) | (x == 5))


class Chains(nn.Module):
    def forward(self, x, y):
        for i in range(20):
            x = x + i * y - 0.5 ** (i + 1)
        return x.relu().neg().abs()[0][1, 2:3, ..., None][:, -1].T.mT.shape[0]


class Reflected(nn.Module):
    def forward(self, x):
        return (1 - x, 1.0 / x, 2 ** x, 3 // x, 4 % x, 5 << x, 6 >> x, 7 & x, 8 | x, 9 ^ x, True + x, (1 + 2j) * x)


class Indexing(nn.Module):
    def forward(self, x, i, mask):
        return (x[i], x[i, 0], x[i:], x[:i], x[::2], x[i:i + 1:i], x[..., i], x[None], x[mask], x[[0, 1]], x[(0,)],
                x[()], x[0, :, None, ..., 1:2], x[i][0][i], x["key"], x[True], x[-1], x[1.5], x[i, [i, 1]])


class TensorFirst(nn.Module):
    """A real tensor on the left of an operator calls the method on the tensor's side."""

    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.arange(3.0))
        self.p = nn.Parameter(torch.ones(3))

    def forward(self, x):
        b, p = self.b, self.p
        return b + x, b - x, b * x, b / x, b @ x, b ** x, p + x, x + b, x + p, p + b, b > x, b == x, b.sub(x), b % x


class Unpacking(nn.Module):
    def forward(self, x, pair):
        a, b = x.chunk(2)
        c, (d, e) = pair[0], pair[1].split(3)[0:2]
        n, m = x.shape
        values, _ = torch.max(x, 1)
        return a + b, c, d, e, n, m, values, abs(x), pow(x, 2)


class Inplace(nn.Module):
    def forward(self, x, y):
        x += y
        x -= 1
        x *= 2
        x /= y
        x **= 2
        x @= y
        z = x
        z //= 3
        z %= 5
        return x.add_(1).mul_(2).relu_(), z


def set_item(graph):
    x = graph.placeholder("x")
    graph.call_function(operator.setitem, (x, 0, 5.0))
    graph.output(x)


def math_calls(graph):
    x = graph.placeholder("x")
    values = [graph.call_function(function, (x,)) for function in (math.sqrt, math.floor, math.exp, math.sqrt)]
    graph.output([graph.call_function(math.pow, (values[0], 2)), *values])


def infix_surplus(graph):
    """Infix operators print their positional arguments only."""
    x = graph.placeholder("x")
    graph.output(graph.call_function(operator.add, (x, 1), {"other": 3}))


def infix_odd_literals(graph):
    x = graph.placeholder("x")
    literals = [None, "text", (1, 2), [x], {"k": x}, slice(1, x), torch.float32, float("inf"), 1e22, 2**70, 1j, ...]
    graph.output([graph.call_function(operator.eq, (x, literal)) for literal in literals])


def getattr_forms(graph):
    x = graph.placeholder("x")
    shape = graph.call_function(getattr, (x, "shape"))
    graph.output([shape, graph.call_function(operator.getitem, (shape, 0)), graph.call_function(getattr, (x, "T")),
                  graph.call_function(getattr, (x, "a b")), graph.call_function(getattr, (x, "device")),
                  graph.call_function(getattr, (shape, "numel")), graph.call_function(getattr, (x, "é"))])


def getattr_default(graph):
    x = graph.placeholder("x")
    graph.output(graph.call_function(getattr, (x, "shape", None)))


def wrapped(graph):
    x = graph.placeholder("x")
    y = support.call_wrapped(graph, support.wrappedCamelCase, (x,))
    graph.output([support.call_wrapped(graph, support.wrapped_leaf, (y, 1), {"k": x}),
                  support.call_wrapped(graph, support.wrapped_leaf, (2,)),
                  support.call_wrapped(graph, len, (x,)), support.call_wrapped(graph, getattr, (x, "a", None))])


def shape_arithmetic(graph):
    x = graph.placeholder("x")
    size = graph.call_method("size", (x,))
    n = graph.call_function(operator.getitem, (size, -1))
    half = graph.call_function(operator.floordiv, (n, 2))
    graph.output(graph.call_method("view", (x, half, graph.call_function(operator.mul, (2, half)), -1)))


def items():
    made = {}
    for name in (name for name in BINARY if name != "getitem"):
        made[f"literals_{name}"] = functools.partial(literal_operands, getattr(operator, name))
    made["unary"] = functools.partial(calls, [getattr(operator, name) for name in UNARY], 1)
    for name in IN_PLACE:
        made[f"inplace_{name}"] = functools.partial(in_place, getattr(operator, name))
    made |= function_items(operator, OTHER, 2) | function_items(operator, ["not_", "truth", "index", "abs", "inv"], 1)
    made |= function_items(math, MATH, 1) | function_items(builtins, BUILTINS, 1)
    for fill in (set_item, math_calls, infix_surplus, infix_odd_literals, getattr_forms, getattr_default,
                 shape_arithmetic):
        made[fill.__name__] = functools.partial(graph_module, fill)
    for cls in (Expressions, Comparisons, Chains, Reflected, Indexing, TensorFirst, Unpacking, Inplace):
        made[cls.__name__] = lambda cls=cls: torch.fx.symbolic_trace(cls())
    made["wrapped"] = functools.partial(graph_module, wrapped)
    return made
