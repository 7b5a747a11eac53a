"""Flags, automatic values, named tuples, abstract classes, match with rests, and the order of what a trace keeps."""
import abc
import enum
from collections import namedtuple
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Flags(enum.Flag):
    SE = enum.auto()
    DROP = enum.auto()
    NORM = enum.auto()
    BOTH = SE | DROP


class Stage(enum.IntEnum):
    C2 = 2
    C3 = enum.auto()
    C4 = C3 + 1
    LAST = 4


class Act(enum.Enum):
    RELU = "relu"
    SILU = "silu"

    @classmethod
    def _missing_(cls, value):
        return cls(value.lower()) if value != value.lower() else None


Spec = namedtuple("Spec", "width depth", defaults=(2,))


class Parts(NamedTuple):
    mean: torch.Tensor
    scale: torch.Tensor


class FlagNet(nn.Module):
    def __init__(self, flags=Flags.BOTH, act="RELU"):
        super().__init__()
        self.act = F.relu if Act(act) is Act.RELU else F.silu
        self.count = len(list(flags)) + len(list(Flags))
        self.fc = nn.Linear(4, 4) if Flags.SE in flags else nn.Identity()
        self.drop = nn.Dropout(0.1) if flags & Flags.DROP else None
        self.norm = nn.LayerNorm(4) if Flags.NORM in ~flags else None
        self.plain = not (flags & Flags.NORM) and Stage.LAST is Stage.C4 and len(Stage) == 3
        self.width = 1 << (Stage.C4 - Stage.C2)

    def forward(self, x):
        x = self.act(self.fc(x)) * self.count
        if self.drop is not None:
            x = self.drop(x)
        if self.norm is not None:
            x = self.norm(x)
        return x + self.width if self.plain else x


class RecordNet(nn.Module):
    def __init__(self, spec=Spec(4)):
        super().__init__()
        wider = spec._replace(width=spec.width * 2)
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in ((spec.width, wider.width), (wider.width, spec.width)))
        self.names = Spec._fields
        self.made = Spec._make([1, 2])

    def forward(self, x):
        parts = Parts(self.layers[1](self.layers[0](x)), scale=x.abs())
        return parts._asdict(), parts._replace(scale=x), self.names, self.made.depth


class Base(nn.Module, abc.ABC):
    @abc.abstractmethod
    def encode(self, x): ...

    @property
    @abc.abstractmethod
    def size(self): ...

    def forward(self, x):
        return self.encode(x) * self.size


class HalfDone(Base):
    size = 3


class Done(HalfDone):
    def encode(self, x):
        return x.relu()


class Chooser(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.way = way

    def forward(self, x):
        match self.way:
            case {"kind": "scale", **rest}:
                return x * sum(rest.values())
            case [first, *middle, last]:
                return x * first + len(middle) - last
            case Spec(width, depth=d):
                return x * width + d
            case _:
                return x


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)) * self.weight


class Gated(nn.Module):
    """Used in another order than made, with a module that is followed and has a parameter of its own."""

    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(4, 8)
        self.w2 = nn.Linear(8, 4)
        self.w3 = nn.Linear(4, 8)
        self.norm = RMSNorm(4)
        self.p = nn.ParameterDict({key: nn.Parameter(torch.randn(4)) for key in ("b", "a")})

    def forward(self, x):
        x = self.norm(x) + self.p["a"] + self.p["b"]
        return self.w2(F.silu(self.w1(x)) * self.w3(x)), callable(x)


class Scales(nn.Module):
    def __init__(self):
        super().__init__()
        steps = np.array([1.0, 2.0, 4.0]) * 2
        self.scales = [float(each) for each in steps] + [float(steps.max()), float(np.eye(3).astype(int).sum())]

    def forward(self, x):
        for scale in self.scales:
            x = x * scale
        return x


def deletes(x):
    del x[0]
    return x


def too_many(x):
    return F.relu(x, True, 3, 4)


def scaled(x, k=2):
    return x * k


def too_many_of_own(x):
    return scaled(x, 1, 2)


def sizes_one_by_one(x):
    return torch.zeros(x.size(0), 3)


def sizes_in_a_list(x):
    return torch.zeros((x.size(0), 3)), torch.ones(2, x.size(1)), torch.empty(x.size(0))


def constants_of_constants(x):
    return x + torch.eye(3).flatten()[None], torch.arange(3).view(3, 1) * x, x - (torch.full((2,), 3.5) + 1).sum()


def in_bytes(x):
    return x, b"x"


TRACE = {
    "FlagNet": {},
    "FlagNet(Flags.SE | Flags.NORM, act='silu')": {},
    "RecordNet": {},
    "Base()": {},
    "HalfDone()": {},
    "Done": {},
    "Chooser({'kind': 'scale', 'a': 2, 'b': 3})": {},
    "Chooser([1, 2, 3, 4])": {},
    "Chooser(Spec(3))": {},
    "Chooser(None)": {},
    "Gated": {},
    "Scales": {},
    "deletes": {},
    "too_many": {},
    "too_many_of_own": {},
    "sizes_one_by_one": {},
    "sizes_in_a_list": {},
    "constants_of_constants": {},
    "in_bytes": {},
}
