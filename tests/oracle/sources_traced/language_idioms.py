"""Class decorators, metaclasses, overloads, match, walrus, forwarding, generators, contexts, descriptors."""

import abc, copy, enum, functools, inspect, itertools, math, operator, contextlib, types
from collections import OrderedDict, defaultdict, namedtuple, Counter, deque
from dataclasses import dataclass, field
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    List,
    Literal,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
    TYPE_CHECKING,
)
import torch
from torch import nn, Tensor
import torch.nn.functional as F


# class decorator adding methods & wrapping init
def residual(cls=None, *, scale=1.0):
    def deco(c):
        old = c.forward

        def forward(self, x, *a, **k):
            return x + scale * old(self, x, *a, **k)

        c.forward = forward
        c.__residual__ = True
        return c

    return deco if cls is None else deco(cls)


@residual
class RA(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        return self.l(x)


@residual(scale=0.5)
class RB(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x, *, gain=2):
        return self.l(x) * gain


class ClassDecorated(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = RA(), RB()

    def forward(self, x):
        return self.b(self.a(x), gain=3) + int(RA.__residual__)


# metaclass: auto registration and __call__ hook
class Meta(type):
    registry = {}

    def __new__(mcs, name, bases, ns, **kw):
        ns.setdefault("alias", name.lower())
        cls = super().__new__(mcs, name, bases, ns)
        if bases:
            mcs.registry[ns["alias"]] = cls
        return cls

    def __call__(cls, *a, **k):
        obj = super().__call__(*a, **k)
        if hasattr(obj, "post_init"):
            obj.post_init()
        return obj


class AutoModule(nn.Module, metaclass=Meta):
    pass


class Left(AutoModule):
    alias = "l"

    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)

    def post_init(self):
        nn.init.constant_(self.lin.bias, 0.25)

    def forward(self, x):
        return self.lin(x).relu()


class Right(AutoModule):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)

    def forward(self, x):
        return self.lin(x).tanh()


class MetaNet(AutoModule):
    def __init__(self):
        super().__init__()
        for k in sorted(n for n in Meta.registry if n in ("l", "right")):
            setattr(self, f"m_{k}", Meta.registry[k](4))

    def forward(self, x):
        for name, child in self.named_children():
            x = child(x)
        return x


# overloads & protocols & generics
T = TypeVar("T", bound=nn.Module)


class Block(Protocol):
    def __call__(self, x: Tensor) -> Tensor: ...
class Stack(nn.Module, Generic[T]):
    def __init__(self, make: Callable[[], T], n: int):
        super().__init__()
        self.items = nn.ModuleList([make() for _ in range(n)])

    @overload
    def __getitem__(self, i: int) -> T: ...
    @overload
    def __getitem__(self, i: slice) -> List[T]: ...
    def __getitem__(self, i):
        return list(self.items)[i] if isinstance(i, slice) else self.items[i]

    def __len__(self):
        return len(self.items)

    def forward(self, x):
        return functools.reduce(lambda v, m: m(v), self[:-1], x) + self[-1](x)


