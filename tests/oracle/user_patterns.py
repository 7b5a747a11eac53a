# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns as users write them: each text is a Python file with a model, a pattern and a replacement.

    user_patterns.py --lancet BIN [--only NAME] [-v]

The model is traced and saved; `lancet replace` and torch.fx's replace_pattern_with_filters do the same to it, and matches, code and graph
are compared. Exit 1: a difference.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 - registers quantized_decomposed
from torch import fx
from torch.fx.subgraph_rewriter import replace_pattern_with_filters

HEAD = """import functools
import math
import operator
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.nn.functional import softmax as soft

aten = torch.ops.aten
"""

CASES = {
    "attention by hand to SDPA": '''
def model(q, k, v):
    a = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(64)
    return torch.matmul(F.softmax(a, dim=-1), v) + q
def pattern(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(64)
    return torch.matmul(F.softmax(scores, dim=-1), v)
def replacement(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)
''',
    "attention with a mask and dropout": '''
def model(q, k, v, mask):
    a = torch.matmul(q, k.transpose(-1, -2)) * 0.125
    a = a + mask
    p = F.dropout(F.softmax(a, dim=-1), p=0.0, training=False)
    return torch.matmul(p, v)
def pattern(query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor]) -> Tensor:
    """Eager attention."""
    weights = torch.matmul(query, key.transpose(-1, -2)) * 0.125
    weights = weights + mask
    weights = F.softmax(weights, dim=-1)
    weights = F.dropout(weights, p=0.0, training=False)
    return torch.matmul(weights, value)
def replacement(query, key, value, mask):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=0.125)
''',
    "SDPA decomposed": '''
def model(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=False).relu()
def pattern(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=False)
def replacement(q, k, v):
    scale_factor = 1 / math.sqrt(64)
    attn_weight = q @ k.transpose(-2, -1) * scale_factor
    attn_weight = torch.softmax(attn_weight, dim=-1)
    attn_weight = torch.dropout(attn_weight, 0.0, train=True)
    return attn_weight @ v
''',
    "layer norm by hand": '''
def model(x, w, b):
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).pow(2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + 1e-5) * w + b
def pattern(x, weight, bias):
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).pow(2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + 1e-5) * weight + bias
def replacement(x, weight, bias):
    return F.layer_norm(x, (64,), weight, bias, 1e-5)
''',
    "RMS norm of LLaMA": '''
def model(x, w):
    h = x.to(torch.float32)
    variance = h.pow(2).mean(-1, keepdim=True)
    h = h * torch.rsqrt(variance + 1e-6)
    return w * h.to(torch.float16)
def pattern(hidden_states, weight):
    hidden_states = hidden_states.to(torch.float32)
    variance = hidden_states.pow(2).mean(-1, keepdim=True)
    hidden_states = hidden_states * torch.rsqrt(variance + 1e-6)
    return weight * hidden_states.to(torch.float16)
def replacement(hidden_states, weight):
    return F.rms_norm(hidden_states, [64], weight=weight, eps=1e-06)
''',
    "gelu tanh, NewGELU of GPT-2": '''
def model(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
def pattern(input):
    return 0.5 * input * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (input + 0.044715 * torch.pow(input, 3.0))))
def replacement(input):
    return F.gelu(input, approximate="tanh")
''',
    "gelu of BERT, erf": '''
def model(x, y):
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0))) + y
def pattern(x):
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))
def replacement(x):
    return torch.nn.functional.gelu(x)
''',
    "gelu fast with a module constant": '''
SQRT_2_OVER_PI = 0.7978845608
COEFF: float = 0.044715
def model(x):
    return 0.5 * x * (1.0 + torch.tanh(x * 0.7978845608 * (1.0 + 0.044715 * x * x)))
def pattern(x):
    return 0.5 * x * (1.0 + torch.tanh(x * SQRT_2_OVER_PI * (1.0 + COEFF * x * x)))
def replacement(x):
    return F.gelu(x, approximate='tanh')
''',
    "quick gelu of CLIP": '''
def model(x):
    return x * torch.sigmoid(1.702 * x)
def pattern(x): return x * torch.sigmoid(1.702 * x)
def replacement(x): return F.gelu(x)
''',
    "rotary embedding with a helper": '''
def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : 32]
    x2 = x[..., 32 :]
    return torch.cat((-x2, x1), dim=-1)
def model(q, cos, sin):
    return (q * cos) + (rotate_half(q) * sin)
def pattern(q, cos, sin):
    return (q * cos) + (rotate_half(q) * sin)
def replacement(q, cos, sin):
    return torch.addcmul(q * cos, rotate_half(q), sin)
''',
    "rotary of both, tuples": '''
def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([-x2, x1], -1)
def apply(q, k, cos, sin, unsqueeze_dim=1):
    cos = cos.unsqueeze(unsqueeze_dim)
    sin = sin.unsqueeze(unsqueeze_dim)
    q_embed = (q * cos) + (rotate_half(q) * sin)
    k_embed = (k * cos) + (rotate_half(k) * sin)
    return q_embed, k_embed
def model(q, k, cos, sin):
    a, b = apply(q, k, cos, sin)
    return a + b
pattern = apply
def replacement(q, k, cos, sin, unsqueeze_dim=1):
    return q * cos, k * sin
''',
    "swiglu": '''
def model(x, w1, w2, w3):
    return F.linear(F.silu(F.linear(x, w1)) * F.linear(x, w3), w2)
def pattern(x, w1, w2, w3):
    return F.linear(F.silu(F.linear(x, w1)) * F.linear(x, w3), w2)
def replacement(x, w1, w2, w3):
    h = F.linear(x, torch.cat([w1, w3]))
    gate, up = h.split([64, 64], dim=-1)
    return F.linear(F.silu(gate) * up, w2)
''',
    "linear and add to addmm": '''
def model(x, w, b):
    return torch.relu(torch.matmul(x, w.t()) + b)
def pattern(x, w, b):
    return torch.matmul(x, w.t()) + b
def replacement(x, w, b):
    return torch.addmm(b, x, w.t())
''',
    "PT2E quantise dequantise of a linear": '''
def model(x, w, b):
    x = torch.ops.aten.mul.Tensor(x, 2)
    return torch.ops.aten.relu.default(torch.ops.aten.linear.default(x, w, b))
def pattern(x_fp32, weight_i8, bias):
    x = torch.ops.aten.linear.default(x_fp32, weight_i8, bias)
    return torch.ops.aten.relu.default(x)
def replacement(x_fp32, weight_i8, bias):
    x_i8 = torch.ops.quantized_decomposed.quantize_per_tensor(x_fp32, 0.1, 0, -128, 127, torch.int8)
    acc = torch.ops.aten.linear.default(x_i8.to(torch.int32), weight_i8, bias)
    return torch.ops.aten.clamp.default(acc, 0)
''',
    "PT2E conv relu, many arguments": '''
def model(x, w, b):
    return aten.relu.default(aten.convolution.default(x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1))
def pattern(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    out = aten.convolution.default(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    return aten.relu.default(out)
def replacement(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    out = aten.relu.default(aten.convolution.default(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups))
    return aten.hardtanh.default(out, 0, 6)
''',
    "PT2E int8 arithmetic": '''
def model(x_i8, x_scale, y_i8):
    x = (x_i8.to(torch.float32) - 3) * 0.5
    return torch.relu(x) + y_i8
def pattern(x_i8):
    x_fp32 = (x_i8.to(torch.float32) - 3) * 0.5
    return torch.relu(x_fp32)
def replacement(x_i8):
    quant_min, quant_max = -128, 127
    x_i32 = x_i8.to(torch.int32) - 3
    x_i32 = torch.clamp(x_i32, quant_min, quant_max)
    out = x_i32.to(torch.float32) * (1.0 / 2 ** 1)
    return out
''',
    "hardswish by hand": '''
def model(x):
    return x * F.relu6(x + 3) / 6
def pattern(x):
    return x * F.relu6(x + 3) / 6
def replacement(x):
    return F.hardswish(x)
''',
    "mish": '''
def model(x, y):
    return x * torch.tanh(F.softplus(x)) - y
def pattern(x):
    return x * torch.tanh(F.softplus(x))
def replacement(x):
    return F.mish(x)
''',
    "default arguments of the pattern": '''
def model(x, y):
    return torch.add(x, y, alpha=2) * 3
def pattern(x, y, *, alpha=2):
    return torch.add(x, y, alpha=alpha)
def replacement(x, y, *, alpha=2):
    return x + y * alpha
''',
    "lambda as pattern": '''
def model(x, y):
    return torch.neg(torch.relu(x)) + y
pattern = lambda x: torch.neg(torch.relu(x))
replacement = lambda x: torch.clamp(x, max=0)
''',
    "partial as helper": '''
gelu_tanh = functools.partial(F.gelu, approximate="tanh")
def model(x):
    return F.gelu(x, approximate="tanh") * 2
def pattern(x):
    return gelu_tanh(x)
def replacement(x):
    return F.gelu(x)
''',
    "closure": '''
def make(scale):
    def inner(x):
        return torch.mul(torch.relu(x), scale)
    return inner
def model(x):
    return torch.mul(torch.relu(x), 0.5) + 1
def pattern(x):
    return make(0.5)(x)
def replacement(x):
    return make(2)(x)
''',
    "pattern made by a function": '''
def make(act, scale=1.0):
    def inner(x, y):
        return act(x + y) * scale
    return inner
def model(x, y):
    return torch.sigmoid(x + y) * 1.0
pattern = make(torch.sigmoid)
replacement = make(torch.tanh, scale=2.0)
''',
    "decorator of one's own": '''
def doubled(f):
    @functools.wraps(f)
    def inner(x, y):
        return f(x, y) * 2
    return inner
def model(x, y):
    return torch.add(x, y) * 2
@doubled
def pattern(x, y):
    return torch.add(x, y)
@doubled
def replacement(x, y):
    return torch.sub(x, y)
''',
    "f-string and getattr": '''
KIND = "relu"
def model(x):
    return torch.relu(x) + F.relu6(x)
def pattern(x):
    op = getattr(F, f"{KIND}6")
    return op(x)
def replacement(x):
    return getattr(torch, f"{'sig'}moid")(x)
''',
    "annotations and docstring": '''
def model(x, y):
    return torch.cat([x, y], dim=1).contiguous()
def pattern(tensors_a: torch.Tensor, tensors_b: "torch.Tensor") -> torch.Tensor:
    """Concatenates and copies.

    Two tensors along the channels.
    """
    result: torch.Tensor = torch.cat([tensors_a, tensors_b], dim=1)
    return result.contiguous()
def replacement(tensors_a: torch.Tensor, tensors_b: "torch.Tensor") -> torch.Tensor:
    result: Tensor
    result = torch.concat((tensors_a, tensors_b), 1)
    return result
''',
    "asserts and prints": '''
DEBUG = False
def model(x):
    return torch.exp(torch.log(x)) + 1
def pattern(x):
    assert x is not None, "x is needed"
    if DEBUG:
        print("pattern", x)
    return torch.exp(torch.log(x))
def replacement(x):
    assert isinstance(3, int)
    return x.abs()
''',
    "slices and ellipsis": '''
def model(x):
    return x[:, :-1, ...].sum(dim=(1, 2)) + x[0, None]
def pattern(x):
    return x[:, :-1, ...].sum(dim=(1, 2))
def replacement(x):
    return x.narrow(1, 0, 3).sum((1, 2))
''',
    "dtype and device constants": '''
DT = torch.float16
def model(x):
    return x.to(torch.float16).to(device=torch.device("cpu"), dtype=torch.float32)
def pattern(x):
    return x.to(DT).to(device=torch.device("cpu"), dtype=torch.float32)
def replacement(x):
    return x.type(torch.float32)
''',
    "math functions": '''
def model(x):
    return x * math.pi / math.e + math.floor(2.7) + math.log(2) + math.inf
def pattern(x):
    return x * math.pi / math.e + math.floor(2.7) + math.log(2) + math.inf
def replacement(x):
    return x * torch.pi + float("inf") - math.exp(1.0) + torch.inf + math.log2(8) + round(2.5) + abs(-3) + max(1, 2) + int("7") + pow(2, 3)
''',
    "einsum": '''
def model(q, k):
    return torch.einsum("bhid,bhjd->bhij", q, k) * 0.5
def pattern(q, k):
    return torch.einsum("bhid,bhjd->bhij", q, k)
def replacement(q, k):
    return torch.matmul(q, k.mT)
''',
    "masked fill with minus infinity": '''
def model(s, m):
    return s.masked_fill(m == 0, float("-inf")).softmax(-1)
def pattern(s, m):
    return s.masked_fill(m == 0, float("-inf")).softmax(-1)
def replacement(s, m):
    return torch.softmax(torch.where(m.bool(), s, -1e9), dim=-1)
''',
    "where with the smallest number": '''
def model(s, m):
    return torch.where(m, s, torch.finfo(torch.float32).min)
def pattern(s, m):
    return torch.where(m, s, torch.finfo(torch.float32).min)
def replacement(s, m):
    return s.masked_fill(~m, torch.finfo(torch.float16).min)
''',
    "split heads": '''
def model(x):
    return x.view(2, 8, 4, 16).permute(0, 2, 1, 3).contiguous()
def heads(x, n=4, d=16):
    return x.view(2, 8, n, d).permute(0, 2, 1, 3)
def pattern(x):
    return heads(x).contiguous()
def replacement(x):
    return heads(x, d=16).reshape(2, 4, 8, 16)
''',
    "sizes of the input": '''
def model(x):
    b, s, _ = x.shape
    return x.view(b, s, 4, -1)
def pattern(x):
    return x.shape
def replacement(x):
    return x.size()
''',
    "size and view": '''
def model(x):
    return torch.relu(x.view(x.size(0), -1))
def pattern(x):
    return x.view(x.size(0), -1)
def replacement(x):
    return torch.flatten(x, 1)
''',
    "mean pooling": '''
def model(h, mask):
    m = mask.unsqueeze(-1).expand(h.size()).float()
    return torch.sum(h * m, 1) / torch.clamp(m.sum(1), min=1e-9)
def pattern(h, mask):
    m = mask.unsqueeze(-1).expand(h.size()).float()
    return torch.sum(h * m, 1) / torch.clamp(m.sum(1), min=1e-9)
def replacement(h, mask):
    m = mask.unsqueeze(-1).to(torch.float32)
    return torch.div((h * m).sum(1), m.sum(1).clamp(min=1e-09))
''',
    "l2 normalise": '''
def model(x):
    return x / x.norm(dim=-1, keepdim=True)
def pattern(x):
    return x / x.norm(dim=-1, keepdim=True)
def replacement(x):
    return F.normalize(x, dim=-1)
''',
    "several matches in a loop": '''
def model(x, y):
    for _ in range(3):
        x = torch.relu(torch.add(x, y))
    return x
def pattern(a, b):
    return torch.relu(torch.add(a, b))
def replacement(a, b):
    return torch.ops.aten.add.Tensor(a, b).clamp_min(0)
''',
    "one value twice": '''
def model(x, y):
    return torch.mul(x, x) + torch.mul(x, y)
def pattern(x):
    return torch.mul(x, x)
def replacement(x):
    return torch.square(x)
''',
    "more results": '''
def model(x):
    v, i = torch.max(x, dim=1)
    return v + 1, i
def pattern(x):
    return torch.max(x, dim=1)
def replacement(x):
    return torch.topk(x, 1, 1)
''',
    "two results of their own": '''
def model(x, y):
    a = torch.sin(x); b = torch.cos(y)
    return a + b, a * b
def pattern(x, y):
    s = torch.sin(x)
    c = torch.cos(y)
    return s + c, s * c
def replacement(x, y):
    s, c = torch.sin(x), torch.cos(y)
    return torch.add(s, c), torch.mul(s, c)
''',
    "passes the input on": '''
def model(x):
    return torch.relu(F.dropout(x, 0.5, False))
def pattern(x):
    return F.dropout(x, 0.5, False)
def replacement(x):
    return x
''',
    "inplace operators": '''
def model(x, y):
    x += y
    x *= 2
    return x
def pattern(x, y):
    x += y
    x *= 2
    return x
def replacement(x, y):
    x -= y
    return x ** 2
''',
    "comparison and bitwise": '''
def model(x, y):
    return ((x > y) & (x != 0) | ~(y <= 1)).float()
def pattern(x, y):
    return (x > y) & (x != 0) | ~(y <= 1)
def replacement(x, y):
    return torch.logical_xor(x >= y, y < 0) ^ (x == y)
''',
    "right hand operators": '''
def model(x):
    return (1 - x) * (2 ** x) + 3 // x + (5 % x) / (4 @ x if False else 2)
def pattern(x):
    return (1 - x) * (2 ** x)
def replacement(x):
    return torch.rsub(x, 1) * torch.exp2(x)
''',
    "ternary over constants": '''
CAUSAL = True
def model(x):
    return torch.tril(x) * 2
def pattern(x):
    return torch.tril(x) if CAUSAL else torch.triu(x)
def replacement(x):
    return torch.triu(x, diagonal=1 if CAUSAL else 0)
''',
    "comprehension": '''
def model(x, y):
    return torch.stack([torch.relu(x), torch.relu(y)])
def pattern(x, y):
    return torch.stack([torch.relu(t) for t in (x, y)])
def replacement(x, y):
    return torch.relu(torch.stack([t for t in [x, y]]))
''',
    "dictionary of operators": '''
ACT2FN = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu}
CONFIG = dict(act="silu", scale=2)
def model(x):
    return F.silu(x) * 2
def pattern(x):
    return ACT2FN[CONFIG["act"]](x) * CONFIG["scale"]
def replacement(x):
    act = ACT2FN.get("gelu")
    return act(x)
''',
    "star arguments": '''
def model(x, y, z):
    return torch.cat((x, y, z), -1)
def joined(*xs, **kw):
    return torch.cat(xs, **kw) if kw else torch.cat(xs, -1)
def pattern(x, y, z):
    return joined(x, y, z)
def replacement(x, y, z):
    return joined(*[z, y, x], **{"dim": 0})
''',
    "class of settings": '''
class Config:
    eps = 1e-12
    dim = -1
def model(x):
    return F.normalize(x, eps=1e-12, dim=-1)
def pattern(x):
    return F.normalize(x, eps=Config.eps, dim=Config.dim)
def replacement(x):
    c = Config
    return x / (x.pow(2).sum(c.dim, keepdim=True) + c.eps).sqrt()
''',
    "type check and isinstance": '''
def model(x):
    return torch.sum(x, 1)
def pattern(x):
    dim = 1
    if isinstance(dim, int):
        dim = dim
    return torch.sum(x, dim)
def replacement(x):
    dims = [1]
    dims = dims[0] if len(dims) == 1 else tuple(dims)
    return torch.mean(x, dim=dims) * 8
''',
    "try and with": '''
def model(x):
    return torch.exp(x) - 1
def pattern(x):
    with torch.no_grad():
        return torch.exp(x) - 1
def replacement(x):
    try:
        y = torch.expm1(x)
    except TypeError:
        y = x
    return y
''',
    "imported under another name": '''
def model(x):
    return F.softmax(x, dim=-1) + torch.nn.functional.softmax(x, dim=0)
def pattern(x):
    return soft(x, dim=-1)
def replacement(x):
    from torch import softmax as s
    import torch.nn.functional as fun
    return s(fun.relu(x), dim=-1)
''',
    "constants as tensors": '''
def model(x):
    return x + torch.ones(3) * 2
def pattern(x):
    return torch.add(x, 1)
def replacement(x):
    return x - torch.tensor([1.0, 2.0, 3.0])
''',
    "walrus, unpacking, global": '''
SCALE, (SHIFT, *REST) = 2, (3, 4, 5)
def model(x):
    return x * 2 + 3
def pattern(x):
    y = x * SCALE
    return y + SHIFT
def replacement(x):
    global SCALE
    return (y := x * SCALE) - y.sum(REST[0] - 4)
''',
    "methods by attribute": '''
def model(x):
    return x.T.real.abs_()
def pattern(x):
    return x.T.real.abs_()
def replacement(x):
    return x.mT.abs().clone(memory_format=torch.contiguous_format)
''',
    "numpy style names": '''
def model(x, y):
    return torch.concatenate([x, y], axis=1).swapaxes(0, 1)
def pattern(x, y):
    return torch.concatenate([x, y], axis=1).swapaxes(0, 1)
def replacement(x, y):
    return torch.hstack((x, y)).transpose(0, 1)
''',
    "functional batch norm": '''
def model(x, m, v, w, b):
    return F.relu(F.batch_norm(x, m, v, w, b, training=False, momentum=0.1, eps=1e-05))
def pattern(x, m, v, w, b):
    return F.batch_norm(x, m, v, w, b, training=False, momentum=0.1, eps=1e-5)
def replacement(x, m, v, w, b, shape=(1, -1, 1, 1)):
    m, v, w, b = (t.view(*shape) for t in (m, v, w, b))
    return (x - m) * (v + 1e-5).rsqrt() * w + b
''',
    "no match": '''
def model(x):
    return torch.relu(x)
def pattern(x):
    return torch.sigmoid(torch.relu(x))
def replacement(x):
    return x
''',
    "static method and namespace": '''
class Ops:
    @staticmethod
    def act(x):
        return F.leaky_relu(x, 0.2)
def model(x):
    return F.leaky_relu(x, 0.2) * 2
def pattern(x):
    return Ops.act(x)
def replacement(x):
    return F.leaky_relu(x, negative_slope=0.1)
''',
    "no_grad decorator": '''
def model(x):
    return torch.relu(x) + 1
@torch.no_grad()
def pattern(x):
    return torch.relu(x)
@torch.inference_mode()
def replacement(x):
    return torch.clamp(x, 0)
''',
    "main guard and unused imports": '''
import sys
import os.path as osp
from collections import OrderedDict
__all__ = ["pattern"]
def model(x):
    return torch.abs(x) * 2
def pattern(x):
    return torch.abs(x)
def replacement(x):
    return torch.sqrt(x * x)
if __name__ == "__main__":
    print(pattern(torch.ones(2)))
''',
    "a global that a helper sets": '''
K = 0
def choose():
    global K
    K = 5
def model(x):
    return torch.relu(x) + 5
def pattern(x):
    choose()
    return torch.relu(x) + K
def replacement(x):
    return F.relu6(x)
''',
    "loops with else, generators and closures": '''
def model(x, y):
    return torch.cat([torch.relu(x) * 2, torch.relu(y) * 2], 1) + 3
def parts(*tensors):
    for tensor in tensors:
        yield torch.relu(tensor) * 2
def pattern(x, y):
    for n in range(3):
        if n > 5:
            break
    else:
        n += 1
    def added(t):
        nonlocal n
        return t + n
    return added(torch.cat(list(parts(x, y)), 1))
def replacement(x, y):
    functions = [lambda t: t - scale for _ in range(2)]
    scale = 4
    return functions[0](x) * functions[1](y)
''',
    "exceptions, contexts and classes": '''
def model(x):
    return torch.neg(torch.sigmoid(x) * 7)
class Scale:
    def __init__(self, k):
        self.k = k
    @property
    def doubled(self):
        return self.k * 2
    def __call__(self, x):
        return torch.sigmoid(x) * (self.doubled + 1)
def pattern(x):
    with torch.autocast("cpu"), torch.no_grad():
        try:
            raise ValueError(3)
        except ValueError as error:
            y = Scale(error.args[0])(x)
        finally:
            del x
    return torch.neg(y)
def replacement(x):
    values = {"k": [1, 2]}
    values["k"].append(4)
    return x * sorted(values["k"], reverse=True)[0] + len({i % 2 for i in range(5)})
''',
}


