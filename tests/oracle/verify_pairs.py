# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of models: wrong edits, of which `lancet verify` may never say that they are right, and right ones, which it must not doubt.

Each pair is `(name, A, B, {input: "SHAPE[:DTYPE]"})`; A and B are GraphModules.
"""

import copy

import torch
from torch import fx, nn
from torch.fx.experimental.optimization import fuse
from torch.fx.passes.split_module import split_module

from verify_nets import Former, GoogLike, MobileLike, ResLike, trained_like

IMAGE = {"x": "2x3x16x16"}
functional = nn.functional


def made(kind, *arguments, seed=0, trained=False, **named):
    torch.manual_seed(seed)
    module = kind(*arguments, **named).eval()
    return trained_like(module) if trained else module


def traced(module):
    return fx.symbolic_trace(module.eval()).eval()


def edited(model, edit):
    out = copy.deepcopy(model)
    with torch.no_grad():
        edit(out)
    out.graph.lint()
    out.recompile()
    return out


def node(model, name):
    return next(each for each in model.graph.nodes if each.name == name)


def without(name):
    """Erases a node; what used it uses its first input."""

    def edit(model):
        gone = node(model, name)
        gone.replace_all_uses_with(gone.args[0])
        model.graph.erase_node(gone)

    return edit


def module_instead(path, module):
    def edit(model):
        parent, _, last = path.rpartition(".")
        setattr(model.get_submodule(parent), last, module.eval())

    return edit


def changed(path, change):
    """`change` alters a parameter or buffer in place."""

    def edit(model):
        owner, _, last = path.rpartition(".")
        change(getattr(model.get_submodule(owner), last))

    return edit


def swapped_cat(model):
    cat = [each for each in model.graph.nodes if each.target is torch.cat][1]
    parts = list(cat.args[0])
    cat.args = (parts[::-1], *cat.args[1:])


def call(function, shape="3x6", **tensors):
    """A model of one function of x and of the tensors, which are buffers."""

    class Call(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in tensors.items():
                self.register_buffer(name, value)

        def forward(self, x):
            return function(self, x)

    return traced(Call())


def drawn(*shape, seed=5):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def wrong():
    google, mobile = traced(made(GoogLike)), traced(made(MobileLike, 3, False))
    other = lambda weight: weight.normal_(generator=torch.Generator().manual_seed(9)).mul_(0.1)
    yield "vanishing: pool erased", google, edited(google, without("pool")), IMAGE
    yield "vanishing: pool is another", google, edited(google, module_instead("pool", nn.AvgPool2d(2))), IMAGE
    yield "vanishing: weights of a branch", google, edited(google, changed("blocks.2.b3.0.0.weight", other)), IMAGE
    yield "vanishing: activation", google, edited(google, module_instead("stem.2", nn.GELU())), IMAGE
    yield "vanishing: branches in another order", google, edited(google, swapped_cat), IMAGE
    yield "vanishing: an activation erased", google, edited(google, without("blocks_1_b2_1_2")), IMAGE
    yield "vanishing: last layer but one", google, edited(google, changed("blocks.8.b1.0.weight", other)), IMAGE
    fused_wrongly = fuse(made(GoogLike))
    yield "vanishing: fused with other weights", google, edited(fused_wrongly, changed("blocks.4.b1.0.weight", lambda w: w.mul_(3))), IMAGE
    split = split_module(edited(google, without("pool")), None, lambda each: 0)
    yield "vanishing: pool erased, then split", google, split, IMAGE
    yield "tiny outputs: ReLU6 is Hardswish", mobile, edited(mobile, module_instead("body.2.2", nn.Hardswish())), IMAGE
    yield "tiny outputs: weights", mobile, edited(mobile, changed("body.5.0.weight", other)), IMAGE
    yield "tiny outputs: activation erased", mobile, edited(mobile, without("body_3_2")), IMAGE
    residual = traced(made(MobileLike))
    yield "residual: depthwise weights", residual, edited(residual, changed("body.1.depth.0.weight", other)), IMAGE
    yield "residual: running mean", residual, edited(residual, changed("body.2.project.1.running_mean", lambda m: m.add_(0.5))), IMAGE
    zero = traced(made(ResLike, zero_init=True))
    yield "zero init: weights of a branch", zero, edited(zero, changed("blocks.1.conv2.weight", other)), IMAGE
    yield "zero init: first weights of a branch", zero, edited(zero, changed("blocks.0.conv1.weight", other)), IMAGE
    yield "zero init: running mean", zero, edited(zero, changed("blocks.2.bn2.running_mean", lambda m: m.add_(1))), IMAGE
    zero_trained = traced(made(ResLike, zero_init=True, trained=True))
    yield "zero init, trained: weights", zero_trained, edited(zero_trained, changed("blocks.1.conv1.weight", other)), IMAGE
    for name, net in (("google", GoogLike), ("mobile", MobileLike), ("resnet", ResLike)):
        model = traced(made(net, trained=True))
        weight = next(key for key, _ in model.named_parameters() if key.endswith("0.weight") or key.endswith("conv1.weight"))
        yield f"trained {name}: weights", model, edited(model, changed(weight, other)), IMAGE
        bn = next(key for key, layer in model.named_modules() if isinstance(layer, nn.BatchNorm2d))
        yield f"trained {name}: normalisation erased", model, edited(model, without(bn.replace(".", "_"))), IMAGE
    w, v = drawn(6, 6), drawn(6, 6, seed=6)
    small = {"x": "3x6"}
    pair = lambda function, **tensors: (call(function, w=w, **tensors), call(function, w=v, **tensors), small)
    yield "mask of zeros", *pair(lambda m, x: x + m.mask * functional.linear(x, m.w), mask=torch.zeros(6))
    yield "factor of zero", *pair(lambda m, x: x + 0.0 * functional.linear(x, m.w))
    yield "where never", *pair(lambda m, x: torch.where(m.never, functional.linear(x, m.w), x), never=torch.zeros(6, dtype=torch.bool))
    yield "never positive, before relu", *pair(lambda m, x: x + torch.relu(functional.linear(x, m.w) - 1e4))
    yield "never positive, after relu", *pair(lambda m, x: x + functional.linear(torch.relu(x - 1e4), m.w))
    yield "some channels dead", call(lambda m, x: functional.linear(torch.relu(x - m.b), m.w), w=w, b=torch.tensor([0.0, 0, 0, 0, 0, 1e4])), call(
        lambda m, x: functional.linear(torch.relu(x - m.b), m.w), w=torch.cat([w[:, :5], v[:, 5:]], 1), b=torch.tensor([0.0, 0, 0, 0, 0, 1e4])), small
    yield "saturated sigmoid", *pair(lambda m, x: torch.sigmoid(functional.linear(x, m.w) + 1e3))
    yield "saturated tanh", *pair(lambda m, x: torch.tanh(functional.linear(x, m.w) * 1e-3 - 50))
    yield "one-hot softmax", *pair(lambda m, x: torch.softmax(functional.linear(x, m.w) + m.b, -1), b=torch.tensor([0.0, 0, 1e4, 0, 0, 0]))
    yield "argmax of a bias", *pair(lambda m, x: torch.argmax(functional.linear(x, m.w) + m.b, -1), b=torch.tensor([0.0, 0, 1e4, 0, 0, 0]))
    yield "threshold never met", *pair(lambda m, x: functional.linear(x, m.w) > 1e4)
    yield "rounded away", *pair(lambda m, x: torch.round(functional.linear(x, m.w) * 1e-4))
    yield "NaN", *pair(lambda m, x: torch.log(-functional.linear(x, m.w).abs() - 1))
    more = call(lambda m, x: gram_in_halves(m, x) * (1 + 2e-5))
    yield "summed in halves, and a little more", call(gram), more, {"x": "2048x64"}
    yield "small outputs", *pair(lambda m, x: functional.linear(x, m.w) * 1e-9)
    yield "small outputs, twice as large", call(lambda m, x: torch.sin(x) * 1e-7), call(lambda m, x: torch.sin(x) * 2e-7), small
    yield "one softmax over one", call(lambda m, x: torch.softmax(functional.linear(x, m.w), -1) + x * 0, w=drawn(1, 6)), call(
        lambda m, x: torch.softmax(functional.linear(x, m.w), -1) + x * 0, w=drawn(1, 6, seed=8)), small
    yield "range not met", call(lambda m, x: torch.clamp(torch.relu(x) * 0.1, max=6.0)), call(lambda m, x: torch.relu(x) * 0.1), small
    yield "range not met: relu6", call(lambda m, x: functional.relu6(x * 0.2) + x), call(lambda m, x: functional.relu(x * 0.2) + x), small
    yield "never negative: relu erased", call(lambda m, x: functional.linear(torch.relu(x + 50), m.w), w=w), call(
        lambda m, x: functional.linear(x + 50, m.w), w=w), small
    yield "never negative: abs erased", call(lambda m, x: torch.abs(functional.linear(x, m.w) + 90) + x, w=w), call(
        lambda m, x: functional.linear(x, m.w) + 90 + x, w=w), small
    former = traced(made(Former, trained=True))
    words = {"ids": "1x5:int64<8>"}
    yield "words not met", former, edited(former, changed("embed.weight", lambda e: e[20:].normal_())), words
    yield "one word only", former, edited(former, changed("layers.0.q.weight", other)), {"ids": "1x1:int64<50>"}
    yield "shapes", call(lambda m, x: x.mean(-1)), call(lambda m, x: x.mean(-1, keepdim=True)), small
    yield "shapes that broadcast", call(lambda m, x: x.sum(0)), call(lambda m, x: x.sum(0, keepdim=True)), small
    yield "type", call(lambda m, x: torch.sin(x)), call(lambda m, x: torch.sin(x).double()), small
    yield "structure", call(lambda m, x: (x, x)), call(lambda m, x: [x, x, x]), small
    yield from wrong_beyond_the_data()
    yield from wrong_decisions()
    yield from wrong_weights_of_decisions()
    yield from wrong_for_small_values()
    yield from wrong_settings()
    yield from wrong_where_data_do_not_lead()
    yield from wrong_for_further_inputs()
    yield from wrong_for_other_sizes()
    yield from wrong_for_rare_inputs()


def wrong_beyond_the_data():
    """Changes of which these inputs, of these sizes, show nothing."""
    small, one = {"x": "3x6"}, {"x": "1x2x3"}
    two = lambda function, a, b, inputs=small, **tensors: (call(lambda m, x: function(m, x, a), **tensors), call(lambda m, x: function(m, x, b), **tensors), inputs)
    yield "clamp: another end", *two(lambda m, x, end: x.clamp(max=end), 500, 800)
    yield "clamp: another end, a tensor", *two(lambda m, x, end: torch.minimum(x, getattr(m, end)), "low", "high", low=torch.tensor(500.0), high=torch.tensor(800.0))
    yield "clamp: end behind a layer", *two(lambda m, x, end: functional.linear(x, m.w).clamp(max=end), 500, 800, w=drawn(6, 6))
    yield "where: another threshold", *two(lambda m, x, end: torch.where(x > end, torch.zeros_like(x), x), 1000, 2000)
    yield "masked_fill: another value", *two(lambda m, x, value: x.masked_fill(x > 1000, value), 0.0, 1.0)
    yield "threshold: another", *two(lambda m, x, end: functional.threshold(x, end, 0.0), -1000.0, -2000.0)
    yield "slice: another end beyond the width", *two(lambda m, x, end: x[:, :end], 100, 200, {"x": "3x64"})
    yield "slice beyond the width erased", call(lambda m, x: torch.sin(x[:, :100])), call(lambda m, x: torch.sin(x)), {"x": "3x64"}
    yield "causal at length one", *two(lambda m, x, causal: functional.scaled_dot_product_attention(x, x, x, is_causal=causal), True, False, {"x": "2x1x6"})
    words = {"x": "2x5:int64<8>"}
    yield "words: another clamp", *two(lambda m, x, end: functional.embedding(x.clamp(max=end), m.w), 30, 40, words, w=drawn(50, 4))
    yield "words: clamp erased", call(lambda m, x: functional.embedding(x.clamp(max=30), m.w), w=drawn(50, 4)), call(lambda m, x: functional.embedding(x, m.w), w=drawn(50, 4)), words
    pooled = lambda pool: traced(nn.Sequential(pool, nn.Flatten()))
    yield "pooling of one element", pooled(nn.AdaptiveMaxPool2d(1)), pooled(nn.AdaptiveAvgPool2d(1)), {"input": "2x3x1x1"}
    yield "pooling: ceil_mode", *two(lambda m, x, ceil: functional.max_pool2d(x, 2, ceil_mode=ceil), True, False, IMAGE)
    yield "nan_to_num erased", call(lambda m, x: torch.sin(x.nan_to_num())), call(lambda m, x: torch.sin(x)), small
    yield "nan_to_num: another value", *two(lambda m, x, value: torch.sin(x.nan_to_num(nan=value)), 0.0, 1.0)
    yield "batch of one: view", call(lambda m, x: x.view(1, -1)), call(lambda m, x: torch.flatten(x, 1)), one
    yield "softmax over one", *two(lambda m, x, dim: x + torch.softmax(x, dim), 0, 1, {"x": "1x1x6"})
    yield "padding to a multiple: another value", *two(lambda m, x, value: functional.pad(x, (0, (-x.size(1)) % 8), value=value), 0.0, 1.0, {"x": "3x8"})


def wrong_for_further_inputs():
    """What other inputs of the same kind, or other batches, show."""
    w = drawn(2, 8)
    yield "largest of two, relu erased", call(lambda m, x: torch.relu(functional.linear(x, m.w)).amax(-1), w=w), call(lambda m, x: functional.linear(x, m.w).amax(-1), w=w), {"x": "1x8"}
    triangle = torch.tril(torch.ones(4, 4))
    yield "cumsum of four rows", call(lambda m, x: x.cumsum(0)), call(lambda m, x: m.triangle @ x, triangle=triangle), {"x": "4x8"}
    yield "median of medians", call(lambda m, x: x.median()), call(lambda m, x: x.median(dim=-1)[0].median()), {"x": "1x9"}
    masked = lambda value: call(lambda m, x: x.masked_fill(x < -5, value).softmax(-1))
    yield "softmax of masked rows", masked(-1e9), masked(-float("inf")), {"x": "4x8"}


class Counting(nn.Module):
    """Its state is a parameter, which it changes in place."""

    def __init__(self, counts):
        super().__init__()
        self.n = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.counts = counts

    def forward(self, x):
        self.n.add_(1)
        return torch.where(self.n > 3, x * 2, x) if self.counts else x * 1.0


class Sum(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.first = first

    def forward(self, x, y):
        return x + y[0] if self.first else x + y


def wrong_for_other_sizes():
    both = lambda a, b, inputs, **tensors: (call(a, **tensors), call(b, **tensors), inputs)
    yield "sizes: squeeze of a batch of one, of all", *both(lambda m, x: x.squeeze(0), lambda m, x: x.squeeze(), {"x": "1x4x8"})
    yield "sizes: the first row of one", traced(Sum(False)), traced(Sum(True)), {"x": "4x8", "y": "1x8"}
    yield "sizes: steps of a fixed width", *both(lambda m, x: x + m.steps, lambda m, x: x + torch.ones_like(x).cumsum(1), {"x": "4x8"}, steps=1 + torch.arange(8.0))
    yield "counting in a parameter", traced(Counting(True)), traced(Counting(False)), {"x": "4x8"}
    yield "another text", *both(lambda m, x: (x, "a"), lambda m, x: (x, "b"), {"x": "3x6"})


def right_for_further_inputs():
    """Pairs that trials on values of their own must not tell apart."""
    yield "outputs of one value, swapped", call(lambda m, x: (x * 2, x + x)), call(lambda m, x: (x + x, x * 2)), {"x": "4x8"}
    yield "sizes: both fix them", call(lambda m, x: x + m.steps, steps=1 + torch.arange(8.0)), call(lambda m, x: m.steps + x, steps=1 + torch.arange(8.0)), {"x": "4x8"}
    yield "sizes: of one, whatever they are", call(lambda m, x: x.squeeze(0)), call(lambda m, x: torch.squeeze(x, 0)), {"x": "1x4x8"}
    yield "counting in a parameter, both", traced(Counting(True)), renamed_copy(traced(Counting(True))), {"x": "4x8"}
    yield "in place, results unused", call(in_place), call(lambda m, x: (x * 2 + 1).relu()), {"x": "4x8"}


class Rolled(nn.Module):
    """An input that has a default."""

    def __init__(self, uses):
        super().__init__()
        self.uses = uses

    def forward(self, x, n=2):
        return x.roll(n if self.uses else 2, 0)


class CountsTo(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most = most
        self.register_buffer("n", torch.zeros(1))

    def forward(self, x):
        n = self.n.add_(x.size(0) * 0 + 1)  # torch.fx records it
        return x * (n < self.most) if self.most else x * 1


def wrong_for_rare_inputs():
    """Other values of defaults, floats that repeat, zeros, squares beyond float64, and comparisons that no run shows the other way."""
    both = lambda a, b, inputs={"x": "4x8"}: (call(a), call(b), inputs)
    yield "rare: a default", traced(Rolled(True)), traced(Rolled(False)), {"x": "4x8"}
    yield "rare: repeated, unique", *both(lambda m, x: x.unique(), lambda m, x: x.flatten().sort()[0])
    yield "rare: repeated, sum of unique", *both(lambda m, x: x.unique().sum(), lambda m, x: x.sum())
    yield "rare: zeros, nonzero", *both(lambda m, x: x.nonzero(), lambda m, x: torch.ones_like(x).nonzero())
    yield "rare: zeros, bool", *both(lambda m, x: x.bool(), lambda m, x: torch.ones_like(x).bool())
    yield "rare: squares beyond float64", *both(lambda m, x: x * x, lambda m, x: (x.double() * x.double()).long(), {"x": "4x8:int64<10>"})
    yield "rare: a large sum", *both(lambda m, x: x + 0.0, lambda m, x: x + (x.sum() > 1e5))
    yield "rare: the twentieth call", traced(CountsTo(0)), traced(CountsTo(20)), {"x": "4x8"}


def right_for_rare_inputs():
    both = lambda a, b, inputs={"x": "4x8"}: (call(a), call(b), inputs)
    yield "rare: a default, used by both", traced(Rolled(True)), renamed_copy(traced(Rolled(True))), {"x": "4x8"}
    yield "rare: repeated, sorted", *both(lambda m, x: x.sort(-1)[0], lambda m, x: x.gather(-1, x.argsort(-1)))
    yield "rare: repeated, the largest", *both(lambda m, x: x.max(-1)[0], lambda m, x: x.amax(-1))
    yield "rare: zeros, counted", *both(lambda m, x: x.count_nonzero(), lambda m, x: (x != 0).sum())
    yield "rare: a mean on either side", *both(lambda m, x: torch.where(x.mean() > 2, x * 0, x), lambda m, x: x * (x.mean() <= 2))
    yield "rare: squares in int64", *both(lambda m, x: x * x, lambda m, x: x.square(), {"x": "4x8:int64<10>"})


def in_place(_, x):
    y = x.clone()
    y.mul_(2)
    y.add_(1)
    y.relu_()
    return y


def wrong_decisions():
    """Weights that changed a bit, of which integers and booleans show nothing."""
    small, w = {"x": "3x6"}, drawn(6, 6)
    pair = lambda function: (call(function, w=w), call(function, w=w + 5e-3 * drawn(6, 6, seed=6)), small)
    yield "decision: argmax", *pair(lambda m, x: torch.argmax(functional.linear(x, m.w), -1))
    yield "decision: topk", *pair(lambda m, x: torch.topk(functional.linear(x, m.w), 2, -1)[1])
    yield "decision: comparison", *pair(lambda m, x: functional.linear(x, m.w) > 0)
    yield "decision: rounded", *pair(lambda m, x: torch.round(functional.linear(x, m.w)))
    scaled = 1 + 0.01 * torch.arange(6.0)
    yield "decision: argmax of what is scaled", call(lambda m, x: torch.argmax(functional.linear(x, m.w), -1), w=w), call(
        lambda m, x: torch.argmax(functional.linear(x, m.w) * m.scaled, -1), w=w, scaled=scaled), small



def wrong_weights_of_decisions():
    """Small changes of which only the order of many numbers, the signs of differences, or rounding tell."""
    w, v, many = drawn(6, 6), drawn(6, 6, seed=6), drawn(1000, 16)
    of = lambda function, part=1e-3, dtype=torch.float32, given=w: (
        call(lambda m, x: function(functional.linear(x.to(dtype), m.w)), w=given.to(dtype)),
        call(lambda m, x: function(functional.linear(x.to(dtype), m.w)), w=(given + part * drawn(*given.shape, seed=6)).to(dtype)), {"x": f"3x{given.shape[1]}"})
    one, bias = many.clone(), many.clone()
    one[500] *= 1.01
    bias[7] += 1e-3
    classes = lambda function, other: (call(lambda m, x: function(functional.linear(x, m.w)), w=many), call(lambda m, x: function(functional.linear(x, m.w)), w=other), {"x": "2x16"})
    yield "deciding: one class of a thousand", *classes(lambda y: y.argmax(-1), one)
    yield "deciding: the bias of one class of a thousand", *classes(lambda y: y.topk(5)[1], bias)
    yield "deciding: the largest index", *of(lambda y: y.max(-1)[1])
    yield "deciding: sort", *of(lambda y: torch.sort(y, -1)[1])
    yield "deciding: argsort, reduced to one", *of(lambda y: torch.argsort(y.sum(-1))[:1])
    yield "deciding: argmax, next to nothing", *of(lambda y: y.argmax(-1), 1e-4)
    yield "deciding: comparison with a number", *of(lambda y: y > 0.3)
    yield "deciding: comparison of two", *of(lambda y: y > y.flip(0))
    yield "deciding: floor", *of(torch.floor)
    yield "deciding: to integers", *of(lambda y: y.int())
    yield "deciding: a mask in between", *of(lambda y: (y > 0) * 2.0)
    yield "deciding: argmax in half", *of(lambda y: y.argmax(-1), 2e-2, torch.half)
    yield "deciding: argmax in bfloat16", *of(lambda y: y.argmax(-1), 0.1, torch.bfloat16)
    two = lambda function, a, b, inputs={"x": "3x6"}, **tensors: (call(lambda m, x: function(m, x, a), **tensors), call(lambda m, x: function(m, x, b), **tensors), inputs)
    yield "deciding: another temperature", *two(lambda m, x, t: torch.softmax(functional.linear(x, m.w) * t, -1) > 0.5, 1.0, 1.01, w=w)
    yield "deciding: another factor before rounding", *two(lambda m, x, factor: torch.round(x * factor), 10.0, 10.001)
    yield "deciding: levels of int8", *two(lambda m, x, f: torch.round(functional.linear(x, m.w) * f).clamp(-128, 127).to(torch.int8), 10.0, 10.003, w=w)
    yield "deciding: sign of what is shifted", *two(lambda m, x, shift: torch.sign(x + shift), 0.0, 1e-4)
    yield "deciding: bucketize", *two(lambda m, x, ends: torch.bucketize(x, getattr(m, ends)), "p", "q", p=torch.tensor([-1.0, 0, 1]), q=torch.tensor([-1.0, 0, 1.001]))
    yield "deciding: nearest", *two(lambda m, x, codes: torch.cdist(x, getattr(m, codes)).argmin(-1), "w", "v", w=w, v=w + 1e-3 * v)


def wrong_for_small_values():
    """Another eps, of which values of the usual size show nothing."""
    two = lambda function, a, b, inputs={"x": "3x6"}: (call(lambda m, x: function(x, a)), call(lambda m, x: function(x, b)), inputs)
    yield "eps: normalize", *two(lambda x, eps: functional.normalize(x, dim=-1, eps=eps), 1e-12, 1e-6)
    yield "eps: normalize, erased", call(lambda m, x: functional.normalize(x, dim=-1)), call(lambda m, x: x / x.norm(dim=-1, keepdim=True)), {"x": "3x6"}
    yield "eps: layer_norm", *two(lambda x, eps: functional.layer_norm(x, (6,), eps=eps), 1e-5, 1e-6)
    yield "eps: LayerNorm", traced(nn.Sequential(nn.LayerNorm(6, eps=1e-5))), traced(nn.Sequential(nn.LayerNorm(6, eps=1e-6))), {"input": "3x6"}
    yield "eps: group_norm", *two(lambda x, eps: functional.group_norm(x, 2, eps=eps), 1e-5, 1e-7, {"x": "2x4x8"})
    yield "eps: logarithm", *two(lambda x, eps: torch.log(x.abs() + eps), 1e-8, 1e-6)
    yield "eps: clamp_min", *two(lambda x, eps: x / x.norm(dim=-1, keepdim=True).clamp_min(eps), 1e-12, 1e-8)
    yield "eps: outside the root", call(lambda m, x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)), call(
        lambda m, x: x / (x.pow(2).mean(-1, keepdim=True).sqrt() + 1e-6)), {"x": "3x6"}
    yield "eps: cosine", *two(lambda x, eps: functional.cosine_similarity(x, x.flip(-1), dim=-1, eps=eps), 1e-8, 1e-4)


def wrong_settings():
    """Settings that these sizes and data hide."""
    w, words = drawn(6, 6), torch.cat([drawn(10, 4).clamp(-1, 1), drawn(40, 4, seed=8) * 2])
    two = lambda function, a, b, inputs={"x": "3x6"}, **tensors: (call(lambda m, x: function(m, x, a), **tensors), call(lambda m, x: function(m, x, b), **tensors), inputs)
    both = lambda a, b, inputs={"x": "3x6"}, **tensors: (call(a, **tensors), call(b, **tensors), inputs)
    yield "sizes: reshape to multiples", *both(lambda m, x: x.reshape(x.shape[0], -1), lambda m, x: x.reshape(-1, 64), {"x": "2x4x16"})
    yield "sizes: rows of another width", *both(lambda m, x: x.reshape(x.size(0), -1), lambda m, x: x.reshape(-1, x.size(1) * 16), {"x": "2x4x16"})
    yield "sizes: channel_shuffle", *two(lambda m, x, groups: functional.channel_shuffle(x, groups), 1, 2, {"x": "1x2x4x4"})
    yield "sizes: squeeze of all", *both(lambda m, x: x.squeeze(1), lambda m, x: x.squeeze(), {"x": "3x1x6"})
    yield "sizes: cumsum along another", *two(lambda m, x, dim: x.cumsum(dim), 0, 1, {"x": "1x1"})
    yield "sizes: cumsum backwards", *both(lambda m, x: x.cumsum(-1), lambda m, x: x.flip(-1).cumsum(-1).flip(-1), {"x": "3x1"})
    yield "sizes: align_corners", *two(lambda m, x, align: functional.interpolate(x, size=(1, 1), mode="bilinear", align_corners=align), True, False, {"x": "1x2x1x1"})
    yield "words: remainder erased", *both(lambda m, x: functional.embedding(x % 40, m.w), lambda m, x: functional.embedding(x, m.w), {"x": "2x5:int64<8>"}, w=drawn(50, 4))
    yield "words: threshold that rare ones reach", *two(
        lambda m, x, end: torch.where(functional.embedding(x, m.w) > end, torch.zeros(1), functional.embedding(x, m.w)), 2.2, 9.0, {"x": "1x3:int64<4>"}, w=words)
    yield "masked_fill: another threshold", *two(lambda m, x, end: x.masked_fill(x < end, 0.0), -40.0, -80.0)
    yield "a clamp behind a sigmoid", *two(lambda m, x, end: torch.sigmoid(functional.linear(x, m.w)).clamp(max=end), 0.99, 1.0, w=0.1 * w)
    yield "softplus: another threshold", *two(lambda m, x, end: functional.softplus(x, threshold=end), 20.0, 3.0)
    yield "smooth_l1: another beta", *two(lambda m, x, beta: functional.smooth_l1_loss(x, x.flip(0), beta=beta), 20.0, 40.0)
    yield "leaky_relu: another slope", *two(lambda m, x, slope: functional.leaky_relu(x + 60, slope), 0.01, 0.02)
    yield "a bend far from the data", *both(lambda m, x: torch.tanh(x * 1e-5), lambda m, x: x * 1e-5)
    yield "written in place", *both(lambda m, x: x.mul(2) + x, lambda m, x: x.mul_(2) + x)
    yield "index in another order", *both(lambda m, x: x[:, m.i], lambda m, x: x[:, m.i.flip(0)], i=torch.arange(6))
    yield "through half", *both(lambda m, x: functional.linear(x, m.w), lambda m, x: functional.linear(x.half().float(), m.w), w=w)
    yield "fake_quantize: another scale", *two(lambda m, x, scale: torch.fake_quantize_per_tensor_affine(x, scale, 0, -128, 127), 0.1, 0.1001)
    for batch in (1, 3):
        lstm = lambda first: traced(WithLstm(first))
        yield f"LSTM: batch_first, {batch}", lstm(True), lstm(False), {"x": f"{batch}x{batch}x6"}


class WithLstm(nn.Module):
    def __init__(self, batch_first):
        super().__init__()
        torch.manual_seed(0)
        self.lstm = nn.LSTM(6, 6, batch_first=batch_first)

    def forward(self, x):
        return self.lstm(x)[0]


class Rewritten(nn.Module):
    """One computation in two ways."""

    def __init__(self, kind, second):
        super().__init__()
        torch.manual_seed(4)
        self.kind, self.second = kind, second
        self.a, self.b, self.norm = nn.Linear(6, 6), nn.Linear(6, 6), nn.LayerNorm(6)

    def forward(self, x):
        return getattr(self, self.kind)(x, self.second)

    def linear(self, x, second):
        return torch.addmm(self.a.bias, x, self.a.weight.t()) if second else self.a(x)

    def silu(self, x, second):
        y = self.a(x)
        return y * torch.sigmoid(y) if second else functional.silu(y)

    def gelu(self, x, second):
        y = self.a(x)
        return y * 0.5 * (1 + torch.erf(y / 2**0.5)) if second else functional.gelu(y)

    def layer_norm(self, x, second):
        if not second:
            return self.norm(self.a(x))
        y = self.a(x)
        mean, var = y.mean(-1, keepdim=True), y.var(-1, unbiased=False, keepdim=True)
        return (y - mean) * torch.rsqrt(var + 1e-5) * self.norm.weight + self.norm.bias

    def softmax_shift(self, x, second):
        y = self.a(x)
        return torch.softmax(y - y.amax(-1, keepdim=True), -1) if second else torch.softmax(y, -1)

    def softmax_bias(self, x, second):
        y = self.a(x)
        return torch.softmax(y + 3, -1) if second else torch.softmax(y, -1)

    def log_softmax(self, x, second):
        y = self.a(x)
        return torch.log(torch.softmax(y, -1)) if second else torch.log_softmax(y, -1)

    def abs_softmax(self, x, second):
        y = torch.softmax(self.a(x), -1)
        return self.b(y if second else y.abs())

    def clamp_softmax(self, x, second):
        y = torch.softmax(self.a(x), -1)
        return self.b(y if second else y.clamp(0, 1))

    def argmax(self, x, second):
        y = self.a(x)
        return torch.argmax(y if second else torch.softmax(y, -1), -1)

    def relu_twice(self, x, second):
        y = torch.relu(self.a(x))
        return self.b(y if second else torch.relu(y))

    def relu_sigmoid(self, x, second):
        y = torch.sigmoid(self.a(x))
        return self.b(y if second else torch.relu(y))

    def relu_square(self, x, second):
        y = self.a(x) ** 2 + 1
        return self.b(y if second else torch.relu(y))

    def norm_twice(self, x, second):
        y = functional.layer_norm(self.a(x), (6,), eps=1e-12)
        return self.b(y if second else functional.layer_norm(y, (6,), eps=1e-12))

    def scaled(self, x, second):
        return self.b((self.a(x) * 6) if second else (self.a(x) * 2 * 3))

    def doubled(self, x, second):
        y = self.a(x)
        return self.b(y + y if second else y * 2)

    def divided(self, x, second):
        return self.b(self.a(x) * 0.125 if second else self.a(x) / 8)

    def subtracted(self, x, second):
        y = self.a(x)
        return self.b(x + torch.neg(y) if second else x - y)

    def distributed(self, x, second):
        y, z = torch.sin(x), torch.cos(x)
        return self.a(y) + functional.linear(z, self.a.weight) if second else self.a(y + z)

    def permuted(self, x, second):
        y = self.a(x).view(-1, 2, 3)
        return (y if second else y.permute(2, 0, 1).permute(1, 2, 0)).flatten(1)

    def viewed(self, x, second):
        return self.b(self.a(x).reshape(-1, 6) if second else torch.flatten(self.a(x), 1))

    def chunked(self, x, second):
        y = self.a(x)
        first, last = (y[:, :3], y[:, 3:]) if second else y.chunk(2, 1)
        return first * torch.sigmoid(last)

    def concatenated(self, x, second):
        y = torch.relu(self.a(x))
        return torch.cat([self.b(y), y, x], 1) if not second else torch.cat([torch.cat([self.b(y), y], 1), x], 1)

    def masked(self, x, second):
        y = self.a(x)
        mask = torch.ones_like(y).triu(1).bool()
        return torch.softmax(y.masked_fill(mask, -1e9 if second else float("-inf")), -1)

    def attention(self, x, second):
        q, k, v = (t.view(1, -1, 6) for t in (self.a(x), self.b(x), x))
        if second:
            return torch.softmax(q @ k.transpose(1, 2) / 6**0.5, -1) @ v
        return functional.scaled_dot_product_attention(q, k, v)

    def constant(self, x, second):
        return x * (self.a.weight.sum(0) if second else (self.a.weight.sum(0) * 2) / 2)

    def unused(self, x, second):
        if not second:
            torch.sin(self.b(x))
        return self.a(x)

    def common(self, x, second):
        if second:
            y = torch.relu(self.a(x))
            return y + self.b(y)
        return torch.relu(self.a(x)) + self.b(torch.relu(self.a(x)))

    def swapped(self, x, second):
        if second:
            y, z = torch.sin(x), torch.cos(x)
            return self.a(y) * self.b(z)
        z, y = torch.cos(x), torch.sin(x)
        return self.b(z) * self.a(y)

    def in_place(self, x, second):
        return self.b(functional.relu(self.a(x), inplace=not second))

    def small(self, x, second):
        y = self.a(x)
        return (y * 2e-9) if second else (y * 2) * 1e-9

    def saturated(self, x, second):
        y = self.a(x)
        return torch.sigmoid((y + y + 2000) if second else (y * 2 + 2000))

    def dead(self, x, second):
        y = self.a(x)
        return x + 0.0 * ((y + y) if second else y * 2)


REWRITES = [name for name, value in vars(Rewritten).items() if callable(value) and not name.startswith("_") and name != "forward"]


class Equalized(nn.Module):
    """Channels scaled in one layer and back in the next, past a relu."""

    def __init__(self, second):
        super().__init__()
        torch.manual_seed(4)
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6)
        scale = torch.tensor([1.0, 2, 4, 0.5, 8, 0.25]) if second else torch.ones(6)
        with torch.no_grad():
            self.a.weight.mul_(scale[:, None]), self.a.bias.mul_(scale), self.b.weight.div_(scale)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Padded(nn.Module):
    def __init__(self, second):
        super().__init__()
        torch.manual_seed(4)
        self.conv = nn.Conv2d(3, 4, 3, padding=1 if second else 0)
        self.second = second

    def forward(self, x):
        return torch.relu(self.conv(x if self.second else functional.pad(x, (1, 1, 1, 1))))


class AsLinear(nn.Module):
    def __init__(self, second):
        super().__init__()
        torch.manual_seed(4)
        self.conv, self.second = nn.Conv2d(3, 4, 1), second

    def forward(self, x):
        if self.second:
            return functional.linear(x.permute(0, 2, 3, 1), self.conv.weight.flatten(1), self.conv.bias).permute(0, 3, 1, 2)
        return self.conv(x)


class Pooled(nn.Module):
    def __init__(self, second):
        super().__init__()
        self.second = second

    def forward(self, x):
        return x.mean((2, 3)) if self.second else functional.adaptive_avg_pool2d(x, 1).flatten(1)


class ChannelsLast(nn.Module):
    def __init__(self, second):
        super().__init__()
        torch.manual_seed(4)
        self.conv, self.second = nn.Conv2d(3, 4, 3), second

    def forward(self, x):
        return torch.relu(self.conv(x.contiguous(memory_format=torch.channels_last) if self.second else x))


def renamed(model):
    for i, each in enumerate(list(model.graph.nodes)):
        if each.op not in ("placeholder", "output"):
            each._rename(f"v{i}")


def renamed_copy(model):
    return edited(model, renamed)


def normalized(model):
    for each in model.graph.nodes:
        if each.target is torch.flatten and len(each.args) == 2:
            each.args, each.kwargs = each.args[:1], {"start_dim": each.args[1]}


def scale_and_shift(model):
    """The last normalisation becomes a product and a sum."""
    bn = [each for each in model.graph.nodes if each.op == "call_module" and isinstance(model.get_submodule(each.target), nn.BatchNorm2d)][-1]
    layer = model.get_submodule(bn.target)
    scale = layer.weight / torch.sqrt(layer.running_var + layer.eps)
    model.register_buffer("scale", scale[:, None, None].clone())
    model.register_buffer("shift", (layer.bias - layer.running_mean * scale)[:, None, None].clone())
    with model.graph.inserting_after(bn):
        one = model.graph.get_attr("scale")
        two = model.graph.get_attr("shift")
        bn.append(two), bn.append(one)
        product = model.graph.call_function(torch.mul, (bn.args[0], one))
        two.append(product)
        total = model.graph.call_function(torch.add, (product, two))
        product.append(total)
    bn.replace_all_uses_with(total)
    model.graph.erase_node(bn)


def gram(_, x):
    return torch.mm(torch.t(x * 3), x * 3)


def gram_in_halves(_, x):
    first, second = torch.narrow(x * 3, 0, 0, 1024), torch.narrow(x * 3, 0, 1024, 1024)
    return torch.add(torch.mm(torch.t(first), first), torch.mm(torch.t(second), second))


def right():
    for trained in (False, True):
        kind = "trained" if trained else "random"
        for name, net, more in (("google", GoogLike, {}), ("mobile", MobileLike, {}), ("chain", MobileLike, {"residual": False}), ("resnet", ResLike, {}), ("zero init", ResLike, {"zero_init": True})):
            module = made(net, trained=trained, **more)
            yield f"{kind} {name}: fused", traced(module), traced(fuse(copy.deepcopy(module))), IMAGE
        google = traced(made(GoogLike, trained=trained))
        yield f"{kind}: dropout erased", google, edited(google, without("dropout")), IMAGE
        if not trained:  # mean 0, variance 1, no weights yet
            yield "random: normalisation that does nothing erased", google, edited(google, without("blocks_1_b2_1_1")), IMAGE
        yield f"{kind}: renamed", google, edited(google, renamed), IMAGE
        yield f"{kind}: arguments by name", google, edited(google, normalized), IMAGE
        yield f"{kind}: relu as a function", google, edited(google, module_instead("stem.2", nn.Threshold(0, 0))), IMAGE
        mobile = traced(made(MobileLike, trained=trained))
        yield f"{kind}: relu6 is a clamp", mobile, edited(mobile, module_instead("body.1.expand.2", nn.Hardtanh(0, 6))), IMAGE
        yield f"{kind}: scale and shift", mobile, edited(mobile, scale_and_shift), IMAGE
        resnet = traced(made(ResLike, trained=trained))
        parts = {each.name: i // 7 for i, each in enumerate(resnet.graph.nodes)}
        yield f"{kind}: split", resnet, split_module(copy.deepcopy(resnet), None, lambda each: parts[each.name]), IMAGE
        retraced = copy.deepcopy(resnet)
        renamed(retraced)
        retraced.recompile()
        yield f"{kind}: traced anew", resnet, traced(retraced), IMAGE
        former = traced(made(Former, trained=trained))
        halves = {each.name: i // 20 for i, each in enumerate(former.graph.nodes)}
        yield f"{kind}: former split", former, split_module(copy.deepcopy(former), None, lambda each: halves[each.name]), {"ids": "2x7:int64<50>"}
        yield f"{kind}: former renamed", former, edited(former, renamed), {"ids": "2x7:int64<50>"}
    for seed in range(3):  # values of several hundred, of which some are near zero: rounding is beyond atol there
        module = made(ResLike, seed=seed, trained=True)
        with torch.no_grad():
            module.fc.weight.mul_(1000)
        yield f"large outputs {seed}: fused", traced(module), traced(fuse(copy.deepcopy(module))), IMAGE
    for norm in (nn.InstanceNorm2d(8), nn.GroupNorm(8, 8)):  # which makes the roundings of small inputs large
        module = made(lambda: nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), norm, nn.ReLU()), trained=True)
        yield f"fused before {type(norm).__name__}", traced(module), traced(fuse(copy.deepcopy(module))), {"input": "2x3x16x16"}
    yield "summed in halves", call(gram), call(gram_in_halves), {"x": "2048x64"}
    small = {"x": "5x6"}
    for kind in REWRITES:
        yield f"rewritten: {kind}", traced(Rewritten(kind, False)), traced(Rewritten(kind, True)), {"x": "6x6"} if kind == "masked" else small
    yield "equalized", traced(Equalized(False)), traced(Equalized(True)), small
    for kind in (Padded, AsLinear, Pooled, ChannelsLast):
        yield kind.__name__, traced(kind(False)), traced(kind(True)), IMAGE
    yield from right_beyond_the_data()
    yield from right_decisions()
    yield from right_otherwise()
    nan = call(lambda m, x: torch.log(-x.abs() - 1))
    yield "NaN, the same model", nan, copy.deepcopy(nan), small
    dropout = fx.symbolic_trace(nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5)).train())
    yield "random, the same model", dropout, copy.deepcopy(dropout), {"input": "5x6"}
    yield from right_for_further_inputs()
    yield from right_for_rare_inputs()


def right_beyond_the_data():
    """Edits that hold for whatever the inputs can give, which other values, sizes and NaN inside the models may not show."""
    small, w = {"x": "3x6"}, drawn(6, 6)
    both = lambda a, b, inputs=small, **tensors: (call(a, **tensors), call(b, **tensors), inputs)
    yield "clamp wider than a sigmoid erased", *both(lambda m, x: torch.sin(torch.sigmoid(x).clamp(0, 2)), lambda m, x: torch.sin(torch.sigmoid(x)))
    yield "clamp is a minimum", *both(lambda m, x: x.clamp(max=1000), lambda m, x: torch.minimum(x, m.top), top=torch.tensor(1000.0))
    yield "clamp is hardtanh", *both(lambda m, x: x.clamp(-500, 500), lambda m, x: functional.hardtanh(x, -500.0, 500.0))
    yield "clamp is a where", *both(lambda m, x: x.clamp(max=1000), lambda m, x: torch.where(x > 1000, torch.full_like(x, 1000.0), x))
    yield "masks: -1e9 added, -inf filled in", *both(
        lambda m, x: torch.softmax(x + m.low, -1), lambda m, x: torch.softmax(x.masked_fill(m.mask, float("-inf")), -1),
        mask=torch.tensor([False, False, True, False, True, False]), low=torch.tensor([0.0, 0, -1e9, 0, -1e9, 0]))
    yield "nan_to_num twice", *both(lambda m, x: torch.sin(x.nan_to_num().nan_to_num()), lambda m, x: torch.sin(x.nan_to_num()))
    yield "words: clamp to the table erased", *both(
        lambda m, x: functional.embedding(x.clamp(0, 49), m.w), lambda m, x: functional.embedding(x, m.w), {"x": "2x5:int64<50>"}, w=drawn(50, 4))
    yield "batch of one: view of any size", *both(lambda m, x: x.view(x.size(0), -1), lambda m, x: torch.flatten(x, 1), {"x": "1x2x3"})
    yield "in place: a copy is written to", *both(lambda m, x: x.clone().add_(1).mul_(2), lambda m, x: (x + 1) * 2)
    yield "in place: a copy is written to, the other way", *both(lambda m, x: (x + 1) * 2, lambda m, x: x.clone().add_(1).mul_(2))
    yield "where, on both sides of zero", *both(lambda m, x: torch.where(functional.linear(x, m.w) > 0, functional.linear(x, m.w), -functional.linear(x, m.w)), lambda m, x: torch.where(functional.linear(x, m.w) >= 0, functional.linear(x, m.w), -functional.linear(x, m.w)), w=drawn(6, 6))
    yield "halves put together", *both(lambda m, x: torch.sin(torch.cat([x[:, :3], x[:, 3:]], 1)), lambda m, x: torch.sin(x))
    yield "slice of a width that a layer fixes", *both(
        lambda m, x: torch.sin(functional.linear(x, m.w)[:, :6]), lambda m, x: torch.sin(functional.linear(x, m.w)), w=w)
    yield "pooling of one element is a mean", *both(lambda m, x: functional.adaptive_avg_pool2d(x, 1).flatten(1), lambda m, x: x.mean((2, 3)), {"x": "2x3x1x1"})
    yield "padding of no width", *both(lambda m, x: functional.pad(x, (0, 0), value=1.0), lambda m, x: functional.pad(x, (0, 0), value=2.0))
    yield "decision: argmax of log_softmax", *both(
        lambda m, x: torch.argmax(torch.log_softmax(functional.linear(x, m.w), -1), -1), lambda m, x: torch.argmax(functional.linear(x, m.w), -1), w=w)
    yield "decision: half of a sigmoid", *both(
        lambda m, x: torch.sigmoid(functional.linear(x, m.w)) > 0.5, lambda m, x: functional.linear(x, m.w) > 0, w=w)


def right_decisions():
    """The same order or the same signs, of other numbers."""
    w, many = drawn(6, 6), drawn(1000, 16)
    of = lambda a, b, given=w, dtype=torch.float32: (
        call(lambda m, x: a(functional.linear(x.to(dtype), m.w)), w=given.to(dtype)), call(lambda m, x: b(functional.linear(x.to(dtype), m.w)), w=given.to(dtype)), {"x": f"4x{given.shape[1]}"})
    yield "deciding: softmax", *of(lambda y: torch.softmax(y, -1).argmax(-1), lambda y: y.argmax(-1))
    yield "deciding: softmax of a thousand", *of(lambda y: torch.softmax(y, -1).argmax(-1), lambda y: y.argmax(-1), many)
    yield "deciding: topk of log_softmax", *of(lambda y: torch.topk(torch.log_softmax(y, -1), 3)[1], lambda y: torch.topk(y, 3)[1], many)
    yield "deciding: scaled", *of(lambda y: (y / 0.7).argmax(-1), lambda y: y.argmax(-1), many)
    yield "deciding: sigmoid", *of(lambda y: torch.sigmoid(y).argmax(-1), lambda y: y.argmax(-1))
    yield "deciding: normalised rows", *of(lambda y: functional.normalize(y, dim=-1).argmax(-1), lambda y: y.argmax(-1))
    yield "deciding: exp", *of(lambda y: torch.sort(torch.exp(y), -1)[1], lambda y: torch.sort(y, -1)[1])
    yield "deciding: softmax in half", *of(lambda y: torch.softmax(y, -1).argmax(-1), lambda y: y.argmax(-1), w, torch.half)
    yield "deciding: another threshold of a sigmoid", *of(lambda y: torch.sigmoid(y) > 0.7310585786300049, lambda y: y > 1)
    yield "deciding: signs of scaled columns", *of(lambda y: y * (0.5 + torch.arange(6)) > 0, lambda y: y > 0)
    yield "deciding: a scaled gate", *of(lambda y: y * (y * 3 > 0), lambda y: y * (y > 0))
    yield "deciding: less is greater", *of(lambda y: y < y.flip(0), lambda y: y.flip(0) > y)
    yield "deciding: sign of a difference", *of(lambda y: y > y.flip(0), lambda y: (y - y.flip(0)) > 0)
    yield "deciding: squared distance", *of(lambda y: torch.cdist(y, torch.eye(6)).argmin(-1), lambda y: torch.cdist(y, torch.eye(6)).square().argmin(-1))
    yield "deciding: nearest by products", *of(lambda y: torch.cdist(y, torch.eye(6) * 2).argmin(-1), lambda y: y.argmax(-1))
    yield "deciding: a factor in the weights", call(lambda m, x: torch.round(functional.linear(x, m.w) * 4), w=w), call(lambda m, x: torch.round(functional.linear(x, m.w)), w=w * 4), {"x": "3x6"}


def wrong_where_data_do_not_lead():
    """Thresholds that scaled inputs reach, and integers that their types do not hold."""
    w = drawn(6, 6)
    two = lambda function, a, b, inputs={"x": "3x6"}, **tensors: (call(lambda m, x: function(m, x, a), **tensors), call(lambda m, x: function(m, x, b), **tensors), inputs)
    both = lambda a, b, inputs={"x": "3x6"}: (call(a), call(b), inputs)
    yield "reached: threshold of a maximum", *two(lambda m, x, end: functional.linear(x, m.w).max() * 1.0 > end, 50.0, 60.0, w=w)
    yield "reached: threshold behind a layer", *two(lambda m, x, end: functional.threshold(functional.linear(x, m.w), end, 0.0), 20.0, 25.0, w=w)
    one = {"w": torch.tensor([[-0.0037, 0.2682, -0.4115, -0.3680]]), "b": torch.tensor([-0.1926])}
    line = lambda m, x: functional.linear(x, m.w, m.b)
    yield "reached: relu behind one value", call(lambda m, x: torch.relu(line(m, x)), **one), call(line, **one), {"x": "1x4"}
    yield "integers: clamp of few", *both(lambda m, x: x.clamp(max=1000), lambda m, x: x, {"x": "3:int64<8>"})
    yield "integers: through int16", *both(lambda m, x: x.to(torch.int16).long(), lambda m, x: x, {"x": "3:int64<8>"})
    yield "integers: sum in int32", *both(lambda m, x: (x * x).long(), lambda m, x: x.long() * x.long(), {"x": "3x4:int32<8>"})
    yield "sizes: the last ones", *both(lambda m, x: x[:, -20:], lambda m, x: x)


def right_otherwise():
    small, w = {"x": "3x6"}, drawn(6, 6)
    both = lambda a, b, inputs=small, **tensors: (call(a, **tensors), call(b, **tensors), inputs)
    yield "half", *both(lambda m, x: x * 0.5, lambda m, x: x / 2)
    yield "layer_norm by hand", *both(lambda m, x: functional.layer_norm(x, (6,)), lambda m, x: (x - x.mean(-1, keepdim=True)) * torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5))
    yield "root mean square by hand", *both(lambda m, x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), lambda m, x: x / torch.sqrt(x.square().mean(-1, keepdim=True) + 1e-6))
    yield "normalize by hand", *both(lambda m, x: functional.normalize(x, dim=-1), lambda m, x: x / x.norm(dim=-1, keepdim=True).clamp_min(1e-12))
    yield "logarithm with an eps", *both(lambda m, x: torch.log(x.abs() + 1e-6), lambda m, x: (1e-6 + x.abs()).log())
    yield "group_norm is instance_norm", *both(lambda m, x: functional.group_norm(x, 4), lambda m, x: functional.instance_norm(x), {"x": "2x4x8"})
    yield "one group is layer_norm", *both(lambda m, x: functional.group_norm(x, 1), lambda m, x: functional.layer_norm(x, (4, 8)), {"x": "2x4x8"})
    yield "sizes: flatten", *both(lambda m, x: x.reshape(x.shape[0], -1), lambda m, x: x.flatten(1), {"x": "2x4x16"})
    yield "sizes: multiples", *both(lambda m, x: x.reshape(x.shape[0], 64), lambda m, x: x.reshape(-1, 64), {"x": "2x4x16"})
    yield "pooling is a convolution", *both(lambda m, x: functional.avg_pool2d(x, 2), lambda m, x: functional.conv2d(x, m.k, stride=2, groups=2), {"x": "1x2x6x6"}, k=torch.full((2, 1, 2, 2), 0.25))
    yield "hardswish by hand", *both(lambda m, x: functional.hardswish(x), lambda m, x: x * functional.relu6(x + 3) / 6)
    words = {"x": "2x5:int64<8>"}
    yield "words: one_hot", *both(lambda m, x: functional.embedding(x, m.w), lambda m, x: functional.one_hot(x, 50).float() @ m.w, words, w=drawn(50, 4))
    yield "words: a factor in the table", *both(lambda m, x: functional.embedding(x, m.w) * 2, lambda m, x: functional.embedding(x, m.w * 2), words, w=drawn(50, 4))
    yield "words: a clamp wider than a sigmoid", *both(
        lambda m, x: torch.sigmoid(functional.embedding(x, m.w)).clamp(0, 2), lambda m, x: torch.sigmoid(functional.embedding(x, m.w)), words, w=drawn(50, 4))
    yield "masked_fill is where", *both(lambda m, x: x.masked_fill(x < -1, 0.0), lambda m, x: torch.where(x < -1, torch.zeros(()), x))
    yield "cumsum is a product", *both(lambda m, x: x.cumsum(-1), lambda m, x: x @ m.t, t=torch.ones(6, 6).triu())
    yield "leaky_relu is a maximum", *both(lambda m, x: functional.leaky_relu(x, 0.1), lambda m, x: torch.maximum(x, 0.1 * x))
    yield "less the largest, before softmax", *both(lambda m, x: torch.softmax(x - x.max(-1, keepdim=True)[0], -1), lambda m, x: torch.softmax(x, -1))
    yield "root of the variance", *both(lambda m, x: x.std(-1), lambda m, x: x.var(-1).sqrt())
    yield "another layer_norm of what is normalised", *both(lambda m, x: functional.linear(functional.layer_norm(x, (6,)), m.w), lambda m, x: functional.layer_norm(x, (6,)) @ m.w.t(), w=w)
