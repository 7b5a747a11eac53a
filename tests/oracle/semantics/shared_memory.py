# Weights that share memory while a constructor writes to them.
# ruff: noqa
import copy

import numpy as np
import torch
from torch import nn
from torch.nn import init


class _Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.fill(self.a, self.b)

    def forward(self, x): return self.b(self.a(x))


class TiedByData(_Pair):
    def fill(self, a, b):
        b.weight.data = a.weight.data
        self.apply(lambda m: init.xavier_uniform_(m.weight) if isinstance(m, nn.Linear) else None)


class TiedTransposed(_Pair):
    def fill(self, a, b):
        b.weight.data = a.weight.data.transpose(0, 1)
        init.xavier_uniform_(a.weight)
        b.weight.data[0] = 2
        a.weight.data.mul_(3)


class TiedAndLoaded(_Pair):
    def fill(self, a, b):
        for p, q in zip(a.parameters(), b.parameters()): q.data = p.data
        b.load_state_dict({"weight": torch.ones(3, 3), "bias": torch.arange(3.0)})
        with torch.no_grad(): a.bias.add_(1)


class TiedAndParted(_Pair):
    def fill(self, a, b):
        b.weight.data = a.weight.data
        b.weight.data.uniform_(-1, 1)
        b.weight.data = torch.zeros(3, 3)
        init.ones_(a.weight)
        b.weight.data.add_(2)


class DataOfOthers(_Pair):
    def fill(self, a, b):
        source = torch.eye(3)
        a.weight.data = source
        source += 1
        a.bias.data = source[0]
        source *= 2
        self.register_buffer("source", source)


class _Written(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.randn(2, 3))
        self.fill(self.p)

    def forward(self, x): return x, list(self.parameters()), list(self.buffers())


class DetachedAndZeroed(_Written):
    def fill(self, p):
        self.register_buffer("d", p.detach())
        p.data.zero_()
        p.data[0].add_(1)


class ViewAndDrawn(_Written):
    def fill(self, p):
        self.register_buffer("v", p.data.view(-1))
        p.data.normal_()
        init.uniform_(p[:1])
        self.v[4] = 7


class DetachedAndRead(_Written):
    def fill(self, p):
        d = p.detach()
        init.ones_(p)
        self.total = float(d.sum())

    def forward(self, x): return x + self.p * self.total


class ReadWrittenRead(_Written):
    def fill(self, p):
        before = p.sum()
        init.ones_(p)
        self.register_buffer("sums", torch.stack([before, p.sum()]).detach())


class ParameterOfWritten(_Written):
    def fill(self, p):
        w = torch.randn(2)
        self.q = nn.Parameter(w)
        w.mul_(2)
        self.q.data[0] = 3
        self.register_buffer("w", w)


class ParameterOfBuffer(_Written):
    def fill(self, p):
        self.register_buffer("start", torch.randn(3))
        self.q = nn.Parameter(self.start)
        init.zeros_(self.q)


class ParameterOfUsed(_Written):
    def fill(self, p):
        w = torch.zeros(3)
        w[1] = 2
        self.q = nn.Parameter(w)
        w[2] = 3
        self.q.data.add_(1)


class ParameterOfPart(_Written):
    def fill(self, p):
        self.q = nn.Parameter(p.data[:1])
        self.r = nn.Parameter(p.t())
        init.ones_(p)
        init.constant_(self.q, 4)
        self.r.data[2].fill_(5)


class Embeddings(_Written):
    def fill(self, p):
        e = torch.randn(4, 3)
        self.e, self.f = nn.Embedding(4, 3, _weight=e), nn.Embedding.from_pretrained(e, freeze=False)
        e.mul_(2)
        self.f.weight.data[0] = 0


class CopiesAreApart(_Written):
    def fill(self, p):
        w = torch.randn(3)
        self.q, self.r = nn.Parameter(w), nn.Parameter(w.clone())
        init.zeros_(self.q)


class OldData(_Written):
    def fill(self, p):
        d = p.data
        p.data = torch.zeros(2, 3)
        d.fill_(8)


class DataTransposed(_Written):
    def fill(self, p): p.data.t_()


class ArrayOfTensor(_Written):
    def fill(self, p): p.detach().numpy()[:] = 0.5


class TensorOfArray(_Written):
    def fill(self, p):
        a = np.zeros(3, dtype=np.float32)
        self.register_buffer("t", torch.from_numpy(a))
        a[0] = 5


class SizesChanged(_Written):
    def fill(self, p):
        w = torch.arange(6.0).view(2, 3)
        w.t_()
        v = torch.zeros(2, 3).resize_(3, 2)
        self.q, self.r = nn.Parameter(w), nn.Parameter(torch.empty(0).resize_(2, 2).fill_(1))
        self.sizes = [*w.shape, *v.shape, *torch.ones(2).unsqueeze_(0).shape, *self.r.shape]

    def forward(self, x): return super().forward(x), self.sizes


class TurnedAndWidened(_Written):
    def fill(self, p):
        w, k = torch.randn(3, 4).t(), torch.randn(3, 4)
        w.unsqueeze_(0)
        k.t_()
        k.unsqueeze_(1)
        self.q, self.r = nn.Parameter(w), nn.Parameter(k)


class ShallowCopy(_Written):
    def fill(self, p):
        w = torch.randn(3)
        self.q, self.r = nn.Parameter(copy.copy(w)), nn.Parameter(copy.deepcopy(w))
        w.fill_(2)
