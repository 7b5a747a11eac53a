# SPDX-License-Identifier: GPL-3.0-or-later
"""More models for tracer_files.py: buffers that the graph changes, layers of many kinds, exported and captured
programs. `cases()` as in tracer_cases.py."""

import torch
import torch.nn.functional as F
from torch import nn
from torch._decomp import core_aten_decompositions

import tracer_cases as basic


class Cache(nn.Module):
    """Keys of earlier steps, as language models keep them."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)
        self.register_buffer("keys", torch.zeros(6, 4))
        self.register_buffer("filled", torch.tensor(2), persistent=False)

    def forward(self, x):
        self.keys[2:5].copy_(self.project(x))
        self.filled.add_(3)
        return x @ self.keys.t()


class Indexed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("store", torch.arange(12.0).reshape(3, 4))

    def forward(self, x, rows):
        self.store.index_copy_(0, rows, x[:2])
        self.store.index_add_(0, rows, x[:2])
        return self.store.sum(0) + x


class Averaged(nn.Module):
    """Statistics in a module inside."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Module()
        self.inner.register_buffer("mean", torch.zeros(4))
        self.inner.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        self.inner.mean.lerp_(x.mean(0), 0.1)
        self.inner.count += 1
        return (x - self.inner.mean) * self.scale


class Constantly(nn.Module):
    """What is written depends on no input: loading the file writes it too."""

    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(2))
        self.register_buffer("flags", torch.zeros(4))

    def forward(self, x):
        self.steps.add_(1)
        self.flags[1:3].fill_(2)
        return x + self.flags


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", 1.0 / 10000 ** (torch.arange(0, 8, 2) / 8), persistent=False)

    def forward(self, x):
        angles = torch.outer(torch.arange(x.shape[1], dtype=torch.float32), self.frequencies)
        a, b = x.chunk(2, -1)
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        mask = torch.triu(torch.full((x.shape[1], x.shape[1]), float("-inf")), 1)
        return self.attention(x, x, x, attn_mask=mask, need_weights=False)[0]


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4, mode="mean", padding_idx=0)
        self.words = nn.Embedding(10, 4, padding_idx=0)

    def forward(self, tokens):
        return self.bag(tokens) + self.words(tokens).amax(1)


