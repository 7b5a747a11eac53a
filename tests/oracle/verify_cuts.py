# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs for `lancet verify`: models that were only cut, fused or inlined, and the rewrites that compilers make (right);
differences that few elements, long inputs, later calls or weights alone show (wrong).

Each pair is `(name, A, B, {input: "SHAPE[:DTYPE]"})`; A and B are GraphModules.
"""

import copy
import math

import torch
from torch import fx, nn
from torch.fx.passes.split_module import split_module

from verify_pairs import call, drawn, edited, made, traced

functional = nn.functional
SMALL = {"x": "3x6"}
IMAGE = {"x": "2x3x12x12"}


# -- cuts ----------------------------------------------------------------------------------------------------------------


class Borders(nn.Module):
    """Values of every kind that can lie on a border: tuples, sizes, buffers, lists."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("table", drawn(4, 8))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        y = self.a(x)
        if self.kind == "chunk":
            p, q = y.chunk(2, -1)
            return torch.cat([torch.tanh(q), torch.sigmoid(p)], -1)
        if self.kind == "uneven split":
            p, q, r = torch.split(y, [1, 3, 4], -1)
            return torch.cat([r * 2, p, q.exp()], -1)
        if self.kind == "max":
            values, places = y.max(-1)
            return values.tanh(), places + 1
        if self.kind == "topk":
            values, places = torch.topk(y, 3)
            return torch.gather(self.b(x), -1, places) * values
        if self.kind == "sort":
            values, places = y.sort(-1, descending=True)
            return values.cumsum(-1) + places
        if self.kind == "size":
            rows = x.size(0)
            return self.b(y.reshape(rows * 2, 4).reshape(rows, 8)) / rows
        if self.kind == "shape":
            shape = y.shape
            return torch.relu(y.flatten()).view(shape) + self.b(x).new_ones(shape)
        if self.kind == "shared buffer":
            return torch.cat([y @ self.table.t(), torch.relu(self.b(x)) @ self.table.t()], -1) + self.table.mean()
        if self.kind == "unbind":
            rows = y[:3].unbind(0)
            return torch.stack([rows[2].relu(), rows[0], rows[1].sin()])
        if self.kind == "var_mean":
            var, mean = torch.var_mean(y, -1, keepdim=True)
            return (y - mean) * torch.rsqrt(var + 1e-5)
        if self.kind == "aminmax":
            low, high = torch.aminmax(y)
            return (y - low) / (high - low)
        if self.kind == "state":
            self.count.add_(1)
            return self.b(y * 2) + self.count
        if self.kind == "min twice":
            first = y.min(0)
            return first[0] + first.values, first[1]
        raise AssertionError(self.kind)


CUTS = ["chunk", "uneven split", "max", "topk", "sort", "size", "shape", "shared buffer", "unbind", "var_mean", "aminmax", "state", "min twice"]


