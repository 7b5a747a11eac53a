# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs for `verify.py` in float16 and bfloat16, and of edits that write in place; as in verify_pairs.py."""

import torch
from torch import nn
from torch.nn import functional

from verify_cuts import both
from verify_pairs import call, drawn

HALF, BFLOAT = torch.float16, torch.bfloat16


def fits(type, shape="32x16"):
    return {"x": f"{shape}:{str(type).removeprefix('torch.')}"}


def folded(type):
    """A convolution with its normalisation, and the same in one, weights rounded."""
    torch.manual_seed(4)
    conv, norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
    norm.running_mean.normal_(), norm.running_var.uniform_(0.5, 2)
    one = nn.utils.fuse_conv_bn_eval(conv.eval(), norm.eval())
    a, b = nn.Sequential(conv, norm).eval(), nn.Sequential(one).eval()
    return torch.fx.symbolic_trace(a.to(type)), torch.fx.symbolic_trace(b.to(type)), {"input": f"2x3x9x9:{str(type).removeprefix('torch.')}"}


def rms(x, weight, eps=1e-5, type=None):
    y = x.float()
    y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + eps)
    return (y.to(type) if type else y.type_as(x)) * weight


def right_types():
    for type in (HALF, BFLOAT):
        name = str(type).removeprefix("torch.")
        w, v, c = (drawn(*shape, seed=seed).to(type) for seed, shape in enumerate([(16, 16), (16, 16), (16,)]))
        x, tokens = fits(type), fits(type, "2x6x16")
        linear = functional.linear
        yield f"{name}: bias apart", *both(lambda m, x: linear(x, m.w, m.c), lambda m, x: x @ m.w.t() + m.c, x, w=w, c=c)
        yield f"{name}: terms in another order", *both(lambda m, x: (x + linear(x, m.w)) + linear(x, m.v), lambda m, x: x + (linear(x, m.w) + linear(x, m.v)), x, w=w, v=v)
        yield f"{name}: terms and keys in another order", *both(lambda m, x: {"p": (x + linear(x, m.w)) + linear(x, m.v), "q": x * 2}, lambda m, x: {"q": x * 2, "p": x + (linear(x, m.w) + linear(x, m.v))}, x, w=w, v=v)
        yield f"{name}: silu", *both(lambda m, x: functional.silu(linear(x, m.w)), lambda m, x: (lambda y: y * torch.sigmoid(y))(linear(x, m.w)), x, w=w)
        yield f"{name}: rms_norm", *both(lambda m, x: functional.rms_norm(x, (16,), m.c, 1e-5), lambda m, x: rms(x, m.c), tokens, c=c)
        yield f"{name}: rms_norm that names the type", *both(lambda m, x: linear(rms(x, m.c, type=type), m.w), lambda m, x: linear(functional.rms_norm(x, (16,), m.c, 1e-5), m.w), tokens, w=w, c=c)
        yield f"{name}: logits in float32", *both(lambda m, x: (linear(x, m.w) + x + m.c).float(), lambda m, x: (x + (linear(x, m.w) + m.c)).float(), x, w=w, c=c)
        yield f"{name}: scale before the product", *both(lambda m, x: torch.softmax(linear(x, m.w) @ x.mT * 0.25, -1) @ x, lambda m, x: torch.softmax(linear(x * 0.25, m.w) @ x.mT, -1) @ x, tokens, w=w)
        yield f"{name}: normalisation folded", *folded(type)


