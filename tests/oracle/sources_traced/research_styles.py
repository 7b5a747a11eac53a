"""Backbones as research repositories write them: config dicts, builders, stacked decorators, inheritance chains."""

import math, operator, copy, types, itertools, functools, collections, inspect, warnings, contextlib
import torch, torch.nn as nn, torch.nn.functional as F
from torch.nn import *
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.utils import _pair, _ntuple, _triple
from torch.nn.parameter import Parameter as P, UninitializedParameter
from collections import OrderedDict as OD
from dataclasses import dataclass, field, fields, astuple, is_dataclass, asdict
from enum import Enum, IntEnum, Flag, auto, unique, StrEnum
from functools import partial, singledispatchmethod, singledispatch, cached_property
from typing import NamedTuple, Generic, TypeVar, Callable, Iterable, Iterator, ClassVar, Literal, Self, get_args
from copy import deepcopy

Kind = Literal["conv", "depthwise", "ghost"]
T = TypeVar("T")


@unique
class Act(StrEnum):
    RELU = auto()
    SILU = "silu"

    @property
    def module(self):
        return {Act.RELU: nn.ReLU, Act.SILU: nn.SiLU}[self]

    @classmethod
    def parse(cls, s):
        return cls(s.lower())

    def __call__(self, **kw):
        return self.module(**kw)


class Stage(NamedTuple):
    expand: int
    out: int
    n: int = 1
    stride: int = 1
    act: Act = Act.RELU

    @property
    def strides(self):
        return [self.stride] + [1] * (self.n - 1)


@dataclass(eq=True, order=True, slots=True)
class Scale:
    width: float = 1.0
    depth: float = 1.0

    def __call__(self, c, divisor=8):
        new = max(divisor, int(c * self.width + divisor / 2) // divisor * divisor)
        return new + divisor if new < 0.9 * c * self.width else new

    def repeats(self, n):
        return int(math.ceil(n * self.depth))


def make_divisible(v: float, d: int = 8, min_value: int | None = None) -> int:
    if min_value is None:
        min_value = d
    new_v = max(min_value, int(v + d / 2) // d * d)
    return new_v + d if new_v < 0.9 * v else new_v


def autopad(k, p=None, d=1):
    if d > 1:
        k = d * (k - 1) + 1 if isinstance(k, int) else [d * (x - 1) + 1 for x in k]
    if p is None:
        p = k // 2 if isinstance(k, int) else [x // 2 for x in k]
    return p


class Conv(nn.Module):
    default_act = nn.SiLU()

    def __init__(self, c1, c2, k=1, s=1, p=None, g=1, d=1, act=True):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, autopad(k, p, d), groups=g, dilation=d, bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = self.default_act if act is True else act if isinstance(act, nn.Module) else nn.Identity()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))

    def forward_fuse(self, x):
        return self.act(self.conv(x))


class C2f(nn.Module):
    def __init__(self, c1, c2, n=1, shortcut=False, g=1, e=0.5):
        super().__init__()
        self.c = int(c2 * e)
        self.cv1 = Conv(c1, 2 * self.c, 1, 1)
        self.cv2 = Conv((2 + n) * self.c, c2, 1)
        self.m = nn.ModuleList(Bottleneck(self.c, self.c, shortcut, g, k=((3, 3), (3, 3)), e=1.0) for _ in range(n))

    def forward(self, x):
        y = list(self.cv1(x).chunk(2, 1))
        y.extend(m(y[-1]) for m in self.m)
        return self.cv2(torch.cat(y, 1))


class C2fSplit(C2f):
    def forward(self, x):
        y = list(self.cv1(x).split((self.c, self.c), 1))
        y.extend(m(y[-1]) for m in self.m)
        return self.cv2(torch.cat(y, 1))


class Bottleneck(nn.Module):
    def __init__(self, c1, c2, shortcut=True, g=1, k=(3, 3), e=0.5):
        super().__init__()
        c_ = int(c2 * e)
        self.cv1, self.cv2 = Conv(c1, c_, k[0], 1), Conv(c_, c2, k[1], 1, g=g)
        self.add = shortcut and c1 == c2

    def forward(self, x):
        return x + self.cv2(self.cv1(x)) if self.add else self.cv2(self.cv1(x))


