# SPDX-License-Identifier: GPL-3.0-or-later
"""Models for torchscript.py, each as (name, ways, make): make() gives a module in eval mode and its inputs; ways are "t" to trace and "s" to script it."""

from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Plain(nn.Module):
    """One module of torch.nn, called once."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Block(nn.Module):
    def __init__(self, a, b, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(a, b, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(b)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(b, b, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(b)
        self.down = nn.Sequential(nn.Conv2d(a, b, 1, stride, bias=False), nn.BatchNorm2d(b)) if stride > 1 or a != b else None

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.down is None else self.down(x)))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layer1 = nn.Sequential(Block(8, 8), Block(8, 8))
        self.layer2 = nn.Sequential(Block(8, 16, 2), Block(16, 16))
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.pool(self.layer2(self.layer1(self.stem(x))))
        return self.fc(torch.flatten(x, 1))


class Inverted(nn.Module):
    def __init__(self, a, expand):
        super().__init__()
        h = a * expand
        self.body = nn.Sequential(nn.Conv2d(a, h, 1), nn.BatchNorm2d(h), nn.Hardswish(), nn.Conv2d(h, h, 5, 1, 2, groups=h), nn.BatchNorm2d(h), nn.ReLU6())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(h, 4, 1), nn.SiLU(), nn.Conv2d(4, h, 1), nn.Hardsigmoid())
        self.project = nn.Conv2d(h, a, 1)
        self.drop = nn.Dropout2d(0.2)

    def forward(self, x):
        y = self.body(x)
        return x + self.drop(self.project(y * self.squeeze(y)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.mid = nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect")
        self.up = nn.ConvTranspose2d(4, 4, 2, 2)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = F.relu(self.down(x))
        b = F.relu(self.mid(self.pool(a)))
        c = self.up(b)
        dy, dx = a.size(2) - c.size(2), a.size(3) - c.size(3)
        c = F.pad(c, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.out(torch.cat([a, c], dim=1))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.register_buffer("scale", torch.tensor((dim // heads) ** -0.5))

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        a = (q @ k.transpose(-2, -1) * self.scale).softmax(dim=-1)
        return self.proj((a @ v).transpose(1, 2).reshape(b, n, c))


class Encoder(nn.Module):
    def __init__(self, dim=16, depth=2):
        super().__init__()
        self.words = nn.Embedding(50, dim, padding_idx=0)
        self.places = nn.Parameter(torch.randn(1, 12, dim))
        self.layers = nn.ModuleList([nn.ModuleDict({"norm1": nn.LayerNorm(dim), "attn": Attention(dim, 4), "norm2": nn.LayerNorm(dim),
                                                    "mlp": nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))}) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        x = self.words(ids) + self.places[:, :ids.size(1)]
        for layer in self.layers:
            x = x + layer["attn"](layer["norm1"](x))
            x = x + layer["mlp"](layer["norm2"](x))
        return self.norm(x)


class Sdpa(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, mask):
        q, k, v = (f(x).view(x.size(0), -1, 2, 4).transpose(1, 2) for f in (self.q, self.k, self.v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)


class Recurrent(nn.Module):
    def __init__(self, kind, **more):
        super().__init__()
        self.rnn = kind(5, 6, **more)
        self.fc = nn.Linear(6 * (2 if more.get("bidirectional") else 1), 3)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.fc(out)


class Stateful(nn.Module):
    """A recurrent network whose state the caller may leave out."""

    def __init__(self):
        super().__init__()
        self.rnn, self.fc = nn.GRU(4, 6, batch_first=True), nn.Linear(6, 2)

    def forward(self, x, state: Optional[Tensor] = None):
        out, state = self.rnn(x, state)
        return torch.relu(self.fc(out)), state


class Forked(nn.Module):
    """Parts that run beside each other."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        future = torch.jit.fork(self.left, x)
        y = self.right(x)
        return torch.jit.wait(future) * 2 + y


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.LSTM(4, 5, num_layers=2, batch_first=True)
        self.decoder = nn.LSTM(4, 5, num_layers=2, batch_first=True)

    def forward(self, x, y):
        _, state = self.encoder(x)
        out, (h, c) = self.decoder(y, state)
        return out, h, c


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(4, 4), nn.GRUCell(4, 4)

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outs: List[Tensor] = []
        for i in range(3):
            h, c = self.lstm(x[i], (h, c))
            h = self.gru(x[i], h)
            outs.append(h)
        return torch.stack(outs)


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.alias = self.shared

    def forward(self, x):
        return self.act(self.alias(self.act(self.shared(x)))) + self.shared(x)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 6)
        self.head = nn.Linear(6, 20, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids):
        return self.head(self.emb(ids))