class Sparse(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer(
            "matrix",
            torch.sparse_coo_tensor(
                torch.tensor([[0, 1, 2], [2, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (3, 3)
            ).coalesce(),
        )

    def forward(self, x):
        return torch.sparse.mm(self.matrix, x)


class Weighted(nn.Module):
    """Parameters of several kinds: frozen, shared, in a list, not contiguous."""

    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(4, 3).t())
        self.many = nn.ParameterList([nn.Parameter(torch.randn(4)), nn.Parameter(torch.randn(4), requires_grad=False)])
        self.named = nn.ParameterDict({"a": nn.Parameter(torch.randn(4))})
        self.alias = self.first

    def forward(self, x):
        return x * self.first + self.alias * self.many[0] + self.many[1] * self.named["a"]


class Lossy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = nn.Linear(4, 3), nn.CrossEntropyLoss(
            weight=torch.tensor([1.0, 2.0, 0.5]), label_smoothing=0.1
        )

    def forward(self, x, target):
        return self.loss(self.layer(x), target)


class Counted(nn.Module):
    """Input and buffer are both changed."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3, 4))

    def forward(self, x):
        self.total.add_(x)
        x.mul_(2)
        return self.total.clone()


class Loops(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = x + layer(x) * i if i % 2 == 0 else layer(x)
        return {"last": x, "sizes": (x.shape[0], 4)}


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, padding="same", padding_mode="reflect"),
        nn.GroupNorm(2, 4),
        nn.PReLU(4),
        nn.ConvTranspose2d(4, 2, 2, stride=2),
        nn.InstanceNorm2d(2, affine=True, track_running_stats=True),
        nn.Hardswish(),
    )


def classifier():
    return nn.Sequential(
        nn.Conv1d(4, 6, 1, groups=2),
        nn.BatchNorm1d(6),
        nn.SiLU(),
        nn.AdaptiveMaxPool1d(2),
        nn.Flatten(),
        nn.Linear(12, 3),
        nn.Softmax(-1),
    )


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Bilinear(4, 4, 2)

    def forward(self, x, y):
        return self.mix(x, y), F.cosine_similarity(x, y)


def cases():
    traced, with_parameters, training_step = basic.traced, basic.with_parameters, basic.training_step
    aot, exported, captured, fused = basic.aot, basic.exported, basic.captured, basic.fused
    torch.manual_seed(2)
    x, y, image, tokens, sequence = (
        torch.randn(3, 4),
        torch.randn(3, 4),
        torch.randn(2, 3, 6, 6),
        torch.randint(0, 10, (3, 5)),
        torch.randn(2, 5, 8),
    )
    rows, target, signal = torch.tensor([0, 2]), torch.tensor([0, 2, 1]), torch.randn(2, 4, 7)
    batch, length = torch.export.Dim("batch", min=2, max=64), torch.export.Dim("length", min=2, max=32)
    core = core_aten_decompositions()
    norms = lambda: nn.Sequential(nn.BatchNorm2d(3, momentum=0.3), nn.BatchNorm2d(3, affine=False))  # noqa: E731
    found = {
        "cache_module": traced(Cache(), x),
        "indexed_module": traced(Indexed(), x, rows),
        "averaged_module": traced(Averaged(), x),
        "constantly": traced(Constantly(), x),
        "rotary": traced(Rotary(), sequence),
        "rotary_symbolic": traced(Rotary(), sequence, tracing_mode="symbolic", _allow_non_fake_inputs=True),
        "masked_attention": traced(Masked().eval(), sequence),
        "bags": traced(Bags(), tokens),
        "bags_training": training_step(Bags(), tokens),
        "weighted": traced(Weighted(), x),
        "lossy": traced(Lossy(), x, target),
        "lossy_training": training_step(Lossy(), x, target),
        "counted": traced(Counted(), x),
        "convolutions": traced(convolutions().eval(), image),
        "convolutions_training": traced(convolutions(), image),
        "classifier": traced(classifier(), signal),
        "classifier_core": traced(classifier().eval(), signal, decomposition_table=core),
        "pair": traced(Pair(), x, y),
        "gru": traced(nn.GRU(4, 3, 2, bidirectional=True), torch.randn(5, 2, 4)),
        "rnn_cell": traced(nn.RNNCell(4, 3), x),
        "lstm_cell": traced(nn.LSTMCell(4, 3), x),
        "batch_norms": traced(norms(), image),
        "loops": traced(Loops(), x),
        "encoder": traced(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).train(), sequence),
        "weight_norm": traced(nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), x),
        "spectral_norm": traced(nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)).eval(), x),
        "sparse_module": traced(Sparse(), torch.randn(3, 3)),
        "parameters_of_cache": with_parameters(Cache(), x),
        "parameters_of_norms": with_parameters(norms(), image, tracing_mode="symbolic"),
        "parameters_of_lossy": with_parameters(Lossy(), x, target),
        "aot_cache": aot(Cache(), x, module=True),
        "aot_averaged": aot(Averaged(), x, module=True),
        "aot_convolutions": aot(convolutions(), image, module=True),
        "aot_bags": aot(Bags(), tokens, module=True),
        "aot_classifier_dynamic": aot(classifier(), signal, module=True, dynamic=True),
        "aot_lossy": aot(Lossy(), x, target, module=True),
        "exported_cache": exported(Cache, x),
        "exported_cache_decomposed": exported(Cache, x, decompose=True),
        "exported_indexed": exported(Indexed, x, rows),
        "exported_averaged": exported(Averaged, x),
        "exported_averaged_core": exported(Averaged, x, decompose="core"),
        "exported_rotary": exported(Rotary, sequence, dynamic={"x": {0: batch, 1: length}}),
        "exported_masked": exported(Masked, sequence),
        "exported_bags": exported(Bags, tokens, strict=True),
        "exported_weighted": exported(Weighted, x),
        "exported_lossy": exported(Lossy, x, target),
        "exported_counted": exported(Counted, x),
        "exported_counted_decomposed": exported(Counted, x, decompose=True),
        "exported_convolutions": exported(convolutions, image, training=True),
        "exported_classifier": exported(classifier, signal, dynamic=({0: batch},)),
        "exported_pair": exported(Pair, x, y, strict=True),
        "exported_gru": exported(lambda: nn.GRU(4, 3, 2), torch.randn(5, 2, 4)),
        "exported_loops": exported(Loops, x),
        "exported_constantly": exported(Constantly, x),
        "captured_cache": captured(Cache, x),
        "captured_rotary": captured(Rotary, sequence),
        "captured_lossy": captured(Lossy, x, target),
        "captured_bags": captured(Bags, tokens),
        "captured_convolutions": captured(convolutions(), image),
        "captured_weighted": captured(Weighted, x),
        "captured_dynamic_rotary": captured(Rotary, sequence, dynamic=True),
        "captured_loops": captured(Loops, x),
        "captured_averaged": captured(Averaged, x),
        "fused_classifier": fused(classifier().eval(), signal),
        "fused_cache": fused(Cache(), x),
        "fused_pair": fused(Pair(), x, y),
    }
    return {name: basic.seeded(build) for name, build in found.items()}
