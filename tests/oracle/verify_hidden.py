# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of models that agree on inputs that users give, and that other sizes, other data or more calls tell apart, or do not.

Each pair is `(name, A, B, inputs)` as in verify_pairs; inputs may also be tensors by name, and models exported programs.
"""

import torch
from torch import nn
from torch.export import Dim, export

from verify_cuts import both
from verify_pairs import call, functional, traced

IMAGE, ROWS = {"x": "2x3x8x8"}, {"x": "2x8x8"}


class OfTwo(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


class Counted(nn.Module):
    """What it does depends on a buffer that each call changes."""

    def __init__(self, function, start):
        super().__init__()
        self.function = function
        self.register_buffer("n", torch.tensor(start))

    def forward(self, x):
        return self.function(self.n, x)


class Kernels(nn.Module):
    def __init__(self, last):
        super().__init__()
        torch.manual_seed(2)
        self.convs = nn.Sequential(*(nn.Conv2d(3, 3, 3, 2, 1) for _ in range(3)))
        self.last = last

    def forward(self, x):
        return self.last(self.convs(x))


def two(a, b, x, y):
    return traced(OfTwo(a)), traced(OfTwo(b)), {"x": x, "y": y}


def exported(function_a, function_b, start=0.0, shape=(2, 6)):
    x = torch.randn(shape)
    models = (export(Counted(function, start).eval(), (x,)) for function in (function_a, function_b))
    return (*models, {"x": "x".join(map(str, shape))})


def of_sizes(a, b, function=torch.sin):
    """The same program, exported for different sizes of an input of 4×6."""

    class Plain(nn.Module):
        def forward(self, x):
            return function(x)

    x = torch.randn(4, 6)
    return export(Plain(), (x,), dynamic_shapes=a), export(Plain(), (x,), dynamic_shapes=b), {"x": x}


def fixed_sizes(a, b):
    """Two programs, exported for 4×6 alone."""
    return of_sizes(None, None, a)[0], *of_sizes(None, None, b)[1:]


def wide(x):
    return functional.conv2d(x, torch.ones(2, 3, 4, 4) / 48, stride=4)


def after(change, result):
    """`change` alters the buffer before it is used."""

    def function(n, x):
        change(n, x)
        return result(n, x)

    return function


def count(n, x):
    n.add_(1)


def smallest(n, x):
    n.copy_(torch.minimum(n, x.min()))


def wrong():
    # sizes that are equal by chance
    yield "sizes: mean of a row by the other size", *both(lambda m, x: x.sum(-1) / x.size(-1), lambda m, x: x.sum(-1) / x.size(-2), ROWS)
    yield "sizes: mean of an image by its height squared", *both(lambda m, x: x.mean((2, 3)), lambda m, x: x.sum((2, 3)) / x.size(2) ** 2, IMAGE)
    yield "sizes: rows of the other length", *both(lambda m, x: x[:, : x.size(2)].sum(1), lambda m, x: x[:, : x.size(1)].sum(1), ROWS)
    yield "sizes: batch for length", *both(lambda m, x: x.cumsum(1) / x.size(0), lambda m, x: x.cumsum(1) / x.size(1), {"x": "4x4x6"})
    yield "sizes: columns counted by the height", *both(lambda m, x: x + torch.arange(x.size(3)) / x.size(3), lambda m, x: x + torch.arange(x.size(3)) / x.size(2), IMAGE)
    yield "sizes: length of the other input", *two(lambda x, y: y.sum(1) / y.size(1) + x.mean(1), lambda x, y: y.sum(1) / x.size(1) + x.mean(1), "2x5x4", "2x5x4")
    yield "sizes: keys cut to the queries", *two(lambda x, y: (x @ y.mT).softmax(-1) @ y, lambda x, y: (x @ y[:, : x.size(1)].mT).softmax(-1) @ y[:, : x.size(1)], "2x4x6", "2x4x6")
    yield "sizes: mask from the other corner", *both(lambda m, x: x.tril(0), lambda m, x: x.tril(x.size(2) - x.size(1)), ROWS)
    # one window
    yield "one window: chunks added", *both(lambda m, x: x.unflatten(1, (-1, 8)).sum(1), lambda m, x: x.unflatten(1, (-1, 8)).amax(1), {"x": "2x8x3"})
    yield "one window: patches in another order", *both(lambda m, x: wide(x).flatten(1), lambda m, x: wide(x).permute(0, 2, 3, 1).flatten(1), {"x": "2x3x4x4"})
    yield "one window: pooled again", *both(lambda m, x: functional.avg_pool2d(x, 4).amax((2, 3)), lambda m, x: functional.avg_pool2d(x, 4).mean((2, 3)), {"x": "1x3x4x4"})
    yield "one window: behind strides", traced(Kernels(nn.AdaptiveMaxPool2d(1))), traced(Kernels(nn.AdaptiveAvgPool2d(1))), {"x": "1x3x8x8"}
    yield "one window: frames turned", *both(lambda m, x: x.unflatten(1, (-1, 6)).flip(1).flatten(1, 2), lambda m, x: x.unflatten(1, (-1, 6)).flatten(1, 2), {"x": "2x6x3"})
    # written into an input
    inside = {"x": torch.rand(3, 6)}
    yield "input: clamped in place", *both(lambda m, x: x.clamp_(max=2.0).sin(), lambda m, x: x.clamp(max=2.0).sin(), inside)
    yield "input: leaky in place", *both(lambda m, x: functional.leaky_relu(x, 0.1, True).sum(-1), lambda m, x: functional.leaky_relu(x, 0.1).sum(-1), inside)
    yield "input: filled where nothing is to be", *two(lambda x, y: x.masked_fill_(y, 2.0).exp(), lambda x, y: x.masked_fill(y, 2.0).exp(), torch.rand(3, 6), torch.zeros(3, 6, dtype=torch.bool))
    # states
    yield "state: longer warm-up", *exported(after(count, lambda n, x: x * n.clamp(max=30)), after(count, lambda n, x: x * n.clamp(max=40)))
    yield "state: another branch after many calls", *exported(after(count, lambda n, x: torch.where(n > 100, x, x * 2)), after(count, lambda n, x: x * 2))
    yield "state: least so far", *exported(after(smallest, lambda n, x: x - n), after(smallest, lambda n, x: x - x.min()), 1e9)
    # sizes of exports
    yield "export: for one batch only", *of_sizes(({0: Dim("b")},), None)
    yield "export: for short inputs only", *of_sizes(({1: Dim("t", max=64)},), ({1: Dim("t", max=16)},))


def right():
    yield "sizes: size and shape", *both(lambda m, x: x.sum(-1) / x.size(-1), lambda m, x: x.sum(-1) / x.shape[2], ROWS)
    yield "sizes: product of both", *both(lambda m, x: x.sum((2, 3)) / (x.size(2) * x.size(3)), lambda m, x: x.sum((3, 2)) / (x.size(3) * x.size(2)), IMAGE)
    yield "one window: mean and pooling", traced(Kernels(nn.AdaptiveAvgPool2d(1))), traced(Kernels(call(lambda m, x: x.mean((2, 3), keepdim=True)))), {"x": "1x3x8x8"}
    yield "input: a copy in place", *both(lambda m, x: x.clone().clamp_(max=0.5), lambda m, x: x.clamp(max=0.5), {"x": torch.rand(3, 6)})
    yield "state: counted alike", *exported(after(count, lambda n, x: x * n.clamp(max=30)), after(count, lambda n, x: torch.minimum(n, torch.tensor(30.0)) * x))
    yield "export: a literal for a fixed size", *fixed_sizes(lambda x: x.mean(1), lambda x: x.sum(1) / 6)
    yield "export: a place for a fixed size", *fixed_sizes(lambda x: x[-2:], lambda x: x[2:])
    yield "export: symbols of other names", *of_sizes(({0: Dim("b")},), ({0: Dim("batch")},))
    yield "export: for more sizes", *of_sizes(None, ({0: Dim("b"), 1: Dim("t")},))
