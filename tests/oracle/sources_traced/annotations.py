"""Annotations of inputs: text, forward references, tensors of one dtype, tuples of any length."""

from typing import Optional

import torch
from torch import nn


class Quoted(nn.Module):
    def forward(self, x: "torch.Tensor", y: Optional["torch.Tensor"] = None, w: tuple[int, ...] = None) -> "torch.Tensor":
        return x


class OfDtype(nn.Module):
    def forward(self, x: torch.LongTensor, y: Optional[torch.FloatTensor]) -> tuple[torch.Tensor, ...]:
        return x


class Generators(nn.Module):
    """A class that says another module than it is found in."""

    def forward(self, x, a: torch.Generator | None = None, b: Optional[torch.Generator] = None, c: torch.Generator = None):
        return x


TRACE = {"Quoted": {}, "OfDtype": {}, "Generators": {}}
