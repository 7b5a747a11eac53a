# SPDX-License-Identifier: GPL-3.0-or-later
"""More GraphModules of make_fx, AOTAutograd and torch.export: operators of many kinds, dynamic shapes, decompositions,
values that loading computes. `cases()` as in tracer_cases.py, which has the builders that are used here."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch._decomp import core_aten_decompositions
from torch.utils.checkpoint import checkpoint

import tracer_cases as basic

windows = torch.signal.windows


def embeddings(tokens, table):
    return (
        F.embedding(tokens, table, padding_idx=1),
        F.embedding_bag(tokens, table, mode="sum"),
        F.embedding_bag(tokens, table, mode="max"),
        F.embedding(tokens, table, scale_grad_by_freq=True),
    )


def more_losses(x, other):
    sign = torch.tensor([1.0, -1.0, 1.0])
    return (
        F.smooth_l1_loss(x, other, beta=0.5),
        F.triplet_margin_loss(x, other, x * 2),
        F.cosine_embedding_loss(x, other, sign),
        F.poisson_nll_loss(x, other.abs()),
        F.multilabel_soft_margin_loss(x, (other > 0).float()),
        F.hinge_embedding_loss(x, sign[:, None]),
        F.margin_ranking_loss(x, other, sign[:, None], margin=0.1),
        F.l1_loss(x, other, reduction="none"),
    )


def ctc(x):
    return F.ctc_loss(x.log_softmax(-1), torch.tensor([[1, 2], [2, 1]]), torch.tensor([6, 6]), torch.tensor([2, 2]))


def selections(x, rows):
    return (
        x.index_select(0, rows),
        x.gather(1, rows[None].expand(3, 2)),
        x.take(rows),
        torch.take_along_dim(x, rows[:, None], 0),
        x.diagonal(1),
        x.flip(0),
        x.roll(1, 1),
        x.unfold(1, 2, 1),
        torch.where(x > 0, x, 0.0),
        x.tril(),
        x.narrow(0, 1, 2),
        x[:, [0, 2]],
        x[torch.tensor([True, False, True])],
    )


def scatters(x, rows):
    y = x.clone()
    y[rows] = 0
    y.index_add_(0, rows, torch.ones(2, 4))
    y[:, 1:3] = y[:, 1:3] * 2
    y.index_put_((rows,), torch.ones(4), accumulate=True)
    z = x.scatter(1, rows[None], 3.0).scatter_add(0, rows[None], x).scatter_reduce(0, rows[None], x, "amax")
    return (
        y,
        z.index_fill(0, rows, -1),
        x.masked_fill(x > 0, 0),
        torch.slice_scatter(x, x[:1], 0, 1, 2),
        torch.select_scatter(x, x[0], 0, 1),
    )


def linear_algebra(x):
    square = x @ x.t() + torch.eye(3)
    q, r = torch.linalg.qr(square)
    values, vectors = torch.linalg.eigh(square)
    return (
        q @ r,
        values,
        vectors,
        torch.linalg.solve(square, x),
        torch.linalg.det(square),
        torch.linalg.cholesky(square),
        torch.linalg.svd(x).S,
        x.norm(),
        torch.linalg.matrix_power(square, 3),
    )


def reductions(x):
    return (
        x.std(0),
        x.var(1, unbiased=False),
        x.aminmax(),
        x.median(0),
        x.mode(1),
        x.logsumexp(0),
        x.cumprod(1),
        x.quantile(0.5),
        x.all(),
        x.amax((0, 1)),
        x.argmin(),
        torch.count_nonzero(x),
        x.kthvalue(2),
        x.nansum(),
        torch.histc(x, 4, -2, 2),
        torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])),
    )


def spectral(x):
    return (
        torch.fft.rfft(x).abs(),
        torch.view_as_real(torch.fft.fft(x)),
        torch.stft(x, 8, window=torch.hann_window(8), return_complex=True).abs(),
    )


def all_windows(x):
    return (
        x
        * windows.bartlett(8)
        * windows.blackman(8)
        * windows.cosine(8)
        * windows.exponential(8, tau=2.0)
        * windows.general_cosine(8, a=[0.46, 0.23, 0.31])
        * windows.general_hamming(8)
        * windows.hamming(8, sym=False)
        * windows.hann(8)
        * windows.kaiser(8, beta=10.0)
        * windows.nuttall(8)
        * windows.gaussian(8, std=1.5)
    )


def old_windows(x):
    return (
        x
        + torch.hamming_window(8, periodic=False)
        + torch.blackman_window(8)
        + torch.bartlett_window(8)
        + torch.kaiser_window(8, periodic=True, beta=9.0)
    )


def sparse_results(x):
    return (
        x.relu().to_sparse(),
        torch.sparse_coo_tensor(torch.tensor([[0, 2], [1, 0]]), torch.tensor([3.0, 4.0]), (3, 4)),
    )


def sparse_products(x):
    matrix = torch.sparse_coo_tensor(
        torch.tensor([[0, 1, 2], [2, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (3, 3)
    ).coalesce()
    return torch.sparse.mm(matrix, x), torch.sparse.sum(matrix), matrix.to_dense() @ x


def kinds_of_constants(x):
    return (
        x + torch.tensor([1, 2, 3, 4], dtype=torch.float16),
        x * torch.tensor([True, False, True, True]),
        x + torch.tensor(2.5),
        x + torch.tensor([1 + 2j]).real,
        x.bfloat16() + torch.tensor([1.0], dtype=torch.bfloat16),
        x.clamp(min=-math.inf, max=1e30),
        x.nan_to_num(math.nan),
        x + torch.tensor([[0.5], [0.25], [0.125]]),
        x + torch.tensor([], dtype=torch.float32).sum(),
    )


def computed_constants(x):
    steps = torch.arange(4, dtype=torch.float32)
    mask = torch.triu(torch.ones(4, 4), 1).bool()
    angles = 1.0 / (10000 ** (steps / 4))
    return (
        x * angles.cos() + steps.flip(0),
        (x @ x.t()[:, :]).masked_fill(mask[:3, :3], -1e9),
        x + torch.linspace(0, 1, 4).exp().cumsum(0),
        x + torch.full((4,), 7.0).sqrt(),
    )


def written_constants(x):
    mask = torch.zeros(4)
    mask[1] = 1
    mask[2:].fill_(2)
    table = torch.arange(4.0)
    table.mul_(2).add_(mask)
    return x * mask + table


def cache(x):
    store = torch.zeros(5, 4)
    store[1:4] = x
    store.index_copy_(0, torch.tensor([0]), x[:1])
    return store.sum(0)


def symbolic_shapes(x):
    n, m = x.shape
    return (
        torch.cat([x, x.new_ones(n, 1)], 1),
        x.view(n, m // 2, 2).mean(-1),
        x.repeat(2, 1),
        torch.arange(n * m).view(n, m) + x,
        x.repeat_interleave(2, 0),
        F.pad(x, (0, 8 - m)),
        x[n // 2 :],
        x.expand(3, n, m).reshape(3 * n, m),
        x.as_strided((m, n), (1, m)),
        x.new_zeros(n, n).fill_diagonal_(1),
    )


def symbolic_numbers(x):
    n, m = x.shape
    return (
        x * math.sqrt(n),
        x * (n**0.5),
        x + min(n, m),
        x + (n * m) // 3,
        x + abs(n - 2 * m),
        x / float(n),
        x + (1 if n > 2 else 0),
        x + torch.sym_max(n, m),
        x * (n / m),
    )


def symbolic_image(x):
    return (
        F.interpolate(F.max_pool2d(F.conv2d(x, x.new_ones(4, 3, 3, 3), stride=2), 2), size=x.shape[-2:]),
        F.adaptive_avg_pool2d(x, (2, 1)),
        F.unfold(x, 3),
        F.pixel_unshuffle(x, 2),
    )


def unbacked(x):
    n = x.sum().int().item()
    torch._check(n >= 0)
    torch._check(n <= 8)
    return x[:, :1] + n


def dropped(x):
    return (
        F.dropout(x, 0.2, True),
        F.alpha_dropout(x, 0.1, True),
        F.dropout1d(x[None], 0.5, True),
        torch.randint(0, 5, (3,)),
        torch.randperm(4),
        torch.normal(0.0, 1.0, (2,)),
        F.rrelu(x, training=True),
    )


def layouts(x):
    return (
        x.to(memory_format=torch.channels_last),
        x.permute(0, 2, 3, 1).contiguous(),
        x.to(torch.float64, copy=True),
        x.type(torch.int32),
        x.cpu(),
        torch.empty_like(x).zero_(),
        x.detach(),
        x.movedim(1, -1),
    )


def attention_kernels(q, k, v):
    return (
        F.scaled_dot_product_attention(q, k, v),
        F.scaled_dot_product_attention(q, k, v, is_causal=True),
        F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(5, 5).tril().bool(), scale=0.5),
    )


def activations(x):
    return (
        F.gelu(x, approximate="tanh"),
        F.hardswish(x),
        F.mish(x),
        F.elu(x, 0.5),
        F.celu(x),
        F.selu(x),
        F.glu(x),
        F.softplus(x, 2),
        F.hardtanh(x, -2, 2),
        F.threshold(x, 0.1, 20),
        F.prelu(x, torch.tensor([0.25])),
        F.logsigmoid(x),
        F.softshrink(x),
        F.tanhshrink(x),
        F.normalize(x),
        F.cosine_similarity(x, x.flip(0)),
        F.pairwise_distance(x, x + 1),
        torch.cdist(x, x),
    )


def norms(x):
    return (
        F.layer_norm(x, (8, 8)),
        F.group_norm(x, 3),
        F.instance_norm(x),
        F.local_response_norm(x, 2),
        F.rms_norm(x, (8,)),
        F.batch_norm(x, torch.zeros(3), torch.ones(3)),
        F.batch_norm(x, torch.zeros(3), torch.ones(3), training=True),
    )


def samplings(x):
    grid = F.affine_grid(torch.tensor([[[1.0, 0, 0], [0, 1, 0]]]).expand(2, 2, 3), (2, 3, 4, 4), align_corners=False)
    return (
        F.grid_sample(x, grid, align_corners=False),
        F.interpolate(x, size=(5, 5), mode="bicubic"),
        F.pixel_shuffle(x.expand(2, 3, 8, 8).repeat(1, 4, 1, 1), 2),
        F.fold(F.unfold(x, 2, stride=2), (8, 8), 2, stride=2),
    )


def checkpointed(x, w):
    return checkpoint(lambda a, b: (a @ b).relu(), x, w, use_reentrant=False).sum()


def under_modes(x):
    with torch.no_grad():
        y = x * 2
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = y @ y.t()
    return z.float() + y.sum()


def nested_outputs(x):
    return {"a": [x + 1, (x * 2, {"b": x.sum()})], "c": x, "n": None, "k": 3}


def shared_views(x):
    y = x.clone()
    first, rest = y[0], y[1:]
    first.add_(1)
    rest[0].mul_(2)
    y.t()[1].zero_()
    y.unsqueeze_(0).squeeze_()
    return y, first, rest.sum()


def resized(x):
    out = torch.empty(3, 4)
    torch.add(x, 1, out=out)
    return out.copy_(x.t().contiguous().t()), torch.empty(0).resize_(2, 2).fill_(1.0)


def per_sample(x):
    weights = {"w": torch.ones(4)}
    return torch.vmap(torch.func.grad(lambda w, row: ((w["w"] * row).sum() - 1) ** 2), in_dims=(None, 0))(weights, x)


def second_order(x):
    return (
        torch.func.jvp(lambda z: z.sin().sum(), (x,), (torch.ones_like(x),)),
        torch.func.vjp(torch.tanh, x)[1](x),
        torch.func.jacfwd(lambda z: z**2)(x[0]),
    )


class Doubled(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0].sign()


def cases():
    traced, functional, aot, joint, with_parameters = (
        basic.traced,
        basic.functional,
        basic.aot,
        basic.joint,
        basic.with_parameters,
    )
    torch.manual_seed(1)
    x, other, tokens, rows = torch.randn(3, 4), torch.randn(3, 4), torch.randint(0, 10, (2, 5)), torch.tensor([0, 2])
    table, image, signal, even = torch.randn(10, 4), torch.randn(2, 3, 8, 8), torch.randn(2, 8), torch.randn(4, 6)
    heads = [torch.randn(1, 2, 5, 4) for _ in range(3)]
    core = core_aten_decompositions()
    found = {}
    for mode in ("real", "fake", "symbolic"):
        found |= {
            f"{name}_{mode}": traced(f, *inputs, tracing_mode=mode)
            for name, f, inputs in [
                ("embeddings", embeddings, (tokens, table)),
                ("more_losses", more_losses, (x, other)),
                (
                    ("selections", selections, (x, rows))
                    if mode == "real"
                    else ("gathers", lambda x, r: x.index_select(0, r), (x, rows))
                ),
                ("scatters", scatters, (x, rows)),
                ("kinds_of_constants", kinds_of_constants, (x,)),
                ("computed_constants", computed_constants, (x,)),
                ("norms", norms, (image,)),
                ("shared_views", shared_views, (x,)),
                ("nested_outputs", nested_outputs, (x,)),
                ("layouts", layouts, (image,)),
                ("dropped", dropped, (x,)),
                ("attention_kernels", attention_kernels, tuple(heads)),
                ("activations", activations, (even,)),
            ]
        }
    found |= {
        "ctc": traced(ctc, torch.randn(6, 2, 5)),
        "linear_algebra": traced(linear_algebra, x),
        "reductions": traced(reductions, x),
        "spectral": traced(spectral, signal),
        "all_windows": traced(all_windows, signal),
        "old_windows": traced(old_windows, signal),
        "all_windows_functionalized": functional(all_windows, signal),
        "sparse_results": traced(sparse_results, x),
        "sparse_products": traced(sparse_products, torch.randn(3, 3)),
        "written_constants": traced(written_constants, x),
        "written_constants_functionalized": functional(written_constants, x),
        "cache": traced(cache, x),
        "cache_functionalized": functional(cache, x),
        "symbolic_shapes": traced(symbolic_shapes, even, tracing_mode="symbolic"),
        "symbolic_numbers": traced(symbolic_numbers, even, tracing_mode="symbolic"),
        "symbolic_image": traced(symbolic_image, image, tracing_mode="symbolic"),
        "unbacked": traced(unbacked, x.abs(), tracing_mode="symbolic"),
        "samplings": traced(samplings, image),
        "resized": traced(resized, x),
        "per_sample": traced(per_sample, x),
        "second_order": traced(second_order, x),
        "under_modes": traced(under_modes, x),
        "under_modes_pre_dispatch": traced(under_modes, x, pre_dispatch=True),
        "autograd_function": traced(lambda x: torch.func.grad(lambda z: Doubled.apply(z).sum())(x), x),
        "shared_views_functionalized": functional(shared_views, x),
        "scatters_functionalized": functional(scatters, x, rows, mode="symbolic"),
        "core_activations": traced(activations, even, decomposition_table=core),
        "core_norms": traced(norms, image, decomposition_table=core),
        "core_attention": traced(attention_kernels, *heads, decomposition_table=core),
        "core_losses": traced(more_losses, x, other, decomposition_table=core),
        "core_selections": traced(selections, x, rows, decomposition_table=core),
        "core_embeddings_symbolic": traced(
            embeddings, tokens, table, decomposition_table=core, tracing_mode="symbolic"
        ),
        "aot_embeddings": aot(lambda t, w: F.embedding(t, w).sum(1) @ w.t(), tokens, table),
        "aot_losses": aot(lambda a, b: F.smooth_l1_loss(a, b) + F.huber_loss(a, b.exp()), x, other),
        "aot_norms": aot(lambda a: F.group_norm(F.layer_norm(a, (8, 8)), 3).relu(), image),
        "aot_core": aot(lambda a: F.softmax(F.gelu(a), -1).var(0), x, decompositions=core),
        "aot_views": aot(lambda a: a.view(2, 6).t().reshape(3, 4) * a, x),
        "aot_symbolic_image": aot(lambda a: F.avg_pool2d(a, 2).flatten(1).softmax(1), image, dynamic=True),
        "aot_checkpoint": aot(checkpointed, x, torch.randn(4, 4)),
        "aot_custom_function": aot(lambda a: Doubled.apply(a).sin(), x),
        "joint_norm": joint(lambda a: F.layer_norm(a, (4,)).tanh(), x),
        "joint_attention": joint(lambda q, k, v: (q @ k.transpose(-1, -2)).softmax(-1) @ v, *heads),
        "joint_dynamic_image": joint(lambda a: F.max_pool2d(a, 2).sum((2, 3)), image, dynamic=True),
        "joint_indexing": joint(lambda a: a[:, None, 1:].diagonal(0, 0, 2).roll(1, 0) * 2, x),
        "parameters_of_lstm": with_parameters(nn.LSTM(4, 5, batch_first=True), torch.randn(2, 3, 4)),
        "parameters_of_encoder": with_parameters(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), torch.randn(2, 5, 8)
        ),
        "parameters_of_encoder_symbolic": with_parameters(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).train(),
            torch.randn(2, 5, 8),
            tracing_mode="symbolic",
        ),
    }
    return {name: basic.seeded(build) for name, build in found.items()}
