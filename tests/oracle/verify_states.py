# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs for `verify.py`: states that many calls lead to, decisions of coarse floats, integers at the ends of their type; as in verify_pairs.py."""

import torch
from torch import fx, nn
from torch.export import export

from verify_cuts import both
from verify_hidden import two
from verify_pairs import call, drawn, functional
from verify_types import fits

X = {"x": "3x6"}
linear = functional.linear


class Stateful(nn.Module):
    def __init__(self, function, buffers):
        super().__init__()
        self.function = function
        for name, value in buffers.items():
            self.register_buffer(name, torch.as_tensor(value).clone())

    def forward(self, x):
        return self.function(self, x)


class BufferTracer(fx.Tracer):
    """Buffers stay attributes, so that writing into them is a node."""

    proxy_buffer_attributes = True


def as_graph(function, buffers, shape):
    module = Stateful(function, buffers).eval()
    return fx.GraphModule(module, BufferTracer().trace(module)).eval()


def as_program(function, buffers, shape):
    return export(Stateful(function, buffers).eval(), (torch.randn(shape),))


def exported(name, a, b, shape=(3, 6), **buffers):
    yield f"{name}, exported", as_program(a, buffers, shape), as_program(b, buffers, shape), {"x": "x".join(map(str, shape))}


def stateful(name, a, b, shape=(3, 6), **buffers):
    """The same pair as graph modules and as exported programs."""
    yield name, as_graph(a, buffers, shape), as_graph(b, buffers, shape), {"x": "x".join(map(str, shape))}
    yield from exported(name, a, b, shape, **buffers)


def counting(result, step=1):
    """Counts first."""

    def function(m, x):
        m.n.add_(step)
        return result(m.n, x)

    return function


def decaying(result, factor=0.99):
    def function(m, x):
        m.n.mul_(factor)
        return result(m.n, x)

    return function


def averaging(result, rate=0.1):
    def function(m, x):
        m.m.mul_(1 - rate).add_(x.mean(0) * rate)
        return result(m.m, x)

    return function


