# SPDX-License-Identifier: GPL-3.0-or-later
"""GraphModules whose files name a tracer of their own: what make_fx, AOTAutograd, functorch and torch.export make of functions and models.

`cases()` gives a dict from names to builders. A builder gives one GraphModule, or a dict from endings of the name to GraphModules.
"""

import functools

import torch
import torch.nn.functional as F
from functorch.compile import aot_function, aot_module, min_cut_rematerialization_partition, nop
from torch import nn
from torch._decomp import get_decompositions
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Normed(nn.Module):
    """Buffers that training changes."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(self.conv(x)).relu()


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(10, 4), nn.Linear(4, 10)
        self.out.bias.requires_grad_(False)

    def forward(self, tokens):
        return self.out(self.words(tokens).mean(1))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
        self.out.weight = self.words.weight

    def forward(self, tokens):
        return self.out(self.words(tokens))


class Counter(nn.Module):
    """Buffers that the graph writes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("history", torch.zeros(3, 4), persistent=False)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        self.count.add_(1)
        self.history.copy_(x * self.scale)
        return x * self.scale + self.count


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Mlp()

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: self.inner(y), lambda y: self.inner(y) * 2, (x,))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.register_buffer("mask", torch.tril(torch.ones(5, 5)).bool())

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = (q @ k.transpose(-1, -2) / 8 ** 0.5).masked_fill(~self.mask, float("-inf"))
        return self.out(scores.softmax(-1) @ v)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(4, 5, 2)

    def forward(self, x):
        return self.cell(x)[0]


class Nested(nn.Module):
    """Pytrees in and out."""

    def forward(self, x, options):
        return {"sum": x + options["a"], "list": [options["b"][0] * 2, x]}


class Constants(nn.Module):
    """Tensors that are neither parameter nor buffer."""

    def __init__(self):
        super().__init__()
        self.weights = torch.arange(4.0)

    def forward(self, x):
        return x * self.weights + torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.ones(4)


def constants(x):
    table = torch.tensor([3.0, 1.0, 2.0])
    return x + table + table.sort().values + torch.eye(3)


def windows(x):
    return x * torch.signal.windows.hann(8) + torch.hann_window(8) + torch.signal.windows.gaussian(8, std=2.0)


def indexing(x, rows):
    return x[rows, 1:], x[:, None, 0], x[..., ::2], x[rows > 0]


def writes(x):
    y = x.clone()
    y[0] = 1
    y[:, 1].add_(2)
    y.view(-1)[2:5].mul_(3)
    return y


def mutates_input(x, y):
    x.add_(y)
    x.mul_(2)
    return x.sum()


def losses(x, target):
    logits = x.log_softmax(-1)
    return F.nll_loss(logits, target), F.cross_entropy(x, target, label_smoothing=0.1), F.mse_loss(x, x * 2), F.huber_loss(x, x + 1), F.kl_div(logits, x.softmax(-1), reduction="batchmean"), F.binary_cross_entropy_with_logits(x, x.sigmoid())


def creation(x):
    return torch.zeros_like(x), torch.full((2, 3), 1.5), torch.arange(x.shape[0]), torch.linspace(0, 1, 5), torch.ones(2, dtype=torch.int64)


def shapes(x):
    n = x.shape[0]
    return x.reshape(n * 2, -1), x.new_zeros(n + 1), x[: n // 2], x.expand(n, *x.shape[1:]) / n, torch.arange(n - 1)


def shape_numbers(x):
    n = x.shape[0]
    return x * (n ** 2), x / max(n, 2), x + n % 3, x * (n / 2), x - int(n * 1.5)


def random_numbers(x):
    return F.dropout(x, 0.3), torch.rand_like(x), torch.randn(2), torch.bernoulli(x.sigmoid())


def pools(x):
    return F.max_pool2d(x, 2), F.adaptive_avg_pool2d(x, 1), F.interpolate(x, scale_factor=2), F.pad(x, (1, 1, 1, 1), mode="reflect")


def scans(x):
    return x.cumsum(0), x.sort(descending=True), x.topk(2), x.max(1), x.unbind(0), x.split(2), torch.einsum("ij,kj->ik", x, x)


def many_dtypes(x):
    return x.to(torch.float16), x.double().int(), x.bool(), x.to(torch.complex64).abs(), x.bfloat16() * 2


def sparse(x):
    return torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 2]]), torch.tensor([1.0, 2.0]), (3, 3)) @ x


def gradient(f, *inputs):
    return lambda *args: torch.autograd.grad(f(*args), inputs or args[0], allow_unused=True)


def traced(f, *inputs, **options):
    return lambda: make_fx(f, **options)(*inputs)


def functional(f, *inputs, mode="real"):
    return lambda: make_fx(torch.func.functionalize(f, remove="mutations_and_views"), tracing_mode=mode)(*inputs)


