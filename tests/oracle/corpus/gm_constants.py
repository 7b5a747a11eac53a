# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls without a traced value: PyTorch does them while loading, and the graph shows what came out.

In NEEDS_VALUES the graph depends on numbers inside tensors, or on functions whose source is not in the file. Lancet
computes no tensors and calls nothing when it opens a file: it may keep such a call as written and warn.
"""

import functools
import math
import operator

import torch
from torch import nn

from corpus import support
from corpus.support import Color, Pair, graph_module

getitem = operator.getitem
NEEDS_VALUES = {"item", "boolean_of_tensor", "tensor_as_index", "tolist", "nonzero_size", "functions_called",
                "wrapped_without_tracing"}

FACTORIES = {
    "zeros": [(torch.zeros, (2, 3), {}), (torch.zeros, ((4,),), {}), (torch.zeros, (2,), {"dtype": torch.int64}),
              (torch.zeros, ([2, 2],), {"device": torch.device("cpu"), "dtype": torch.bool})],
    "ones": [(torch.ones, (3,), {}), (torch.ones, (), {"size": (2, 1)}), (torch.ones, ((),), {})],
    "empty": [(torch.empty, (2, 3), {"dtype": torch.float16}), (torch.empty, (0,), {})],
    "full": [(torch.full, ((2, 2), 7), {}), (torch.full, ((2,), 1.5), {}), (torch.full, ([3], True), {}),
             (torch.full, ((2,), 1), {"dtype": torch.float64})],
    "arange": [(torch.arange, (5,), {}), (torch.arange, (1, 7, 2), {}), (torch.arange, (5.0,), {}),
               (torch.arange, (0, 1, 0.25), {}), (torch.arange, (3,), {"dtype": torch.int32})],
    "tensor": [(torch.tensor, (3,), {}), (torch.tensor, ([1, 2],), {}), (torch.tensor, ([[1.5], [2]],), {}),
               (torch.tensor, (True,), {}), (torch.tensor, ([1j],), {}), (torch.tensor, ([],), {}),
               (torch.tensor, ([1, 2],), {"dtype": torch.float16}), (torch.tensor, (float("inf"),), {})],
    "random": [(torch.rand, (2, 2), {}), (torch.randn, (3,), {}), (torch.randint, (5, (2,)), {}),
               (torch.randperm, (4,), {})],
    "eye": [(torch.eye, (3,), {}), (torch.eye, (2, 4), {}), (torch.linspace, (0, 1, 5), {}),
            (torch.logspace, (0, 2, 3), {})],
}
OPERATIONS = {
    "relu": lambda t: torch.relu(t), "add": lambda t: t + 1, "matmul": lambda t: t @ t.t(), "sum": lambda t: t.sum(1),
    "cat": lambda t: torch.cat([t, t], 1), "stack": lambda t: torch.stack([t, t]), "view": lambda t: t.view(-1),
    "transpose": lambda t: t.transpose(0, 1), "unsqueeze": lambda t: t.unsqueeze(0), "compare": lambda t: t > 0,
    "float64": lambda t: t.to(torch.float64), "long": lambda t: t.long(), "index": lambda t: t[0],
    "expand": lambda t: t[None].expand(5, -1, -1), "triu": lambda t: torch.triu(t, 1), "softmax": lambda t: t.softmax(0),
    "masked_fill": lambda t: t.masked_fill(t == 0, float("-inf")), "mean": lambda t: t.mean(), "neg": lambda t: -t,
    "permute": lambda t: t.permute(1, 0), "flip": lambda t: t.flip(0), "cumsum": lambda t: t.cumsum(0),
    "where": lambda t: torch.where(t > 0, t, 0), "chunk": lambda t: t.chunk(2)[1], "reshape": lambda t: t.reshape(3, 2),
    "division": lambda t: t.long() / 2, "power": lambda t: 10000 ** (t / 2), "bool_sum": lambda t: (t > 0).sum(),
}


def call(graph, function, *args, **kwargs):
    return graph.call_function(function, args, kwargs)


def method(graph, name, *args, **kwargs):
    return graph.call_method(name, args, kwargs)


def factories(calls):
    """Each constant stands beside a traced value."""
    def fill(graph):
        x = graph.placeholder("x")
        for function, args, kwargs in calls:
            x = call(graph, torch.add, x, graph.call_function(function, args, kwargs))
        graph.output(x)

    return graph_module(fill)


def operation(function):
    """The operation on a constant: traced like any other, with a placeholder that is then replaced by the constant."""
    graph = torch.fx.symbolic_trace(function).graph
    first = next(iter(graph.nodes))
    with graph.inserting_before(first):
        x = graph.placeholder("x")
        zeros = graph.call_function(torch.zeros, (2, 3))
    first.replace_all_uses_with(zeros)
    graph.erase_node(first)
    end = graph.output_node()
    with graph.inserting_before(end):
        end.args = (graph.call_function(torch.mul, (x, end.args[0])),)
    return torch.fx.GraphModule(nn.Module(), graph)


def lists_of_operators(graph):
    """Operators of torch.ops give lists, where functions and methods give tuples."""
    x = graph.placeholder("x")
    parts = [call(graph, torch.ops.aten.split.Tensor, call(graph, torch.zeros, 4, 2), 2), call(graph, torch.ops.aten.chunk.default, call(graph, torch.ones, 4, 2), 2),
             call(graph, torch.ops.aten.split_with_sizes.default, call(graph, torch.ones, 4, 2), [2, 2]), call(graph, torch.split, call(graph, torch.ones, 4, 2), 2),
             call(graph, torch.ops.aten.unbind.int, call(graph, torch.ones, 2, 3))]
    graph.output(tuple(call(graph, torch.ops.aten._foreach_mul.List, (x, x), part) for part in parts))


def shape_of_constant(graph):
    x = graph.placeholder("x")
    shape = call(graph, getattr, call(graph, torch.zeros, 3, 4), "shape")
    graph.output(method(graph, "view", x, call(graph, getitem, shape, 0), -1))


def properties(graph):
    x, t = graph.placeholder("x"), call(graph, torch.ones, 2, 3, dtype=torch.float64)
    names = ["shape", "dtype", "device", "ndim", "layout", "is_cuda", "requires_grad", "itemsize", "nbytes", "is_leaf"]
    graph.output(method(graph, "take", x, *[call(graph, getattr, t, name) for name in names]))


def methods(graph):
    x, t = graph.placeholder("x"), call(graph, torch.ones, 2, 3, dtype=torch.float64)
    names = ["size", "dim", "numel", "stride", "is_contiguous", "is_floating_point", "nelement", "element_size",
             "storage_offset", "is_complex", "ndimension"]
    graph.output(method(graph, "take", x, *[method(graph, name, t) for name in names], method(graph, "size", t, -1)))


def functions_of_constants(graph):
    x, t = graph.placeholder("x"), call(graph, torch.ones, 2, 3)
    results = [call(graph, torch.is_tensor, t), call(graph, torch.is_floating_point, t), call(graph, torch.numel, t),
               call(graph, torch.broadcast_shapes, (2, 1), (3,)), call(graph, torch.result_type, t, 1),
               call(graph, torch.promote_types, torch.int8, torch.float16)]
    graph.output(method(graph, "take", x, *results))


def numbers(graph):
    x = graph.placeholder("x")
    results = [call(graph, operator.add, 1, 2), call(graph, operator.truediv, 7, 2), call(graph, operator.floordiv, -7, 2),
               call(graph, operator.mod, -7, 3), call(graph, operator.pow, 2, 100), call(graph, operator.pow, 2, -1),
               call(graph, operator.mul, "ab", 3), call(graph, operator.lt, 1, 2), call(graph, operator.eq, "a", "b"),
               call(graph, operator.getitem, (1, 2, 3), 1), call(graph, operator.neg, 5), call(graph, operator.sub, 0.3, 0.1),
               call(graph, operator.getitem, {"a": 5}, "a"), call(graph, operator.add, (1,), (2,)),
               call(graph, operator.lshift, 1, 70), call(graph, operator.invert, 5), call(graph, operator.and_, True, False),
               call(graph, operator.getitem, [1, 2, 3, 4], slice(1, None, 2)), call(graph, operator.mul, [0], 3),
               call(graph, operator.xor, 6, 3), call(graph, operator.matmul, x, x), call(graph, operator.ne, None, None),
               call(graph, operator.getitem, "text", -1), call(graph, operator.add, 10**20, 1.0)]
    graph.output(method(graph, "take", x, *results))


def numbers_of_any_size(graph):
    """Integers beyond 64 bits, and the signs of quotients and rests."""
    x = graph.placeholder("x")
    big = call(graph, operator.pow, 3, 90)
    pairs = [(operator.add, -5), (operator.sub, 2**70), (operator.mul, -(10**20)), (operator.floordiv, -7), (operator.mod, -(2**65)),
             (operator.rshift, 40), (operator.lshift, 3), (operator.and_, -(2**66)), (operator.or_, 2**80 + 1), (operator.xor, -1),
             (operator.lt, 2**100), (operator.eq, 3**90), (operator.truediv, 2)]
    results = [call(graph, function, big, other) for function, other in pairs]
    results += [call(graph, function, big) for function in (operator.neg, operator.invert, operator.abs, float)]
    results += [call(graph, function, a, b) for function in (operator.floordiv, operator.mod, divmod)
                for a in (7, -7, 7.5, -7.5) for b in (2, -2, 0.5, -0.3)]
    results += [call(graph, operator.mul, 2**40, -(2**40)), call(graph, operator.pow, -2, 65), call(graph, operator.pow, 2, 0.5),
                call(graph, operator.and_, True, 3), call(graph, operator.is_, True, True), call(graph, operator.is_not, None, 0),
                call(graph, operator.lt, "a", "b"), call(graph, operator.contains, "text", "ex"), call(graph, operator.pow, 0, 0),
                call(graph, operator.getitem, "häuser", slice(None, None, -1)), call(graph, operator.rshift, -1, 90)]
    graph.output(method(graph, "take", x, *results))


def more_functions_of_numbers(graph):
    x = graph.placeholder("x")
    one = [math.sin, math.cos, math.tan, math.asin, math.atan, math.sinh, math.tanh, math.log2, math.log10, math.log1p, math.expm1,
           math.degrees, math.radians, math.erf, math.trunc, math.isfinite, math.isinf, math.exp2, math.cbrt]
    two = [math.atan2, math.fmod, math.hypot, math.copysign, math.remainder, math.log, math.pow]
    results = [call(graph, function, 0.7) for function in one] + [call(graph, function, 2.5, -0.5 if function is not math.log else 3)
                                                                 for function in two]
    results += [call(graph, math.factorial, 25), call(graph, math.lcm, 4, 6, 10), call(graph, any, [0, 1]), call(graph, all, ()),
                call(graph, sorted, (3, 1, 2)), call(graph, max, "abc", "abd"), call(graph, min, 2, 1.0, True), call(graph, sum, range(4)),
                call(graph, sum, [(1,), (2,)], ()), call(graph, round, 2.675, 2), call(graph, round, -3.5), call(graph, list, "äb"),
                call(graph, tuple, range(3)), call(graph, len, "äb"), call(graph, len, range(2, 9, 3)), call(graph, int, -3.7),
                call(graph, getattr, 1 + 2j, "imag"), call(graph, abs, 3 + 4j),
                call(graph, torch.broadcast_shapes, 3, (2, 1)), call(graph, torch.overrides.has_torch_function, (1,))]
    graph.output(method(graph, "take", x, *results))


def math_of_numbers(graph):
    x = graph.placeholder("x")
    results = [call(graph, function, 4.0) for function in (math.sqrt, math.floor, math.ceil, math.exp, math.log, math.fabs)]
    results += [call(graph, math.pow, 2, 0.5), call(graph, math.floor, -2.5), call(graph, math.isnan, 1.0),
                call(graph, math.gcd, 12, 18), call(graph, math.prod, (2, 3, 4))]
    graph.output(method(graph, "take", x, *results))


def builtins_of_numbers(graph):
    x = graph.placeholder("x")
    results = [call(graph, len, (1, 2, 3)), call(graph, max, 3, 5), call(graph, min, [4, 2]), call(graph, sum, [1, 2]),
               call(graph, abs, -3), call(graph, int, 3.7), call(graph, float, 2), call(graph, bool, ()),
               call(graph, round, 2.5), call(graph, str, 1e16), call(graph, tuple, [1, 2]), call(graph, list, (1, 2)),
               call(graph, divmod, 7, 2), call(graph, pow, 2, 10), call(graph, range, 3), call(graph, slice, 1, 2),
               call(graph, operator.not_, 0), call(graph, operator.is_, None, None), call(graph, operator.contains, (1,), 1),
               call(graph, complex, 1, 2), call(graph, repr, "it's")]
    graph.output(method(graph, "take", x, *results))


def limits_of_types(graph):
    x = graph.placeholder("x")
    names = ["min", "max", "eps", "tiny", "bits", "smallest_normal", "resolution", "dtype"]
    results = [call(graph, getattr, call(graph, torch.finfo, torch.float32), name) for name in names]
    results += [call(graph, getattr, call(graph, torch.iinfo, torch.int64), name) for name in ("min", "max", "bits")]
    results += [call(graph, getattr, call(graph, torch.finfo, dtype), "min") for dtype in
                (torch.float16, torch.bfloat16, torch.float64)]
    graph.output(method(graph, "take", x, *results))


def attributes_of_types(graph):
    x = graph.placeholder("x")
    results = [call(graph, getattr, torch.float32, "itemsize"), call(graph, getattr, torch.int8, "is_floating_point"),
               call(graph, getattr, torch.device("cuda", 1), "type"), call(graph, getattr, torch.device("cuda", 1), "index"),
               call(graph, torch.device, "cpu"), call(graph, torch.Size, [1, 2]), call(graph, getattr, torch.float16, "is_signed"),
               call(graph, torch.device, "cuda", 0)]
    graph.output(method(graph, "take", x, *results))


def constants_only(graph):
    """Nothing is traced: the output is a constant."""
    graph.placeholder("x")
    graph.output(call(graph, torch.add, call(graph, torch.ones, 2), call(graph, torch.zeros, 2)))


def several_uses(graph):
    x, t = graph.placeholder("x"), call(graph, torch.ones, 2)
    u = call(graph, torch.neg, t)
    graph.output((call(graph, torch.add, x, t), call(graph, torch.mul, x, t), [u, t], call(graph, torch.add, t, x), u))


def constant_and_parameter(graph):
    """Parameters are traced, buffers are real tensors."""
    x, p, b = graph.placeholder("x"), graph.get_attr("p"), graph.get_attr("b")
    t = call(graph, torch.ones, 3)
    graph.output([call(graph, torch.add, p, t), call(graph, torch.add, t, p), call(graph, torch.add, b, t),
                  call(graph, operator.add, t, x), call(graph, operator.add, b, t), method(graph, "add", b, x),
                  call(graph, operator.mul, t, b), call(graph, operator.sub, 1, t), method(graph, "to", b, torch.float64)])


def unchanged_buffers(graph):
    """What gives the buffer itself is a read of the buffer; what makes a new tensor is a constant."""
    x, b, two = graph.placeholder("x"), graph.get_attr("b"), graph.get_attr("two")
    other = call(graph, torch.zeros, 2)
    same = [method(graph, "contiguous", b), method(graph, "contiguous", two), method(graph, "to", b, torch.float32), method(graph, "to", b, "cpu"),
            method(graph, "to", b, device=torch.device("cpu"), dtype=torch.float32), method(graph, "to", b, other), method(graph, "to", b, torch.float32, copy=True),
            method(graph, "float", b), method(graph, "double", b), method(graph, "cpu", b), method(graph, "type_as", b, other), method(graph, "flatten", b),
            method(graph, "flatten", two), method(graph, "flatten", two, 1), method(graph, "detach", b), method(graph, "clone", b), method(graph, "view", b, 3),
            method(graph, "conj", b), call(graph, torch.real, b), call(graph, torch.positive, b), call(graph, torch.atleast_1d, b), call(graph, torch.atleast_2d, b),
            call(graph, torch.dropout, b, 0.5, False), call(graph, torch.nn.functional.dropout, b, 0.5, False), call(graph, torch.ops.aten.contiguous.default, b),
            call(graph, torch.ops.aten.to.dtype, b, torch.float32), call(graph, torch.ops.aten.to.dtype, b, torch.float64), call(graph, torch.ops.aten.clone.default, b)]
    graph.output([method(graph, "add", x, value) for value in [*same, other]])


def side_effects(graph):
    x = graph.placeholder("x")
    call(graph, torch.manual_seed, 3)
    call(graph, torch._assert, True, "message")
    graph.output(call(graph, torch.dropout, x, 0.5, True))


def in_place_on_constant(graph):
    x, t = graph.placeholder("x"), call(graph, torch.zeros, 2)
    call(graph, operator.setitem, t, 0, 5.0)
    filled = method(graph, "fill_", t, 3)
    more = call(graph, operator.iadd, filled, 1)
    graph.output(call(graph, torch.add, x, more))


def functions_called(graph):
    """Functions that are not wrapped run, and modules are always traced."""
    x = graph.placeholder("x")
    graph.output(method(graph, "take", x, call(graph, support.plain_function, 3), call(graph, support.plain_function, x),
                        call(graph, Pair, 1, x), call(graph, Color, 1), call(graph, support.wrapped_leaf, 3)))


def overloads_on_constants(graph):
    x, t = graph.placeholder("x"), call(graph, torch.ops.aten.ones.default, [2, 3])
    relu = call(graph, torch.ops.aten.relu.default, t)
    graph.output(call(graph, torch.ops.aten.add.Tensor, x, call(graph, torch.ops.aten.sum.dim_IntList, relu, [1])))


def getattr_with_default(graph):
    x = graph.placeholder("x")
    graph.output(method(graph, "take", x, call(graph, getattr, torch.float32, "nothing", 7)))


def item(graph):
    x = graph.placeholder("x")
    graph.output(call(graph, operator.mul, x, method(graph, "item", call(graph, torch.tensor, 2.5))))


def boolean_of_tensor(graph):
    x = graph.placeholder("x")
    graph.output(method(graph, "take", x, call(graph, bool, call(graph, torch.tensor, True))))


def tensor_as_index(graph):
    x = graph.placeholder("x")
    graph.output(method(graph, "take", x, call(graph, getitem, (1, 2, 3), call(graph, torch.tensor, 1))))


def tolist(graph):
    x = graph.placeholder("x")
    graph.output(method(graph, "take", x, method(graph, "tolist", call(graph, torch.arange, 3))))


def nonzero_size(graph):
    x, t = graph.placeholder("x"), call(graph, torch.nonzero, call(graph, torch.tensor, [1, 0, 2]))
    graph.output(method(graph, "view", x, method(graph, "size", t, 0)))


def wrapped_without_tracing(graph):
    x = graph.placeholder("x")
    graph.output(call(graph, support.wrapped_leaf, x, call(graph, support.wrapped_leaf, 1, call(graph, math.sqrt, 2))))


PLAIN = [shape_of_constant, lists_of_operators, properties, methods, functions_of_constants, numbers, numbers_of_any_size, more_functions_of_numbers, math_of_numbers, builtins_of_numbers,
         limits_of_types, attributes_of_types, constants_only, several_uses, side_effects, in_place_on_constant,
         functions_called, overloads_on_constants, getattr_with_default, item, boolean_of_tensor, tensor_as_index, tolist,
         nonzero_size, wrapped_without_tracing]


class Masks(nn.Module):
    """What real models do: masks, position numbers and scales made in forward."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(4, 4)).bool())
        self.register_buffer("frequencies", 1.0 / 10000 ** (torch.arange(0, 8, 2) / 8))

    def forward(self, x):
        positions = torch.arange(4, device="cpu")
        angles = torch.outer(positions.float(), self.frequencies)
        table = torch.cat([angles.sin(), angles.cos()], dim=-1)
        scores = x @ x.transpose(-1, -2) / math.sqrt(8)
        scores = scores.masked_fill(~self.mask[:4, :4], torch.finfo(torch.float32).min)
        bias = torch.zeros(4, 4).masked_fill(torch.triu(torch.ones(4, 4), 1).bool(), float("-inf"))
        return (scores + bias).softmax(-1) @ (x + table), self.mask.size(0), self.frequencies * 2


def items():
    made = {f"factory_{name}": functools.partial(factories, calls) for name, calls in FACTORIES.items()}
    made |= {f"operation_{name}": functools.partial(operation, function) for name, function in OPERATIONS.items()}
    made |= {fill.__name__: functools.partial(graph_module, fill) for fill in PLAIN}
    root = nn.Module()
    root.p = nn.Parameter(torch.ones(3))
    root.register_buffer("b", torch.ones(3))
    made["constant_and_parameter"] = lambda: graph_module(constant_and_parameter, root)
    holder = nn.Module()
    holder.register_buffer("b", torch.ones(3))
    holder.register_buffer("two", torch.arange(6.0).view(2, 3).t())
    made["unchanged_buffers"] = lambda: graph_module(unchanged_buffers, holder)
    made["Masks"] = lambda: torch.fx.symbolic_trace(Masks())
    return made
