"""Weights that are normalised, parametrised, drawn within bounds or computed with numpy; hooks of modules."""

import numpy as np
import torch
import torch.nn.functional as F
import torch.nn.utils.parametrizations as parametrizations
import torch.nn.utils.parametrize as parametrize
from torch import nn
from torch.nn.utils import remove_weight_norm, spectral_norm, weight_norm


class Normalised(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([weight_norm(nn.Conv1d(4, 4, 3, dilation=d, padding=d)) for d in (1, 3)])
        self.up = weight_norm(nn.ConvTranspose1d(4, 2, 4, 2))
        self.last = remove_weight_norm(weight_norm(nn.Conv1d(2, 2, 3)))
        self.spectral = spectral_norm(nn.Linear(3, 3))

    def forward(self, x):
        for conv in self.convs:
            x = conv(x) + x
        return self.spectral(self.last(self.up(x)))


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


class Parametrised(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = parametrizations.weight_norm(nn.Conv1d(4, 8, 3))
        self.up = parametrizations.spectral_norm(nn.ConvTranspose1d(8, 3, 2))
        self.linear = nn.Linear(3, 3)
        parametrize.register_parametrization(self.linear, "weight", Symmetric())

    def forward(self, x):
        return F.linear(self.up(self.conv(x)), self.linear.weight, self.linear.bias)


class Bounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.narrow, self.wide = nn.Linear(4, 6), nn.Linear(6, 40)
        nn.init.trunc_normal_(self.narrow.weight, std=0.02)
        nn.init.trunc_normal_(self.wide.weight)

    def forward(self, x):
        return self.wide(self.narrow(x))


class Part(nn.Module):
    def forward(self, x):
        return x * 2


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.part, self.seen = Part(), {}
        self.part.register_forward_pre_hook(lambda module, args: (args[0] - 3,))
        self.part.register_forward_hook(lambda module, args, result: self.seen.update(part=result))

    def forward(self, x):
        self.part(x)
        return self.seen["part"] + 1


class Arrays(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        factor = (size + 1) // 2
        centre = factor - 0.5
        rows, columns = np.ogrid[:size, :size]
        kernel = (1 - abs(rows - centre) / factor) * (1 - abs(columns - centre) / factor)
        weight = np.zeros((2, 2, size, size), dtype="float32")
        weight[range(2), range(2), :, :] = kernel
        self.up = nn.ConvTranspose2d(2, 2, size, 2, bias=False)
        self.up.weight.data.copy_(torch.from_numpy(weight))
        betas = np.linspace(1e-4, 0.02, 10, dtype=np.float64)
        self.register_buffer("betas", torch.tensor(np.append(1.0, np.cumprod(1.0 - betas)[:-1]), dtype=torch.float32))
        self.register_buffer("places", torch.from_numpy(np.arange(6).reshape(2, 3)[:, ::2].T))
        self.linear = nn.Linear(int(np.prod([2, 3])), int(np.sqrt(16)))

    def forward(self, x):
        return self.linear(self.up(x)) * self.betas[0]


TRACE = {"Normalised": {}, "Parametrised": {}, "Bounded": {}, "Hooked": {}, "Arrays": {}}
