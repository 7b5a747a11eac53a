"""Functions, closures, generators, decorators, containers and text."""
import copy
import enum
import itertools
import operator
from collections import namedtuple
from dataclasses import dataclass, field
from functools import lru_cache, partial, reduce, wraps
from typing import List, NamedTuple, Optional, Tuple

import torch
import torch.fx
import torch.nn.functional as F
from torch import Tensor, nn

try:
    import a_module_that_nobody_has

    HAS = True
except ImportError:
    HAS = False


class Kind(enum.Enum):
    ADD = "add"
    MUL = "mul"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Config:
    width: int = 4
    kinds: List[Kind] = field(default_factory=lambda: [Kind.ADD, Kind.MUL])
    name: Optional[str] = None

    def __post_init__(self):
        self.name = self.name or f"net{self.width:03d}"


class Row(NamedTuple):
    out: int
    act: str = "relu"


Pair = namedtuple("Pair", ["a", "b"], defaults=[7])


@torch.fx.wrap
def opaque(x, n):
    return x * n


torch.fx.wrap("len")


def logged(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


class Functions(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        self.config = config or Config()
        rows = [Row(4), Row(out=4, act="tanh")]
        self.layers = nn.ModuleList(nn.Linear(r.out, r.out) for r in rows)
        self.acts = [getattr(torch, r.act) for r in rows]
        self.more = nn.ModuleList([copy.deepcopy(self.layers[0]) for _ in range(2)])

    @logged
    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, int]:
        for layer, act in zip(self.layers, self.acts):
            x = act(layer(x))
        for kind in self.config.kinds:
            match kind:
                case Kind.ADD:
                    x = x + fib(7)
                case Kind.MUL | None:
                    x = x * Level.HIGH
                case _:
                    raise ValueError(kind)
        total = sum(m(x) for m in self.more)
        first, *rest = itertools.chain([x], (total,))
        x = reduce(operator.add, rest, first)
        x = opaque(x, n=len(x))
        for i in evens(5):
            x = x - i
        if HAS:
            x = -x
        assert not HAS, f"{x} is here"
        return x, Pair(1).b


def plain(x, y=2, *rest, key=None, **named):
    z = (lambda a, b=y: a * b)(x)
    try:
        z = {}["missing"]
    except KeyError as error:
        z = z + len(str(error))
    with torch.no_grad():
        z = z.view(*[1, -1])
    words = "a,b,c".split(",")
    z = z[..., : len(words)]
    return [z, tuple(w.upper() for w in words), {"k": (z, None)}]


class Concrete(nn.Module):
    def forward(self, x, flag=False, k=3):
        if flag:
            x = torch.relu(x)
        for _ in range(k):
            x = x + 1
        return x


class Control(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


class Iterates(nn.Module):
    def forward(self, x):
        return [t + 1 for t in x]


TRACE = {"Functions": {}, "plain": {}, "Concrete": {"concrete": {"flag": True, "k": 2}}, "Control": {}, "Iterates": {}}