def with_parameters(model, *inputs, **options):
    """The parameters become inputs, as AOTAutograd makes them."""
    def step(parameters, buffers, *args):
        return torch.func.functional_call(model, (parameters, buffers), args)

    return lambda: make_fx(step, **options)(dict(model.named_parameters()), dict(model.named_buffers()), *inputs)


def training_step(model, *inputs):
    def step(parameters, *args):
        return torch.func.grad(lambda p, *a: torch.func.functional_call(model, p, a).sum())(parameters, *args)

    return lambda: make_fx(step)({name: p.detach() for name, p in model.named_parameters()}, *inputs)


def aot(f, *inputs, module=False, partition=None, dynamic=False, decompositions=None):
    def build():
        found = {}

        def keep(name):
            def compiler(gm, _):
                found[name] = gm
                return nop(gm, _)
            return compiler

        wrap = aot_module if module else aot_function
        options = {"partition_fn": partition} if partition else {}
        compiled = wrap(f, fw_compiler=keep("forward"), bw_compiler=keep("backward"), dynamic=dynamic, decompositions=decompositions, **options)
        leaves = [x.clone().requires_grad_() if torch.is_tensor(x) and x.is_floating_point() else x for x in inputs]
        out = compiled(*leaves)
        out = out if torch.is_tensor(out) else torch.utils._pytree.tree_leaves(out)[0]
        if out.requires_grad:
            out.sum().backward()
        return found

    return build


def joint(f, *inputs, dynamic=False):
    """The joint graph of forward and backward, before it is cut."""
    def build():
        found = {}

        def partition(gm, joint_inputs, **options):
            found["joint"] = __import__("copy").deepcopy(gm)
            return min_cut_rematerialization_partition(gm, joint_inputs, **options)

        out = aot_function(f, fw_compiler=nop, bw_compiler=nop, partition_fn=partition, dynamic=dynamic)(*[x.clone().requires_grad_() for x in inputs])
        out.sum().backward()
        return found

    return build


def exported(model, *inputs, dynamic=None, strict=False, decompose=False, training=False):
    def build():
        module = model().train(training)
        program = torch.export.export(module, inputs, dynamic_shapes=dynamic, strict=strict)
        if decompose:
            program = program.run_decompositions({} if decompose == "core" else None)
        return {"module": program.module(check_guards=False), "graph_module": program.graph_module}

    return build


def captured(model, *inputs, dynamic=False, steps=None):
    """What torch.compile gives to its backend."""
    def build():
        found = {}

        def backend(gm, _):
            found[f"graph{len(found)}"] = gm
            return gm

        torch._dynamo.reset()
        torch.compile(model() if isinstance(model, type) else model, backend=backend, dynamic=dynamic)(*inputs)
        return found

    return build


def fused(f, *inputs):
    """Parts of the graph in GraphModules of their own, which loading traces through."""
    def build():
        gm = make_fx(f)(*inputs)
        nodes = [node for node in gm.graph.nodes if node.op == "call_function"]
        return fuse_by_partitions(gm, [{node: None for node in nodes[:2]}, {node: None for node in nodes[2:]}], prefix="part_")

    return build


def seeded(builder):
    @functools.wraps(builder)
    def build():
        torch.manual_seed(0)
        return builder()

    return build