class State(nn.Module):
    """Nested graph modules, one called twice, and what a tracer inlines."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 6))

    def forward(self, x):
        return self.inner(torch.sin(self.inner(x)))


def calls(model):
    return [node for node in model.graph.nodes if node.op not in ("placeholder", "output")]


def cut(model, parts):
    """Split at even distances, in order."""
    order = {node.name: i for i, node in enumerate(calls(model))}
    return split_module(copy.deepcopy(model), None, lambda node: order[node.name] * parts // len(order))


def woven(model):
    """Every third node in another part: many values cross."""
    order = {node.name: i for i, node in enumerate(calls(model))}
    return split_module(copy.deepcopy(model), None, lambda node: 0 if order[node.name] < len(order) // 3 else 1 + (order[node.name] >= 2 * len(order) // 3))


def wrapped(model):
    """The whole graph as one submodule of another graph."""
    outer = fx.Graph()
    inputs = [outer.placeholder(node.target) for node in model.graph.nodes if node.op == "placeholder"]
    outer.output(outer.call_module("whole", tuple(inputs)))
    return fx.GraphModule({"whole": copy.deepcopy(model)}, outer)


class Leaf(fx.Tracer):
    def is_leaf_module(self, module, path):
        return isinstance(module, nn.Sequential) or super().is_leaf_module(module, path)


def kept(module):
    """The inner Sequential stays a graph module that is called."""
    model = fx.GraphModule(module, Leaf().trace(module))
    model.inner = fx.symbolic_trace(model.inner)
    return model


def right_cuts():
    x = {"x": "4x8"}
    for kind in CUTS:
        model = traced(made(Borders, kind))
        yield f"cut: {kind} in two", model, cut(model, 2), x
        yield f"cut: {kind} in four", model, cut(model, 4), x
        yield f"cut: {kind} woven", model, woven(model), x
    for kind in ("chunk", "max", "topk", "state", "size"):
        model = traced(made(Borders, kind))
        yield f"cut: {kind} whole", model, wrapped(model), x
        yield f"cut: {kind} cut twice", cut(model, 3), cut(model, 2), x
        yield f"cut: {kind} inlined", cut(model, 3), model, x
    module = made(State).eval()
    yield "cut: nested and called twice", traced(module), kept(module), {"x": "3x6"}
    yield "cut: nested and called twice, the other way", kept(module), traced(module), {"x": "3x6"}


# -- the rewrites of compilers -------------------------------------------------------------------------------------------


def both(a, b, inputs=None, /, **tensors):
    return call(a, **tensors), call(b, **tensors), inputs or SMALL


def right_rewrites():
    w, v, c = drawn(6, 6), drawn(6, 6, seed=6), drawn(6)
    F = functional
    kernel, other = drawn(4, 3, 3, 3), drawn(4)
    sdpa = F.scaled_dot_product_attention
    qkv = {"x": "2x5x8"}
    # algebra that Inductor's and ONNX Runtime's passes know
    yield "add of zero", *both(lambda m, x: torch.sin(x + 0.0), lambda m, x: torch.sin(x))
    yield "product with one", *both(lambda m, x: torch.sin(1.0 * x), lambda m, x: torch.sin(x))
    yield "division by one", *both(lambda m, x: torch.sin(x / 1), lambda m, x: torch.sin(x))
    yield "minus minus", *both(lambda m, x: -(-torch.sin(x)), lambda m, x: torch.sin(x))
    yield "identity modules", traced(nn.Sequential(nn.Linear(6, 6), nn.Identity(), nn.Dropout(0.3))), None, {"input": "3x6"}
    yield "transposed twice", *both(lambda m, x: F.linear(x.t().t(), m.w), lambda m, x: F.linear(x, m.w), w=w)
    yield "permutes joined", *both(lambda m, x: x.permute(1, 2, 0).permute(2, 0, 1).sin(), lambda m, x: x.sin(), {"x": "2x3x4"})
    yield "views joined", *both(lambda m, x: x.view(2, 9).view(6, 3).sin(), lambda m, x: x.view(6, 3).sin())
    yield "squeeze of unsqueeze", *both(lambda m, x: x.unsqueeze(1).squeeze(1) * 3, lambda m, x: x * 3)
    yield "relu twice", *both(lambda m, x: torch.relu(torch.relu(x)), lambda m, x: torch.relu(x))
    yield "cat of split", *both(lambda m, x: torch.cat(x.split(2, -1), -1).cos(), lambda m, x: x.cos())
    yield "stack is cat of unsqueezed", *both(lambda m, x: torch.stack([x, x * 2], 1), lambda m, x: torch.cat([x.unsqueeze(1), (x * 2).unsqueeze(1)], 1))
    yield "split into getitems", *both(lambda m, x: torch.split(x, 2, 1)[1].exp(), lambda m, x: x[:, 2:4].exp())
    yield "select is an index", *both(lambda m, x: x.select(1, 2) * 2, lambda m, x: x[:, 2] * 2)
    yield "narrow is a slice", *both(lambda m, x: x.narrow(1, 1, 3) * 2, lambda m, x: x[:, 1:4] * 2)
    yield "addmm", *both(lambda m, x: torch.addmm(m.c, x, m.w), lambda m, x: x @ m.w + m.c, w=w, c=c)
    yield "linear is a product", *both(lambda m, x: F.linear(x, m.w, m.c), lambda m, x: torch.matmul(x, m.w.t()) + m.c, w=w, c=c)
    yield "bmm is matmul", *both(lambda m, x: torch.bmm(x, x.transpose(1, 2)), lambda m, x: x @ x.mT, {"x": "2x3x4"})
    yield "einsum", *both(lambda m, x: torch.einsum("bij,bkj->bik", x, x), lambda m, x: torch.matmul(x, x.transpose(-1, -2)), {"x": "2x3x4"})
    yield "baddbmm", *both(lambda m, x: torch.baddbmm(m.c, x, x.mT), lambda m, x: m.c + torch.bmm(x, x.mT), {"x": "2x6x4"}, c=c)
    yield "product of weights folded", call(lambda m, x: (x @ m.w) @ m.v, w=w, v=v), call(lambda m, x: x @ m.w, w=(w.double() @ v.double()).float()), SMALL
    yield "scale into the layer", call(lambda m, x: F.linear(x, m.w, m.c) * 0.3, w=w, c=c), call(lambda m, x: F.linear(x, m.w, m.c), w=w * 0.3, c=c * 0.3), SMALL
    yield "bias into the bias", call(lambda m, x: F.linear(x, m.w, m.c) + m.d, w=w, c=c, d=v[0]), call(lambda m, x: F.linear(x, m.w, m.c), w=w, c=c + v[0]), SMALL
    yield "three layers in one", call(lambda m, x: F.linear(x, m.w) + F.linear(x, m.v).sin(), w=w, v=v), \
        call(lambda m, x: (lambda y: y[0] + y[1].sin())(F.linear(x, m.w).chunk(2, -1)), w=torch.cat([w, v])), SMALL
    yield "shift before layer_norm", *both(lambda m, x: F.layer_norm(F.linear(x, m.w) + 3.0, (6,)), lambda m, x: F.layer_norm(F.linear(x, m.w), (6,)), w=w)
    yield "large shift before layer_norm", *both(lambda m, x: F.layer_norm(F.linear(x, m.w) + 100.0, (6,)), lambda m, x: F.layer_norm(F.linear(x, m.w), (6,)), w=w)
    yield "large shift before batch_norm", *both(lambda m, x: F.batch_norm(F.linear(x, m.w) + 100.0, None, None, training=True), lambda m, x: F.batch_norm(F.linear(x, m.w), None, None, training=True), {"x": "16x6"}, w=w)
    yield "shift before softmax", *both(lambda m, x: torch.softmax(x - 5.0, -1), lambda m, x: torch.softmax(x, -1))
    yield "shift before batch_norm", *both(lambda m, x: F.batch_norm(x + 1.5, None, None, training=True), lambda m, x: F.batch_norm(x, None, None, training=True), {"x": "16x6"})
    yield "shift before instance_norm", *both(lambda m, x: F.instance_norm(F.conv2d(x, m.k, m.b)), lambda m, x: F.instance_norm(F.conv2d(x, m.k)), IMAGE, k=kernel, b=other)
    yield "bias before group_norm", *both(lambda m, x: F.group_norm(F.conv2d(x, m.k, m.b), 4), lambda m, x: F.group_norm(F.conv2d(x, m.k), 4), IMAGE, k=kernel, b=other)
    # decompositions
    yield "gelu", *both(lambda m, x: F.gelu(x), lambda m, x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))))
    yield "gelu of tanh", *both(lambda m, x: F.gelu(x, approximate="tanh"), lambda m, x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    yield "silu", *both(lambda m, x: F.silu(x), lambda m, x: x * torch.sigmoid(x))
    yield "mish", *both(lambda m, x: F.mish(x), lambda m, x: x * torch.tanh(F.softplus(x)))
    yield "elu", *both(lambda m, x: F.elu(x), lambda m, x: torch.where(x > 0, x, torch.expm1(x)))
    yield "hardsigmoid", *both(lambda m, x: F.hardsigmoid(x), lambda m, x: F.relu6(x + 3) / 6)
    yield "relu6", *both(lambda m, x: F.relu6(x), lambda m, x: x.clamp(0, 6))
    yield "softmax", *both(lambda m, x: torch.softmax(x, -1), lambda m, x: (lambda e: e / e.sum(-1, keepdim=True))(torch.exp(x - x.amax(-1, keepdim=True))))
    yield "log_softmax", *both(lambda m, x: torch.log_softmax(x, -1), lambda m, x: x - torch.logsumexp(x, -1, keepdim=True))
    yield "square", *both(lambda m, x: torch.pow(x, 2), lambda m, x: x * x)
    yield "square root", *both(lambda m, x: x.abs().pow(0.5), lambda m, x: torch.sqrt(torch.abs(x)))
    yield "mean", *both(lambda m, x: F.linear(x, m.w).mean(-1), lambda m, x: F.linear(x, m.w).sum(-1) / 6, w=w)
    yield "layer_norm", *both(lambda m, x: F.layer_norm(x, (6,), m.c, m.d), lambda m, x: (lambda u: u * torch.rsqrt((u * u).mean(-1, keepdim=True) + 1e-5) * m.c + m.d)(x - x.mean(-1, keepdim=True)), c=c, d=v[0])
    yield "batch_norm is a factor", call(lambda m, x: F.batch_norm(x, m.a, m.b, m.c, m.d), a=c, b=c.abs() + 0.5, c=v[0], d=v[1]), \
        call(lambda m, x: x * m.a + m.b, a=v[0] / torch.sqrt(c.abs() + 0.5 + 1e-5), b=v[1] - c * v[0] / torch.sqrt(c.abs() + 0.5 + 1e-5)), SMALL
    # attention
    into = {"p": drawn(8, 8)}  # a layer in front fixes the width
    yield "attention by hand", *both(lambda m, x: (lambda q: sdpa(q, q, q))(F.linear(x, m.p)), lambda m, x: (lambda q: torch.softmax(q @ q.transpose(-1, -2) / math.sqrt(8), -1) @ q)(F.linear(x, m.p)), qkv, **into)
    yield "attention, scaled before", *both(lambda m, x: (lambda q: torch.softmax((q / math.sqrt(8)) @ q.transpose(-1, -2), -1) @ q)(F.linear(x, m.p)), lambda m, x: (lambda q: sdpa(q, q, q))(F.linear(x, m.p)), qkv, **into)
    yield "heads", *both(lambda m, x: F.linear(x, m.p).view(x.size(0), x.size(1), 2, 4).transpose(1, 2).tanh(), lambda m, x: F.linear(x, m.p).reshape(x.shape[0], x.shape[1], 2, 4).permute(0, 2, 1, 3).tanh(), qkv, **into)
    # convolutions and pictures
    yield "a convolution of one is linear", *both(lambda m, x: F.conv2d(x, m.w.view(6, 6, 1, 1)), lambda m, x: F.linear(x.permute(0, 2, 3, 1), m.w).permute(0, 3, 1, 2), {"x": "2x6x4x4"}, w=w)
    yield "padding in the convolution", *both(lambda m, x: F.conv2d(F.pad(x, (1, 1, 1, 1)), m.k), lambda m, x: F.conv2d(x, m.k, padding=1), IMAGE, k=kernel)
    yield "convolution of one dimension", *both(lambda m, x: F.conv1d(x, m.k), lambda m, x: F.conv2d(x.unsqueeze(2), m.k.unsqueeze(2)).squeeze(2), {"x": "2x3x9"}, k=kernel[:, :, 0])
    yield "kernel of one in a kernel of three", *both(lambda m, x: F.conv2d(x, m.k, padding=1) + F.conv2d(x, m.p), lambda m, x: F.conv2d(x, m.k + F.pad(m.p, (1, 1, 1, 1)), padding=1), IMAGE, k=kernel, p=drawn(4, 3, 1, 1))
    yield "batch_norm in the convolution", *folded(), IMAGE
    yield "batch_norm in the transposed convolution", *folded(nn.ConvTranspose2d), IMAGE
    yield "batch_norm in the depthwise convolution", *folded(groups=3), IMAGE
    yield "batch_norm in the layer", *folded_linear(), {"x": "4x6"}
    yield "nearest is repeat_interleave", *both(lambda m, x: F.interpolate(x, scale_factor=2), lambda m, x: x.repeat_interleave(2, -1).repeat_interleave(2, -2), IMAGE)
    yield "pixel_shuffle", *both(lambda m, x: F.pixel_shuffle(x, 2), lambda m, x: x.view(x.size(0), -1, 2, 2, x.size(2), x.size(3)).permute(0, 1, 4, 2, 5, 3).reshape(x.size(0), -1, x.size(2) * 2, x.size(3) * 2), {"x": "2x4x3x3"})
    yield "global pooling", *both(lambda m, x: F.adaptive_avg_pool2d(x, 1), lambda m, x: x.mean((2, 3), keepdim=True), IMAGE)
    yield "max_pool of one", *both(lambda m, x: F.max_pool2d(x, 1).sin(), lambda m, x: x.sin(), IMAGE)
    yield "channels last", *both(lambda m, x: F.conv2d(x.contiguous(memory_format=torch.channels_last), m.k), lambda m, x: F.conv2d(x, m.k), IMAGE, k=kernel)
    yield "silu by hand, beside another sigmoid", gated(False), gated(True), IMAGE
    yield "sixteen normalisations in their convolutions", *deep_fold(), IMAGE
    # order
    yield "common subexpressions", *both(lambda m, x: torch.sin(x) + torch.sin(x) * 2, lambda m, x: (lambda s: s + s * 2)(torch.sin(x)))
    yield "dead code", *both(lambda m, x: (torch.exp(x), torch.sin(x))[1], lambda m, x: torch.sin(x))
    yield "sum in another order", *both(lambda m, x: torch.sin(x) + torch.cos(x) + torch.tanh(x), lambda m, x: torch.tanh(x) + torch.cos(x) + torch.sin(x))
    yield "relu behind the pooling", *both(lambda m, x: F.max_pool2d(torch.relu(x), 2), lambda m, x: torch.relu(F.max_pool2d(x, 2)), IMAGE)
    yield "transpose behind the function", *both(lambda m, x: torch.sin(x.t()) * 2, lambda m, x: (torch.sin(x) * 2).t())
    yield "constant folded", call(lambda m, x: x + torch.sin(m.w) * 2, w=w[:3]), call(lambda m, x: x + m.w, w=torch.sin(w[:3]) * 2), SMALL
    yield "embedding as a product", *both(lambda m, x: F.embedding(x, m.w), lambda m, x: m.w[x], {"x": "2x5:int64<6>"}, w=w)
    yield "float64 in between", *both(lambda m, x: torch.sin(x.double()).float() * 2, lambda m, x: torch.sin(x) * 2)


def folded(kind=nn.Conv2d, **options):
    torch.manual_seed(7)
    conv, norm = kind(3, 6, 3, **options), nn.BatchNorm2d(6)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.2, 3)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    model = nn.Sequential(conv, norm, nn.ReLU()).eval()
    new = torch.nn.utils.fuse_conv_bn_eval(copy.deepcopy(conv).eval(), norm, transpose=kind is nn.ConvTranspose2d)
    return renamed(traced(model)), renamed(traced(nn.Sequential(new, nn.ReLU())))


class Gated(nn.Module):
    """Squeeze and excitation. By hand, silu gives its sigmoid the name that the last one had."""

    def __init__(self, by_hand):
        super().__init__()
        self.by_hand = by_hand
        self.expand, self.norm, self.squeeze, self.excite = nn.Conv2d(3, 8, 1), nn.BatchNorm2d(8), nn.Conv2d(8, 2, 1), nn.Conv2d(2, 8, 1)

    def silu(self, x):
        return torch.mul(x, torch.sigmoid(x)) if self.by_hand else functional.silu(x)

    def forward(self, x):
        x = self.silu(self.norm(self.expand(x)))
        return x * torch.sigmoid(self.excite(self.silu(self.squeeze(x.mean((2, 3), keepdim=True)))))


def gated(by_hand):
    return traced(made(Gated, by_hand).eval())


def deep_fold():
    torch.manual_seed(9)
    layers, new = [], []
    for i in range(16):
        conv, norm = nn.Conv2d(8 if i else 3, 8, 3, padding=1), nn.BatchNorm2d(8)
        nn.init.kaiming_normal_(conv.weight)
        norm.running_mean.normal_(0, 0.3)
        norm.running_var.uniform_(0.6, 1.6)
        layers += [conv, norm, nn.ReLU()]
        new += [nn.utils.fuse_conv_bn_eval(copy.deepcopy(conv).eval(), norm.eval()), nn.ReLU()]
    return renamed(traced(nn.Sequential(*layers).eval())), renamed(traced(nn.Sequential(*new).eval()))


def folded_linear():
    torch.manual_seed(8)
    linear, norm = nn.Linear(6, 5), nn.BatchNorm1d(5)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.2, 3)
    nn.init.normal_(norm.weight)
    model = nn.Sequential(linear, norm).eval()
    return renamed(traced(model)), renamed(traced(nn.Sequential(nn.utils.fusion.fuse_linear_bn_eval(linear.eval(), norm))))


def renamed(model):
    """The input is called x."""
    first = next(iter(model.graph.nodes))
    first.target = "x"
    first._rename("x")
    model.recompile()
    return model


# -- inputs that are equal -----------------------------------------------------------------------------------------------


TWO = {"x": "3x6", "y": "3x6"}


def of_two(function, **tensors):
    """A model of a function of x, y and of the tensors, which are buffers."""

    class Call(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in tensors.items():
                self.register_buffer(name, value)

        def forward(self, x, y):
            return function(self, x, y)

    return traced(Call())


def of_two_both(a, b, inputs=None, /, **tensors):
    return of_two(a, **tensors), of_two(b, **tensors), inputs or TWO


def right_equal():
    two = of_two_both
    yield "where of equal", *two(lambda m, x, y: torch.where(x == y, x, y), lambda m, x, y: torch.where(x != y, y, x))
    yield "maximum", *two(lambda m, x, y: torch.maximum(x, y), lambda m, x, y: torch.where(x > y, x, y))
    yield "where of greater", *two(lambda m, x, y: torch.where(x >= y, x, y), lambda m, x, y: torch.where(x > y, x, y))
    yield "distance", *two(lambda m, x, y: (x - y).abs(), lambda m, x, y: torch.maximum(x, y) - torch.minimum(x, y))
    yield "norm of a difference", *two(lambda m, x, y: functional.layer_norm(x - y, (6,)), lambda m, x, y: -functional.layer_norm(y - x, (6,)))


def wrong_equal():
    two, linear, w = of_two_both, functional.linear, drawn(6, 6)
    words = {"x": "2x8:int64<1000>", "y": "2x8:int64<1000>"}
    yield "where", *two(lambda m, x, y: torch.where(x == y, x * 2, x), lambda m, x, y: x + 0 * y)
    yield "any", *two(lambda m, x, y: x.eq(y).any(-1).float() + x.sum(-1), lambda m, x, y: x.sum(-1) + y.sum(-1) * 0)
    yield "close", *two(lambda m, x, y: torch.isclose(x, y).float() + x, lambda m, x, y: (x == y).float() + x)
    yield "greater or equal", *two(lambda m, x, y: (x > y).float(), lambda m, x, y: (x >= y).float())
    yield "behind layers", *two(lambda m, x, y: (lambda a, b: torch.where(a == b, a - 1, a + b))(linear(x, m.w), linear(y, m.w)), lambda m, x, y: linear(x, m.w) + linear(y, m.w), w=w)
    yield "integers", *two(lambda m, x, y: torch.where(x == y, x * 0 - 1, x), lambda m, x, y: x + 0 * y, words)
    yield "in some elements", *two(lambda m, x, y: x + ((x == y).any() & (x != y).any()), lambda m, x, y: x + 0 * y)
    yield "all", *two(lambda m, x, y: x + torch.eq(x, y).all(), lambda m, x, y: x + 0 * y)


def unused(kind, value):
    """A tensor that nothing uses, or that only dead code uses."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    if kind != "no node":
        w = graph.get_attr("w")
    if kind == "dead code":
        graph.call_function(torch.add, (x, w))
    graph.output(graph.call_function(torch.sin, (x,)))
    root = nn.Module()
    root.w = nn.Parameter(torch.full((6,), value))
    model = fx.GraphModule(root, graph)
    model.w = root.w
    return model


