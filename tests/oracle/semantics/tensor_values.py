# Tensors whose values torch.fx has while it traces: of the file, of a class, of buffers.
# ruff: noqa
import numpy as np
import torch
from torch import nn

T = torch.tensor([1., 2.])
_SCALES = [torch.ones(2), torch.tensor([3., 4.])]


class FileTensor(nn.Module):
    def forward(self, x): return x + T.clone() + T[None] + T * 2


class FileTensorsOnly(nn.Module):
    def forward(self, x):
        half = T / 2
        half += 1
        return x * half.sum() + T.view(2, 1)


class ClassTensor(nn.Module):
    mean = torch.tensor([0.1, 0.2, 0.3])

    def forward(self, x): return (x - self.mean.view(3, 1, 1)) / (self.mean ** 2)[:, None, None]


def listed_tensor(x): return x * _SCALES[1].reshape(2, 1) + _SCALES[0].sum()


class BufferDecides(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("initialized", torch.tensor(False))
        self.register_buffer("sizes", torch.tensor([2, 3]))

    def forward(self, x):
        if not self.initialized: x = x - 1
        for size in self.sizes: x = x + int(size)
        return x * self.sizes[1].item()


class BufferReplaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("q", torch.ones(3))

    def forward(self, x):
        self.q = self.q * .9 + x.mean(0) * .1
        return x * self.q


class SignOfZeros(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", 1 / torch.tensor(-np.zeros(2)))

    def forward(self, x): return x * self.a


class FillsPadding(nn.Module):
    class Own(nn.Embedding):
        def reset_parameters(self):
            nn.init.normal_(self.weight, 0, .02)
            self._fill_padding_idx_with_zero()

    def __init__(self):
        super().__init__()
        self.e = self.Own(5, 4, padding_idx=1)

    def forward(self, i): return self.e(i)


def unpacked_grids(x):
    rows, columns = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
    return x + torch.stack((rows, columns), 2)


def unpacked_sort(x):
    values, places = torch.tensor([3.0, 1.0]).sort()
    for each in torch.arange(3).topk(2):
        x = x + each
    return x + values + places