def run(lancet, *words):
    return subprocess.run([str(lancet), *map(str, words)], capture_output=True, text=True)


def check(lancet, folder, text):
    scope = {"__name__": "patterns"}
    file, model, out = folder / "p.py", folder / "model.pt", folder / "out.json"
    file.write_text(HEAD + text)
    exec(compile(HEAD + text, str(file), "exec"), scope)  # noqa: S102
    torch.save(fx.symbolic_trace(scope["model"]), model)
    gm = torch.load(model, weights_only=False)
    try:
        replaced = replace_pattern_with_filters(gm, scope["pattern"], scope["replacement"])
    except Exception as error:
        done = run(lancet, "replace", model, "--pattern", f"{file}:pattern", "--replacement", f"{file}:replacement", "-o", out)
        return None if done.returncode == 4 else f"torch.fx refuses ({error!r}), lancet: exit {done.returncode} {done.stderr}"
    done = run(lancet, "replace", model, "--pattern", f"{file}:pattern", "--replacement", f"{file}:replacement", "-o", out, "--show", "code")
    if not replaced:
        return None if done.returncode == 1 else f"no match in torch.fx; lancet: exit {done.returncode} {done.stderr}"
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    if done.stdout != gm.code + "\n":
        return f"torch.fx:\n{gm.code}\nlancet:\n{done.stdout}"
    graph = run(lancet, "graph", out).stdout
    if graph != str(gm.graph) + "\n":
        return f"torch.fx:\n{gm.graph}\nlancet:\n{graph}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    lancet = pathlib.Path(options.lancet).resolve()
    failures = 0
    names = [name for name in CASES if not options.only or options.only in name]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found = check(lancet, pathlib.Path(folder), CASES[name])
        if found:
            failures += 1
            print(f"FAIL {name}: {re.sub(r'0x[0-9a-f]+', '0x0', found)}", flush=True)
        elif options.v:
            print("ok  ", name)
    print(f"{len(names)} patterns compared, {failures} differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
