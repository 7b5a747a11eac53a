# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions and modules that torch.compile captures: what compilations.py compares.

Each case is called with nothing and compiles and runs something; `inductor` ones go through the whole compiler.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

AOT, INDUCTOR, CASES = "aot_eager", "inductor", {}


def case(backend=AOT):
    def add(function):
        CASES[function.__name__] = lambda: function(lambda what, **options: torch.compile(what, backend=backend, **options))
        return function
    return add


def train(compiled, *inputs):
    out = compiled(*inputs)
    torch.utils._pytree.tree_leaves(out)[0].sum().backward()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.last = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Linear(8, 4)
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        if x.sum() > 0:  # a graph break
            x = x * 2
        return {"out": self.last(x.mean((2, 3))) * self.scale}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x, mask=None):
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(x.transpose(1, 2).flatten(2))


@case()
def net_inference(compiled):
    with torch.no_grad():
        compiled(Net().eval())(torch.randn(2, 3, 16, 16))


@case()
def net_training(compiled):
    train(compiled(Net()), torch.randn(2, 3, 16, 16))


@case(INDUCTOR)
def net_inductor(compiled):
    train(compiled(Net()), torch.randn(2, 3, 16, 16))


@case()
def attention(compiled):
    compiled(Attention())(torch.randn(2, 5, 16))
    train(compiled(Attention()), torch.randn(2, 5, 16), torch.zeros(5, 5))


@case(INDUCTOR)
def attention_inductor(compiled):
    with torch.no_grad():
        compiled(Attention())(torch.randn(2, 5, 16))


@case()
def layers(compiled):
    net = nn.Sequential(nn.Embedding(10, 8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 8), nn.Softmax(-1))
    train(compiled(net), torch.randint(10, (2, 3)))
    compiled(net.eval())(torch.randint(10, (2, 3)))


@case()
def recurrent(compiled):
    compiled(nn.LSTM(4, 6, batch_first=True))(torch.randn(2, 3, 4))
    compiled(nn.GRUCell(4, 6))(torch.randn(2, 4), torch.randn(2, 6))


@case()
def transformer_layer(compiled):
    train(compiled(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)), torch.randn(2, 3, 8))


@case()
def dynamic_marked(compiled):
    f = compiled(lambda x: x.reshape(-1, x.shape[0]) * x.shape[1] + x.numel() // 2, dynamic=True)
    f(torch.randn(3, 4))
    train(f, torch.randn(5, 4, requires_grad=True))


@case()
def dynamic_by_recompiling(compiled):
    f = compiled(lambda x: (x * x.shape[0]).sum(0))
    f(torch.randn(3, 4)), f(torch.randn(5, 4)), f(torch.randn(5, 6).double()), f(torch.randn(5, 6, 2))


@case(INDUCTOR)
def dynamic_inductor(compiled):
    compiled(lambda x, y: torch.cat([x, y])[: x.shape[0]] * 2, dynamic=True)(torch.randn(3, 4), torch.randn(5, 4))


@case()
def unbacked(compiled):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        compiled(lambda x: (x.nonzero() + 1, x[x > 0].sum()))(torch.randn(5))
        compiled(lambda x, n: x.repeat(n.item()))(torch.randn(2), torch.tensor(3))


@case()
def graph_breaks(compiled):
    def f(x):
        y = x + 1
        print("", end="")
        torch._dynamo.graph_break()
        z = y * 2
        return z.tolist(), torch.tensor(z.tolist()) + y

    compiled(f)(torch.randn(3))


@case()
def break_in_callee(compiled):
    def inner(x):
        torch._dynamo.graph_break()
        return x.sin()

    compiled(lambda x: inner(x.cos()) + inner(x))(torch.randn(3))


@case()
def loops_and_data(compiled):
    def f(xs, **named):
        total = 0
        for i, x in enumerate(xs):
            total = total + x * i
        return {"total": total, "rest": [named["a"] ** 2, (named["b"],)]}

    compiled(f)([torch.randn(2), torch.randn(2), torch.randn(2)], a=torch.randn(2), b=3)


@case()
def in_place(compiled):
    def f(x, y):
        y += x
        y *= 2
        x[0] = 3
        x[..., 1:] = y[..., 1:]
        x //= 2
        return x.add_(1), -y, ~(y > 0), x @ y.T, y[None, :, ::2]

    compiled(f)(torch.randn(3, 4), torch.randn(3, 4))


@case()
def constants(compiled):
    table = torch.arange(6.0)
    compiled(lambda x: x + torch.tensor([1.0, 2.0, 3.0]) + table[:3] + torch.tensor(3) + float("inf"))(torch.randn(3))


@case(INDUCTOR)
def constants_inductor(compiled):
    compiled(lambda x: x[torch.tensor([0, 2, 1])] + torch.tensor([1.0, 2.5, 3.0]))(torch.randn(3))


@case()
def factories(compiled):
    def f(x):
        a = torch.full((2,), -float("inf"), dtype=torch.float64, device=x.device)
        b = torch.zeros_like(x, memory_format=torch.preserve_format).to(torch.bfloat16)
        return a, b, torch.arange(3, dtype=torch.int32), torch.empty(0), x.to(torch.complex64) * (1 + 2j)

    compiled(f)(torch.randn(2))


@case()
def random(compiled):
    train(compiled(lambda x: F.dropout(x, 0.5) + torch.rand_like(x)), torch.randn(3, requires_grad=True))


@case()
def autocast(compiled):
    def f(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ w
        with torch.no_grad():
            z = y + 1
        return z.float() + y

    train(compiled(f), torch.randn(3, 3), torch.randn(3, 3, requires_grad=True))


@case(INDUCTOR)
def autocast_inductor(compiled):
    def f(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ w

    train(compiled(f), torch.randn(3, 3), torch.randn(3, 3, requires_grad=True))


@case()
def cond(compiled):
    def f(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: torch.cond(x.sum() < 0, torch.cos, torch.tan, (x,)), (x,))

    compiled(f)(torch.randn(3))
    train(compiled(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))), torch.randn(3, requires_grad=True))


@case(INDUCTOR)
def cond_inductor(compiled):
    compiled(lambda x: torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos(), (x,)))(torch.randn(3))