def wrong_rarely_true():
    """What one model adds depends on something that no ordinary inputs make true."""
    words = {"x": "2x5:int64<5000>"}
    picture = {"x": "1x1x8x8"}
    plain = lambda m, x: torch.tanh(x)
    yield "a column", *both(plain, lambda m, x: torch.tanh(x) + (x[:, :1] == 0.12345))
    yield "a sum", *both(plain, lambda m, x: torch.tanh(x) + (x.sum(-1, keepdim=True) == 7.5))
    yield "the largest", *both(plain, lambda m, x: torch.where(x.amax(-1, keepdim=True) == 2.5, x, torch.tanh(x)))
    yield "an order", *both(plain, lambda m, x: torch.tanh(x) + (x[:, 1:] > x[:, :-1]).all(-1, keepdim=True))
    bright = lambda m, x: torch.tanh(x) + 5 * (x[..., -2:, -2:] >= 0.99).all(-1).all(-1)[..., None, None]
    yield "bright pixels", *both(plain, bright, picture)
    follows = lambda m, x: x * 2 + ((x[:, 1:] == 77) & (x[:, :-1] == 4097)).any(-1, keepdim=True)
    yield "words that follow", *both(lambda m, x: x * 2, follows, words)


def right_rarely_true():
    yield "column, product", *both(
        lambda m, x: torch.where(x[:, :1] == 0.5, torch.zeros_like(x), x), lambda m, x: x * (x[:, :1] != 0.5)
    )
    yield "all of two", *both(
        lambda m, x: x + ((x > 0).all(-1, keepdim=True)), lambda m, x: x + (x.amin(-1, keepdim=True) > 0)
    )
    yield "any and all", *both(
        lambda m, x: x + ((x > 1).any(-1, keepdim=True)), lambda m, x: x + ~((x <= 1).all(-1, keepdim=True))
    )


