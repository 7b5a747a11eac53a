"""Constants of a graph that are no part of the model while it is constructed: their values are those of this run."""

import torch
import torch.nn.functional as F
from torch import nn

_mean = torch.tensor([0.5, 0.25, 0.125]).view(1, 3, 1, 1)
_kernel = torch.tensor([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]) / 16


class OfTheModule(nn.Module):
    def forward(self, x):
        return (x - _mean) / _mean.to(x.device)


class ComputedFromTheModules(nn.Module):
    def forward(self, x):
        return F.conv2d(x, _kernel[None, None] * 2)


class HeldByFunctions(nn.Module):
    def __init__(self):
        super().__init__()
        bands = 2.0 ** torch.linspace(0.0, 2.0, steps=3)
        self.fns = [lambda x, band=band: torch.sin(x * band) for band in bands]

    def forward(self, x):
        return torch.cat([fn(x) for fn in self.fns], -1)


class _Buffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("g", torch.arange(24.0).reshape(2, 3, 4))


class DrawnLikeABuffer(_Buffer):
    def forward(self, x):
        return x + torch.rand_like(self.g)


class DroppedOut(_Buffer):
    def forward(self, x):
        return x + F.dropout(self.g, 0.5)


class PartsOfComplexNumbers(_Buffer):
    def forward(self, x):
        return x + torch.fft.rfft(self.g).real


class DtypeOfComplexNumbers(_Buffer):
    def forward(self, x):
        return x * (2 if torch.fft.fft(self.g).is_complex() else 3)


class SizeByAMask(_Buffer):
    def forward(self, x):
        return x * self.g[self.g > 5].shape[0]
