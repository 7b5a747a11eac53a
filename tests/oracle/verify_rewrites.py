# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs for `verify.py`: usual rewrites (fusions, other orders, casts, masks, integers, buffers) done wrongly and rightly; as in verify_pairs.py."""

import torch
from torch.nn import functional as F

from verify_cuts import both
from verify_hidden import two
from verify_pairs import drawn
from verify_states import exported, stateful

X, T, I = {"x": "3x6"}, {"x": "2x5x8"}, {"x": "2x3x8x8"}
linear = F.linear


def wrong():
    w, v = drawn(6, 6), drawn(6, 6, seed=1)
    yield "rewrites: layer_norm ddof", *both(lambda m, x: F.layer_norm(x, (8,)), lambda m, x: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt(), T)
    yield "rewrites: eps outside", *both(lambda m, x: F.layer_norm(x, (8,), eps=1e-5), lambda m, x: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False).sqrt() + 1e-5), T)
    yield "rewrites: rms eps", *both(lambda m, x: F.rms_norm(x, (8,), eps=1e-6), lambda m, x: F.rms_norm(x, (8,), eps=1e-5), T)
    yield "rewrites: gelu tanh", *both(lambda m, x: F.gelu(x), lambda m, x: F.gelu(x, approximate="tanh"), X)
    yield "rewrites: hardswish for silu", *both(lambda m, x: F.silu(x), lambda m, x: F.hardswish(x), X)
    yield "rewrites: causal off by one", *both(lambda m, x: (x @ x.mT).masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), -1e9).softmax(-1) @ x, lambda m, x: (x @ x.mT).masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(2), -1e9).softmax(-1) @ x, T)
    yield "rewrites: clamp order", *both(lambda m, x: (x * 2).clamp(-5, 5), lambda m, x: x.clamp(-5, 5) * 2, X)
    yield "rewrites: trunc for floor", *both(lambda m, x: torch.floor(x), lambda m, x: torch.trunc(x), X)
    yield "rewrites: remainder for fmod", *both(lambda m, x: torch.remainder(x, 3), lambda m, x: torch.fmod(x, 3), X)
    yield "rewrites: int division", *both(lambda m, x: x // 2, lambda m, x: torch.div(x, 2, rounding_mode="trunc"), {"x": "4x6:int64<20>"})
    yield "rewrites: shift for division", *both(lambda m, x: torch.div(x, 2, rounding_mode="trunc"), lambda m, x: x >> 1, {"x": "4x6:int32<20>"})
    yield "rewrites: int32 sum wraps", *both(lambda m, x: x.long() * x.long(), lambda m, x: (x * x).long(), {"x": "4x6:int32<20>"})
    yield "rewrites: int16 average", *both(lambda m, x: (x[:, :3].int() + x[:, 3:].int()) // 2, lambda m, x: ((x[:, :3] + x[:, 3:]) // 2).int(), {"x": "4x6:int16<20>"})
    yield "rewrites: int64 in float32", *both(lambda m, x: x * 3, lambda m, x: (x.float() * 3).long(), {"x": "4x6:int64<20>"})
    yield "rewrites: cast to half between", *both(lambda m, x: linear(x, m.w), lambda m, x: linear(x.half().float(), m.w), X, w=w)
    yield "rewrites: cast to bf16 between", *both(lambda m, x: x.sin(), lambda m, x: x.bfloat16().float().sin(), X)
    for name, to in ("half", torch.float16), ("bf16", torch.bfloat16), ("int8", torch.int8):
        yield f"rewrites: positions in {name}", *both(lambda m, x: x * (torch.arange(x.size(1)).float()[:, None] * 0.01).sin(), lambda m, x, to=to: x * (torch.arange(x.size(1)).to(to).float()[:, None] * 0.01).sin(), T)
    yield "rewrites: positions by cumsum in bf16", *both(lambda m, x: (torch.ones_like(x).cumsum(1) * 0.01).cos() * x, lambda m, x: (torch.ones_like(x).cumsum(1).bfloat16().float() * 0.01).cos() * x, X)
    yield "rewrites: nan_to_num dropped", *both(lambda m, x: (x / x.abs().sum(-1, keepdim=True)).nan_to_num(), lambda m, x: x / x.abs().sum(-1, keepdim=True), X)
    yield "rewrites: normalize eps", *both(lambda m, x: F.normalize(x, dim=-1), lambda m, x: x / x.norm(dim=-1, keepdim=True), X)
    yield "rewrites: weights share", *both(lambda m, x: linear(linear(x, m.w), m.w), lambda m, x: linear(linear(x, m.w), m.v), X, w=w, v=w + 1e-3 * v)
    yield "rewrites: max over other dim", *both(lambda m, x: x.amax(1), lambda m, x: x.amax(2), {"x": "2x5x5"})
    yield "rewrites: pad reflect", *both(lambda m, x: F.pad(x, (1, 1, 1, 1), "reflect"), lambda m, x: F.pad(x, (1, 1, 1, 1), "replicate"), I)
    yield "rewrites: avg pool count pad", *both(lambda m, x: F.avg_pool2d(x, 3, 1, 1), lambda m, x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), I)
    yield "rewrites: ceil mode", *both(lambda m, x: F.max_pool2d(x, 3, 2), lambda m, x: F.max_pool2d(x, 3, 2, ceil_mode=True)[..., :3, :3], I)
    yield "rewrites: align corners", *both(lambda m, x: F.interpolate(x, scale_factor=2, mode="bilinear"), lambda m, x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True), I)
    yield "rewrites: nearest exact", *both(lambda m, x: F.interpolate(x, size=(8, 8), mode="nearest"), lambda m, x: F.interpolate(x, size=(8, 8), mode="nearest-exact"), I)
    yield "rewrites: two: broadcast", *two(lambda x, y: x + y, lambda x, y: x + y.mT, "5x5", "5x5")
    yield "rewrites: two: where tie", *two(lambda x, y: torch.where(x > y, x, -y), lambda x, y: torch.where(x >= y, x, -y), "5x5", "5x5")
    yield "rewrites: two: gather wrap", *two(lambda x, y: x.gather(1, y), lambda x, y: x.gather(1, y.clamp(max=4)), "4x6", "4x3:int64<5>")
    yield "rewrites: embedding padded", *two(lambda x, y: x[y], lambda x, y: x[y] * (y != 5).unsqueeze(-1), "8x4", "3x2:int64<4>")
    yield "rewrites: cumsum reverse", *both(lambda m, x: x.cumsum(-1), lambda m, x: x.flip(-1).cumsum(-1), X)
    yield from stateful("ema: bias", lambda m, x: (m.n.add_(1), m.e.mul_(0.9).add_(x.mean() * 0.1), x - m.e / (1 - 0.9**m.n))[2], lambda m, x: (m.n.add_(1), m.e.mul_(0.9).add_(x.mean() * 0.1), x - m.e / (1 - 0.9**m.n).clamp(max=0.99))[2], n=0.0, e=0.0)
    yield from exported("ring index", lambda m, x: (m.r.index_copy_(0, m.n % 4, x[:1]), m.n.add_(1), x + m.r.sum(0))[2], lambda m, x: (m.r.index_copy_(0, m.n.clamp(max=3), x[:1]), m.n.add_(1), x + m.r.sum(0))[2], n=torch.zeros(1, dtype=torch.int64), r=torch.zeros(4, 6))
    yield from exported("state far", lambda m, x: (m.n.add_(1), x * 1.0)[1], lambda m, x: (m.n.copy_((m.n + 1).clamp(max=5000)), x * 1.0)[1], n=0)
    yield from exported("saturating count", lambda m, x: (m.n.copy_((m.n + 1).clamp(max=100)), x * m.n)[1], lambda m, x: (m.n.copy_((m.n + 1).clamp(max=200)), x * m.n)[1], n=0)
    yield from exported("reset", lambda m, x: (m.n.copy_(torch.where(m.n >= 50, 0, m.n + 1)), x * m.n)[1], lambda m, x: (m.n.copy_(torch.where(m.n > 50, 0, m.n + 1)), x * m.n)[1], n=0)
    yield from exported("alternates", lambda m, x: (m.n.copy_(1 - m.n), x * m.n)[1], lambda m, x: (m.n.copy_((1 - m.n) * 1), x * m.n.clamp(max=0))[1], n=0)


