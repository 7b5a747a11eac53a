"""Registries, configurations, mixins, shared weights, tables in buffers, functools."""

from __future__ import annotations
import abc, copy, enum, functools, inspect, itertools, math, operator, re, typing, warnings, contextlib
from collections import OrderedDict, defaultdict, namedtuple, Counter, deque
from dataclasses import dataclass, field, replace, asdict, fields
from functools import partial, reduce, lru_cache, singledispatch, wraps, cached_property, partialmethod
from typing import (
    Any,
    Callable,
    ClassVar,
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
)

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


# registry with decorator factory and aliases
class Registry:
    def __init__(self, name):
        self._name, self._items = name, {}

    def register(self, *names, **defaults):
        def wrap(target):
            for n in names or (target.__name__.lower(),):
                if n in self._items:
                    raise KeyError(f"{n} already in {self._name}")
                self._items[n] = (target, defaults)
            return target

        return wrap

    def build(self, spec, **extra):
        if isinstance(spec, str):
            name, kw = spec, {}
        elif isinstance(spec, dict):
            kw = dict(spec)
            name = kw.pop("type")
        else:
            name, kw = spec
        target, defaults = self._items[name]
        return target(**{**defaults, **kw, **extra})

    def __contains__(self, k):
        return k in self._items

    def __iter__(self):
        return iter(sorted(self._items))


BLOCKS = Registry("blocks")


@BLOCKS.register("mlp", "ffn", hidden=8)
class MLP(nn.Module):
    def __init__(self, dim, hidden, act="gelu"):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.act = getattr(F, act)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


@BLOCKS.register()
class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, 2 * dim)

    def forward(self, x):
        a, b = self.proj(x).chunk(2, dim=-1)
        return a * b.sigmoid()


class RegistryNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(
            BLOCKS.build(s, dim=6) for s in ("mlp", {"type": "ffn", "hidden": 4, "act": "relu"}, ("gate", {}))
        )
        self.names = list(BLOCKS)

    def forward(self, x):
        for n, l in zip(self.names, self.layers):
            x = x + l(x) * len(n)
        return x


# einops-like rearrange
def rearrange(x, pattern, **sizes):
    left, right = (re.findall(r"\([^)]*\)|\S+", side) for side in pattern.split("->"))
    shape, flat = [], []
    for i, item in enumerate(left):
        if item.startswith("("):
            names = item[1:-1].split()
            known = [sizes.get(n) for n in names]
            for n, s in zip(names, known):
                shape.append(s if s is not None else -1)
                flat.append(n)
        else:
            shape.append(x.shape[i])
            flat.append(item)
    x = x.reshape(*shape)
    order = [n for item in right for n in (item[1:-1].split() if item.startswith("(") else [item])]
    x = x.permute(*(flat.index(n) for n in order))
    out = []
    at = 0
    for item in right:
        count = len(item[1:-1].split()) if item.startswith("(") else 1
        dims = [x.shape[at + k] for k in range(count)]
        out.append(functools.reduce(operator.mul, dims))
        at += count
    return x.reshape(*out)


class EinopsAttention(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=self.heads), (q, k, v))
        attn = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        return self.out(rearrange(attn.softmax(-1) @ v, "b h n d -> b n (h d)"))


# config dataclass with inheritance, post_init, field factories
@dataclass
class BaseConfig:
    dim: int = 8
    depth: int = 2
    dropout: float = 0.0
    mults: Tuple[int, ...] = (1, 2)
    extra: Dict[str, Any] = field(default_factory=dict)
    KIND: ClassVar[str] = "base"

    def __post_init__(self):
        self.widths = [self.dim * m for m in self.mults]


@dataclass(frozen=True)
class Opt:
    lr: float = 1e-3


@dataclass
class BigConfig(BaseConfig):
    KIND: ClassVar[str] = "big"
    heads: int = field(default=2, metadata={"help": "x"})
    opt: Opt = field(default_factory=Opt)

    @property
    def head_dim(self):
        return self.dim // self.heads

    @classmethod
    def tiny(cls, **kw):
        return cls(**{"dim": 4, **kw})


class ConfigNet(nn.Module):
    def __init__(self, cfg: Optional[BigConfig] = None):
        super().__init__()
        cfg = replace(cfg or BigConfig.tiny(depth=3), extra={"bias": False})
        self.cfg = cfg
        self.blocks = nn.Sequential(
            OrderedDict(
                (f"b{i}", nn.Linear(a, b, **cfg.extra))
                for i, (a, b) in enumerate(zip([cfg.dim] + cfg.widths, cfg.widths))
            )
        )
        self.n = sum(f.default for f in fields(cfg) if isinstance(f.default, int)) + len(asdict(cfg))

    def forward(self, x):
        return self.blocks(x) * self.cfg.head_dim + self.n + self.cfg.opt.lr