class DictIo(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 2)

    def forward(self, batch: Dict[str, Tensor]):
        y = self.a(batch["x"])
        return {"logits": y, "sum": y.sum(1) + batch["bias"]}


class TupleIo(nn.Module):
    def forward(self, pair: Tuple[Tensor, Tensor], scale: float = 2.0):
        a, b = pair
        return (a + b) * scale, [a, b]


class OptionalIo(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, mask: Optional[Tensor] = None):
        y = self.fc(x)
        if mask is not None:
            y = y.masked_fill(mask, 0.0)
        return y


class Switches(nn.Module):
    """Inputs that a caller may leave out: what they are decides branches, one of them inside of a submodule."""

    def __init__(self):
        super().__init__()
        self.first, self.second = OptionalIo(), OptionalIo()

    def forward(self, x, mask: Optional[Tensor] = None, double: bool = False, mode: str = "relu"):
        y = self.second(self.first(x, mask))
        if isinstance(mask, Tensor) or double:
            y = y * 2
        if mode == "relu":
            return torch.relu(y)
        return y


class WeightLoop(nn.Module):
    """A loop whose count is a size of a weight."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4))

    def forward(self, x):
        for i in range(self.weight.size(0)):
            x = x * self.weight[i] + len(self.weight)
        return x


class Unions(nn.Module):
    """isinstance on what is known, although the script has unions in its place."""

    def __init__(self, split: bool):
        super().__init__()
        self.split = split
        self.fc = nn.Linear(4, 4)

    def features(self, x: Tensor) -> Union[Tensor, List[Tensor]]:
        y = self.fc(x)
        if self.split:
            return [y, y.relu()]
        return y

    def head(self, y: Union[Tensor, List[Tensor]]) -> Tensor:
        if isinstance(y, list):
            return torch.cat(y, 1)
        return y.sigmoid()

    def forward(self, x):
        return self.head(self.features(x))


class ListIo(nn.Module):
    def forward(self, xs: List[Tensor]):
        return torch.cat(xs, dim=1), len(xs)


class EarlyExit(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        y = self.first(x)
        if y.mean() > 100:
            return y
        return self.second(y)


class QuantisedConstants(nn.Module):
    """Quantised tensors that a trace keeps as constants."""

    def __init__(self, per_channel):
        super().__init__()
        values = torch.linspace(-1, 1, 8).view(2, 4)
        if per_channel:
            scales, zeros = torch.tensor([0.1, 0.05]), torch.tensor([0, 3])
            self.known = [torch.quantize_per_channel(values, scales, zeros, 0, torch.qint8)]
        else:
            self.known = [torch.quantize_per_tensor(values, 0.1, 3, torch.quint8)]

    def forward(self, x):
        return x * self.known[0].dequantize()


class LeavesLoop(nn.Module):
    """A return inside of a loop, which the loop reaches or not: what it would give is not set then."""

    def forward(self, x):
        for i in range(3):
            if bool(x.sum() > 3 + i):
                return x * 2, i
            x = x + 1
        return x - 1, 7


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, times: int = 3):
        for i in range(times):
            x = torch.relu(self.fc(x)) + i
        return x


class Converges(nn.Module):
    def forward(self, x):
        steps = 0
        while bool(x.abs().max() > 1.0) and steps < 50:
            x = x / 2
            steps += 1
        return x, steps


class Boxes(nn.Module):
    """Detection-like post-processing: decode, clip, greedy suppression."""

    def forward(self, boxes, scores):
        keep: List[int] = []
        order = scores.argsort(descending=True)
        while order.numel() > 0:
            i = int(order[0])
            keep.append(i)
            if order.numel() == 1:
                break
            rest = order[1:]
            lt = torch.max(boxes[i, :2], boxes[rest, :2])
            rb = torch.min(boxes[i, 2:], boxes[rest, 2:])
            wh = (rb - lt).clamp(min=0)
            inter = wh[:, 0] * wh[:, 1]
            area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
            iou = inter / (area[i] + area[rest] - inter)
            order = rest[iou <= 0.5]
        index = torch.tensor(keep)
        return boxes[index], scores[index]


class Decode(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(4, 6, 1)
        self.register_buffer("anchors", torch.rand(2, 2))

    def forward(self, x):
        b, _, h, w = x.shape
        p = self.head(x).view(b, 2, 3, h, w).permute(0, 1, 3, 4, 2)
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack((xs, ys), -1).to(p.dtype)
        xy = (p[..., :2].sigmoid() + grid[None, None]) * 8
        top, where = p[..., 2].flatten(1).topk(3)
        return xy, top, where


class Asserts(nn.Module):
    def forward(self, x):
        assert x.dim() == 2, "two dimensions"
        if x.size(0) > 1000:
            raise ValueError("too many")
        return x.t() @ x


class Point(NamedTuple):
    x: Tensor
    y: Tensor


class Named(nn.Module):
    def forward(self, a):
        p = Point(a * 2, a + 1)
        return p.x - p.y


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        y = x.clone()
        y[:, 0] = 1.0
        y[:, 1:] += self.seen[1:]
        y.mul_(2).clamp_(max=3)
        return y


class Constants(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.5, 0.25, 0.125]).view(3, 1, 1)  # no buffer

    def forward(self, x):
        return (x - self.mean) / torch.tensor([2.0, 4.0, 8.0]).view(3, 1, 1) + torch.full((1,), 3.5)


class Types(nn.Module):
    def forward(self, x):
        half = x.to(torch.float64)
        whole = (half * 10).long()
        return whole.float() / 3, half.to(torch.bool), x.type_as(half), torch.arange(x.shape[0], dtype=torch.int32), whole // 3, whole % 3


class Methods(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def helper(self, x, n: int):
        return self.fc(x) * n

    def forward(self, x):
        return self.helper(x, 2) + self.helper(x, 3)


class Indexing(nn.Module):
    def forward(self, x, i):
        return x[i], x[:, None, 1:], x[..., -1], x[x > 0], x[0, ::2], x.index_select(1, i), torch.where(x > 0, x, -x)


class Einsum(nn.Module):
    def forward(self, x, y):
        return torch.einsum("bij,bjk->bik", x, y), torch.bmm(x, y), torch.baddbmm(x, x, y)


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.g, self.i, self.l, self.b = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LocalResponseNorm(2), nn.BatchNorm2d(4, affine=False)

    def forward(self, x):
        return self.b(self.l(self.i(self.g(x))))


class Resize(nn.Module):
    def __init__(self, up):
        super().__init__()
        self.up = up

    def forward(self, x):
        return self.up(x), F.interpolate(x, size=[5, 7], mode="bilinear", align_corners=False), F.interpolate(x, scale_factor=2.0, mode="nearest")


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv2d(3 + 2 * i, 2, 3, padding=1) for i in range(3)])

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(F.relu(layer(torch.cat(features, 1))))
        return torch.cat(features, 1)


class Mha(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        out, weights = self.attn(x, x, x)
        return out, weights


class AttendsSelf(nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 2, **settings)

    def forward(self, x, mask: Optional[torch.Tensor] = None, padding: Optional[torch.Tensor] = None):
        return self.attn(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask)[0]


class AttendsOther(nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 4, **settings)

    def forward(self, x, key, value, mask):
        out, weights = self.attn(x, key, value, attn_mask=mask, average_attn_weights=False)
        return out, weights, self.attn(x, key, value)[0]


class Text(nn.Module):
    def forward(self, x, mode: str = "sum"):
        if mode == "sum":
            return x.sum()
        return x.mean()


class Training(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        x = self.drop(self.fc(x))
        if self.training:
            x = x + 1
        return F.dropout(x, 0.5, self.training)


class Many(nn.Module):
    def forward(self, x):
        a, b, c = x.chunk(3, dim=1)
        d, e = torch.split(x, [1, 2], dim=1)
        values, places = x.sort(dim=1)
        return a + b * c, d.expand_as(e) - e, values, places, torch.cumsum(x, 0), x.std(dim=1, keepdim=True), x.unbind(1)[0]


class Layout(Enum):
    FIRST = "first"
    LAST = "last"


class Formats(nn.Module):
    """A setting that is a member of an enum, compared in the module and in a branch on values."""

    def __init__(self):
        super().__init__()
        self.layout = Layout.LAST
        self.shape = (4, 1)
        self.scale = nn.Parameter(torch.rand(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.layout == Layout.LAST:
            x = x.transpose(1, -1)
        if bool(x.sum() > 0) and self.layout != Layout.FIRST:
            x = x * self.scale.view(self.shape).sum()
        return x


class Cached(nn.Module):
    """A dict that a module fills in its first run."""

    cache: Dict[str, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.rand(3, 5))
        self.register_buffer("places", torch.tensor([4, 0, 2]))
        self.cache = {}

    def row(self, device: torch.device) -> torch.Tensor:
        key = str(device)
        if key not in self.cache:
            self.cache[key] = self.table[:, self.places]
        return self.cache[key]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.row(x.device)


class Padded(nn.Module):
    """Sizes that a trace computes as tensors."""

    def forward(self, x):
        rest = (7 - x.shape[-1] % 7) % 7
        x = torch.nn.functional.pad(x, (0, rest))
        return x / torch.tensor(x.shape[-1], dtype=torch.float32) + torch.stack([torch.as_tensor(n) for n in x.shape]).sum()


class SharedLeaves(nn.Module):
    """Layers that two parents call under different paths, and one that is called twice."""

    def __init__(self):
        super().__init__()
        convolution = nn.Conv2d(3, 3, 3, padding=1, groups=3)
        self.first = nn.ModuleDict({"conv": convolution, "norm": nn.BatchNorm2d(3)})
        self.second = nn.ModuleDict({"conv": convolution, "norm": nn.BatchNorm2d(3), "gone": nn.Identity()})

    def forward(self, x):
        x = self.first["norm"](self.first["conv"](x))
        return self.second["gone"](self.second["norm"](self.second["conv"](x)))


def rand(*sizes):
    return torch.randn(*sizes)


def plain(inner, *sizes):
    return lambda: (Plain(inner()), (rand(*sizes),))


PLAIN = {
    "linear": (lambda: nn.Linear(3, 4), (2, 3)),
    "linear_no_bias": (lambda: nn.Linear(3, 4, bias=False), (2, 3)),
    "conv1d": (lambda: nn.Conv1d(3, 4, 3, padding="same"), (2, 3, 8)),
    "conv2d_groups": (lambda: nn.Conv2d(4, 8, (3, 5), (1, 2), (1, 2), groups=4), (2, 4, 8, 8)),
    "conv2d_dilated": (lambda: nn.Conv2d(3, 4, 3, dilation=2, padding=2, padding_mode="circular"), (2, 3, 8, 8)),
    "conv3d": (lambda: nn.Conv3d(2, 3, 3), (1, 2, 5, 5, 5)),
    "conv_transpose1d": (lambda: nn.ConvTranspose1d(3, 4, 3, stride=2, output_padding=1), (2, 3, 6)),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(4, 6, 3, groups=2), (2, 4, 6, 6)),
    "batch_norm1d": (lambda: nn.BatchNorm1d(3, eps=1e-3), (4, 3)),
    "batch_norm2d": (lambda: nn.BatchNorm2d(3, momentum=0.2), (4, 3, 2, 2)),
    "batch_norm3d": (lambda: nn.BatchNorm3d(3), (2, 3, 2, 2, 2)),
    "layer_norm": (lambda: nn.LayerNorm([3, 4], eps=1e-6), (2, 3, 4)),
    "layer_norm_no_affine": (lambda: nn.LayerNorm(4, elementwise_affine=False), (2, 4)),
    "group_norm": (lambda: nn.GroupNorm(2, 4), (2, 4, 3)),
    "rms_norm": (lambda: nn.RMSNorm(4), (2, 4)),
    "max_pool1d": (lambda: nn.MaxPool1d(2), (2, 3, 8)),
    "max_pool2d": (lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), (2, 3, 8, 8)),
    "avg_pool2d": (lambda: nn.AvgPool2d(2, 2, count_include_pad=False), (2, 3, 8, 8)),
    "avg_pool1d": (lambda: nn.AvgPool1d(2), (2, 3, 8)),
    "adaptive_avg_pool2d": (lambda: nn.AdaptiveAvgPool2d((2, None)), (2, 3, 8, 8)),
    "adaptive_avg_pool1d": (lambda: nn.AdaptiveAvgPool1d(2), (2, 3, 8)),
    "adaptive_max_pool2d": (lambda: nn.AdaptiveMaxPool2d(2), (2, 3, 8, 8)),
    "relu": (lambda: nn.ReLU(), (2, 3)),
    "relu6": (lambda: nn.ReLU6(), (2, 3)),
    "leaky_relu": (lambda: nn.LeakyReLU(0.2), (2, 3)),
    "elu": (lambda: nn.ELU(0.5), (2, 3)),
    "selu": (lambda: nn.SELU(), (2, 3)),
    "celu": (lambda: nn.CELU(0.7), (2, 3)),
    "gelu": (lambda: nn.GELU(), (2, 3)),
    "gelu_tanh": (lambda: nn.GELU(approximate="tanh"), (2, 3)),
    "silu": (lambda: nn.SiLU(), (2, 3)),
    "mish": (lambda: nn.Mish(), (2, 3)),
    "hardswish": (lambda: nn.Hardswish(), (2, 3)),
    "hardsigmoid": (lambda: nn.Hardsigmoid(), (2, 3)),
    "hardtanh": (lambda: nn.Hardtanh(-2.0, 2.0), (2, 3)),
    "sigmoid": (lambda: nn.Sigmoid(), (2, 3)),
    "tanh": (lambda: nn.Tanh(), (2, 3)),
    "softplus": (lambda: nn.Softplus(2), (2, 3)),
    "softmax": (lambda: nn.Softmax(1), (2, 3)),
    "log_softmax": (lambda: nn.LogSoftmax(1), (2, 3)),
    "prelu": (lambda: nn.PReLU(3), (2, 3)),
    "glu": (lambda: nn.GLU(1), (2, 4)),
    "log_sigmoid": (lambda: nn.LogSigmoid(), (2, 3)),
    "softsign": (lambda: nn.Softsign(), (2, 3)),
    "threshold": (lambda: nn.Threshold(0.1, 20.0), (2, 3)),
    "dropout": (lambda: nn.Dropout(0.3), (2, 3)),
    "identity": (lambda: nn.Identity(), (2, 3)),
    "flatten": (lambda: nn.Flatten(), (2, 3, 4)),
    "unflatten": (lambda: nn.Unflatten(1, (2, 2)), (2, 4)),
    "pixel_shuffle": (lambda: nn.PixelShuffle(2), (2, 4, 3, 3)),
    "zero_pad2d": (lambda: nn.ZeroPad2d(1), (2, 3, 4, 4)),
    "reflection_pad2d": (lambda: nn.ReflectionPad2d(1), (2, 3, 4, 4)),
    "constant_pad1d": (lambda: nn.ConstantPad1d((1, 2), 0.5), (2, 3, 4)),
    "upsample": (lambda: nn.Upsample(scale_factor=2), (1, 2, 3, 3)),
    "upsample_bilinear": (lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), (1, 2, 3, 3)),
    "unfold": (lambda: nn.Unfold(2), (1, 2, 4, 4)),
    "sequential": (lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Sequential(nn.Linear(4, 2))), (2, 3)),
}


def transformer_layer(**more):
    return Plain(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **more)), (rand(2, 5, 8),)


MODELS = [(name, "t" if name == "adaptive_avg_pool2d" else "ts", plain(inner, *sizes)) for name, (inner, sizes) in PLAIN.items()] + [
    ("resnet", "ts", lambda: (ResNet(), (rand(2, 3, 32, 32),))),
    ("inverted", "ts", lambda: (Inverted(4, 3), (rand(2, 4, 8, 8),))),
    ("unet", "ts", lambda: (UNet(), (rand(1, 1, 9, 11),))),
    ("attention", "ts", lambda: (Attention(16, 4), (rand(2, 5, 16),))),
    ("encoder", "ts", lambda: (Encoder(), (torch.randint(50, (2, 7)),))),
    ("sdpa", "t", lambda: (Sdpa(), (rand(2, 5, 8), torch.zeros(5, 5)))),
    ("mha", "ts", lambda: (Mha(), (rand(2, 5, 8),))),
    ("attends_self", "ts", lambda: (AttendsSelf(), (rand(5, 2, 8),))),
    ("attends_batch_first", "t", lambda: (AttendsSelf(batch_first=True), (rand(2, 5, 8),))),
    ("attends_no_bias", "t", lambda: (AttendsSelf(bias=False), (rand(5, 2, 8),))),
    ("attends_masked", "t", lambda: (AttendsSelf(), (rand(5, 2, 8), rand(5, 5) > 1, rand(2, 5) > 1))),
    ("attends_dims", "ts", lambda: (AttendsOther(kdim=6, vdim=4), (rand(5, 2, 8), rand(7, 2, 6), rand(7, 2, 4), rand(5, 7)))),
    ("attends_three", "ts", lambda: (AttendsOther(batch_first=True), (rand(2, 5, 8), rand(2, 7, 8), rand(2, 7, 8), rand(5, 7)))),
    ("attention_with_zeros", "ts", lambda: (AttendsSelf(add_zero_attn=True, add_bias_kv=True), (rand(5, 2, 8),))),
    ("transformer_layer", "ts", transformer_layer),
    ("transformer_layer_gelu", "ts", lambda: transformer_layer(activation="gelu", norm_first=True)),
    ("lstm", "ts", lambda: (Recurrent(nn.LSTM), (rand(4, 2, 5),))),
    ("lstm_deep", "ts", lambda: (Recurrent(nn.LSTM, num_layers=2, bidirectional=True, batch_first=True), (rand(2, 4, 5),))),
    ("gru", "ts", lambda: (Recurrent(nn.GRU, bias=False), (rand(4, 2, 5),))),
    ("rnn", "ts", lambda: (Recurrent(nn.RNN), (rand(4, 2, 5),))),
    ("stateful", "ts", lambda: (Stateful(), (rand(2, 3, 4),))),
    ("stateful_given", "t", lambda: (Stateful(), (rand(2, 3, 4), rand(1, 2, 6)))),
    ("forked", "ts", lambda: (Forked(), (rand(2, 4),))),
    ("seq2seq", "ts", lambda: (Seq2Seq(), (rand(2, 3, 4), rand(2, 6, 4)))),
    ("cells", "ts", lambda: (Cells(), (rand(3, 2, 4),))),
    ("twice", "ts", lambda: (Twice(), (rand(2, 4),))),
    ("tied", "ts", lambda: (Tied(), (torch.randint(20, (2, 3)),))),
    ("dict", "s", lambda: (DictIo(), ({"x": rand(2, 3), "bias": rand(2)},))),
    ("dict_traced", "T", lambda: (DictIo(), ({"x": rand(2, 3), "bias": rand(2)},))),
    ("tuple", "s", lambda: (TupleIo(), ((rand(2, 3), rand(2, 3)),))),
    ("optional", "ts", lambda: (OptionalIo(), (rand(2, 4),))),
    ("optional_given", "ts", lambda: (OptionalIo(), (rand(2, 4), rand(2, 4) > 0))),
    ("switches", "s", lambda: (Switches(), (rand(2, 4),))),
    ("switches_given", "s", lambda: (Switches(), (rand(2, 4), rand(2, 4) > 0))),
    ("weight_loop", "s", lambda: (WeightLoop(), (rand(2, 4),))),
    ("union_list", "s", lambda: (Unions(True), (rand(2, 4),))),
    ("union_tensor", "s", lambda: (Unions(False), (rand(2, 4),))),
    ("list", "s", lambda: (ListIo(), ([rand(2, 3), rand(2, 4)],))),
    ("early_exit", "s", lambda: (EarlyExit(), (rand(2, 4),))),
    ("quantised_constant", "t", lambda: (QuantisedConstants(False), (rand(2, 4),))),
    ("quantised_channels", "t", lambda: (QuantisedConstants(True), (rand(2, 4),))),
    ("loop_left", "s", lambda: (LeavesLoop(), (torch.full((2,), 0.9),))),
    ("loop_runs_out", "s", lambda: (LeavesLoop(), (torch.full((2,), -5.0),))),
    ("counting", "ts", lambda: (Counting(), (rand(2, 4),))),
    ("converges", "s", lambda: (Converges(), (rand(2, 4) * 20,))),
    ("boxes", "s", lambda: (Boxes(), (torch.rand(9, 4).cumsum(1), torch.rand(9)))),
    ("decode", "ts", lambda: (Decode(), (rand(2, 4, 3, 5),))),
    ("asserts", "s", lambda: (Asserts(), (rand(3, 4),))),
    ("named", "s", lambda: (Named(), (rand(3, 4),))),
    ("in_place", "ts", lambda: (InPlace(), (rand(2, 3),))),
    ("constants", "ts", lambda: (Constants(), (rand(1, 3, 2, 2),))),
    ("types", "ts", lambda: (Types(), (rand(3, 2),))),
    ("methods", "ts", lambda: (Methods(), (rand(3, 3),))),
    ("indexing", "ts", lambda: (Indexing(), (rand(3, 3), torch.tensor([0, 2])))),
    ("einsum", "ts", lambda: (Einsum(), (rand(2, 3, 3), rand(2, 3, 3)))),
    ("norms", "ts", lambda: (Norms(), (rand(2, 4, 5, 5),))),
    ("resize", "ts", lambda: (Resize(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)), (rand(1, 2, 4, 4),))),
    ("dense", "ts", lambda: (Dense(), (rand(1, 3, 5, 5),))),
    ("text", "s", lambda: (Text(), (rand(2, 3),))),
    ("training", "ts", lambda: (Training(), (rand(2, 4),))),
    ("many", "ts", lambda: (Many(), (rand(4, 3),))),
    ("formats", "s", lambda: (Formats(), (rand(2, 3, 4),))),
    ("cached", "s", lambda: (Cached(), (rand(2, 3),))),
    ("padded", "t", lambda: (Padded(), (rand(2, 10),))),
    ("quantised_dynamic", "ts", lambda: (torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3)).eval(), {nn.Linear}, dtype=torch.qint8), (rand(2, 4),))),
    ("shared_leaves", "ts", lambda: (SharedLeaves().eval(), (rand(1, 3, 4, 4),))),
]