class Overloads(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack: Stack[nn.Linear] = Stack[nn.Linear](lambda: nn.Linear(3, 3), 3)

    def forward(self, x):
        return self.stack(x) * len(self.stack)


# match statements
@dataclass
class Conv:
    out: int
    k: int = 3


@dataclass
class Pool:
    kind: str = "max"


class MatchNet(nn.Module):
    def __init__(self, spec=(("act", "relu"), {"op": "conv", "out": 4}, Conv(6), Pool(), Pool("avg"), 2, None)):
        super().__init__()
        mods, c = [], 3
        for s in spec:
            match s:
                case ("act", name):
                    mods.append({"relu": nn.ReLU, "gelu": nn.GELU}[name]())
                case {"op": "conv", "out": int(n), **rest}:
                    mods.append(nn.Conv2d(c, n, rest.get("k", 1)))
                    c = n
                case Conv(out=o, k=k) if k > 1:
                    mods.append(nn.Conv2d(c, o, k, padding=k // 2))
                    c = o
                case Pool("max" | "min"):
                    mods.append(nn.MaxPool2d(2))
                case Pool(kind=kind):
                    mods.append(nn.AvgPool2d(2))
                    self.kind = kind
                case int() | float() as v:
                    mods.append(nn.Upsample(scale_factor=v))
                case _:
                    mods.append(nn.Identity())
        self.net = nn.Sequential(*mods)

    def forward(self, x, mode="sum"):
        y = self.net(x)
        match mode, y:
            case "sum", t:
                return t.sum((2, 3))
            case _:
                return y


# walrus
class Walrus(nn.Module):
    def __init__(self):
        super().__init__()
        self.ls = nn.ModuleList()
        d = 3
        while (d := d + 1) < 7:
            self.ls.append(nn.Linear(d, d + 1))
        self.total = sum(w for l in self.ls if (w := l.in_features) % 2 == 0)
        self.last = w if (w := self.ls[-1].out_features) else 0

    def forward(self, x):
        ys = [y := l(x if i == 0 else y) for i, l in enumerate(self.ls)]
        if (n := len(ys)) > 2:
            return ys[-1] * n + self.total + self.last
        return ys[0]


# args/kwargs forwarding
class Inner(nn.Module):
    def __init__(self, a, b, /, c=1, *rest, d, **more):
        super().__init__()
        self.k = (a, b, c, *rest, d, *sorted(more.items()))
        self.l = nn.Linear(a, b)

    def forward(self, x, *ys, scale=1.0, **kw):
        out = self.l(x) * scale
        for y in ys:
            out = out + y
        return out - sum(kw.values()) if kw else out


class Fwd(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.inner = Inner(*args or (4, 4), **{"d": 5, "z": 1, "y": 2} | kwargs)

    def call(self, *args, **kwargs):
        return self.inner(*args, **kwargs)

    def forward(self, x, y, *, z=None):
        kw = dict(scale=2.0)
        kw.update(q=1, r=y)
        a = self.call(x, *(y, x), **kw)
        return self.call(a, **({} if z is None else {"z": z})) + len(self.inner.k)


# generators and itertools
def chunks(seq, n):
    it = iter(seq)
    while chunk := list(itertools.islice(it, n)):
        yield chunk


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList(nn.Linear(4, 4) for _ in range(5))
        self.s = list(itertools.accumulate([1, 2, 3]))

    def walk(self, x):
        for group in chunks(self.l, 2):
            for l in group:
                x = l(x)
            got = yield x
            if got:
                x = x * got
        return x

    def forward(self, x):
        g = self.walk(x)
        out = [next(g)]
        try:
            while True:
                out.append(g.send(2))
        except StopIteration as e:
            last = e.value
        return torch.stack(out).sum(0) + last * self.s[-1]


# enums, namedtuple outputs
class Mode(str, enum.Enum):
    A = "a"
    B = "b"

    @property
    def n(self):
        return list(type(self)).index(self) + 1


class Out(NamedTuple):
    logits: Tensor
    hidden: Optional[Tensor] = None

    def scaled(self, k):
        return self._replace(logits=self.logits * k)


class EnumNet(nn.Module):
    def __init__(self, mode=Mode.B):
        super().__init__()
        self.mode = Mode(mode)
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        o = Out(self.l(x), hidden=x).scaled(self.mode.n)
        if self.mode is Mode.A:
            return o.hidden
        a, b = o
        return a + b, o._asdict()["logits"], f"{self.mode.value}"


# context managers
@contextlib.contextmanager
def swapped(mod, **kw):
    old = {k: getattr(mod, k) for k in kw}
    for k, v in kw.items():
        setattr(mod, k, v)
    try:
        yield mod
    finally:
        for k, v in old.items():
            setattr(mod, k, v)


class Ctx(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = 0.5
        self.l = nn.Linear(4, 4)

    def inner(self, x):
        return F.dropout(self.l(x), self.p, training=True) * self.p

    def forward(self, x):
        with swapped(self, p=0.25) as m, contextlib.nullcontext(3) as k, torch.no_grad():
            y = m.inner(x) * k
        with contextlib.suppress(KeyError):
            {}["a"]
        return y + self.inner(x)


# descriptors, __getattr__, slots, property setters
class Clamped:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, t=None):
        return self if o is None else getattr(o, self.n)

    def __set__(self, o, v):
        setattr(o, self.n, max(0, min(v, 10)))


class Desc(nn.Module):
    width = Clamped()

    def __init__(self):
        super().__init__()
        self.width = 42
        self.l = nn.Linear(4, self.width)
        self._g = 1.5

    @property
    def gain(self):
        return self._g

    @gain.setter
    def gain(self, v):
        self._g = float(v)

    def __getattr__(self, name):
        if name.startswith("lin_"):
            return lambda x: super(Desc, self).__getattr__("l")(x) * int(name[4:])
        return super().__getattr__(name)

    def forward(self, x):
        self.gain = 3
        return self.lin_2(x) * self.gain + self.width


TRACE = {n: {} for n in "ClassDecorated MetaNet Overloads MatchNet Walrus Fwd Gen EnumNet Ctx Desc".split()}
TRACE["MatchNet"] = {"concrete": {"mode": "sum"}}
TRACE["Fwd"] = {"concrete": {"z": None}}
