"""Classes: bases, mixins, super(), properties, static and class methods, __init__ with everything."""
import math
from collections import OrderedDict
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

DEPTHS = [1, 2, 1]
ACT = {"relu": nn.ReLU, "gelu": nn.GELU}


class Mixin:
    scale = 2.0

    def scaled(self, x):
        return x * self.scale


class Base(nn.Module):
    def __init__(self, dim=4, **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.proj = nn.Linear(dim, dim)

    @property
    def width(self):
        return self.dim * 2

    @staticmethod
    def act(x):
        return F.relu(x)

    @classmethod
    def named(cls):
        return cls.__name__

    def forward(self, x):
        return self.act(self.proj(x))


class TwoBases(Mixin, Base):
    def __init__(self, dim=4):
        super(TwoBases, self).__init__(dim)
        self.extra = nn.Linear(self.width, dim)
        self.label = self.named()

    def forward(self, x):
        x = super().forward(x)
        x = torch.cat([x, self.scaled(x)], -1)
        return self.extra(x), {"label": self.label}


class Stack(nn.Module):
    def __init__(self, depths=DEPTHS, act="relu", *, norm=partial(nn.LayerNorm, eps=1e-6), drop=0.0):
        super().__init__()
        layers = []
        rates = [x.item() for x in torch.linspace(0, 0.2, sum(depths))]
        for i, depth in enumerate(depths):
            for j in range(depth):
                layers.append((f"block{i}_{j}", nn.Sequential(nn.Linear(4, 4), norm(4), ACT[act](), nn.Dropout(rates[i + j]))))
        self.blocks = nn.Sequential(OrderedDict(layers))
        self.head = nn.Linear(4, 2) if not drop else nn.Identity()
        self.heads = nn.ModuleDict({k: nn.Linear(2, n) for k, n in zip("ab", (3, 5))})
        self.cls = nn.Parameter(torch.zeros(1, 1, 4))
        self.register_buffer("steps", torch.arange(4), persistent=False)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, nn.Linear):
            nn.init.normal_(m.weight, std=0.02)
            if m.bias is not None:
                nn.init.zeros_(m.bias)
        elif isinstance(m, (nn.LayerNorm, nn.GroupNorm)):
            nn.init.constant_(m.weight, 1.0)

    def forward(self, x, *, flip: bool = False):
        b, n, c = x.shape
        x = torch.cat([self.cls.expand(b, -1, -1), x], dim=1)
        for block in self.blocks:
            x = block(x) + self.steps
        x = self.head(x[:, 0]) / math.sqrt(4)
        return {name: head(x) for name, head in self.heads.items()}


class Inherit(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 1)).permute(0, 2, 1)


class Params(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.ws = nn.ParameterList([nn.Parameter(torch.randn(2, 2)) for _ in range(n)])
        self.w = nn.Parameter(torch.empty(2, 2))
        nn.init.kaiming_uniform_(self.w, a=math.sqrt(5))
        fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.w)
        nn.init.uniform_(self.w, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))
        self.gamma = None
        self.register_parameter("beta", None)

    def forward(self, x):
        for w in self.ws:
            x = x @ w
        if self.beta is not None:
            x = x + self.beta
        return F.linear(x, self.w) if self.gamma is None else x


class SelfUse(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)
        self.same = self.conv
        self.pool = F.avg_pool2d

    def forward(self, x):
        out = self.same(self.conv(x))
        out = self.pool(out, 2)
        h, w = out.shape[-2:]
        return getattr(out, "view")(-1, h * w)


TRACE = {"TwoBases": {}, "Stack": {}, "Inherit": {"init": {"normalized_shape": 4}}, "Params": {"init": {"n": 2}}, "SelfUse": {}}
