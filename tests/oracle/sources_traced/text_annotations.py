"""Annotations that are text: a file that postpones their evaluation."""

from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch import nn


class Postponed(nn.Module):
    # fmt: off
    def forward(self, x: torch.Tensor, y: "Optional[torch.Tensor]" = None,
                z: dict[str,int]|None = None) -> Tuple[ torch.Tensor, ... ]:
        return x
    # fmt: on


class PostponedResult(nn.Module):
    def forward(self, x) -> torch.Tensor:
        return x


TRACE = {"Postponed": {}, "PostponedResult": {}}
