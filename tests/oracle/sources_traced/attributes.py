"""Attributes of modules that are no tensors: the files keep those of modules that the graph calls."""

import torch
from torch import nn


class Dtype(nn.Module):
    def __init__(self):
        super().__init__()
        self.dtype = torch.float32
        self.device = torch.device("cpu")
        self.sizes = [1, 2, 3]
        self.cfg = {"a": 1}
        self.tup = (1, "a", None)
        self.fn = torch.relu
        self.s = {1, 2}
        self.lin = nn.Linear(4, 4)
        self.layout = torch.strided
        self.mf = torch.contiguous_format
        self.size = torch.Size([1, 2])
        self.sl = slice(1, 2)
        self.r = range(3)
        self.ell = ...

        self.cplx = 1j
        self.tensors = [torch.ones(2)]

    def forward(self, x):
        return self.lin(x.to(self.dtype)).to(self.device).reshape(-1, *self.sizes[:1])


class InSub(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Dtype()
        self.act = nn.ReLU()
        self.act.note = [torch.float16, {"a": 1}]
        self.act.dtype = torch.float16
        self.lin = nn.Linear(4, 4)
        self.lin.tag = torch.device("cpu")
        self.lin.names = ["a"]

    def forward(self, x):
        return self.act(self.lin(self.a(x)))


class UserLeafAttr(nn.Module):
    def __init__(self):
        super().__init__()
        self.dtype = torch.float32
        self.shape = [2, 2]
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x.to(self.dtype).view(self.shape) * self.w.view(*self.shape)


TRACE = {n: {} for n, v in list(globals().items()) if isinstance(v, type) and issubclass(v, nn.Module)}