# mixins, cooperative super, MRO
class Named:
    def __init_subclass__(cls, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag or cls.__name__


class NormMixin:
    def __init__(self, *a, norm=True, **kw):
        super().__init__(*a, **kw)
        self.norm = nn.LayerNorm(4) if norm else nn.Identity()

    def pre(self, x):
        return self.norm(super().pre(x))


class ScaleMixin:
    def __init__(self, *a, **kw):
        super().__init__(*a, **kw)
        self.gamma = nn.Parameter(torch.full((4,), 1e-4))

    def pre(self, x):
        return super().pre(x) * self.gamma


class Core(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def pre(self, x):
        return x

    def forward(self, x):
        return self.lin(self.pre(x))


class MixNet(Named, NormMixin, ScaleMixin, Core, tag="mix"):
    def forward(self, x):
        return super().forward(x) + len(self.tag) + len(type(self).__mro__)

    def __init__(self):
        super().__init__(4, norm=True)


# weight sharing / tied
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 6)
        self.enc = nn.Linear(6, 6)
        self.head = nn.Linear(6, 10, bias=False)
        self.head.weight = self.emb.weight
        self.enc2 = self.enc
        self.shared = nn.ModuleDict({"a": self.enc, "b": nn.Linear(6, 6)})
        self.shared["c"] = self.shared["b"]
        self.b = self.shared["b"].bias

    def forward(self, ids):
        x = self.emb(ids)
        for k in ("a", "c", "b"):
            x = self.shared[k](x)
        return self.head(self.enc2(x) + self.b)


# parametrisations
import torch.nn.utils.parametrize as P


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


class Parametrised(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        P.register_parametrization(self.lin, "weight", Sym())
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 4, 1))

    def forward(self, x):
        return self.conv(self.lin(x))


# init with generator
class GenInit(nn.Module):
    def __init__(self, seed=3):
        super().__init__()
        g = torch.Generator().manual_seed(seed)
        self.w = nn.Parameter(torch.empty(4, 4))
        self.v = nn.Parameter(torch.randn(4, generator=g))
        nn.init.xavier_uniform_(self.w, gain=nn.init.calculate_gain("relu"), generator=g)
        self.lin = nn.Linear(4, 4)
        nn.init.trunc_normal_(self.lin.weight, std=0.02, generator=g)
        nn.init.kaiming_normal_(self.lin.weight, mode="fan_out", nonlinearity="leaky_relu", a=0.2, generator=g)
        nn.init.orthogonal_(self.w)
        perm = torch.randperm(4, generator=g)
        self.register_buffer("perm", perm)

    def forward(self, x):
        return self.lin(x @ self.w + self.v)[:, self.perm]


# buffers: rope tables, causal mask, persistent=False
class Rope(nn.Module):
    def __init__(self, dim=8, n=16):
        super().__init__()
        inv = 1.0 / (10000 ** (torch.arange(0, dim, 2).float() / dim))
        t = torch.arange(n, dtype=torch.float32)
        freqs = torch.outer(t, inv)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos", emb.cos()[None, :, :], persistent=False)
        self.register_buffer("sin", emb.sin()[None, :, :], persistent=False)
        self.register_buffer("mask", torch.full((n, n), float("-inf")).triu(1))
        self.register_buffer("none", None)
        self.n = n - 2

    @staticmethod
    def rotate(x):
        x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
        return torch.cat((-x2, x1), dim=-1)

    def forward(self, q):
        n = self.n
        q = q * self.cos[:, :n] + self.rotate(q) * self.sin[:, :n]
        return q @ q.transpose(1, 2) + self.mask[:n, :n] if self.none is None else q


# ModuleDict loops with items/keys/values/pop/update
class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict()
        for name, n in {"cls": 3, "box": 4, "x": 1}.items():
            self.heads[name] = nn.Linear(5, n)
        self.heads.pop("x")
        self.heads.update({"kp": nn.Sequential(nn.Linear(5, 5), nn.ReLU(inplace=True), nn.Linear(5, 2))})

    def forward(self, feats: Dict[str, Tensor]):
        x = feats["p"] if isinstance(feats, dict) else feats
        out = {k: h(x) for k, h in self.heads.items()}
        out["all"] = torch.cat([*out.values()], dim=-1)
        return out | {"n": len(self.heads)}


# functools
@lru_cache(maxsize=None)
def table(n):
    return tuple(i * i for i in range(n))


@singledispatch
def embed(x, dim):
    raise TypeError(type(x))


@embed.register(int)
def _(x, dim):
    return nn.Linear(x, dim)


@embed.register(list)
def _(x, dim):
    return nn.Sequential(*[nn.Linear(a, dim) for a in x])


def timed(fn):
    @wraps(fn)
    def inner(self, *args, **kwargs):
        self.calls = getattr(self, "calls", 0) + 1
        return fn(self, *args, **kwargs)

    return inner


class Functools(nn.Module):
    act = staticmethod(partial(F.leaky_relu, negative_slope=0.3))

    def _scale(self, x, k):
        return x * k

    double = partialmethod(_scale, 2)

    def __init__(self):
        super().__init__()
        self.a, self.b = embed(4, 6), embed([6], 3)
        self.norm = partial(nn.LayerNorm, eps=1e-3)(3)

    @cached_property
    def k(self):
        return reduce(operator.add, table(4), 1)

    @timed
    def forward(self, x):
        return self.double(self.norm(self.act(self.b(self.a(x))))) + self.k + self.calls


TRACE = {
    n: {} for n in "RegistryNet EinopsAttention ConfigNet MixNet Tied Parametrised GenInit Rope Multi Functools".split()
}
