# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters, defaults, annotations, results, and inputs and outputs in containers (pytree code)."""

import collections
import typing
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor, nn
from torch.fx import PH, symbolic_trace

from corpus.support import Color, Pair, Plain, graph_module

ANNOTATIONS = {
    "tensor": [Tensor, torch.nn.Parameter, nn.Module, torch.LongTensor],
    "builtin": [int, float, str, bool, list, dict, tuple, object, bytes, complex, set],
    "none": [None, type(None)],
    "typing": [List[Tensor], Dict[str, Tensor], Tuple[int, str], Any, Sequence[int], List[List[int]],
               typing.Iterable[Tensor], typing.FrozenSet[int]],
    "typing_bare": [List, Dict, Tuple, typing.Type, typing.Hashable],
    "optional": [Optional[int], Optional[Tensor], Optional[List[Tensor]], Union[int, str], Union[int, None, str]],
    "pipes": [int | None, int | str | Tensor, list[int] | None, Tensor | list[Tensor]],
    "generic": [list[Tensor], dict[str, int], tuple[int, str], set[int], list[dict[str, list[int]]], type[int]],
    "ellipsis": [Tuple[int, ...], tuple[Tensor, ...]],
    "empty_tuple": [Tuple[()], tuple[()]],
    "torch": [torch.device, torch.dtype, torch.Size, torch.layout, torch.memory_format, torch.Generator],
    "user": [Plain, Color, Pair, collections.OrderedDict, collections.abc.Mapping],
    "inner_class": [Plain.Inner],
    "callable_bare": [Callable, collections.abc.Callable],
    "mixed": [typing.Optional[Dict[str, List[Tuple[int, Tensor]]]]],
    "typing_named": [typing.NamedTuple, typing.Text, typing.Deque[int], typing.DefaultDict[str, int]],
}
DEFAULTS = {
    "plain": [1, 2.5, None, True, "text", "it's", -1, 1e-5, float("inf"), float("-inf"), float("nan"), 10**20, -0.0],
    "containers": [(), (1, 2), [], [1, [2]], {}, {"a": 1}, (1,), ((),)],
    "torch": [torch.float32, torch.device("cpu"), torch.device("cuda", 1), torch.strided, torch.channels_last],
    "python": [..., 1j, b"bytes", slice(1, 2), range(3)],
    "size": [torch.Size([1, 2])],
}


def annotated(types, where):
    def fill(graph):
        nodes = [graph.placeholder(f"x{i}", type_expr=type) for i, type in enumerate(types)] if where == "input" else [
            graph.placeholder("x0")]
        node = graph.create_node("call_method", "sum", (nodes[0],), {}, type_expr=types[0] if where == "node" else None)
        graph.output(node, type_expr=types[0] if where == "result" else None)

    return graph_module(fill)


def defaults(values, typed):
    def annotation(value):
        return type(value) if typed and value is not ... and type(value).__module__ == "builtins" else None

    def fill(graph):
        nodes = [graph.placeholder("x", Tensor)]
        nodes += [graph.placeholder(f"d{i}", annotation(value), value) for i, value in enumerate(values)]
        graph.output(graph.call_method("take", tuple(nodes)))

    return graph_module(fill)


class Star(nn.Module):
    def forward(self, x, *args):
        return x + args[0], args


class Stars(nn.Module):
    def forward(self, x, k=1, *args, flag=True, **kwargs):
        return x * k + args[1] + kwargs["a"], flag, kwargs


class OnlyStars(nn.Module):
    def forward(self, *args, **kwargs):
        return args[0] + kwargs["k"]


class UnusedStars(nn.Module):
    def forward(self, x, *args, **kwargs):
        return x.relu()


class KeywordOnly(nn.Module):
    def forward(self, x: Tensor, *, scale: float = 2.0, bias: Optional[Tensor] = None, name="n") -> Tensor:
        return x * scale + bias


class PositionalOnly(nn.Module):
    def forward(self, x, y=2, /, z=3):
        return x + y * z


class Results(nn.Module):
    def forward(self, x) -> Dict[str, Tuple[Tensor, List[Tensor]]]:
        a, b = x.chunk(2)
        return {"first": (a, [b, a]), "it's": (b, []), "n": None, "number": 1.5}


class Nothing(nn.Module):
    def forward(self, x):
        pass


class Constant(nn.Module):
    def forward(self, x):
        return 3


class InputOnly(nn.Module):
    def forward(self, x, y):
        return x


class Unused(nn.Module):
    def forward(self, a, b, c: int, d=None, *, e=2):
        return c + 1