def wrong_types():
    for type in (HALF, BFLOAT):
        name = str(type).removeprefix("torch.")
        w, c = drawn(16, 16).to(type), drawn(16, seed=2).to(type)
        x, tokens = fits(type), fits(type, "2x6x16")
        linear = functional.linear
        yield f"{name}: no bias", *both(lambda m, x: linear(x, m.w, m.c), lambda m, x: linear(x, m.w) + 0 * m.c, x, w=w, c=c)
        yield f"{name}: 4 % more", *both(lambda m, x: linear(x, m.w, m.c), lambda m, x: linear(x, m.w, m.c) * 1.04, x, w=w, c=c)
        other = w.clone()
        other[3, 5] += 0.5
        yield f"{name}: a weight", call(lambda m, x: linear(x, m.w).tanh(), w=w), call(lambda m, x: linear(x, m.w).tanh(), w=other), x
        yield f"{name}: another scale", *both(lambda m, x: torch.softmax(x @ x.mT * 0.25, -1) @ x, lambda m, x: torch.softmax(x @ x.mT * 0.0625, -1) @ x, tokens)
        yield f"{name}: another eps", *both(lambda m, x: functional.rms_norm(x, (16,), m.c, 1e-5), lambda m, x: rms(x, m.c, eps=0.3), tokens, c=c)
        yield f"{name}: relu for gelu", *both(lambda m, x: functional.gelu(linear(x, m.w)), lambda m, x: torch.relu(linear(x, m.w)), x, w=w)


def written(*steps):
    """y = tanh(x), steps that write into it, and a layer that reads y."""

    def function(m, x):
        y = torch.tanh(x)
        for step in steps:
            step(y, m, x)
        return functional.linear(y, m.w)

    return function


def right_in_place():
    x, w = {"x": "4x6"}, drawn(6, 6)
    linear = functional.linear
    times = lambda y, m, x: y.mul_(torch.sigmoid(x))
    plus = lambda y, m, x: y.add_(1)
    yield "product, sum", *both(lambda m, x: linear(torch.tanh(x) * torch.sigmoid(x) + 1, m.w), written(times, plus), x, w=w)
    yield "the other way", *both(written(times, plus), lambda m, x: linear(torch.tanh(x) * torch.sigmoid(x) + 1, m.w), x, w=w)
    scale = lambda y, m, x: y.div_(m.c * 2 + 1)
    yield "by a constant", *both(lambda m, x: linear(torch.tanh(x) / (m.c * 2 + 1), m.w), written(scale), x, w=w, c=drawn(6).abs())

    def by_written(m, x):
        y, z = torch.tanh(x), m.c * 2
        z.add_(1)
        y.div_(z)
        return linear(y, m.w)

    yield "by what was written", *both(lambda m, x: linear(torch.tanh(x) / (m.c * 2 + 1), m.w), by_written, x, w=w, c=drawn(6).abs())
    column = lambda y, m, x: y[:, 0].mul_(3)
    yield "a column", *both(lambda m, x: linear(torch.cat([torch.tanh(x)[:, :1] * 3, torch.tanh(x)[:, 1:]], 1), m.w), written(column), x, w=w)
    copied = lambda y, m, x: y[:, 2:].copy_(torch.cos(x[:, 2:]))
    yield "a part", *both(lambda m, x: linear(torch.cat([torch.tanh(x[:, :2]), torch.cos(x[:, 2:])], 1), m.w), written(copied), x, w=w)


def wrong_in_place():
    x, w = {"x": "4x6"}, drawn(6, 6)
    linear = functional.linear
    yield "limit", *both(lambda m, x: linear((torch.tanh(x) * x).clamp(max=900), m.w), written(lambda y, m, x: y.mul_(x), lambda y, m, x: y.clamp_(max=500)), x, w=w)
    yield "column", *both(lambda m, x: linear(torch.cat([torch.tanh(x)[:, :1] * 3, torch.tanh(x)[:, 1:]], 1), m.w), written(lambda y, m, x: y[:, 1].mul_(3)), x, w=w)
    yield "after the read", *both(lambda m, x: linear(torch.tanh(x) + 1, m.w), lambda m, x: (lambda y: (linear(y, m.w), y.add_(1))[0])(torch.tanh(x)), x, w=w)


def right():
    yield from right_types()
    for name, *pair in right_in_place():
        yield f"in place: {name}", *pair


def wrong():
    yield from wrong_types()
    for name, *pair in wrong_in_place():
        yield f"in place: {name}", *pair