class SPPF(nn.Module):
    def __init__(self, c1, c2, k=5):
        super().__init__()
        c_ = c1 // 2
        self.cv1, self.cv2 = Conv(c1, c_, 1, 1), Conv(c_ * 4, c2, 1, 1)
        self.m = nn.MaxPool2d(kernel_size=k, stride=1, padding=k // 2)

    def forward(self, x):
        y = [self.cv1(x)]
        y.extend(self.m(y[-1]) for _ in range(3))
        return self.cv2(torch.cat(y, 1))


class Concat(nn.Module):
    def __init__(self, dimension=1):
        super().__init__()
        self.d = dimension

    def forward(self, x):
        return torch.cat(x, self.d)


yaml = {
    "nc": 4,
    "backbone": [
        [-1, 1, "Conv", [16, 3, 2]],
        [-1, 1, "Conv", [32, 3, 2]],
        [-1, 3, "C2f", [32, True]],
        [-1, 1, "SPPF", [32, 5]],
    ],
    "head": [
        [-1, 1, "nn.Upsample", [None, 2, "nearest"]],
        [[-1, 0], 1, "Concat", [1]],
        [-1, 1, "C2fSplit", [16]],
        [[6, 3], 1, "Detect", ["nc"]],
    ],
}


class Detect(nn.Module):
    stride = None

    def __init__(self, nc=80, ch=()):
        super().__init__()
        self.nc, self.nl, self.reg_max = nc, len(ch), 4
        self.no = nc + self.reg_max * 4
        c2, c3 = max((16, ch[0] // 4, self.reg_max * 4)), max(ch[0], min(self.nc, 100))
        self.cv2 = nn.ModuleList(nn.Sequential(Conv(x, c2, 3), nn.Conv2d(c2, 4 * self.reg_max, 1)) for x in ch)
        self.cv3 = nn.ModuleList(nn.Sequential(Conv(x, c3, 3), nn.Conv2d(c3, self.nc, 1)) for x in ch)

    def forward(self, x):
        for i in range(self.nl):
            x[i] = torch.cat((self.cv2[i](x[i]), self.cv3[i](x[i])), 1)
        return x


def parse_model(d, ch, verbose=False):
    nc = d["nc"]
    ch = [ch]
    layers, save, c2 = [], [], ch[-1]
    for i, (f, n, m, args) in enumerate(d["backbone"] + d["head"]):
        m = getattr(torch.nn, m[3:]) if "nn." in m else globals()[m]
        args = list(args)
        for j, a in enumerate(args):
            if isinstance(a, str):
                with contextlib.suppress(ValueError, KeyError, SyntaxError):
                    args[j] = locals()[a] if a in locals() else a
        n = n_ = max(round(n * 0.67), 1) if n > 1 else n
        if m in {Conv, C2f, C2fSplit, SPPF}:
            c1, c2 = ch[f], args[0]
            args = [c1, c2, *args[1:]]
            if m in (C2f, C2fSplit):
                args.insert(2, n)
                n = 1
        elif m is Concat:
            c2 = sum(ch[x] for x in f)
        elif m is Detect:
            args.append([ch[x] for x in f])
        else:
            c2 = ch[f]
        m_ = nn.Sequential(*(m(*args) for _ in range(n))) if n > 1 else m(*args)
        t = str(m)[8:-2].replace("__main__.", "")
        m_.np = sum(x.numel() for x in m_.parameters())
        m_.i, m_.f, m_.type = i, f, t
        save.extend(x % i for x in ([f] if isinstance(f, int) else f) if x != -1)
        layers.append(m_)
        if i == 0:
            ch = []
        ch.append(c2)
    return nn.Sequential(*layers), sorted(save)


class Yolo(nn.Module):
    def __init__(self, cfg=yaml, ch=3):
        super().__init__()
        self.yaml = deepcopy(cfg)
        self.model, self.save = parse_model(self.yaml, ch)
        self.names = {i: f"{i}" for i in range(self.yaml["nc"])}
        for m in self.modules():
            t = type(m)
            if t is nn.Conv2d:
                pass
            elif t is nn.BatchNorm2d:
                m.eps, m.momentum = 1e-3, 0.03
            elif t in {nn.Hardswish, nn.LeakyReLU, nn.ReLU, nn.ReLU6, nn.SiLU}:
                m.inplace = True

    def forward(self, x, *args, **kwargs):
        if isinstance(x, dict):
            return self.loss(x, *args, **kwargs)
        return self.predict(x)

    def predict(self, x, profile=False, embed=None):
        y, dt = [], []
        for m in self.model:
            if m.f != -1:
                x = y[m.f] if isinstance(m.f, int) else [x if j == -1 else y[j] for j in m.f]
            x = m(x)
            y.append(x if m.i in self.save else None)
        return x


class Mobile(nn.Module):
    settings: ClassVar[tuple[Stage, ...]] = (
        Stage(1, 16),
        Stage(6, 24, 2, 2),
        Stage(expand=4, out=32, n=2, act=Act.SILU),
    )

    def __init__(self, scale: Scale = Scale(), classes=10, *, dropout=0.2, head=True):
        super().__init__()
        c = scale(32)
        feats = OD(stem=self.cna(3, c, 3, 2))
        for i, s in enumerate(self.settings):
            t, out, n, *_ = s
            out = scale(out)
            for j, stride in enumerate(s._replace(n=scale.repeats(n)).strides):
                feats[f"s{i}b{j}"] = Inverted(c, out, stride, t, s.act)
                c = out
        self.features = nn.Sequential(feats)
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(c, classes)) if head else None
        del feats["stem"]
        assert "stem" not in feats and len(feats) == len(self.features) - 1

    @staticmethod
    def cna(i, o, k=3, s=1, g=1, act=Act.RELU):
        return nn.Sequential(
            nn.Conv2d(i, o, k, s, (k - 1) // 2, groups=g, bias=False), nn.BatchNorm2d(o), act(inplace=True)
        )

    def forward(self, x):
        x = self.features(x)
        if self.classifier is None:
            return x
        return self.classifier(F.adaptive_avg_pool2d(x, (1, 1)).reshape(x.shape[0], -1))


class Inverted(nn.Module):
    def __init__(self, i, o, s, t, act):
        super().__init__()
        h = int(round(i * t))
        self.use_res = s == 1 and i == o
        self.conv = nn.Sequential(
            *([Mobile.cna(i, h, 1, act=act)] if t != 1 else []),
            Mobile.cna(h, h, 3, s, h, act),
            nn.Conv2d(h, o, 1, bias=False),
            nn.BatchNorm2d(o),
        )

    def forward(self, x):
        return x + self.conv(x) if self.use_res else self.conv(x)


class Box(Generic[T]):
    def __init__(self, v: T):
        self.v = v

    def get(self) -> T:
        return self.v

    def map(self, f: Callable[[T], T]) -> "Box[T]":
        return Box(f(self.v))


class Lazy:
    """A descriptor."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return self if obj is None else obj.__dict__.setdefault("_" + self.name, len(self.name))


class Dispatch(nn.Module):
    size = Lazy()

    def __init__(self):
        super().__init__()
        self.extra = Box(3)
        self.state = types.SimpleNamespace(a=1, b=2)

    @singledispatchmethod
    def scale(self, v, x):
        return x

    @scale.register
    def _(self, v: int, x):
        return x * v

    @scale.register(str)
    def _(self, v, x):
        return x + len(v)

    @cached_property
    def cached(self):
        return 7

    def forward(self, x):
        x = self.scale(2, x)
        x = self.scale("abc", x)
        x = self.scale(None, x)
        return x + self.size + self.cached + self.extra.map(lambda v: v + 1).get() + vars(self.state)["a"]


class Meta(type):
    registry = {}

    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, ns)
        mcs.registry[name] = cls
        return cls


class Plugin(metaclass=Meta):
    def apply(self, x):
        return x


class Double(Plugin):
    def apply(self, x):
        return super().apply(x) * 2


class UsesMeta(nn.Module):
    def forward(self, x):
        for name, cls in sorted(Meta.registry.items()):
            x = cls().apply(x)
        return x


class Cfg(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class DotNet(nn.Module):
    def __init__(self, cfg=None):
        super().__init__()
        cfg = Cfg(cfg or {"dim": 4, "layers": [8, 2]})
        cfg.dim *= 2
        dims = [cfg.dim] + cfg.layers
        for n, (a, b) in enumerate(zip(dims, dims[1:])):
            self.register_module(f"l{n}", nn.Linear(a, b))
        self.n = len(cfg.layers)

    def forward(self, x):
        return functools.reduce(lambda h, i: torch.relu(self._modules[f"l{i}"](h)), range(self.n), x)


class Ensemble(nn.ModuleList):
    def __init__(self):
        super().__init__()
        self += [nn.Linear(2, 2) for _ in range(3)]
        self.insert(1, nn.ReLU())
        self[0] = nn.Linear(2, 3)
        del self[-1]
        self.append(nn.Tanh())

    def forward(self, x):
        return torch.stack([m(x) for m in self], 0).mean(0) + len(self) + sum(1 for _ in self.children())


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1) * i) for i in range(3)])
        self.table = nn.ParameterDict({"a": nn.Parameter(torch.zeros(2)), "b": nn.Parameter(torch.ones(2))})
        self.acts = nn.ModuleDict([["relu", nn.ReLU()], ["gelu", nn.GELU()]])
        self.acts.update({"tanh": nn.Tanh()})

    def forward(self, x, act: str = "gelu"):
        for s in self.scales:
            x = x * s
        for k in self.table.keys():
            x = x + self.table[k]
        return self.acts["gelu" if act is None else "tanh"](x), [k for k in self.acts]


TRACE = {
    k: {}
    for k in [
        "Yolo",
        "Mobile",
        "Mobile(Scale(.5, 1.5), head=False)",
        "Dispatch",
        "UsesMeta",
        "DotNet",
        "Ensemble",
        "C2f(8, 8, 2, True)",
    ]
}
TRACE["Weights"] = {"concrete": {"act": "x"}}
