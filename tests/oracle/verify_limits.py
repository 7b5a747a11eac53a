# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs for `verify.py`: limits that sizes and counters reach through floats and narrow types, indices and rows that inputs seldom have,
NaN that stays in buffers, small changes deep in a model; as in verify_pairs.py."""

import torch
from torch import nn
from torch.nn import functional as F

from verify_cuts import both
from verify_hidden import two
from verify_pairs import changed, drawn, edited, traced
from verify_states import counting, exported, stateful

X, ROWS = {"x": "3x6"}, {"x": "2x8x4"}
linear = F.linear


def positions(x):
    return torch.arange(x.size(1))[:, None]


def wrong_lengths():
    """Limits that only long inputs reach, through floats or narrow integers."""
    yield "power with a floor", *both(lambda m, x: x * (0.99 ** positions(x)).clamp(min=0.1), lambda m, x: x * 0.99 ** positions(x), ROWS)
    yield "power with another floor", *both(lambda m, x: x * (0.97 ** positions(x)).clamp(min=0.1), lambda m, x: x * (0.97 ** positions(x)).clamp(min=0.05), ROWS)
    yield "line with an end", *both(lambda m, x: x * (positions(x) * 0.01).clamp(max=5), lambda m, x: x * (positions(x) * 0.01), ROWS)
    yield "line with another end", *both(lambda m, x: x * (positions(x) * 0.01).clamp(max=5), lambda m, x: x * (positions(x) * 0.01).clamp(max=6), ROWS)
    yield "logarithm with an end", *both(lambda m, x: x * torch.log1p(positions(x) * 1.0).clamp(max=5), lambda m, x: x * torch.log1p(positions(x) * 1.0), ROWS)
    yield "length itself", *both(lambda m, x: x * (torch.ones_like(x).sum(1, keepdim=True) * 0.004).clamp(max=1), lambda m, x: x * (torch.ones_like(x).sum(1, keepdim=True) * 0.004), ROWS)
    yield "frequency after its end", *both(lambda m, x: x * torch.cos(positions(x) * 0.005), lambda m, x: x * torch.cos((positions(x) * 0.005).clamp(max=3.14)), ROWS)
    yield "where of a fraction", *both(lambda m, x: torch.where(positions(x) / 64 > 4.5, x * 2, x), lambda m, x: x * 1.0, ROWS)
    yield "counted in uint8", *both(lambda m, x: (x > 0).sum(1), lambda m, x: (x > 0).sum(1, dtype=torch.uint8).long(), ROWS)
    yield "running count in uint8", *both(lambda m, x: (x > 0).cumsum(1), lambda m, x: (x > 0).cumsum(1, dtype=torch.uint8).long(), ROWS)
    yield "running count through int8", *both(lambda m, x: (x > 0).cumsum(1), lambda m, x: (x > 0).cumsum(1).to(torch.int8).long(), ROWS)
    yield "counted through uint8", *both(lambda m, x: (x > 0).sum(1) * 2, lambda m, x: (x > 0).sum(1).to(torch.uint8).long() * 2, ROWS)
    yield "argmax through int8", *both(lambda m, x: x.argmax(1), lambda m, x: x.argmax(1).to(torch.int8).long(), ROWS)
    yield "sorted through int8", *both(lambda m, x: x.argsort(1), lambda m, x: x.argsort(1).to(torch.int8).long(), ROWS)
    yield "topk through int8", *both(lambda m, x: x.topk(2, 1)[1], lambda m, x: x.topk(2, 1)[1].char().long(), ROWS)
    w = drawn(140, 6)
    yield "argmax of 140 classes through int8", *both(lambda m, x: linear(x, m.w).argmax(-1), lambda m, x: linear(x, m.w).argmax(-1).to(torch.int8).long(), X, w=w)
    yield "argmin of 300 classes through uint8", *both(lambda m, x: linear(x, m.w).argmin(-1), lambda m, x: linear(x, m.w).argmin(-1).to(torch.uint8).long(), X, w=drawn(300, 6))


def right_lengths():
    yield "power", *both(lambda m, x: x * 0.99 ** positions(x), lambda m, x: x * torch.exp(positions(x) * -0.01005033585350145), ROWS)
    yield "power with a floor", *both(lambda m, x: x * (0.99 ** positions(x)).clamp(min=0.1), lambda m, x: torch.maximum(0.99 ** positions(x), torch.tensor(0.1)) * x, ROWS)
    yield "power with a ceiling above it", *both(lambda m, x: x * (0.99 ** positions(x)).clamp(max=2), lambda m, x: x * 0.99 ** positions(x), ROWS)
    yield "line", *both(lambda m, x: x * (positions(x) * 0.01).clamp(max=5), lambda m, x: x * positions(x).clamp(max=500) / 100, ROWS)
    yield "line with a floor below it", *both(lambda m, x: x * (positions(x) * 0.01).clamp(min=-1), lambda m, x: x * (positions(x) * 0.01), ROWS)
    yield "slope of attention", *both(lambda m, x: (x @ x.mT - (positions(x) - positions(x).mT).abs() * 0.02).softmax(-1) @ x, lambda m, x: F.scaled_dot_product_attention(x, x, x, attn_mask=(positions(x) - positions(x).mT).abs() * -0.02, scale=1.0), ROWS)
    yield "frequency", *both(lambda m, x: x * torch.cos(positions(x) * 0.005), lambda m, x: x * torch.sin(positions(x) * 0.005 + 1.5707963267948966), ROWS)
    yield "counted in int32", *both(lambda m, x: (x > 0).sum(1), lambda m, x: (x > 0).sum(1, dtype=torch.int32).long(), ROWS)
    yield "running count in int16", *both(lambda m, x: (x > 0).cumsum(1), lambda m, x: (x > 0).cumsum(1).to(torch.int16).long(), ROWS)
    yield "argmax through int16", *both(lambda m, x: x.argmax(1), lambda m, x: x.argmax(1).to(torch.int16).long(), ROWS)
    w = drawn(100, 6)
    yield "argmax of 100 classes through int8", *both(lambda m, x: linear(x, m.w).argmax(-1), lambda m, x: linear(x, m.w).argmax(-1).to(torch.int8).long(), X, w=w)
    yield "argmax of 200 classes through uint8", *both(lambda m, x: linear(x, m.w).argmax(-1), lambda m, x: linear(x, m.w).argmax(-1).to(torch.uint8).long(), X, w=drawn(200, 6))
    yield "top of 100 classes through int8", *both(lambda m, x: linear(x, m.w).topk(3)[1], lambda m, x: linear(x, m.w).topk(3)[1].char().long(), X, w=w)
    yield "counts of 100 through uint8", *both(lambda m, x: (linear(x, m.w) > 0).sum(-1), lambda m, x: (linear(x, m.w) > 0).sum(-1).byte().long(), X, w=w)


def wrong_counters():
    for kind, start in {"float": 0.0, "int": 0}.items():
        pair = lambda name, a, b: stateful(f"{kind} counter: {name}", counting(a), counting(b), n=start)
        yield from pair("power with a floor", lambda n, x: x * (0.99**n).clamp(min=0.1), lambda n, x: x * 0.99**n)
        yield from pair("power with another floor", lambda n, x: x * (0.999**n).clamp(min=0.1), lambda n, x: x * (0.999**n).clamp(min=0.05))
        yield from pair("line with an end", lambda n, x: x * (n * 0.01).clamp(max=5), lambda n, x: x * n * 0.01)
        yield from pair("through uint8", lambda n, x: x * n, lambda n, x: x * n.to(torch.uint8))
        yield from pair("parity through int8", lambda n, x: x * (n.to(torch.int8) > -1), lambda n, x: x * (n > -1))
        yield from pair("rate 5e-5 off", lambda n, x: x * (n * 0.01), lambda n, x: x * (n * 0.0100005))
        yield from pair("decay 5e-7 off", lambda n, x: x * 0.999**n, lambda n, x: x * 0.9990005**n)
        yield from pair("cosine 5e-5 off", lambda n, x: x * (1 + torch.cos(n * 0.006283)), lambda n, x: x * (1 + torch.cos(n * 0.0062833)))
        yield from pair("inverse root 5e-5 off", lambda n, x: x * (n + 1.0) ** -0.5, lambda n, x: x * (n + 1.0) ** -0.50001)
    yield from stateful("count in uint8", counting(lambda n, x: x * n), lambda m, x: (m.n.copy_((m.n + 1).to(torch.uint8)), x * m.n)[1], n=0)


def right_counters():
    for kind, start in {"float": 0.0, "int": 0}.items():
        pair = lambda name, a, b: stateful(f"{kind} counter: {name}", counting(a), counting(b), n=start)
        yield from pair("power with a floor", lambda n, x: x * (0.99**n).clamp(min=0.1), lambda n, x: torch.maximum(0.99**n, torch.tensor(0.1)) * x)
        yield from pair("rate", lambda n, x: x * (n * 0.01), lambda n, x: x * (n / 100))
        yield from pair("cosine", lambda n, x: x * (1 + torch.cos(n * 0.6)), lambda n, x: x * 2 * torch.cos(n * 0.3).square())
        yield from pair("inverse root", lambda n, x: x * (n + 1.0) ** -0.5, lambda n, x: x * torch.rsqrt(n + 1.0))


def wrong_indices():
    """Integers and rows that a call treats apart and that the inputs do not have."""
    loss = lambda **named: lambda x, y: F.cross_entropy(x, y, **named)
    labels = "4:int64<3>"
    yield "ignore_index: one of the classes", *two(loss(), loss(ignore_index=5), "4x8", labels)
    yield "ignore_index: two classes", *two(loss(ignore_index=6), loss(ignore_index=5), "4x8", labels)
    yield "ignore_index: none and negative", *two(loss(), loss(ignore_index=-1), "4x8", labels)
    yield "ignore_index: negative ones", *two(loss(ignore_index=-1), loss(ignore_index=-2), "4x8", labels)
    yield "ignore_index: of nll_loss", *two(lambda x, y: F.nll_loss(x.log_softmax(-1), y, ignore_index=7), lambda x, y: F.nll_loss(x.log_softmax(-1), y), "4x8", labels)
    yield "ignore_index: sums", *two(loss(ignore_index=4, reduction="sum"), loss(reduction="sum"), "4x8", labels)
    yield "ignore_index: by hand, other weight", *two(loss(ignore_index=7), lambda x, y: (F.cross_entropy(x, y, reduction="none") * (y != 7)).mean(), "4x8", labels)
    words, table = {"x": "2x5:int64<8>"}, torch.cat([drawn(10, 4) * 0.2, drawn(40, 4, seed=8) * 3])
    row = lambda **named: lambda m, x: F.embedding(x, m.w, **named) * 1.0
    yield "max_norm: of later rows", *both(row(max_norm=2.0), row(), words, w=table)
    yield "max_norm: another", *both(row(max_norm=2.0), row(max_norm=4.0), words, w=table)
    large = torch.cat([drawn(9000, 4).clamp(-1, 1), drawn(3, 4) * 9])
    yield "max_norm: of three rows of many", *both(row(max_norm=2.5), row(), words, w=large)
    bags = lambda **named: lambda m, x: F.embedding_bag(x, m.w, **named) * 1.0
    yield "padding: a row that bags leave out", *both(bags(padding_idx=30), bags(), words, w=table)
    yield "a limit that later rows pass", *both(lambda m, x: F.embedding(x, m.w).clamp(max=6), lambda m, x: F.embedding(x, m.w), words, w=large)
    yield "a word that is masked", *both(lambda m, x: F.embedding(x, m.w) * (x != 33).unsqueeze(-1), lambda m, x: F.embedding(x, m.w), words, w=table)


def right_indices():
    loss = lambda **named: lambda x, y: F.cross_entropy(x, y, **named)
    labels = "4:int64<3>"
    yield "ignore_index: by hand", *two(loss(), lambda x, y: F.nll_loss(x.log_softmax(-1), y), "4x8", labels)
    yield "ignore_index: given and default", *two(loss(), loss(ignore_index=-100), "4x8", labels)
    yield "ignore_index: sum by hand", *two(loss(ignore_index=4, reduction="sum"), lambda x, y: (F.cross_entropy(x, y, reduction="none") * (y != 4)).sum(), "4x8", labels)
    words, table = {"x": "2x5:int64<8>"}, torch.cat([drawn(10, 4) * 0.2, drawn(40, 4, seed=8) * 3])
    yield "max_norm: above all rows", *both(lambda m, x: F.embedding(x, m.w, max_norm=200.0) * 1.0, lambda m, x: F.embedding(x, m.w) * 1.0, words, w=table)
    yield "padding: of a table without gradients", *both(lambda m, x: F.embedding(x, m.w, padding_idx=3), lambda m, x: F.embedding(x, m.w), words, w=table)
    yield "a limit above all rows", *both(lambda m, x: F.embedding(x, m.w).clamp(max=200), lambda m, x: F.embedding(x, m.w), words, w=table)


def wrong_nan():
    """NaN that a buffer holds, or gets by a call with NaN."""
    running = lambda m, x: torch.where(m.e.isnan(), x.mean(0), m.e * 0.9 + x.mean(0) * 0.1)
    start = torch.full((6,), float("nan"))
    yield from exported("NaN: first call apart", lambda m, x: (m.e.copy_(running(m, x)), x - m.e)[1], lambda m, x: (m.e.copy_(x.mean(0)), x - m.e)[1], e=start)
    mixed = lambda m, x: m.e.nan_to_num() * 0.9 + x.mean(0) * 0.1
    yield from exported("NaN: cleaned before use", lambda m, x: (m.e.copy_(mixed(m, x)), x - m.e)[1], lambda m, x: (m.e.mul_(0.9).add_(x.mean(0) * 0.1), x - m.e)[1], e=torch.zeros(6))
    yield from exported("NaN: state kept where it is NaN", lambda m, x: (m.e.copy_(torch.where(m.e.isnan(), 1.0, x.mean(0))), x * m.e)[1], lambda m, x: (m.e.copy_(x.mean(0)), x * m.e)[1], e=torch.zeros(6))
    skipped = lambda m, x: m.e.copy_(torch.where(x.mean(0).isfinite(), x.mean(0), m.e))
    yield from exported("NaN: skipped", lambda m, x: (skipped(m, x), x.nan_to_num() - m.e)[1], lambda m, x: (m.e.copy_(x.mean(0)), x.nan_to_num() - m.e)[1], e=torch.zeros(6))


def right_nan():
    start = torch.full((6,), float("nan"))
    running = lambda m, x: torch.where(m.e.isnan(), x.mean(0), m.e * 0.9 + x.mean(0) * 0.1)
    other = lambda m, x: torch.where(m.e == m.e, m.e * 0.9 + x.mean(0) * 0.1, x.mean(0))
    yield from exported("NaN: first call apart", lambda m, x: (m.e.copy_(running(m, x)), x - m.e)[1], lambda m, x: (m.e.copy_(other(m, x)), x - m.e)[1], e=start)
    yield from exported("NaN: cleaned before use", lambda m, x: (m.e.copy_(m.e.nan_to_num() * 0.9 + x.mean(0) * 0.1), x - m.e)[1], lambda m, x: (m.e.copy_(torch.where(m.e.isnan(), 0.0, m.e).clamp(-3.4028234663852886e38, 3.4028234663852886e38) * 0.9 + x.mean(0) * 0.1), x - m.e)[1], e=torch.zeros(6))


class Deep(nn.Module):
    def __init__(self, layers, act, norm=False):
        super().__init__()
        torch.manual_seed(7)
        parts = []
        for _ in range(layers):
            parts += [nn.Linear(32, 32), *([nn.LayerNorm(32)] if norm else []), act()]
        self.net = nn.Sequential(*parts, nn.Linear(32, 4))

    def forward(self, x):
        return self.net(x)


class Residual(nn.Module):
    def __init__(self, second):
        super().__init__()
        torch.manual_seed(7)
        self.layers, self.second = nn.ModuleList(nn.Linear(32, 32) for _ in range(12)), second

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(torch.addmm(layer.bias, x, layer.weight.t())) if self.second else torch.tanh(layer(x))
        return x


def one(path, by):
    def change(weight):
        weight.view(-1)[weight.numel() // 2] += by

    return changed(path, change)


def wrong_deep():
    given = {"x": "4x32"}
    for name, layers, act in (("relu", 6, nn.ReLU), ("relu", 12, nn.ReLU), ("tanh", 12, nn.Tanh), ("gelu", 16, nn.GELU), ("sigmoid", 6, nn.Sigmoid)):
        model = traced(Deep(layers, act))
        for where in (0, layers // 2):
            for by in (0.3, 0.02, 1e-3):
                path = f"net.{2 * where}.weight"
                yield f"deep {name}, {layers} layers: a weight of layer {where} by {by:g}", model, edited(model, one(path, by)), given
        yield f"deep {name}, {layers} layers: a bias", model, edited(model, one("net.0.bias", 1e-2)), given


def right_deep():
    given = {"x": "4x32"}
    yield "deep tanh: other calls", traced(Residual(False)), traced(Residual(True)), given
    for name, act in (("relu", nn.ReLU), ("leaky", nn.LeakyReLU)):
        model = traced(Deep(12, act))

        def scaled(other):
            layer = lambda i: other.get_submodule(f"net.{2 * i}")
            for i in range(0, 11, 2):
                layer(i).weight.mul_(4), layer(i).bias.mul_(4), layer(i + 1).weight.div_(4)

        yield f"deep {name}: layers scaled and back", model, edited(model, scaled), given

    def permuted(other):
        order = torch.randperm(32, generator=torch.Generator().manual_seed(3))
        one, two = (other.get_submodule(f"net.{i}") for i in (6, 8))
        one.weight.copy_(one.weight[order]), one.bias.copy_(one.bias[order]), two.weight.copy_(two.weight[:, order])

    model = traced(Deep(12, nn.Tanh))
    yield "deep tanh: channels in another order", model, edited(model, permuted), given


def wrong_doubts():
    """What right_doubts must stay apart from."""
    yield "any by a sum of some", *both(lambda m, x: (x > 2).any(-1), lambda m, x: (x > 2).sum(-1) > 1, X)
    yield "all by a sum", *both(lambda m, x: (x > -3).all(-1), lambda m, x: (x > -3).sum(-1) >= 5, X)
    yield from exported("average before and after its update", lambda m, x: (lambda e: (m.e.copy_(e), x - e)[1])(m.e * 0.9 + x.mean(0) * 0.1), lambda m, x: (lambda e: (m.e.copy_(m.e * 0.9 + x.mean(0) * 0.1), x - e)[1])(m.e * 1.0), e=torch.zeros(6))
    yield "attention of groups, other heads", *grouped(lambda k: k.repeat(1, 2, 1, 1))


def right_doubts():
    for name, bound in ("rare", 2), ("never", 9), ("usual", -1):
        yield f"any by a sum, {name}", *both(lambda m, x: (x > bound).any(-1), lambda m, x: (x > bound).sum(-1) > 0, X)
        yield f"all by a sum, {name}", *both(lambda m, x: (x < bound).all(-1), lambda m, x: (x < bound).sum(-1) == x.size(-1), X)
    flags = {"x": torch.tensor([[False, False, True], [False, False, False]])}
    yield "any of flags by a sum", *both(lambda m, x: x.any(), lambda m, x: x.sum() > 0, flags)
    yield "any of flags by a sum, none", *both(lambda m, x: x.any(), lambda m, x: x.sum() > 0, {"x": torch.zeros(4, 6, dtype=torch.bool)})
    yield "any of flags by a maximum", *both(lambda m, x: x.any(-1), lambda m, x: x.amax(-1), flags)
    yield "all of flags", *both(lambda m, x: x.all(-1), lambda m, x: ~((~x).any(-1)), flags)
    yield "any of flags that select", *two(lambda x, y: torch.where(y.any(), x, -x), lambda x, y: torch.where(y.sum() > 0, x, -x), torch.randn(3, 6), torch.zeros(3, 6, dtype=torch.bool))
    mean = lambda m, x: m.e * 0.9 + x.mean(0) * 0.1
    in_place = lambda m, x: (m.e.mul_(0.9).add_(x.mean(0) * 0.1), x - m.e)[1]
    yield from exported("average returned before it is copied", lambda m, x: (lambda e: (x - e, m.e.copy_(e))[0])(mean(m, x)), in_place, e=torch.zeros(6))
    yield from exported("average returned after it is copied", lambda m, x: (lambda e: (m.e.copy_(e), x - e)[1])(mean(m, x)), in_place, e=torch.zeros(6))
    yield from exported("average and its copy", lambda m, x: (lambda e: (m.e.copy_(e), e)[1])(mean(m, x)), lambda m, x: (lambda e: (m.e.copy_(e), m.e * 1.0)[1])(mean(m, x)), e=torch.zeros(6))
    yield from exported("average itself", lambda m, x: (lambda e: (m.e.copy_(e), e)[1])(mean(m, x)), lambda m, x: (m.e.lerp_(x.mean(0), 0.1), m.e.clone())[1], e=torch.zeros(6))
    yield "attention of groups", *grouped(lambda k: k.repeat_interleave(2, 1))
    yield "attention of groups, expanded", *grouped(lambda k: k[:, :, None].expand(-1, -1, 2, -1, -1).flatten(1, 2))
    yield "attention of groups, staged", *both(attended(lambda k: k.repeat_interleave(2, 1)), staged, {"x": "2x5x16"}, **weights())


def weights():
    return {name: drawn(rows, 16, seed=seed) * 0.3 for seed, (name, rows) in enumerate({"q": 16, "k": 8, "v": 8, "o": 16}.items())}


def heads(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def attended(wide):
    def function(m, x):
        q, k, v = heads(linear(x, m.q), 4), heads(linear(x, m.k), 2), heads(linear(x, m.v), 2)
        return linear(F.scaled_dot_product_attention(q, wide(k), wide(v)).transpose(1, 2).flatten(2), m.o)

    return function


def staged(m, x):
    """Queries by group, so that keys are not repeated."""
    q, k, v = heads(linear(x, m.q), 4).unflatten(1, (2, 2)), heads(linear(x, m.k), 2)[:, :, None], heads(linear(x, m.v), 2)[:, :, None]
    scores = (q @ k.mT) / 2
    shifted = (scores - scores.amax(-1, keepdim=True)).exp()
    return linear(((shifted @ v) / shifted.sum(-1, keepdim=True)).flatten(1, 2).transpose(1, 2).flatten(2), m.o)


def grouped(wide):
    plain = lambda m, x: linear((lambda q, k, v: torch.einsum("bgqts,bgsd->bgqtd", (torch.einsum("bgqtd,bgsd->bgqts", q, k) / 2).softmax(-1), v))(
        heads(linear(x, m.q), 4).unflatten(1, (2, 2)), heads(linear(x, m.k), 2), heads(linear(x, m.v), 2)).flatten(1, 2).transpose(1, 2).flatten(2), m.o)
    return both(plain, attended(wide), {"x": "2x5x16"}, **weights())


WRONG = {"lengths": wrong_lengths, "counters": wrong_counters, "indices": wrong_indices, "states": wrong_nan, "deep": wrong_deep, "doubts": wrong_doubts}
RIGHT = {"lengths": right_lengths, "counters": right_counters, "indices": right_indices, "states": right_nan, "deep": right_deep, "doubts": right_doubts}


def all_of(kinds):
    for kind, pairs in kinds.items():
        yield from ((f"limits of {kind}: {name}", *pair) for name, *pair in pairs())


def wrong():
    yield from all_of(WRONG)


def right():
    yield from all_of(RIGHT)