def wrong_states():
    counters = {"float": 0.0, "int": 0}
    for kind, start in counters.items():
        pair = lambda name, a, b: stateful(f"{kind} counter: {name}", counting(a), counting(b), n=start)
        yield from pair("warm-up ends early", lambda n, x: x * (n * 0.01).clamp(max=1), lambda n, x: x * (n * 0.01).clamp(max=0.5))
        yield from pair("no warm-up", lambda n, x: x * (n * 0.01).clamp(max=1), lambda n, x: x * n * 0.01)
        yield from pair("each hundredth call", lambda n, x: torch.where(n % 100 == 0, x * 2, x), lambda n, x: x)
        yield from pair("each hundredth or fiftieth call", lambda n, x: torch.where(n % 100 == 0, x * 2, x), lambda n, x: torch.where(n % 50 == 0, x * 2, x))
        yield from pair("a call of each fifty", lambda n, x: torch.where((n + 7) % 50 == 0, x * 2, x), lambda n, x: x * 1.0)
        yield from pair("after 1000 calls", lambda n, x: torch.where(n > 1000, x, x * 2), lambda n, x: x * 2)
        yield from pair("after 1000 or 2000 calls", lambda n, x: torch.where(n > 1000, x, x * 2), lambda n, x: torch.where(n > 2000, x, x * 2))
        yield from pair("a window of calls", lambda n, x: torch.where((n * 0.03 > 2.2) & (n * 0.03 < 2.5), x * 2, x), lambda n, x: x * 1.0)
        yield from pair("bias correction with a floor", lambda n, x: x / (1 - 0.99**n), lambda n, x: x / (1 - 0.99**n).clamp(max=0.9))
        yield from pair("steps that end", lambda n, x: x * 0.5 ** (n // 30), lambda n, x: x * 0.5 ** (n // 30).clamp(max=3))
        yield from pair("inverse root without warm-up", lambda n, x: x * torch.minimum(n**-0.5, n * 400**-1.5), lambda n, x: x * (n * 400**-1.5))
        yield from pair("inverse root with its end elsewhere", lambda n, x: x * torch.minimum((n * 1.0) ** -0.5, n * 400**-1.5), lambda n, x: x * torch.minimum((n * 1.0) ** -0.5, n * 400**-1.5).clamp(max=0.04))
        yield from pair("cosine after its end", lambda n, x: x * (1 + torch.cos(n * (3.14159265 / 500))), lambda n, x: x * (1 + torch.cos(n.clamp(max=500) * (3.14159265 / 500))))
        yield from pair("one call", lambda n, x: torch.where(n == 77, x * 2, x), lambda n, x: x * 1.0)
    yield from stateful("counter by two: a call", counting(lambda n, x: torch.where(n == 78, x * 2, x), 2), counting(lambda n, x: x * 1.0, 2), n=0)
    yield from stateful("decay: floor", decaying(lambda n, x: x * n.clamp(min=0.1)), decaying(lambda n, x: x * n.clamp(min=0.2)), n=1.0)
    yield from stateful("decay: floor of a product", decaying(lambda n, x: x * (n * 3 + 1).clamp(min=1.5)), decaying(lambda n, x: x * (n * 3 + 1)), n=1.0)
    yield from exported("average: limit", averaging(lambda m, x: x - m.clamp(max=5)), averaging(lambda m, x: x - m.clamp(max=6)), m=torch.zeros(6))
    yield from stateful("byte counter: end", counting(lambda n, x: torch.where(n > 200, x * 2, x)), counting(lambda n, x: torch.where(n > 210, x * 2, x)), n=torch.tensor(0, dtype=torch.uint8))
    yield from stateful("byte counter: wraps", counting(lambda n, x: x * (n < 1)), counting(lambda n, x: x * 0), n=torch.tensor(0, dtype=torch.uint8))

    def streak(most):
        def function(m, x):
            m.n.copy_(torch.where(x.mean() > 0.9, m.n + 1, torch.zeros_like(m.n)))
            return torch.where(m.n > most, x * 2, x)

        return function

    yield from exported("streak", streak(5), streak(7), n=0)
    two = lambda limit: lambda m, x: (m.n.add_(1), m.k.add_(3), x * (m.n * m.k * 1e-3).clamp(max=limit))[2]
    yield from stateful("two counters", two(5.0), two(7.0), n=0.0, k=0.0)


def right_states():
    for kind, start in {"float": 0.0, "int": 0}.items():
        pair = lambda name, a, b: stateful(f"{kind} counter: {name}", counting(a), counting(b), n=start)
        yield from pair("compared the other way", lambda n, x: torch.where(n > 3, x, x * 2), lambda n, x: torch.where(3 < n, x, x * 2))
        yield from pair("compared with the next", lambda n, x: torch.where(n > 3, x, x * 2), lambda n, x: torch.where(n >= 4, x, x * 2))
        yield from pair("compared with the next, late", lambda n, x: torch.where(n > 3000, x, x * 2), lambda n, x: torch.where(n >= 3001, x, x * 2))
        yield from pair("not, and the other branch", lambda n, x: torch.where(n > 300, x, x * 2), lambda n, x: torch.where(n <= 300, x * 2, x))
        yield from pair("warm-up", lambda n, x: x * (n * 0.01).clamp(max=1), lambda n, x: x * torch.minimum(n * 0.01, torch.ones(())))
        yield from pair("warm-up divided", lambda n, x: x * (n / 100).clamp(max=1), lambda n, x: x * n.clamp(max=100) / 100)
        yield from pair("bias correction", lambda n, x: x / (1 - 0.99**n), lambda n, x: x / -torch.expm1(n * -0.01005033585350145))
        yield from pair("cosine", lambda n, x: x * torch.cos(n * 0.1), lambda n, x: x * torch.cos(n / 10))
        yield from pair("each tenth call", lambda n, x: torch.where(n % 10 == 0, x * 2, x), lambda n, x: torch.where(n % 10 != 0, x, x + x))
        yield from pair("schedule", lambda n, x: x * torch.minimum((n * 1.0) ** -0.5, n * 400**-1.5), lambda n, x: torch.minimum(torch.rsqrt(n * 1.0), n * 400**-1.5) * x)
    yield from stateful("decay", decaying(lambda n, x: x * n.clamp(min=0.1)), decaying(lambda n, x: torch.maximum(n, torch.tensor(0.1)) * x), n=1.0)
    yield from stateful("average", averaging(lambda m, x: x - m), lambda m, x: (m.m.lerp_(x.mean(0), 0.1), x - m.m)[1], m=torch.zeros(6))
    yield from stateful("average of squares", averaging(lambda m, x: x / (m.abs() + 1).sqrt()), averaging(lambda m, x: x * torch.rsqrt(m.abs() + 1)), m=torch.zeros(6))


def wrong_types():
    for type in (torch.float16, torch.bfloat16):
        name = str(type).removeprefix("torch.")
        w, c = drawn(16, 16).to(type), (drawn(16, seed=2) * 0.1).to(type)
        x = fits(type)
        near = (w.float() * (1 + 0.02 * drawn(16, 16, seed=8))).to(type)
        other = w.clone()
        other[3, 5] += 0.1
        for call_name, decide in {"argmax": lambda y: y.argmax(-1), "argmin": lambda y: y.argmin(-1), "topk": lambda y: y.topk(3).indices, "sort": lambda y: y.sort(-1)[1], "argsort": lambda y: y.argsort(-1), "sign": lambda y: y > 0, "max": lambda y: y.max(-1)[1]}.items():
            yield f"{name}: {call_name}, weights 2 % off", call(lambda m, x: decide(linear(x, m.w)), w=w), call(lambda m, x: decide(linear(x, m.w)), w=near), x
            if (type, call_name) != (torch.bfloat16, "argmin"):  # in so coarse a type it decides next to nothing
                yield f"{name}: {call_name}, a weight", call(lambda m, x: decide(linear(x, m.w)), w=w), call(lambda m, x: decide(linear(x, m.w)), w=other), x
            yield f"{name}: {call_name}, no bias", *both(lambda m, x: decide(linear(x, m.w, m.c)), lambda m, x: decide(linear(x, m.w)), x, w=w, c=c)
        yield f"{name}: gelu by 1.7", *both(lambda m, x: x * torch.sigmoid(1.702 * x), lambda m, x: x * torch.sigmoid(1.7 * x), x)
        yield f"{name}: gelu by 1.7 behind a layer", *both(lambda m, x: (lambda y: y * torch.sigmoid(1.702 * y))(linear(x, m.w)), lambda m, x: (lambda y: y * torch.sigmoid(1.7 * y))(linear(x, m.w)), x, w=w)
        yield f"{name}: another eps", *both(lambda m, x: functional.layer_norm(x, (16,), eps=1e-5), lambda m, x: functional.layer_norm(x, (16,), eps=5e-3), x)
    for type in (torch.uint8, torch.int8):
        name = str(type).removeprefix("torch.")
        x = {"x": f"4x6:{name}<20>"}
        yield f"{name}: mean of two that wraps", *both(lambda m, x: (x[:, :3].int() + x[:, 3:].int()) // 2, lambda m, x: ((x[:, :3] + x[:, 3:]) // 2).int(), x)
        yield f"{name}: mean of two that wraps, of the type", *both(lambda m, x: ((x[:, :3].int() + x[:, 3:].int()) // 2).to(x.dtype), lambda m, x: (x[:, :3] + x[:, 3:]) // 2, x)
        yield f"{name}: plus one", *both(lambda m, x: x.int() + 1, lambda m, x: (x + 1).int(), x)
        yield f"{name}: negative", *both(lambda m, x: -(x.int()), lambda m, x: (-x).int(), x)
        yield f"{name}: sum", *both(lambda m, x: x.sum(-1), lambda m, x: x.sum(-1, dtype=x.dtype).long(), x)
        yield f"{name}: difference", *both(lambda m, x: (x[:, :3].int() - x[:, 3:].int()).abs(), lambda m, x: (x[:, :3] - x[:, 3:]).abs().int(), x)
        given = {"x": torch.randint(10, 20, (4, 6), dtype=type)}
        yield f"{name}: mean of two, small ones given", *both(lambda m, x: ((x[:, :3].int() + x[:, 3:].int()) // 2).to(x.dtype), lambda m, x: (x[:, :3] + x[:, 3:]) // 2, given)
        yield f"{name}: mean of two inputs", *two(lambda x, y: ((x.int() + y.int()) // 2).to(x.dtype), lambda x, y: (x + y) // 2, f"4x6:{name}<20>", f"4x6:{name}<20>")
        yield f"{name}: scaled", *both(lambda m, x: x.float() * 3 / 4, lambda m, x: (x * 3).float() / 4, given)


def norm_folded(type):
    torch.manual_seed(4)
    layers = []
    for i in range(4):
        norm = nn.BatchNorm2d(8)
        norm.running_mean.normal_(), norm.running_var.uniform_(0.5, 2)
        layers += [(nn.Conv2d(3 if i == 0 else 8, 8, 3, padding=1), norm)]
    a = nn.Sequential(*(part for conv, norm in layers for part in (conv, norm, nn.ReLU()))).eval()
    b = nn.Sequential(*(part for conv, norm in layers for part in (nn.utils.fuse_conv_bn_eval(conv.eval(), norm.eval()), nn.ReLU()))).eval()
    return torch.fx.symbolic_trace(a.to(type)), torch.fx.symbolic_trace(b.to(type)), {"input": f"2x3x9x9:{str(type).removeprefix('torch.')}"}


def right_types():
    for type in (torch.float16, torch.bfloat16):
        name = str(type).removeprefix("torch.")
        w, c = drawn(16, 16).to(type), drawn(16, seed=2).to(type)
        x = fits(type)
        yield f"{name}: net of folded norms", *norm_folded(type)
        yield f"{name}: layer and back", *both(lambda m, x: linear(x.to(type), m.w, m.c).float(), lambda m, x: (x.to(type) @ m.w.t() + m.c).float(), {"x": "32x16"}, w=w, c=c)
        yield f"{name}: two layers and back", *both(lambda m, x: linear(torch.relu(linear(x.to(type), m.w, m.c)), m.w).float(), lambda m, x: (torch.relu(x.to(type) @ m.w.t() + m.c) @ m.w.t()).float(), {"x": "32x16"}, w=w, c=c)
        yield f"{name}: argmax of the float32 copy", *both(lambda m, x: linear(x, m.w).argmax(-1), lambda m, x: linear(x, m.w).float().argmax(-1), x, w=w)
        yield f"{name}: gelu", *both(lambda m, x: x * torch.sigmoid(1.702 * x), lambda m, x: torch.sigmoid(x * 1.702) * x, x)
    for type in (torch.uint8, torch.int8):
        name = str(type).removeprefix("torch.")
        x = {"x": f"4x6:{name}<20>"}
        yield f"{name}: mean of two", *both(lambda m, x: (x[:, :3].int() + x[:, 3:].int()) // 2, lambda m, x: (x[:, :3].short() + x[:, 3:].short()).int() // 2, x)
        yield f"{name}: scaled", *both(lambda m, x: x.float() * 3 / 4, lambda m, x: x.float() * 0.75, x)


def naive(y):
    e = torch.exp(y)
    return e / e.sum(-1, keepdim=True)


def wrong_overflow():
    w = drawn(6, 6)
    yield "softmax without its shift", *both(lambda m, x: torch.softmax(x, -1), lambda m, x: naive(x), X)
    yield "softmax without its shift, behind a layer", *both(lambda m, x: torch.softmax(linear(x, m.w), -1), lambda m, x: naive(linear(x, m.w)), X, w=w)
    yield "softplus without its limit", *both(lambda m, x: functional.softplus(x), lambda m, x: torch.log(1 + torch.exp(x)), X)
    yield "logsumexp without its shift", *both(lambda m, x: torch.logsumexp(x, -1), lambda m, x: x.exp().sum(-1).log(), X)
    yield "sigmoid of two exps", *both(lambda m, x: torch.sigmoid(x), lambda m, x: x.exp() / (1 + x.exp()), X)
    yield "tanh of exps", *both(lambda m, x: torch.tanh(x), lambda m, x: (torch.exp(2 * x) - 1) / (torch.exp(2 * x) + 1), X)


def wrong_writes():
    """A write that the inputs do not show, of one model only."""
    w = drawn(6, 6)

    def counting_rare(m, x):
        m.n.add_(x.sum() > 1e3)
        return linear(x, m.w)

    for name, a, b in (("in A", counting_rare, lambda m, x: linear(x, m.w)), ("in B", lambda m, x: linear(x, m.w), counting_rare)):
        yield f"write of rare inputs {name}", *(as_graph(each, {"w": w, "n": torch.zeros(())}, (3, 6)) for each in (a, b)), X


def wrong():
    for name, *pair in wrong_states():
        yield f"states: {name}", *pair
    yield from wrong_types()
    yield from wrong_writes()
    for name, *pair in wrong_overflow():
        yield f"overflow: {name}", *pair


def right():
    for name, *pair in right_states():
        yield f"states: {name}", *pair
    yield from right_types()