def cases():
    torch.manual_seed(0)
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    square, image, tokens = torch.randn(3, 3), torch.randn(2, 3, 8, 8), torch.randint(0, 10, (2, 5))
    target, rows, sequence = torch.tensor([0, 2, 1]), torch.tensor([0, 2]), torch.randn(2, 5, 8)
    mlp, normed, embedded, tied, attention = Mlp(), Normed(), Embedded(), Tied(), Attention()
    batch = torch.export.Dim("batch", min=2, max=64)
    decompositions = get_decompositions([torch.ops.aten.native_layer_norm, torch.ops.aten._log_softmax, torch.ops.aten.nll_loss_forward, torch.ops.aten.gelu, torch.ops.aten.addmm,
                                         torch.ops.aten.embedding_dense_backward, torch.ops.aten.native_batch_norm, torch.ops.aten.silu, torch.ops.aten.var_mean])
    found = {}
    for mode in ("real", "fake", "symbolic"):
        found |= {f"{name}_{mode}": traced(f, *inputs, tracing_mode=mode) for name, f, inputs in [
            ("constants", constants, (square,)), ("indexing", lambda x, rows: (x[rows, 1:], x[:, None, 0], x[..., ::2]), (x, rows)), ("writes", writes, (x,)), ("losses", losses, (square, target)),
            ("creation", creation, (x,)), ("shapes", shapes, (torch.randn(4, 6),)), ("random", random_numbers, (x,)), ("pools", pools, (image,)),
            ("mutates_input", mutates_input, (x, y)), ("gradient", lambda x: torch.func.grad(lambda z: (z.sin() * z.exp()).sum())(x), (x,))]}
    found |= {
        "windows": traced(windows, torch.randn(8)), "scans": traced(scans, torch.randn(4, 4)), "dtypes": traced(many_dtypes, x),
        "shape_numbers": traced(shape_numbers, torch.randn(4, 6), tracing_mode="symbolic"),
        "data_dependent": traced(lambda x: x.nonzero().sum(), x, tracing_mode="symbolic"),
        "sparse": traced(sparse, torch.randn(3, 3)),
        "model_parameters": traced(mlp, x), "model_parameters_fake": traced(mlp, x, tracing_mode="fake", _allow_non_fake_inputs=True),
        "embedding": traced(embedded, tokens), "tied": traced(tied, tokens), "normed": traced(normed.eval(), image), "normed_training": traced(Normed(), image),
        "attention": traced(attention, sequence), "lstm": traced(Recurrent(), torch.randn(3, 2, 4)), "branches": traced(Branches(), x),
        "module_stack": traced(mlp, x, record_module_stack=True), "module_stack_shared": traced(nn.Sequential(mlp, nn.ReLU()), x, record_module_stack=True),
        "counter": traced(Counter(), x), "plain_tensors": traced(Constants(), x),
        "pre_dispatch": traced(mlp, x, pre_dispatch=True), "pre_dispatch_losses": traced(losses, square, target, pre_dispatch=True),
        "functional_call": with_parameters(mlp, x), "functional_call_symbolic": with_parameters(attention, sequence, tracing_mode="symbolic"),
        "training_step": training_step(Mlp(), x), "training_step_embedding": training_step(Embedded(), tokens),
        "decomposed_losses": traced(losses, square, target, decomposition_table=decompositions),
        "decomposed_norm": traced(lambda x: F.gelu(F.layer_norm(x, (4,))) + F.silu(x), x, decomposition_table=decompositions),
        "decomposed_model": traced(Normed(), image, decomposition_table=decompositions),
        "functionalized": functional(writes, x), "functionalized_symbolic": functional(writes, x, mode="symbolic"), "functionalized_input": functional(mutates_input, x, y),
        "jacobian": traced(lambda x: torch.func.jacrev(torch.sin)(x), torch.randn(3)), "vmap": traced(lambda x: torch.vmap(lambda row: row.softmax(0).cumsum(0))(x), x),
        "hessian": traced(lambda x: torch.func.hessian(lambda z: z.pow(3).sum())(x), torch.randn(3)),
        "aot_function": aot(lambda a, b: (a * b).sin().sum(), x, y), "aot_two_outputs": aot(lambda a, b: (a @ b.t(), a.exp()), x, y),
        "aot_dynamic": aot(lambda a: a.reshape(a.shape[0] * 2, -1).softmax(-1), torch.randn(4, 6), dynamic=True),
        "aot_mutation": aot(lambda a: a.mul(2).add_(1).relu_(), x), "aot_module": aot(Mlp(), x, module=True), "aot_module_norm": aot(Normed(), image, module=True),
        "aot_module_embedding": aot(Embedded(), tokens, module=True), "aot_module_attention": aot(Attention(), sequence, module=True),
        "aot_min_cut": aot(lambda a, b: (a * b).sin().cos().sum(), x, y, partition=min_cut_rematerialization_partition),
        "aot_decomposed": aot(lambda a: F.gelu(F.layer_norm(a, (4,))), x, decompositions=decompositions), "aot_counter": aot(Counter(), x, module=True),
        "joint_function": joint(lambda a, b: (a * b).sin().sum(), x, y), "joint_dynamic": joint(lambda a: a.reshape(a.shape[0] * 2, -1).softmax(-1), torch.randn(4, 6), dynamic=True),
        "exported_mlp": exported(Mlp, x), "exported_mlp_strict": exported(Mlp, x, strict=True), "exported_dynamic": exported(Mlp, x, dynamic={"x": {0: batch}}),
        "exported_decomposed": exported(Attention, sequence, decompose=True), "exported_core": exported(Normed, image, decompose="core"),
        "exported_training": exported(Normed, image, training=True), "exported_counter": exported(Counter, x), "exported_counter_decomposed": exported(Counter, x, decompose=True),
        "exported_embedding": exported(Embedded, tokens), "exported_tied": exported(Tied, tokens), "exported_branches": exported(Branches, x),
        "exported_constants": exported(Constants, x), "exported_lstm": exported(Recurrent, torch.randn(3, 2, 4)),
        "captured_mlp": captured(Mlp, x), "captured_counter": captured(Counter, x), "captured_attention": captured(Attention, sequence), "captured_constants": captured(constants, square),
        "captured_dynamic": captured(shapes, torch.randn(4, 6), dynamic=True), "captured_tied": captured(Tied, tokens),
        "fused": fused(lambda x: (x.sin() * 2).relu().sum(1), x), "fused_model": fused(mlp, x),
        "exported_nested": exported(Nested, x, {"a": y, "b": [x]}), "exported_attention_strict": exported(Attention, sequence, strict=True),
    }
    return {name: seeded(build) for name, build in found.items()}