@case()
def while_loop(compiled):
    from torch._higher_order_ops import while_loop as loop
    compiled(lambda x: loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x)))(torch.randn(3))


@case()
def scan(compiled):
    from torch._higher_order_ops.scan import scan as run
    compiled(lambda start, xs: run(lambda a, b: (a + b, a * b), start, xs))(torch.randn(3), torch.randn(4, 3))


@case()
def map_over(compiled):
    from torch._higher_order_ops import map as over
    compiled(lambda xs, y: over(lambda x, y: x * y + 1, xs, y))(torch.randn(3, 2), torch.randn(2))


@case()
def checkpointed(compiled):
    train(compiled(lambda x: checkpoint(lambda x: torch.sin(x).cos(), x, use_reentrant=False)), torch.randn(3, requires_grad=True))


@case()
def autograd_function(compiled):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensors[0].sign()

    train(compiled(lambda x: Twice.apply(x) + 1), torch.randn(3, requires_grad=True))


@case()
def functorch(compiled):
    compiled(lambda x, y: torch.func.vmap(torch.dot)(x, y))(torch.randn(4, 3), torch.randn(4, 3))
    compiled(lambda x: torch.func.grad(lambda x: x.sin().sum())(x))(torch.randn(3))


@case()
def invoke_subgraph(compiled):
    region = torch.compiler.nested_compile_region(lambda x: x.sin() * 2)
    compiled(lambda x: region(region(x)))(torch.randn(3))


@case()
def views_and_splits(compiled):
    def f(x):
        a, b, c = torch.split(x, [1, 2, 1], dim=1)
        values, places = x.topk(2)
        return a.t(), b.expand(3, -1), c.squeeze(-1), values, places, x.max(1), torch.einsum("ij,kj->ik", x, x)

    compiled(f)(torch.randn(3, 4))


@case()
def custom_operator(compiled):
    @torch.library.custom_op("lancet_oracle::twice", mutates_args=())
    def twice(x: torch.Tensor, names: str = "it's so") -> torch.Tensor:
        return x * 2

    twice.register_fake(lambda x, names="": torch.empty_like(x))
    compiled(lambda x: twice(x) + 1)(torch.randn(3))


@case()
def types(compiled):
    def f(x, y):
        return x.bool() | y, x.half().float(), x.to(torch.float8_e4m3fn).to(torch.float32), x.to(torch.uint8) >> 1, y.logical_not()

    compiled(f)(torch.randn(3), torch.tensor([True, False, True]))


@case()
def compiled_autograd(compiled):
    with torch._dynamo.config.patch(compiled_autograd=True):
        train(compiled(lambda x: (x.sin() * 3).sum()), torch.randn(3, requires_grad=True))


@case(INDUCTOR)
def pooling_inductor(compiled):
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 5), nn.LogSoftmax(1))
    train(compiled(net), torch.randn(2, 3, 8, 8))


@case()
def static_shapes(compiled):
    f = compiled(lambda x: x.softmax(-1) @ x.t(), dynamic=False)
    for size in (3, 4, 5):
        f(torch.randn(2, size))


@case()
def autocast_training(compiled):
    net = compiled(Net().train())
    with torch.autocast("cpu", torch.bfloat16):
        train(net, torch.randn(2, 3, 8, 8))


@case()
def break_in_training(compiled):
    def f(x):
        y = x.exp()
        torch._dynamo.graph_break()
        return (y * x).sum()

    train(compiled(f), torch.randn(3, requires_grad=True))


@case()
def second_of_two_ranks(compiled):
    import torch.distributed as dist
    from torch.distributed import _functional_collectives as collectives
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=1, world_size=2, store=FakeStore())
    compiled(lambda x: collectives.all_reduce(x.relu(), "sum", dist.group.WORLD) + 1)(torch.randn(3))


def texts():
    """Graphs that print themselves, outside of a compilation: (name, GraphModule, options of print_readable)."""
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.passes.shape_prop import ShapeProp

    traced = torch.fx.symbolic_trace(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Sequential(nn.Flatten(), nn.Linear(144, 2))))
    ShapeProp(traced).propagate(torch.randn(1, 3, 8, 8))
    yield "symbolic_trace", traced, {}
    for mode in ("real", "fake", "symbolic"):
        made = make_fx(lambda x, y: (torch.addmm(y, x, x.t()).relu_(), x.shape[0] * 2), tracing_mode=mode)(torch.randn(3, 4), torch.randn(3, 3))
        yield f"make_fx_{mode}", made, {}
        yield f"make_fx_{mode}_wide", made, {"include_stride": True, "include_device": True, "expanded_def": True}
        yield f"make_fx_{mode}_coloured", made, {"colored": True}
    yield "exported", torch.export.export(Attention(), (torch.randn(2, 5, 16),)).graph_module, {}
    yield "exported_module", torch.export.export(Attention(), (torch.randn(2, 5, 16),)).module(), {}
    split = torch.fx.passes.split_module.split_module(torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU())), None,
                                                      lambda node: int(node.name == "_1"))
    ShapeProp(split).propagate(torch.randn(1, 2))
    yield "split_module", split, {}
