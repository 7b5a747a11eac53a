"""concrete_args with pytrees: placeholders for leaves, assertions for fixed values, nested code."""

from collections import OrderedDict, namedtuple

import torch
from torch import nn
from torch.fx import PH
from torch.fx._symbolic_trace import PHWithMeta

Pair = namedtuple("Pair", ["first", "second"])


def total(x):
    out = 0
    for v in x.values():
        out += v
    return out


def several(x, y: torch.Tensor, flag: bool, scale):
    if flag:
        return {"sum": x["a"] + x["b"][0] * scale, "rest": [x["b"][1], (y, None)]}
    return x["a"]


def listed(xs, dim):
    return torch.cat(xs, dim)


def with_default(xs, dim=0):  # its code is no Python: torch.fx refuses
    return torch.cat(xs, dim)


def keywords(x, *, mode, limits):
    return x.clamp(limits[0], limits[1]) if mode == "clamp" else x


def typed(x: torch.Tensor, pair, name: str = "a:b"):
    first, second = pair
    return first + second * x


def variadic(x, *args, **kwargs):
    return x["a"] + args[0]


def typed_dtype(x, dtype):
    return x.to(dtype)


def returns_input(x):
    return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, batch, mask: torch.Tensor = None):
        out = self.linear(batch["x"])
        if mask is None:
            return out
        return Pair(out * mask, batch)


class Masked(Net):
    def forward(self, batch, mask):
        return super().forward(batch, mask)


class Renamed(nn.Module):
    def forward(this, batch):
        return batch[0] + batch[1]


class Keyed(nn.Module):
    def forward(self, x, options):
        out = OrderedDict()
        out["y"] = x * options["scale"]
        return out


TRACE = {
    "total": {"concrete": {"x": {"a": PH, "b": PH, "c": PH}}},
    "several": {"concrete": {"x": {"a": PH, "b": [PH, PH]}, "flag": True, "scale": 3.0}},
    "listed": {"concrete": {"xs": [PH, PH, PHWithMeta("third")], "dim": 1}},
    "with_default": {"concrete": {"xs": [PH, PH]}},
    "keywords": {"concrete": {"mode": "clamp", "limits": (0, PH)}},
    "typed": {"concrete": {"pair": (PH, PH)}},
    "variadic": {"concrete": {"x": {"a": PH}}},
    "typed_dtype": {"concrete": {"dtype": torch.float16}},
    "returns_input": {"concrete": {"x": {"a": PH, "b": [PH, {"c": PH}]}}},
    "Net": {"concrete": {"batch": {"x": PH, "unused": None}}},
    "Masked": {"concrete": {"batch": {"x": PH}, "mask": None}},
    "Renamed": {"concrete": {"batch": [PH, PH]}},
    "Keyed": {"concrete": {"options": {"scale": 2, "kept": True}}},
}