class SameTwice(nn.Module):
    def forward(self, x):
        y = x.relu()
        return y, y, [x, y], (y,), {"a": y}


class NamedResult(nn.Module):
    def forward(self, x) -> Pair:
        return Pair(x.relu(), [x])


class Containers(nn.Module):
    def forward(self, x, d, flag, pair):
        return {"out": x + d["a"], "same": d["b"], "list": [pair[0], (pair[1], x)]}


class Optionals(nn.Module):
    def forward(self, x, mask=None, scale=1.0, mode="sum", use=True):
        x = x + 1 if mask is None else x + mask
        return x * scale if use is True else x.take(scale, mode, use)


def nothing(graph):
    """An empty graph: the body is `pass`."""


def only_output(graph):
    graph.output(None)


def no_output(graph):
    x = graph.placeholder("x")
    graph.call_function(torch.relu, (graph.call_function(torch.neg, (x,)),))


def no_inputs(graph):
    graph.output((1, 2.5, "three", None, [], {}))


def dead_nodes(graph):
    x = graph.placeholder("x")
    graph.placeholder("unused", default_value=None)
    y = graph.call_function(torch.relu, (x,))
    graph.call_function(torch.neg, (y,))
    graph.call_method("dead", (graph.call_function(torch.abs, (x,)),))
    graph.call_function(getattr, (x, "shape"))
    graph.output(y)


def stars_in_a_graph(graph):
    x = graph.placeholder("x")
    args, kwargs = graph.placeholder("*args"), graph.placeholder("**kwargs")
    graph.output(graph.call_method("take", (x, args, kwargs)))


def stars_annotated(graph):
    x = graph.placeholder("x", Tensor)
    args = graph.placeholder("*rest", type_expr=int)
    graph.output(graph.call_method("take", (x, args)), type_expr=List[Tensor])


def keyword_inputs(graph):
    nodes = [graph.placeholder(name, type_expr=Tensor) for name in ("input", "len", "sum", "x_1", "x")]
    graph.output(graph.call_function(torch.stack, (nodes,)))


ALL = {"x": PH, "d": PH, "flag": PH, "pair": PH}
PYTREES = {
    "dict": lambda: {"x": PH, "d": {"a": PH, "b": PH}, "flag": True, "pair": (PH, PH)},
    "flag_only": lambda: {**ALL, "flag": False},
    "pair": lambda: {**ALL, "pair": [PH, PH]},
    "numbers": lambda: {"x": PH, "d": {"a": PH, "b": 3}, "flag": 2.5, "pair": ("text", PH)},
    "nested": lambda: {**ALL, "d": {"b": PH, "a": [PH, (PH, {"z": PH})]}, "pair": [(PH,), PH]},
    "ordered": lambda: {**ALL, "d": collections.OrderedDict(b=PH, a=PH)},
    "named_tuple": lambda: {**ALL, "pair": Pair(PH, PH)},
    "empty": lambda: {**ALL, "flag": (), "pair": (PH, [])},
    "dtype": lambda: {**ALL, "flag": torch.float32, "pair": (PH, torch.device("cpu"))},
    "none": lambda: {**ALL, "pair": (None, PH)},
}
OPTIONALS = {"none": {"mask": None}, "text": {"mode": "mean", "use": False}, "use": {"use": True},
             "all": {"scale": 0.5, "mode": "sum", "use": True}, "number": {"scale": 3, "use": True},
             "placeholder": {"mask": PH, "use": True}}


def items():
    made = {}
    for name, types in ANNOTATIONS.items():
        for where in ("input", "result", "node"):
            made[f"annotation_{name}_{where}"] = lambda types=types, where=where: annotated(types, where)
    for name, values in DEFAULTS.items():
        made[f"defaults_{name}"] = lambda values=values: defaults(values, False)
        made[f"defaults_{name}_typed"] = lambda values=values: defaults(values, True)
    for cls in (Star, Stars, OnlyStars, UnusedStars, KeywordOnly, PositionalOnly, Results, Nothing, Constant, InputOnly,
                Unused, SameTwice, NamedResult):
        made[cls.__name__] = lambda cls=cls: symbolic_trace(cls())
    for fill in (nothing, only_output, no_output, no_inputs, dead_nodes, stars_in_a_graph, stars_annotated,
                 keyword_inputs):
        made[fill.__name__] = lambda fill=fill: graph_module(fill)
    for name, values in PYTREES.items():
        made[f"pytree_{name}"] = lambda values=values: symbolic_trace(Containers(), concrete_args=values())
    for name, values in OPTIONALS.items():
        made[f"concrete_{name}"] = lambda values=values: symbolic_trace(Optionals(), concrete_args=values)
    return made
