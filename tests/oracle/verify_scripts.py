# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of scripts whose outputs agree on the given inputs, what `lancet verify` says of them, and a word of it."""

from typing import Dict, Final

import torch
from torch import nn


class Layered(nn.Module):
    def __init__(self, **constants):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(8, 8)
        for name, value in constants.items():
            setattr(self, name, value)


class Branch(Layered):
    end: Final[float]
    factor: Final[int]

    def forward(self, x):
        y = self.layer(x)
        if bool(y.max() > self.end):
            y = y * self.factor
        return y


class Plain(Layered):
    def forward(self, x):
        return self.layer(x)


class OfSize(Layered):
    def forward(self, x):
        y = self.layer(x)
        if x.size(0) == 7:
            y = y * 2
        return y


class Loop(nn.Module):
    most: Final[int]

    def __init__(self, most):
        super().__init__()
        self.most = most

    def forward(self, x):
        n = 0
        while bool(x.abs().max() > 1) and n < self.most:
            x = x / 2
            n += 1
        return x


class Word(nn.Module):
    factor: Final[int]

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x, mode: str):
        if mode == "a":
            return x
        if mode == "b":
            return x * self.factor
        return x * 3


class Key(nn.Module):
    def forward(self, d: Dict[str, torch.Tensor]):
        s = d["a"]
        if "b" in d:
            s = s * d["b"]
        return s


class NoKey(nn.Module):
    def forward(self, d: Dict[str, torch.Tensor]):
        return d["a"]


class Raises(Layered):
    def forward(self, x):
        if x.size(0) > 10:
            raise ValueError("too many rows")
        return self.layer(x)


class Asserts(Layered):
    def forward(self, x):
        assert bool((x < 100).all()), "too large"
        return self.layer(x)


class TimesInput(nn.Module):
    def forward(self, x, k: int):
        return x * k


class TimesThree(nn.Module):
    def forward(self, x, k: int):
        return x * 3


class InTuple(Layered):
    def forward(self, x):
        return (self.layer(x), x)


class InList(Layered):
    def forward(self, x):
        return [self.layer(x), x]


class Encodes(Layered):
    factor: Final[int]

    def forward(self, x):
        return self.layer(x)

    @torch.jit.export
    def encode(self, x):
        return self.layer(x) * self.factor


class Default(Layered):
    def forward(self, x, k: int = 2):
        return self.layer(x) * k


class OtherDefault(Layered):
    def forward(self, x, k: int = 3):
        return self.layer(x) * k


class Counts(Layered):
    step: Final[int]

    def __init__(self, step):
        super().__init__(step=step)
        self.count = 0

    def forward(self, x):
        self.count = self.count + self.step
        return self.layer(x)


class InPlace(nn.Module):
    def forward(self, x):
        return x.clone().add_(1).mul_(2)


class OutOfPlace(nn.Module):
    def forward(self, x):
        return (x + 1) * 2


class WritesInput(Layered):
    def forward(self, x):
        x.add_(1)
        return self.layer(x)


class CopiesInput(Layered):
    def forward(self, x):
        x = x + 1
        return self.layer(x)


class Where(Layered):
    def forward(self, x):
        y = self.layer(x)
        return y * (1 + (y.max() > 0).float())


class If(Layered):
    def forward(self, x):
        y = self.layer(x)
        if bool(y.max() > 0):
            y = y * 2
        return y


def pairs():
    """Name, A, B, inputs, verdict, code ("any"), a word that the answer has."""
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(1))
    never, branch = lambda factor: Branch(end=1e6, factor=factor), lambda end: Branch(end=end, factor=2)
    yield "branch: never taken", never(2), never(3), (x,), "inconclusive", "any", "y0"
    yield "branch: the same", never(2), never(2), (x,), "equal", "any", ""
    yield "branch: another threshold", branch(50.0), branch(60.0), (x,), "inconclusive", "any", "gt"
    yield "branch: of a size", OfSize(), Plain(), (x,), "inconclusive", "other_branch", "y0"
    yield "branch: both sides seen", If(), Where(), (x,), "equal", "any", ""
    yield "loop: another end", Loop(100), Loop(50), (x,), "inconclusive", "other_branch", "loop_block"
    yield "string: another one", Word(2), Word(5), (x, "a"), "inconclusive", "other_branch", "if_block"
    yield "dict: a key", Key(), NoKey(), ({"a": x},), "inconclusive", "other_branch", ""
    yield "check: raises in A", Raises(), Plain(), (x,), "inconclusive", "other_branch", "raise"
    yield "check: asserts in B", Plain(), Asserts(), (x,), "inconclusive", "other_branch", "raise"
    yield "check: asserts in both", Asserts(), Asserts(), (x,), "equal", "any", ""
    yield "number: an input", TimesInput(), TimesThree(), (x, 3), "inconclusive", "not_reached", "mul"
    yield "structure: tuple and list", InTuple(), InList(), (x,), "different", "not_comparable", "a list of 2 in B"
    yield "remark: another method", Encodes(factor=2), Encodes(factor=3), (x,), "equal", "any", "forward differ (encode)"
    yield "remark: a default", Default(), OtherDefault(), (x, 5), "equal", "any", "default of input k is 2 in A, 3 in B"
    yield "remark: an attribute", Counts(1), Counts(2), (x,), "equal", "any", "attributes differ (count)"
    yield "in place: a copy", InPlace(), OutOfPlace(), (x,), "equal", "any", ""
    yield "in place: a copy, in B", OutOfPlace(), InPlace(), (x,), "equal", "any", ""
    yield "in place: the input", WritesInput(), CopiesInput(), (x,), "different", "other_inputs", "input x differs"
    dropouts = [nn.Sequential(nn.Linear(8, 8), nn.Dropout(p)) for p in (0.1, 0.2)]
    yield "dropout: active in both", *dropouts, (x,), "different", "beyond_tolerance", ""