def right():
    yield from right_cuts()
    for name, a, b, inputs in right_rarely_true():
        yield f"rarely true: {name}", a, b, inputs
    for kind in ("no node", "read", "dead code"):
        yield f"unused: {kind}", unused(kind, 1.0), unused(kind, 2.0), {"x": "3x6"}
    for name, a, b, inputs in right_equal():
        yield f"equal: {name}", a, b, inputs
    for name, a, b, inputs in right_rewrites():
        if b is None:
            b = edited(a, lambda model: None)
        yield f"rewrite: {name}", a, b, inputs


# -- what must never be equal --------------------------------------------------------------------------------------------


class WithBuffers(fx.Tracer):
    proxy_buffer_attributes = True


def looked_up(function, table):
    """A model of x and a table, which a node reads: traced code may index it."""

    class Table(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("w", table)

        def forward(self, x):
            return function(self.w, x)

    module = Table().eval()
    return fx.GraphModule(module, WithBuffers().trace(module))


def one(shape, place, by=1.0):
    out = torch.zeros(shape)
    out[place] = by
    return out


def wrong():
    F = functional
    w, table = drawn(6, 6), drawn(512, 6)
    words = {"x": "1x8:int64<10>"}
    two = both
    weights = lambda f, a, b, inputs=None: (call(f, w=a), call(f, w=b), inputs or SMALL)
    parts = lambda f, a, b, inputs=None: (looked_up(f, a), looked_up(f, b), inputs or SMALL)
    # constants that are computed on loading
    yield "constant: sigmoid", *weights(lambda m, x: torch.sigmoid(m.w), w, w + 1)
    yield "constant: added", *weights(lambda m, x: x + torch.sigmoid(m.w[0]), w, w + 0.5)
    yield "constant: a row", *weights(lambda m, x: x + m.w[0], w, w + one((6, 6), (0, 3)))
    yield "constant: a mask", *weights(lambda m, x: x.masked_fill(m.w > 0, 0.0), w[0], -w[0])
    yield "constant: rounded", *weights(lambda m, x: x * torch.round(m.w * 4), w[0], w[0] + one(6, 2))
    # a part of a table
    yield "table: positions, a later row", *parts(lambda w, x: x + w[: x.size(1)], table, table + one((512, 6), 300), {"x": "1x8x6"})
    yield "table: embedding, a later row", *parts(lambda w, x: F.embedding(x, w), table, table + one((512, 6), 400), words)
    yield "table: index_select", *parts(lambda w, x: torch.index_select(w, 0, x.flatten()), table, table + one((512, 6), 44), words)
    yield "table: take", *parts(lambda w, x: torch.take(w, x), table, table + one((512, 6), 411), words)
    yield "table: cosines of positions", *parts(lambda w, x: x * torch.cos(w)[: x.size(1)], table, table + one((512, 6), 200), {"x": "1x8x6"})
    yield "table: product with the first rows", *parts(lambda w, x: x @ w[: x.size(-1)], table, table + one((512, 6), 90))
    yield "table: relative bias", *parts(lambda w, x: x + w[(torch.arange(x.size(1)).unsqueeze(1) - torch.arange(x.size(1)).unsqueeze(0)) + 256].sum(-1), table, table + one((512, 6), 500), {"x": "1x8x8"})
    # few elements
    many = {"x": "2x1000"}
    yield "elements: amax without the last", *two(lambda m, x: x.amax(-1), lambda m, x: x[:, :-1].amax(-1), many)
    yield "elements: amax without the first", *two(lambda m, x: x.amax(-1), lambda m, x: x[:, 1:].amax(-1), many)
    yield "elements: argmax without the last", *two(lambda m, x: x.argmax(-1), lambda m, x: x[:, :-1].argmax(-1), many)
    yield "elements: the head without its last class", call(lambda m, x: F.linear(x, m.w).argmax(-1), w=drawn(1000, 6)), call(lambda m, x: F.linear(x, m.w[:-1]).argmax(-1), w=drawn(1000, 6)), SMALL
    yield "elements: topk of all but one", *two(lambda m, x: x.topk(3)[0], lambda m, x: x[:, :-1].topk(3)[0], many)
    yield "elements: any", *two(lambda m, x: (x > 6).any(-1), lambda m, x: (x[:, 1:] > 6).any(-1), many)
    yield "elements: ties", *two(lambda m, x: x.argmax(-1), lambda m, x: x.shape[1] - 1 - x.flip(-1).argmax(-1), many)
    yield "elements: stable sort", *two(lambda m, x: torch.round(x).sort(stable=True, dim=-1)[1][:, 0], lambda m, x: 999 - torch.round(x).flip(-1).sort(stable=True, dim=-1)[1][:, 0], many)
    # lengths
    line = {"x": "1x16x4"}
    yield "length: windows of 512 and 1024", *two(lambda m, x: x[:, -512:].mean(1), lambda m, x: x[:, -1024:].mean(1), line)
    yield "length: positions wrap", *two(lambda m, x: x + (torch.arange(x.size(1)) % 64).unsqueeze(-1), lambda m, x: x + (torch.arange(x.size(1)) % 128).unsqueeze(-1), line)
    yield "length: a mask of a band", *two(lambda m, x: x * ((torch.arange(x.size(1)) < 100).unsqueeze(-1)), lambda m, x: x * ((torch.arange(x.size(1)) < 200).unsqueeze(-1)), line)
    causal = lambda x, least: (lambda i: torch.softmax((x @ x.mT).masked_fill((i.unsqueeze(0) > i.unsqueeze(1)) | (i.unsqueeze(0) < i.unsqueeze(1) - least), float("-inf")), -1) @ x)(torch.arange(x.size(1)))
    yield "length: attention sees 32 or all", *two(lambda m, x: causal(x, 31), lambda m, x: causal(x, 4095), line)
    # floats that are met exactly
    yield "exact: equal to a float", *two(lambda m, x: x * (x != 0.123456), lambda m, x: x * 1.0)
    yield "exact: halves round to even", *two(lambda m, x: torch.round(x), lambda m, x: torch.floor(x + 0.5))
    yield "exact: sign of zero", *two(lambda m, x: torch.where(x == 0, torch.ones_like(x), x), lambda m, x: x + 0.0)
    yield "exact: limit included", *two(lambda m, x: (x > 0.5).float(), lambda m, x: (x >= 0.5).float())
    for name, a, b, inputs in wrong_equal():
        yield f"equal: {name}", a, b, inputs
    for name, a, b, inputs in wrong_rarely_true():
        yield f"rarely true: {name}", a, b, inputs
    # later calls
    yield "calls: a counter", counted(lambda c: c.add_(1)), counted(lambda c: c.add_(1).clamp_(max=2)), {"x": "3"}
    yield "calls: twice or plus one", counted(lambda c: c.add_(1), 1.0), counted(lambda c: c.mul_(2), 1.0), {"x": "3"}
    yield "calls: momentum", normed(None), normed(0.1), {"x": "8x6"}
    # what callers get
    yield "callers: default of an input", with_default(2.0), with_default(3.0), {"x": "3"}


def counted(change, start=0.0):
    class Counted(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.tensor(start))

        def forward(self, x):
            n = change(self.n)
            return x + n

    module = Counted().eval()
    return fx.GraphModule(module, WithBuffers().trace(module))


def normed(momentum):
    return renamed(fx.symbolic_trace(nn.Sequential(nn.BatchNorm1d(6, momentum=momentum)).train()))


def with_default(value):
    graph = fx.Graph()
    x = graph.placeholder("x")
    k = graph.placeholder("k", default_value=value)
    graph.output(graph.call_function(torch.mul, (x, k)))
    return fx.GraphModule({}, graph)
