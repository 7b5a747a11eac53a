# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of scripts whose outputs agree on the given inputs, what `lancet verify` says of them, and a word of it."""

from typing import Dict, Final, List, Optional

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


class Keeps(Layered):
    last: Optional[torch.Tensor]
    factor: Final[int]

    def __init__(self, factor):
        super().__init__(factor=factor)
        self.last = None

    def forward(self, x):
        last = self.last
        y = self.layer(x)
        if last is not None and bool(y.max() > 1e6):
            y = last * self.factor
        self.last = y
        return y


class Inside(nn.Module):
    """A script that was written again, as part of another."""

    def __init__(self, script):
        super().__init__()
        self.script = script

    def forward(self, x):
        return self.script(x)


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


class IfInIf(Layered):
    end: Final[float]

    def forward(self, x):
        y = x
        if bool(x.sum() > -1e9):
            if bool(x.max() > self.end):
                y = y * 2
        return y


class AsManyTimes(Layered):
    most: Final[int]

    def forward(self, x):
        y = x
        for _ in range(min(int(x.abs().max()), self.most)):
            y = y + 1
        return y


class CountsDown(nn.Module):
    def forward(self, i):
        y = torch.zeros(1)
        k = int(i[0])
        while k > 0:
            k -= 1
            y = y + k * 0.5
        return y


class CountsCalls(nn.Module):
    late: Final[bool]

    def __init__(self, late):
        super().__init__()
        self.late = late
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return x + (self.calls > 5).float() if self.late else x


class Divides(nn.Module):
    mode: Final[str]

    def __init__(self, mode):
        super().__init__()
        self.mode = mode

    def forward(self, a, b):
        return torch.div(a, b, rounding_mode=self.mode)


class OfAll(nn.Module):
    def forward(self, parts: List[torch.Tensor]):
        return torch.cat(parts, 1)


class OfTwo(nn.Module):
    def forward(self, parts: List[torch.Tensor]):
        return torch.cat([parts[0], parts[1]], 1)


class MaybeAdds(nn.Module):
    def forward(self, x, y: Optional[torch.Tensor] = None):
        return x if y is None else x + y


class NeverAdds(nn.Module):
    def forward(self, x, y: Optional[torch.Tensor] = None):
        return x


class Shape(nn.Module):
    def forward(self, x):
        return x.shape


class Takes(nn.Module):
    def forward(self, i):
        return torch.arange(int(i.max())).sum() + torch.bincount(i).sum()


def pairs_of_further_inputs():
    """Pairs that only other inputs than the given ones tell apart, or that trials of anything would take for other or hang at."""
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(1))
    few = torch.tensor([3, 1, 2])
    yield "branch: in a branch", IfInIf(end=50.0), IfInIf(end=90.0), (x,), "inconclusive", "any", ""
    yield "loop: over a value", AsManyTimes(most=1000), AsManyTimes(most=20), (x,), "inconclusive", "any", ""
    yield "loop: ends for small numbers", CountsDown(), CountsDown(), (few,), "equal", "any", ""
    yield "state: the sixth call", CountsCalls(True), CountsCalls(False), (x,), "inconclusive", "other_data", "call 6"
    yield "integers: both negative", Divides("floor"), Divides("trunc"), (torch.tensor([[7, 8]]), torch.tensor([[2, 3]])), "inconclusive", "any", ""
    yield "list: a longer one", OfAll(), OfTwo(), ([x, x + 1],), "inconclusive", "other_sizes", "a longer list"
    yield "optional: given", MaybeAdds(), NeverAdds(), (x,), "inconclusive", "other_data", "branches are left out"
    yield "structure: a shape is a list", Shape(), Shape(), (x,), "equal", "any", ""
    yield "sizes of values: bounded", Takes(), Takes(), (few,), "equal", "any", ""


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
    yield "remark: a default", Default(), OtherDefault(), (x, 5), "inconclusive", "not_run", "default of input k is 2 in A, 3 in B"
    yield "remark: an attribute", Counts(1), Counts(2), (x,), "equal", "any", "attributes differ (count)"
    yield "inside another: the same", Keeps(2), Inside(Keeps(2)), (x,), "equal", "any", ""
    yield "inside another: a branch", Keeps(2), Inside(Keeps(3)), (x,), "inconclusive", "other_branch", "script"
    yield "in place: a copy", InPlace(), OutOfPlace(), (x,), "equal", "any", ""
    yield "in place: a copy, in B", OutOfPlace(), InPlace(), (x,), "equal", "any", ""
    yield "in place: the input", WritesInput(), CopiesInput(), (x,), "different", "other_inputs", "input x differs"
    dropouts = [nn.Sequential(nn.Linear(8, 8), nn.Dropout(p)) for p in (0.1, 0.2)]
    yield "dropout: active in both", *dropouts, (x,), "different", "beyond_tolerance", ""
    yield from pairs_of_further_inputs()
