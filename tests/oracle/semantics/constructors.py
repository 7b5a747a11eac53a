"""Weights that constructors write: through views, in pieces, by every function of torch.nn.init."""

import copy
import math

import torch
from torch import nn
from torch.nn import init


class _Shown(nn.Module):
    def forward(self, x):
        return x + 1


class _Holder(_Shown):
    """Three matrices, as attention keeps them."""

    def __init__(self):
        super().__init__()
        self.k = nn.Parameter(torch.zeros(3, 4, 5))


class XavierNormalOfRows(_Holder):
    def __init__(self):
        super().__init__()
        for i in range(3):
            init.xavier_normal_(self.k[i])


class XavierUniformOfRows(_Holder):
    def __init__(self):
        super().__init__()
        for i in range(3):
            nn.init.xavier_uniform_(self.k[i], gain=0.5)


class KaimingNormalOfRow(_Holder):
    def __init__(self):
        super().__init__()
        init.kaiming_normal_(self.k[1], mode="fan_out", nonlinearity="relu")


class KaimingUniformOfData(_Holder):
    def __init__(self):
        super().__init__()
        init.kaiming_uniform_(self.k.data[2], a=math.sqrt(5))


class OrthogonalOfRow(_Holder):
    def __init__(self):
        super().__init__()
        init.orthogonal_(self.k[0], gain=2.0)


class EyeOfRow(_Holder):
    def __init__(self):
        super().__init__()
        init.eye_(self.k[1])


class SparseOfRow(_Holder):
    def __init__(self):
        super().__init__()
        init.sparse_(self.k[1], sparsity=0.5)


class UniformOfSlice(_Holder):
    def __init__(self):
        super().__init__()
        init.uniform_(self.k[:, 1:3], -0.1, 0.1)


class NormalOfColumn(_Holder):
    def __init__(self):
        super().__init__()
        init.normal_(self.k[:, :, 2], 0.5, 0.1)


class TruncatedOfSlice(_Holder):
    def __init__(self):
        super().__init__()
        init.trunc_normal_(self.k[1:], std=0.02)


class ConstantOfSlice(_Holder):
    def __init__(self):
        super().__init__()
        init.constant_(self.k[0], 3.0)
        init.ones_(self.k[1, 1:])
        init.zeros_(self.k[1, :, 0])


class DiracOfPart(_Shown):
    def __init__(self):
        super().__init__()
        self.k = nn.Parameter(torch.zeros(2, 4, 4, 3))
        init.dirac_(self.k[1])


class ChunksOfData(_Holder):
    def __init__(self):
        super().__init__()
        for c in self.k.data.chunk(3):
            c.normal_()


class ChunksUniform(_Shown):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4)
        for name, p in self.rnn.named_parameters():
            if "bias" in name:
                for each in p.data.chunk(4):
                    each.uniform_(-1, 1)
            else:
                for each in p.chunk(4, 0):
                    init.orthogonal_(each)


class ForgetBias(_Shown):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4)
        n = self.rnn.bias_ih_l0.size(0)
        self.rnn.bias_ih_l0.data[n // 4 : n // 2].fill_(1.0)
        self.rnn.bias_hh_l0.data[n // 4 : n // 2] = 2.0


class SplitWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(6, 4))
        a, b = self.w.data.split([2, 4])
        a.fill_(1)
        b.normal_(0, 2)


class UnbindWritten(_Holder):
    def __init__(self):
        super().__init__()
        for at, each in enumerate(self.k.data.unbind(0)):
            each.fill_(at + 1)


class IteratedWritten(_Holder):
    def __init__(self):
        super().__init__()
        with torch.no_grad():
            for at, each in enumerate(self.k):
                each.fill_(at + 1)


class TransposedWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 6))
        with torch.no_grad():
            self.w.t()[1].normal_()
            init.uniform_(self.w.T[2:4])


class ViewWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 6))
        self.w.data.view(-1)[3:9].uniform_()
        self.w.data.reshape(2, 12)[1].fill_(4)


class NarrowWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(6, 3))
        self.w.data.narrow(0, 2, 2).normal_()
        self.w.data.select(1, 0).zero_()


class DiagonalWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 4))
        self.w.data.diagonal().fill_(1.5)
        self.w.data.fill_diagonal_(2.5)


class ExpandedRead(_Shown):
    def __init__(self):
        super().__init__()
        row = torch.randn(1, 4)
        self.register_buffer("rows", row.expand(3, 4).clone())
        row.zero_()
        self.register_buffer("row", row)


class DetachShares(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3))
        self.w.detach().add_(1)
        self.w.data[0] = 7


class CloneDoesNotShare(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3))
        self.w.data.clone().add_(1)
        self.w.data.contiguous()[1] = 3


class TensorIsTheTensor(_Shown):
    def __init__(self):
        super().__init__()
        base = torch.zeros(4)
        self.register_buffer("first", base[:2])
        self.register_buffer("second", base[2:])
        base.copy_(torch.arange(4.0))


