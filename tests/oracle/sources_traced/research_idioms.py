"""Windows, schedules, initialisation, numpy tables, clones, trees, patched methods, experts."""

import math, copy, functools, operator, collections, inspect, types, sys, os, string, random, itertools, numbers, logging
from collections import abc as cabc
from typing import *
import numpy as np
import torch
from torch import nn, Tensor
from torch.nn import functional as F, init
from torch.nn.parameter import Parameter
from torch.nn.modules.utils import _pair, _triple

logger = logging.getLogger(__name__)


def to_2tuple(x):
    return tuple(x) if isinstance(x, cabc.Iterable) and not isinstance(x, str) else (x, x)


# swin-like windows
def window_partition(x, ws):
    B, H, W, C = x.shape
    return (
        x.view(B, H // ws[0], ws[0], W // ws[1], ws[1], C)
        .permute(0, 1, 3, 2, 4, 5)
        .contiguous()
        .view(-1, ws[0] * ws[1], C)
    )


class RelPos(nn.Module):
    def __init__(self, dim=8, ws=4, heads=2):
        super().__init__()
        self.ws, self.heads = to_2tuple(ws), heads
        self.table = nn.Parameter(torch.zeros((2 * self.ws[0] - 1) * (2 * self.ws[1] - 1), heads))
        coords = torch.stack(torch.meshgrid(*(torch.arange(w) for w in self.ws), indexing="ij")).flatten(1)
        rel = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
        rel[:, :, 0] += self.ws[0] - 1
        rel[:, :, 1] += self.ws[1] - 1
        rel[:, :, 0] *= 2 * self.ws[1] - 1
        self.register_buffer("index", rel.sum(-1))
        init.trunc_normal_(self.table, std=0.02)
        self.qkv = nn.Linear(dim, dim * 3)

    def forward(self, x):
        w = window_partition(x, self.ws)
        q, k, v = (
            self.qkv(w)
            .reshape(w.shape[0], -1, 3, self.heads, w.shape[-1] // self.heads)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )
        bias = self.table[self.index.view(-1)].view(math.prod(self.ws), math.prod(self.ws), -1).permute(2, 0, 1)
        return ((q @ k.transpose(-2, -1)) + bias.unsqueeze(0)).softmax(-1) @ v


# drop path, stochastic depth, layer scale schedule
def drop_path(x, p=0.0, training=False):
    if p == 0.0 or not training:
        return x
    keep = 1 - p
    mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
    return x * mask.div_(keep)


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        return drop_path(x, self.p, self.training)

    def extra_repr(self):
        return f"p={round(self.p, 3):0.3f}"


class Depth(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        rates = [x.item() for x in torch.linspace(0, 0.3, n)]
        self.blocks = nn.ModuleList(
            [nn.Sequential(nn.Linear(4, 4), DropPath(r) if r > 0 else nn.Identity()) for r in rates]
        )
        self.ls = nn.ParameterList(
            [nn.Parameter(1e-5 * (10**-i) * torch.ones(4), requires_grad=i % 2 == 0) for i in range(n)]
        )
        self.desc = repr(self.blocks[-1][1])

    def forward(self, x):
        for b, g in zip(self.blocks, self.ls):
            x = x + g * b(x)
        return x * len(self.desc)


# apply(init_fn) with isinstance and named_parameters
class Inited(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 4, 3),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Conv2d(4, 4, 3, groups=2),
            nn.Flatten(),
            nn.LazyLinear(3) if False else nn.Linear(4, 3),
        )
        self.apply(self._init)
        with torch.no_grad():
            for n, p in self.named_parameters():
                if n.endswith("bias") and p.numel() == 3:
                    p.copy_(torch.arange(3.0))
                    p[0] = 7
                elif p.dim() > 1:
                    p.mul_(0.5).add_(0.1)
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.momentum = 0.01
                m.running_mean.fill_(0.5)
        self.count = sum(p.numel() for p in self.parameters() if p.requires_grad)

    @staticmethod
    @torch.no_grad()
    def _init(m):
        if type(m) in (nn.Conv2d, nn.Linear):
            fan_in, _ = init._calculate_fan_in_and_fan_out(m.weight)
            bound = 1 / math.sqrt(fan_in)
            m.weight.normal_(0, bound)
            if m.bias is not None:
                m.bias.uniform_(-bound, bound)
        elif isinstance(m, (nn.modules.batchnorm._BatchNorm, nn.GroupNorm)):
            init.ones_(m.weight)
            init.zeros_(m.bias)

    def forward(self, x):
        return self.body(x) + self.count


# numpy tables
def sincos(dim, n):
    pos = np.arange(n, dtype=np.float64)
    omega = 1.0 / 10000 ** (np.arange(dim // 2, dtype=np.float64) / (dim / 2.0))
    out = np.einsum("m,d->md", pos, omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


class NumpyPos(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.from_numpy(sincos(4, 6)).float().unsqueeze(0), requires_grad=False)
        self.register_buffer("hann", torch.hann_window(6))
        self.idx = np.argsort(np.array([3, 1, 2])).tolist()

    def forward(self, x):
        return (x + self.pos[:, : x.size(1)])[..., self.idx] * self.hann[0]


# deepcopy, clones, encoder-decoder
def clones(m, n):
    return nn.ModuleList([copy.deepcopy(m) for _ in range(n)])


class Sub(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, sublayer):
        return x + self.drop(sublayer(self.norm(x)))


class Annotated(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.subs = clones(Sub(d), 2)
        self.ff = nn.Sequential(nn.Linear(d, 8), nn.ReLU(), nn.Linear(8, d))
        self.ems = clones(nn.Linear(d, d), 2)
        self.frozen = copy.copy(self.ff)
        for p in self.frozen.parameters():
            p.requires_grad_(False)

    def forward(self, x, mem=None):
        x = self.subs[0](x, lambda t: self.ems[0](t) @ self.ems[1](t if mem is None else mem).transpose(-1, -2) @ t)
        return self.subs[1](x, self.ff) + self.frozen(x)


# abstract base, NotImplemented, __call__ override
import abc


class AbstractOp(nn.Module, abc.ABC):
    @property
    @abc.abstractmethod
    def out(self) -> int: ...
    @abc.abstractmethod
    def op(self, x):
        raise NotImplementedError

    def forward(self, x):
        return self.op(x) * self.out


class Impl(AbstractOp):
    out = 3

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def op(self, x):
        return self.l(x)

    def __call__(self, x, **kw):
        return super().__call__(x) + kw.get("k", 1)


class AbstractNet(nn.Module):
    def __init__(self):
        super().__init__()
        try:
            self.bad = AbstractOp()
        except TypeError as e:
            self.msg = str(e)
        self.i = Impl()

    def forward(self, x):
        return self.i(x, k=5) + len(self.msg)


# recursive structures/pytrees, nested returns
class Tree(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.l = nn.Linear(3, 3)
        self.kids = nn.ModuleList(Tree(depth - 1) for _ in range(2)) if depth else None

    def forward(self, x):
        y = self.l(x)
        return y if self.kids is None else {"y": y, "kids": tuple(k(y) for k in self.kids)}


# monkeypatching and types.MethodType, hooks
class Patched(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.b = Sub(4)

        def new_forward(self, x, sublayer=None):
            return self.norm(x) * 2

        self.b.forward = types.MethodType(new_forward, self.b)
        nn.Linear.extra = 2
        self.b.register_forward_hook(lambda m, i, o: o + 1)

    def forward(self, x):
        return self.b(self.l(x)) * self.l.extra


# string templates, format, zip_longest, sorted keys etc. to make names
class Naming(nn.Module):
    def __init__(self):
        super().__init__()
        for (i, c), d in itertools.product(enumerate(string.ascii_lowercase[:2]), (3, 4)):
            self.add_module("%s_%d-%s".replace("-", "_") % (c, i, format(d, "02d")), nn.Linear(3, 3))
        self.order = sorted(self._modules, key=lambda n: (-int(n.rsplit("_", 1)[-1]), n))
        self.pads = list(itertools.zip_longest("ab", "c", fillvalue="z"))

    def forward(self, x):
        for n in self.order:
            x = self.get_submodule(n)(x) * (1 if "a" in n else -1)
        return x * len(self.pads), {n: x.mean() for n in self.order[:1]}


# mixture of experts with buffers and topk & dispatch
class MoE(nn.Module):
    def __init__(self, d=4, n=3, k=2):
        super().__init__()
        self.gate = nn.Linear(d, n, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(d, d), nn.SiLU()) for _ in range(n)])
        self.k = k
        self.register_buffer("load", torch.zeros(n), persistent=False)
        self.w1, self.w2 = (
            nn.Parameter(torch.stack([e[0].weight.detach().clone().t() * s for e in self.experts])) for s in (1, 2)
        )

    def forward(self, x, /, *, temperature: float = 1.0):
        logits = self.gate(x) / temperature
        w, idx = torch.topk(logits.softmax(-1), self.k)
        w = w / w.sum(-1, keepdim=True)
        outs = torch.stack([e(x) for e in self.experts], dim=-2)
        picked = outs.gather(-2, idx.unsqueeze(-1).expand(-1, -1, x.size(-1)))
        h = torch.einsum("bd,ndh->bnh", x, self.w1)
        h = torch.einsum("bnh,nhd->bnd", F.silu(h), self.w2)
        aux = (logits.softmax(-1).mean(0) * F.one_hot(idx[..., 0], 3).float().mean(0)).sum() * len(self.experts)
        return (picked * w[..., None]).sum(-2) + h.mean(1), aux + self.load.sum()


TRACE = {n: {} for n in "RelPos Depth Inited NumpyPos Annotated AbstractNet Tree Patched Naming MoE".split()}