def right():
    w, v = drawn(6, 6), drawn(6, 6, seed=1)
    w8, q8, k8 = drawn(8, 8), drawn(8, 8, seed=3), drawn(8, 8, seed=4)
    yield "rewrites: qkv fused", *both(lambda m, x: torch.softmax(linear(x, m.q) @ linear(x, m.k).mT / 8**0.5, -1) @ linear(x, m.v), lambda m, x: (lambda t: torch.softmax(t[0] @ t[1].mT / 8**0.5, -1) @ t[2])(linear(x, torch.cat([m.q, m.k, m.v])).chunk(3, -1)), T, q=q8, k=k8, v=w8)
    yield "rewrites: sdpa", *both(lambda m, x: torch.softmax(x @ x.mT / x.size(-1) ** 0.5, -1) @ x, lambda m, x: F.scaled_dot_product_attention(x, x, x), T)
    yield "rewrites: sdpa causal", *both(lambda m, x: torch.softmax((x @ x.mT / x.size(-1) ** 0.5).masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), float("-inf")), -1) @ x, lambda m, x: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(5, 5, dtype=torch.bool).tril()), T)
    yield "rewrites: layer_norm manual", *both(lambda m, x: F.layer_norm(x, (8,)), lambda m, x: (lambda d: d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5))(x - x.mean(-1, keepdim=True)), T)
    yield "rewrites: logsumexp stable", *both(lambda m, x: torch.logsumexp(x, -1), lambda m, x: (lambda t: t.squeeze(-1) + (x - t).exp().sum(-1).log())(x.amax(-1, keepdim=True)), X)
    yield "rewrites: stable for naive softmax", *both(lambda m, x: x.exp() / x.exp().sum(-1, keepdim=True), lambda m, x: x.softmax(-1), X)
    yield "rewrites: softplus", *both(lambda m, x: F.softplus(x), lambda m, x: torch.logaddexp(x, torch.zeros_like(x)), X)
    yield "rewrites: matmul chain", *both(lambda m, x: (x @ m.w) @ m.v, lambda m, x: x @ (m.w @ m.v), X, w=w, v=v)
    yield "rewrites: conv as linear", *both(lambda m, x: F.conv2d(x, m.w), lambda m, x: torch.einsum("bchw,oc->bohw", x, m.w.flatten(1)), I, w=drawn(4, 3, 1, 1))
    yield "rewrites: depthwise split", *both(lambda m, x: F.conv2d(x, m.w, padding=1), lambda m, x: F.conv2d(x[:, :1], m.w[:, :1], padding=1) + F.conv2d(x[:, 1:], m.w[:, 1:], padding=1), I, w=drawn(4, 3, 3, 3))
    yield "rewrites: pad then conv", *both(lambda m, x: F.conv2d(x, m.w, padding=1), lambda m, x: F.conv2d(F.pad(x, (1, 1, 1, 1)), m.w), I, w=drawn(4, 3, 3, 3))
    yield "rewrites: positions in int32", *both(lambda m, x: x * (torch.arange(x.size(1)).float()[:, None] * 0.01).cos(), lambda m, x: x * (torch.arange(x.size(1)).to(torch.int32).float()[:, None] * 0.01).cos(), T)
    yield "rewrites: relu minmax", *both(lambda m, x: torch.relu(x), lambda m, x: torch.maximum(x, torch.zeros(())), X)
    yield "rewrites: abs by relu", *both(lambda m, x: x.abs(), lambda m, x: torch.relu(x) + torch.relu(-x), X)
    yield "rewrites: clamp by minmax", *both(lambda m, x: x.clamp(-1, 2), lambda m, x: torch.minimum(torch.maximum(x, torch.tensor(-1.0)), torch.tensor(2.0)), X)
    yield "rewrites: hardswish", *both(lambda m, x: F.hardswish(x), lambda m, x: x * F.relu6(x + 3) / 6, X)
    yield "rewrites: glu", *both(lambda m, x: F.glu(x, -1), lambda m, x: x[..., : x.size(-1) // 2] * torch.sigmoid(x[..., x.size(-1) // 2 :]), T)
    yield "rewrites: floor div", *both(lambda m, x: x // 2, lambda m, x: x >> 1, {"x": "4x6:int64<20>"})
    yield "rewrites: mod by and", *both(lambda m, x: x % 8, lambda m, x: x & 7, {"x": "4x6:int64<20>"})
    yield "rewrites: one hot", *both(lambda m, x: F.one_hot(x, 9), lambda m, x: (x.unsqueeze(-1) == torch.arange(9)).long(), {"x": "4x6:int64<9>"})
    yield "rewrites: embedding by one hot", *both(lambda m, x: F.embedding(x, m.w), lambda m, x: F.one_hot(x, 6).float() @ m.w, {"x": "4x6:int64<6>"}, w=w)
    yield "rewrites: var", *both(lambda m, x: x.var(-1, unbiased=False), lambda m, x: (x * x).mean(-1) - x.mean(-1) ** 2, T)
    yield "rewrites: mean by matmul", *both(lambda m, x: x.mean(-1), lambda m, x: x @ torch.full((8,), 0.125), T)
    yield "rewrites: cumsum by tril", *both(lambda m, x: x.cumsum(-1), lambda m, x: x @ torch.ones(6, 6).triu(), X)
    yield "rewrites: argmax of logits", *both(lambda m, x: linear(x, m.w).softmax(-1).argmax(-1), lambda m, x: linear(x, m.w).argmax(-1), X, w=w)
    yield "rewrites: topk by sort", *both(lambda m, x: x.topk(3)[0], lambda m, x: x.sort(-1, descending=True)[0][..., :3], X)
    yield "rewrites: roll", *both(lambda m, x: x.roll(2, -1), lambda m, x: torch.cat([x[..., -2:], x[..., :-2]], -1), X)
    yield "rewrites: pixel shuffle", *both(lambda m, x: F.pixel_shuffle(x, 2), lambda m, x: x.unflatten(1, (-1, 2, 2)).permute(0, 1, 4, 2, 5, 3).flatten(4).flatten(2, 3), {"x": "2x8x3x3"})
    yield "rewrites: rms in double", *both(lambda m, x: F.rms_norm(x, (8,), eps=1e-6), lambda m, x: (lambda y: (y * torch.rsqrt((y * y).mean(-1, keepdim=True) + 1e-6)).float())(x.double()), T)
    yield "rewrites: where by mask", *both(lambda m, x: torch.where(x > 0, x, x * 0.1), lambda m, x: x * ((x > 0).float() + (x <= 0).float() * 0.1), X)
    yield "rewrites: masked mean", *two(lambda x, y: (x * y).sum(-1) / y.sum(-1).clamp(min=1), lambda x, y: torch.einsum("ij,ij->i", x, y) / torch.maximum(y.sum(-1), torch.ones(())), "4x6", "4x6")
    yield "rewrites: bf16 attention", *both(lambda m, x: torch.softmax(x @ x.mT * 0.25, -1) @ x, lambda m, x: F.scaled_dot_product_attention(x, x, x, scale=0.25), {"x": "2x6x16:bfloat16"})
    yield "rewrites: half linear in float", *both(lambda m, x: linear(x, m.w), lambda m, x: linear(x.float(), m.w.float()).half(), {"x": "32x16:float16"}, w=drawn(16, 16).half())
    yield "rewrites: half layer norm in float", *both(lambda m, x: F.layer_norm(x, (16,)), lambda m, x: (lambda y: ((y - y.mean(-1, keepdim=True)) * torch.rsqrt(y.var(-1, keepdim=True, unbiased=False) + 1e-5)).half())(x.float()), {"x": "32x16:float16"})
    yield from exported("ema by lerp", lambda m, x: (m.e.mul_(0.9).add_(x.mean(0) * 0.1), x - m.e)[1], lambda m, x: (m.e.lerp_(x.mean(0), 0.1), x - m.e)[1], e=torch.zeros(6))
    yield from exported("ring", lambda m, x: (m.r.index_copy_(0, m.n % 4, x[:1]), m.n.add_(1), x + m.r.sum(0))[2], lambda m, x: (m.r.index_copy_(0, torch.remainder(m.n, 4), x[:1]), m.n.copy_(m.n + 1), m.r.sum(0) + x)[2], n=torch.zeros(1, dtype=torch.int64), r=torch.zeros(4, 6))
    yield from exported("reset", lambda m, x: (m.n.copy_(torch.where(m.n >= 50, 0, m.n + 1)), x * m.n)[1], lambda m, x: (m.n.copy_((m.n + 1) % 51), x * m.n)[1], n=0)
    yield from exported("saturating count", lambda m, x: (m.n.copy_((m.n + 1).clamp(max=100)), x * m.n)[1], lambda m, x: (m.n.copy_(torch.minimum(m.n, torch.tensor(99)) + 1), x * m.n)[1], n=0)
    yield from exported("alternates", lambda m, x: (m.n.copy_(1 - m.n), x * m.n)[1], lambda m, x: (m.n.copy_((m.n == 0).long()), x * m.n)[1], n=0)
    yield from exported("decay of two", lambda m, x: (m.p.mul_(0.9), m.q.mul_(0.999), x * (1 - m.q).sqrt() / (1 - m.p))[2], lambda m, x: (m.p.mul_(0.9), m.q.mul_(0.999), (1 - m.q) ** 0.5 * x / (1 - m.p))[2], p=1.0, q=1.0)