class ParameterOfView(_Shown):
    def __init__(self):
        super().__init__()
        base = torch.zeros(2, 3)
        self.a, self.b = nn.Parameter(base[0]), nn.Parameter(base[1])
        init.normal_(base)


class MaskedWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 3))
        with torch.no_grad():
            self.w[self.w < 0] = 0
            self.w.data.clamp_(max=0.5)


class IndexWritten(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        with torch.no_grad():
            self.w[[0, 2]] = 1.0
            self.w[1, :] = torch.arange(3.0)
            self.w[..., -1] += 5


class PaddingRow(_Shown):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(5, 3, padding_idx=0)
        init.normal_(self.e.weight)
        with torch.no_grad():
            self.e.weight[0].fill_(0)


class ApplyInits(_Shown):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Linear(4, 4))
        self.apply(self._start)

    def _start(self, m):
        if isinstance(m, (nn.Conv2d, nn.Linear)):
            init.trunc_normal_(m.weight, std=0.02)
            if m.bias is not None:
                init.zeros_(m.bias)
        elif isinstance(m, nn.BatchNorm1d):
            init.constant_(m.weight, 3.0)
        elif isinstance(m, nn.BatchNorm2d):
            init.constant_(m.weight, 2.0)


class QkvByParts(_Shown):
    def __init__(self, dim=4):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        bound = math.sqrt(6 / (dim + dim))
        init.uniform_(self.qkv.weight[:dim], -bound, bound)
        init.xavier_uniform_(self.qkv.weight[dim : 2 * dim], gain=1 / math.sqrt(2))
        init.xavier_uniform_(self.qkv.weight[2 * dim :])
        init.zeros_(self.qkv.bias[dim : 2 * dim])


class RowsByComputed(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.empty(3, 4))
        for i in range(3):
            self.w.data[i] = torch.randn(4) * (i + 1)


class CopyOfPart(_Shown):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 8)
        with torch.no_grad():
            self.b.weight[:4].copy_(self.a.weight)
            self.b.weight[4:].copy_(self.a.weight * 2)
        self.a.weight.data.mul_(3)


class TiedPart(_Shown):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight
        init.eye_(self.b.weight)


class DeepCopied(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = copy.deepcopy(self.a)
        init.ones_(self.a.weight[0])


class DataReplaced(_Shown):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(2, 2))
        kept = self.w.data
        self.w.data = torch.ones(2, 2)
        kept.fill_(9)
        self.w.data[0].fill_(4)


class DataKept(_Shown):
    def __init__(self):
        super().__init__()
        self.w, self.v = nn.Parameter(torch.randn(2, 2)), nn.Parameter(torch.randn(3))
        self.w.data.detach_()
        self.v.detach().requires_grad_(False)
        self.v.detach().detach_()
        self.kept = self.w.data
        self.register_buffer("seen", self.v.data)
        self.w.data.mul_(2)
        self.seen += 1
        self.count = sum(p.requires_grad for p in self.parameters())

    def forward(self, x): return super().forward(x), self.kept * self.count + x


class GradientFlags(_Shown):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        w = self.l.weight
        made = [w * 2, w[0], w.view(-1), w.abs().max(), torch.cat([w, torch.ones(1, 3)]), self.l(torch.ones(1, 3)), w > 0,
                w.argmax(), w.float(), w.detach(), torch.zeros_like(w), w.data[0], w.sort()[0], w.unbind(0)[1], w.double().sum()]
        self.k = [(each.requires_grad, each.is_leaf) for each in made]
        with torch.no_grad():
            inside = [w * 2, w[:1], w.view(9), w.clone()]
        self.k += [(each.requires_grad, each.is_leaf) for each in inside]
        self.scale = w.abs().mean()
        self.register_buffer("halved", w / 2)

    def forward(self, x):
        return super().forward(x) * self.scale + self.halved, self.k, torch.is_grad_enabled()


class WritesWithGradients(_Shown):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3).requires_grad_(False)
        self.b.weight.copy_(self.a.weight * 2)
        t = torch.zeros(3, 3)
        first, last, apart = t[0], t[2], t.detach()
        first.copy_(self.a.weight[0])
        self.register_buffer("t", t)
        with torch.no_grad():
            self.a.weight[1] = 0
            self.a.weight.mul_(3)
        try:
            self.a.weight.add_(1)
        except RuntimeError:
            self.a.bias.data.zero_()
        try:
            self.a.weight[0] = 1
        except RuntimeError as error:
            self.text = str(error)
        self.k = [(each.requires_grad, each.is_leaf) for each in (self.a.weight, self.b.weight, t, first, last, apart)]

    def forward(self, x): return super().forward(x) + self.t, self.k, self.text


class MixedLists(_Shown):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.tensor([0, 0.5, 1]))
        self.w = nn.Parameter(torch.as_tensor([[1, 0.5], [0.25, 2]]))
        self.kinds = [str(torch.tensor(each).dtype) for each in ([True, 2], [1, 2j], range(3), [torch.tensor(1), 0.5])]

    def forward(self, x): return super().forward(x) * self.k, self.kinds


