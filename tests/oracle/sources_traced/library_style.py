"""What sources of libraries do beside layers: own initialisation in place, settings computed with tensors,
registries by `__init_subclass__`, descriptors, decorators that write documentation, autograd functions, and
settings in data classes."""
import inspect
import math
from dataclasses import KW_ONLY, dataclass, field
from importlib.util import find_spec

import torch
from torch import nn
from torch.ao.quantization import DeQuantStub, QuantStub

HAS_NOTHING = find_spec("a_package_that_nobody_has") is not None
REGISTRY = {}


class Registered(nn.Module):
    kind = "plain"

    def __init_subclass__(cls, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name is not None:
            REGISTRY[name] = cls


class Act(Registered, name="act"):
    def forward(self, x):
        return torch.relu(x)


class Named:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name) * 2

    def __set__(self, instance, value):
        setattr(instance, self.name, value)


class classproperty(property):
    def __get__(self, instance, owner=None):
        return self.fget(owner)


def documented(cls):
    """Writes documentation that needs the whole of Python; the class works without."""
    source = inspect.getsource(cls)
    cls.__doc__ = (cls.__doc__ or "") + f"\n{len(source.splitlines())} lines"
    return cls


@dataclass
class Settings:
    dim: int
    _: KW_ONLY
    depths: tuple = (1, 2)
    drop: float = 0.3
    extras: list = field(default_factory=list, metadata={"help": "more"})

    @classproperty
    def kinds(cls):
        return [cls.__name__]


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.sigmoid()
        ctx.save_for_backward(x)
        return x * result

    @staticmethod
    def backward(ctx, grad):
        return grad


def trunc_normal_(tensor, std=1.0):
    """As libraries write it: uniform numbers through the inverse of the normal distribution."""
    with torch.no_grad():
        low, high = (1 + math.erf(-2 / math.sqrt(2))) / 2, (1 + math.erf(2 / math.sqrt(2))) / 2
        tensor.uniform_(2 * low - 1, 2 * high - 1)
        tensor.erfinv_()
        tensor.mul_(std * math.sqrt(2.0))
        tensor.clamp_(min=-2, max=2)
    return tensor


@documented
class Block(nn.Module):
    """A layer."""

    width = Named()

    def __init__(self, dim, drop, act="act"):
        super().__init__()
        self.width = dim
        self.fc = nn.Linear(dim, self.width)
        trunc_normal_(self.fc.weight, std=0.02)
        self.back = nn.Linear(self.width, dim)
        self.back.reset_parameters()
        self.act = REGISTRY[act]()
        self.drop = nn.Dropout(drop) if drop > 0 else nn.Identity(inplace=True)

    def forward(self, x):
        return self.drop(self.back(self.act(self.fc(x)))) + Swish.apply(x)


class Positions(nn.Module):
    """Indices that are computed with writes to views."""

    def __init__(self, size=3):
        super().__init__()
        coords = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")).flatten(1)
        relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
        relative[:, :, 0] += size - 1
        relative[:, :, 1] += size - 1
        relative[:, :, 0] *= 2 * size - 1
        self.register_buffer("index", relative.sum(-1))
        self.table = nn.Parameter(torch.zeros((2 * size - 1) ** 2, 2))
        trunc_normal_(self.table, std=0.02)
        self.longest = int(self.index.max())

    def forward(self, x):
        return x + self.table[self.index.view(-1)].sum() * self.longest


class LibraryNet(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        settings = Settings(dim, depths=(2, 1))
        rates = [each.tolist() for each in torch.linspace(0, settings.drop, 3).split(settings.depths)]
        self.stages = nn.ModuleList([nn.Sequential(*[Block(dim, rate) for rate in stage]) for stage in rates])
        self.positions = Positions()
        self.quant, self.dequant = QuantStub(), DeQuantStub()
        self.scale = 2 if HAS_NOTHING else len(Settings.kinds)

    def forward(self, x):
        x = self.quant(x)
        for stage in self.stages:
            x = stage(x)
        return self.dequant(self.positions(x)) * self.scale


class OwnLinear(nn.Linear):
    pass


class OwnConv(nn.Conv2d):
    def __init__(self):
        super().__init__(2, 2, 3, padding=1)


TRACE = {
    "LibraryNet": {},
    "Positions": {},
    "OwnLinear": {"init": {"in_features": 2, "out_features": 3}},
    "OwnConv": {},
}
