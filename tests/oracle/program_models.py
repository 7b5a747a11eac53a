# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported programs for `program_values.py`: small models, most of them twice: with fixed and with varying sizes."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim


LIBRARY = torch.library.Library("lancet_oracle", "DEF")  # which the worker does not have
LIBRARY.define("scale(Tensor x, float factor, *, int mode=0) -> Tensor")
LIBRARY.define("two(Tensor a, Tensor b, int k=1) -> (Tensor, Tensor)")
LIBRARY.impl("scale", lambda x, factor, mode=0: x * factor, "CompositeExplicitAutograd")
LIBRARY.impl("two", lambda a, b, k=1: (a + b * k, (a - b).sum(0)), "CompositeExplicitAutograd")
torch.library.register_fake("lancet_oracle::scale", lambda x, factor, mode=0: torch.empty_like(x), lib=LIBRARY)
torch.library.register_fake("lancet_oracle::two", lambda a, b, k=1: (torch.empty_like(a), a.new_empty(a.shape[1:])), lib=LIBRARY)


class Function(nn.Module):
    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


class Running(nn.Module):
    """Keeps a sum in a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.add_(x.sum(0))
        return (x - self.total).relu(), self.total * 2


class Attention(nn.Module):
    def __init__(self, heads=2, size=8):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(self, x):
        batch, length, size = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(batch, length, size))


class ByHand(Attention):
    def forward(self, x):
        q, k, v = self.qkv(x).split(x.shape[-1], -1)
        weights = (q @ k.mT * k.shape[-1] ** -0.5).softmax(-1)
        return self.out((weights @ v).tanh()), weights.argmax(-1)


def unet(self, x):
    down = F.max_pool2d(self.a(x).relu(), 2)
    up = F.interpolate(self.b(down), scale_factor=2.0, mode="nearest")
    return self.c(torch.cat([x[:, :, :up.shape[2], :up.shape[3]], up], 1)).sigmoid()


def normed(self, x):
    return self.norm(x).relu(), (x > 0).any(1), x.abs().amax((1, 2)), x.var(-1, keepdim=True)


def strided(self, x):
    y = self.a(x).relu()
    return self.b(y), y[:, ::2, 1:].neg(), y.flatten(1).exp()


def reshaped(self, x):
    y = x.reshape(-1, x.shape[-1]).relu()
    return y @ self.weight, x.permute(2, 0, 1).neg(), torch.stack([x, x.abs()]).sum(0)


def joined(self, x, y):
    z = torch.cat([x, y], 0).relu()
    return z.cumsum(0), z.mean(), z.unsqueeze(1).expand(-1, 3, -1) + 1, torch.outer(z.sum(1), z.sum(1))


def typed(self, x):
    y = x.to(torch.float16).relu()
    return y.double().exp(), (x > 0).long().sum(1), x.bool().logical_not(), torch.where(x > 0, x, -x)


def indexed(self, ids, x):
    y = self.table(ids).relu()
    return y.sum(-1), y.gather(1, ids.unsqueeze(-1)), x.index_select(0, ids.flatten()[:3]), *x.topk(2, -1)


def padded(self, x):
    y = F.pad(x, (1, 2)).relu()
    return y.roll(1, -1), y.flip(1), y.unfold(-1, 3, 2).neg(), y.tril()


def many(self, x):
    a, b, c = x.split([1, 2, 3], -1)
    low, at = x.relu().min(-1)
    return a * c.neg(), *b.sort(-1), low, at, torch.meshgrid(x[:, 0], x[0], indexing="ij")


def recurrent(self, x):
    y, (h, c) = self.lstm(x)
    return y.relu(), h, c


def convolved(self, x):
    return self.up(self.conv(x).relu()), self.pool(x).neg(), F.adaptive_avg_pool2d(x, (2, 3)).relu()


def scaled(self, x):
    size = x.shape[0] * x.shape[1]
    return x.reshape(size, -1).relu() / size, torch.arange(x.shape[0]).neg(), torch.full((x.shape[1], 2), 0.5).relu()


def channels(self, x):
    y = x.contiguous(memory_format=torch.channels_last).relu()
    return self.conv(y), y.mean((2, 3)).neg(), y.permute(0, 2, 3, 1)


def einsummed(self, x, y):
    return torch.einsum("bij,bkj->bik", x, y).relu(), (x * 2).neg().matmul(y.transpose(1, 2)), torch.bmm(x, y.mT).log_softmax(-1)


def complexes(self, x):
    y = torch.fft.rfft(x.relu())
    return y.abs(), torch.view_as_real(y).neg(), y.real + 1


def library(self, x, y):
    a, b = torch.ops.lancet_oracle.two(torch.ops.lancet_oracle.scale(x.relu(), 0.5, mode=1), y, 3)
    return a.tanh() + 1, b.neg(), torch.ops.lancet_oracle.scale(x, 2.0)


def programs():
    """(name, model, inputs, dynamic shapes or None): Function takes its inputs as *args."""
    b, t = Dim("b", min=2, max=60), Dim("t", min=8, max=90)
    cases = [
        ("unet", Function(unet, a=nn.Conv2d(3, 4, 3, padding=1), b=nn.Conv2d(4, 3, 1), c=nn.Conv2d(6, 2, 1)), (torch.randn(2, 3, 16, 16),), [{0: b}]),
        ("normed", Function(normed, norm=nn.LayerNorm(6)), (torch.randn(3, 9, 6),), [{0: b, 1: t}]),
        ("batch_norm", Function(normed, norm=nn.BatchNorm1d(9)), (torch.randn(3, 9, 6),), [{0: b}]),
        ("group_norm", Function(normed, norm=nn.GroupNorm(3, 9)), (torch.randn(3, 9, 12),), [{0: b, 2: t}]),
        ("strided", Function(strided, a=nn.Conv1d(3, 4, 3, stride=2, padding=1), b=nn.Conv1d(4, 2, 2)), (torch.randn(2, 3, 24),), [{0: b, 2: Dim("u", min=16, max=90)}]),
        ("reshaped", Function(reshaped, weight=nn.Parameter(torch.randn(5, 2))), (torch.randn(3, 9, 5),), [{0: b, 1: t}]),
        ("joined", Function(joined), (torch.randn(4, 5), torch.randn(9, 5)), [{0: b}, {0: t}]),
        ("typed", Function(typed), (torch.randn(4, 9),), [{0: b, 1: t}]),
        ("indexed", Function(indexed, table=nn.Embedding(9, 4)), (torch.randint(4, (3, 4)), torch.randn(9, 5)), [{0: b}, None]),
        ("padded", Function(padded), (torch.randn(3, 9),), [{0: b, 1: t}]),
        ("many", Function(many), (torch.randn(5, 6),), [{0: b}]),
        ("recurrent", Function(recurrent, lstm=nn.LSTM(4, 3, batch_first=True)), (torch.randn(2, 9, 4),), None),
        ("convolved", Function(convolved, conv=nn.Conv2d(3, 4, 3, dilation=2), up=nn.ConvTranspose2d(4, 2, 2, stride=2), pool=nn.AvgPool2d(2)), (torch.randn(2, 3, 12, 14),), [{0: b}]),
        ("scaled", Function(scaled), (torch.randn(3, 9, 4),), [{0: b, 1: t}]),
        ("channels", Function(channels, conv=nn.Conv2d(4, 6, 3)), (torch.randn(2, 4, 7, 8),), [{0: b}]),
        ("einsummed", Function(einsummed), (torch.randn(3, 9, 4), torch.randn(3, 7, 4)), [{0: b, 1: t}, {0: b}]),
        ("complexes", Function(complexes), (torch.randn(3, 16),), [{0: b}]),
        ("attention", Attention(), (torch.randn(3, 9, 8),), [{0: b, 1: t}]),
        ("by_hand", ByHand(), (torch.randn(3, 9, 8),), [{0: b, 1: t}]),
        ("running", Running(), (torch.randn(3, 4),), [{0: b}]),
        ("encoder", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (torch.randn(3, 9, 8),), [{0: b, 1: t}]),
        ("stack", nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 3), nn.Softmax(-1)), (torch.randn(4, 6),), [{0: b}]),
        ("images", nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5)), (torch.randn(2, 3, 16, 16),), [{0: b, 2: t, 3: t}]),
        ("gated", Function(lambda self, x: F.glu(self.a(x).relu(), -1) * F.silu(self.b(x)), a=nn.Linear(6, 8), b=nn.Linear(6, 4)), (torch.randn(4, 6),), [{0: b}]),
        ("pixels", Function(lambda self, x: (F.pixel_shuffle(self.a(x).relu(), 2), F.unfold(x, 2).neg()), a=nn.Conv2d(2, 8, 1)), (torch.randn(2, 2, 6, 6),), [{0: b}]),
        ("distances", Function(lambda self, x, y: (torch.cdist(x, y).relu(), F.cosine_similarity(x, x * 2, -1).neg())), (torch.randn(4, 5), torch.randn(9, 5)), [{0: Dim("r", min=2, max=20)}, None]),
        ("repeated", Function(lambda self, x: (x.repeat(2, 3).relu(), x.repeat_interleave(2, 0).neg(), x.tile(2).exp())), (torch.randn(4, 3),), [{0: b}]),
        ("masked", Function(lambda self, x: (x.masked_fill(x < 0, 0.5).relu(), F.one_hot(x[:, 0].long().abs() % 3, 3), x.clamp(-1, 1).neg())), (torch.randn(4, 9),), [{0: b, 1: t}]),
        ("bags", Function(lambda self, x, ids: (self.bag(ids).relu(), x.scatter_add(1, ids, torch.ones_like(x)).neg()), bag=nn.EmbeddingBag(9, 4)), (torch.randn(3, 9), torch.randint(9, (3, 9))), [{0: b}, {0: b}]),
        ("library", Function(library), (torch.randn(4, 3), torch.randn(4, 3)), [{0: b}, {0: b}]),
        ("halves", Function(lambda self, x: (x[: x.shape[0] // 2].relu(), x[:, 1::3].neg(), x.diagonal().exp())), (torch.randn(10, 12),), [{0: 2 * Dim("h", min=2, max=45), 1: t}]),
    ]
    for name, model, inputs, dynamic in cases:
        yield name, model.eval(), inputs, None
        if dynamic:
            yield f"{name}_dynamic", model.eval(), inputs, (tuple(dynamic),) if isinstance(model, Function) else tuple(dynamic)
    for name in ("images", "batch_norm", "encoder"):
        model, inputs = next((model, inputs) for other, model, inputs, _ in cases if other == name)
        yield f"{name}_training", model.train(), inputs, None
