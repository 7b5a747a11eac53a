# SPDX-License-Identifier: GPL-3.0-or-later
"""What the models of the corpus use beyond PyTorch; loading a file imports this module."""

import enum
import typing

import torch
import torch.fx
from torch import nn


class Color(enum.Enum):
    RED = 1
    DARK_BLUE = "dark blue"


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 7


class Flag(enum.Flag):
    A = 1
    B = 2


class Pair(typing.NamedTuple):
    first: object
    second: object = 0


torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="corpus.support.Pair")


class Empty(typing.NamedTuple):
    pass


class Plain:
    """A class to annotate with."""

    class Inner:
        pass


@torch.fx.wrap
def wrapped_leaf(x, *args, **kwargs):
    return x


@torch.fx.wrap
def wrappedCamelCase(x):
    return x


def plain_function(x, scale=2):
    """Not wrapped: called for real when a file is loaded."""
    return x * scale + 1


class Leaf(nn.Module):
    """A module class that nobody else knows."""

    def __init__(self, size=3, note="note"):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size))
        self.note = {"note": note, "list": [1, 2.5, None], "tuple": (True, b"bytes")}
        self.register_buffer("steps", torch.tensor(3))

    def forward(self, x, *args, **kwargs):
        return x * self.weight


class CustomTracer(torch.fx.Tracer):
    """Stands in a file as its tracer class."""

    def is_leaf_module(self, module, path):
        return isinstance(module, (nn.ReLU, Leaf)) and super().is_leaf_module(module, path)


def graph_module(make, root=None):
    """A GraphModule from a function that fills a graph; `root` gives modules and tensors."""
    graph = torch.fx.Graph()
    make(graph)
    return torch.fx.GraphModule(root if root is not None else nn.Module(), graph)


def call_wrapped(graph, function, args, kwargs=None):
    """As the tracer notes a call of a function that torch.fx.wrap knows: loading records it again."""
    node = graph.call_function(function, args, kwargs)
    node.meta["is_wrapped"] = True
    return node


class Written:
    """A file whose writing is special: `write` gets the path."""

    def __init__(self, write):
        self.write_file = write