class WhereAndFlip(_Shown):
    def __init__(self):
        super().__init__()
        w = torch.randn(4)
        w.flip(0).zero_()
        self.register_buffer("w", torch.where(w > 0, w, torch.zeros_like(w)))
        w[:2].neg_()


class InPlaceOfView(_Shown):
    def __init__(self):
        super().__init__()
        w = torch.arange(12.0).view(3, 4)
        w[1] *= 2
        w[:, 0] -= 1
        w[2].div_(4).add_(1)
        self.register_buffer("w", w)


class SwappedRows(_Shown):
    def __init__(self):
        super().__init__()
        w = torch.arange(6.0).view(3, 2)
        w[0], w[1] = w[1], w[0]
        self.register_buffer("w", w)


class PositionsByView(_Shown):
    def __init__(self, n=5, d=4):
        super().__init__()
        pe = torch.zeros(n, d)
        position = torch.arange(0, n).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
        pe[:, 0::2] = torch.sin(position * div)
        pe[:, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe.unsqueeze(0))


class SettingsAsLists(_Shown):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, kernel_size=[3, 3], stride=[2], padding=[1, 1])
        self.one = nn.Conv1d(3, 4, [3], stride=[2])
        self.pool = nn.MaxPool2d([2, 2], stride=[2])
        self.norm = nn.LayerNorm([4, 5])
        self.size = nn.LayerNorm(torch.Size([3]))

    def forward(self, x):
        return self.norm(self.pool(self.conv(x))), str(self.conv), str(self.one), str(self.pool), str(self.norm)


class SettingsAsBools(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4, bias=None)
        self.b = nn.Linear(3, 4, 0)
        self.c = nn.Dropout(1)
        self.d = nn.BatchNorm2d(4, affine=0)

    def forward(self, x):
        return self.b(x), str(self.a), str(self.b), str(self.c), str(self.d)


class SizesAsBools(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, True)


class SettingsRefused(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 4, 3, groups=2)


class DropoutRefused(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Dropout(1.5)


class SettingsMissing(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3)


class PaddingMode(_Shown):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 4, 3, padding="same")
        self.b = nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect")

    def forward(self, x):
        return self.b(self.a(x)), self.a.padding, self.b._reversed_padding_repeated_twice, str(self.b)


class FanOf(_Shown):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 4, 3)
        fan_in, fan_out = init._calculate_fan_in_and_fan_out(self.c.weight)
        self.c.weight.data.normal_(0, math.sqrt(2.0 / fan_out))
        self.c.bias.data.fill_(fan_in)
        self.gain = init.calculate_gain("leaky_relu", 0.2)

    def forward(self, x):
        return self.c(x) * self.gain


class LayersOfTensors(nn.Module):
    def __init__(self):
        super().__init__()
        t = torch.randn(3, 4)
        self.register_buffer("r", nn.Softmax(-1)(t) + nn.LeakyReLU(0.2)(t))

    def forward(self, x): return x + self.r


class FloatsOfTensors(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 6)
        for s in torch.tensor([8.0, 16.0]):
            b = self.l.bias.view(2, -1)
            b.data[:, 1] += math.log(8 / (640 / s) ** 2)
            self.l.bias = nn.Parameter(b.view(-1), requires_grad=True)
        self.seen = math.sqrt(s), math.exp(s / 2), math.floor(s + 0.5), math.pow(s, 2)

    def forward(self, x): return self.l(x), self.seen


class ChannelsLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 1).to(memory_format=torch.channels_last)

    def forward(self, x): return self.conv(x)


class ChannelsLastStrides(ChannelsLast):
    def __init__(self):
        super().__init__()
        self.seen = self.conv.weight.stride()

    def forward(self, x): return self.conv(x), self.seen


class LoadHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []
        l = nn.Linear(2, 2)
        s = nn.Sequential(l)

        def filled(m, **more):
            return {**{name: torch.ones(value.shape) for name, value in m.state_dict().items()}, **more}

        def drop(sd, prefix, *rest):
            self.seen.append((prefix, sorted(sd), rest[1], len(rest)))
            sd.pop(prefix + "old", None)

        handle = l._register_load_state_dict_pre_hook(drop)
        given = filled(l, old=torch.zeros(1))
        self.seen.append((str(l.load_state_dict(given)), sorted(given)))
        self.seen.append(str(s.load_state_dict({**filled(s), "0.old": torch.zeros(1)})))
        handle.remove()
        try:
            l.load_state_dict(given)
        except RuntimeError as error:
            self.seen.append(str(error))
        l.register_load_state_dict_pre_hook(lambda m, sd, *rest: self.seen.append((type(m).__name__, sd.pop("old"))))
        l.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
        self.seen.append(str(l.load_state_dict({"weight": torch.ones(2, 2), "old": 1})))
        l.register_load_state_dict_post_hook(lambda m, keys: 1)
        try:
            l.load_state_dict(filled(l, old=1))
        except AssertionError as error:
            self.seen.append(str(error))
        self.part = s

    def forward(self, x): return self.part(x), self.seen
