"""Takes functions apart by rules that are written as ordinary code: each rule gets proxies and returns one.

RULES says what becomes of which function. A rule may call anything that can be traced; what it calls stands in the
graph instead of the function.
"""
import torch
import torch.nn.functional as F
from torch import fx


def _relu(x, inplace=False):
    return (x > 0) * x


def _silu(x, inplace=False):
    return x * torch.sigmoid(x)


def _hardswish(x, inplace=False):
    return x * torch.clamp(x + 3, 0, 6) / 6


RULES = {torch.relu: _relu, F.relu: _relu, F.silu: _silu, F.hardswish: _hardswish}


class Decompose(fx.Transformer):
    def call_function(self, target, args, kwargs):
        return RULES[target](*args, **kwargs) if target in RULES else super().call_function(target, args, kwargs)
