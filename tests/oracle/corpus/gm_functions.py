# SPDX-License-Identifier: GPL-3.0-or-later
"""Every function of PyTorch that can be traced, called in several forms: loading re-traces the calls into other forms."""

import functools
import inspect
import io
import types

import torch
import torch.nn.functional as F
from torch.overrides import get_testing_overrides

from corpus.support import graph_module

PER_FILE = 25
REQUIRED, EVERYTHING, KEYWORDS = "required", "everything", "keywords"


def parameters(function, stand_in):
    """Parameters of the real function where Python knows them, else those of PyTorch's stand-in."""
    for candidate in (function, stand_in):
        try:
            found = inspect.signature(candidate).parameters.values()
        except (TypeError, ValueError):
            continue
        plain = [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if plain:
            return plain
    return []


def arguments(graph, x, given, form):
    """Traced values for what has no default; defaults as they are, or left out."""
    args, kwargs = [], {}
    for parameter in given:
        needed = parameter.default is parameter.empty
        if form == REQUIRED and not needed:
            continue
        value = graph.call_method(parameter.name, (x,)) if needed else parameter.default
        by_name = parameter.kind == parameter.KEYWORD_ONLY or (form == KEYWORDS and parameter.kind !=
                                                                parameter.POSITIONAL_ONLY)
        if by_name:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return tuple(args), kwargs


def build(calls):
    return graph_of([call for call in calls if loads(call)])


def graph_of(calls):
    def fill(graph):
        x, results = graph.placeholder("x"), []
        for function, given, form in calls:
            args, kwargs = arguments(graph, x, given, form)
            results.append(graph.call_function(function, args, kwargs))
        graph.output(tuple(results))

    return graph_module(fill)


def loads(call):
    try:
        file = io.BytesIO()
        torch.save(graph_of([call]), file)
        file.seek(0)
        text = str(torch.load(file, weights_only=False).graph)
        return "0x" not in text and "_tensor_constant" not in text
    except Exception:  # functions that cannot be traced are no part of this topic
        return False


def functions():
    """(name, function, parameters) sorted by name, without methods and private ones."""
    found = {}
    for function, stand_in in get_testing_overrides().items():
        module = getattr(function, "__module__", None) or ""
        if isinstance(function, (types.FunctionType, types.BuiltinFunctionType)) and not module.startswith(
                ("torch._tensor", "torch.Tensor")):
            found.setdefault(f"{module}.{function.__name__}", (function, parameters(function, stand_in)))
    for name, function in vars(F).items():
        if isinstance(function, (types.FunctionType, types.BuiltinFunctionType)) and not name.startswith("_"):
            found.setdefault(f"F.{name}", (function, parameters(function, None)))
    return [(name, *found[name]) for name in sorted(found)]


def items():
    made = {}
    for form in (REQUIRED, EVERYTHING, KEYWORDS):
        calls = [(function, given, form) for _, function, given in functions()]
        for i in range(0, len(calls), PER_FILE):
            made[f"functions_{form}_{i // PER_FILE:02}"] = functools.partial(build, calls[i:i + PER_FILE])
    made["dispatched"] = lambda: torch.fx.symbolic_trace(dispatched)
    made["positional"] = lambda: graph_module(positional)
    for function in (torch.meshgrid, torch.einsum, torch.atleast_1d, torch.atleast_3d, torch.block_diag, torch.broadcast_tensors, torch.sym_sum):
        made[f"listed_{function.__name__}"] = lambda function=function: graph_module(functools.partial(listed, function))
    return made


def dispatched(x, w, b, flag):
    """Functions that PyTorch replaces by others or by methods while tracing."""
    return (F.max_pool2d(x, 2), F.max_pool2d(x, 2, return_indices=True), F.max_pool1d(x, 3, stride=2, ceil_mode=True),
            F.adaptive_max_pool2d(x, 1), F.adaptive_avg_pool2d(x, (1, 1)), F.fractional_max_pool2d(x, 2, output_ratio=0.5),
            F.sigmoid(x), F.tanh(x), F.relu(x, inplace=True), F.softmax(x, dim=-1), F.log_softmax(x, 1),
            F.gelu(x, approximate="tanh"), F.conv2d(x, w, b, padding="same"), F.linear(x, w), F.pad(x, (1, 1, 2, 2)),
            F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False), F.normalize(x), F.one_hot(x, 5),
            F.embedding(x, w), F.embedding_bag(x, w, mode="sum"), F.cross_entropy(x, b, label_smoothing=0.1),
            F.layer_norm(x, (3,), w, b), F.batch_norm(x, w, b, training=True), F.group_norm(x, 2),
            F.scaled_dot_product_attention(x, w, b, is_causal=True), F.dropout(x, 0.1, training=flag), F.glu(x),
            torch.split(x, 2), torch.split(x, [1, 2], dim=1), torch.einsum("ij,jk->ik", x, w), torch.norm(x),
            torch.stft(x, 16), torch.meshgrid(x, w), torch.meshgrid([x, w], indexing="ij"), torch.chunk(x, 2, 1),
            torch.cartesian_prod(x, w), torch.cdist(x, w), torch.tensordot(x, w, 2), torch.unique(x), torch.lu(x),
            torch.broadcast_tensors(x, w), torch.atleast_2d(x), torch.block_diag(x, w), torch.chain_matmul(x, w),
            torch.einsum("i,i", [x, w]), torch.stack([x, w]), torch.cat((x, w), dim=1), torch.where(x > 0, x, w),
            torch.zeros((x.size(0), 3)), torch.arange(x.shape[0], device=x.device), torch.ones_like(x),
            torch.full((2, x.size(1)), 1.5), torch.empty(2, device=x.device), torch.rand_like(x, dtype=torch.float64))


def listed(function, graph):
    """Functions of *tensors that are given one list; some then record another function, some cannot be loaded."""
    x, w = graph.placeholder("x"), graph.placeholder("w")
    before = ("i,i",) if function is torch.einsum else ()
    graph.output(graph.call_function(function, (*before, [x, w]), {"indexing": "xy"} if function is torch.meshgrid else {}))


def positional(graph):
    """Python functions of torch.nn.functional with other spellings of the same call."""
    x, w = graph.placeholder("x"), graph.placeholder("w")
    calls = [(F.relu, (x, True), {}), (F.relu, (), {"input": x}), (F.dropout, (x, 0.3, False), {}),
             (F.softmax, (x, 1, 3, torch.float32), {}), (F.max_pool2d, (x, 2, 2, 1, 1, True, False), {}),
             (F.max_pool2d, (x,), {"kernel_size": 2, "return_indices": True}), (F.avg_pool2d, (x, 2), {"stride": 1}),
             (F.batch_norm, (x, None, None), {"training": True}), (F.interpolate, (x, (4, 4)), {}),
             (F.hardtanh, (x, -2.0), {"max_val": 2.0}), (F.leaky_relu_, (x,), {}), (F.elu, (x, 1.0, False), {}),
             (F.layer_norm, (x, [3]), {"eps": 1e-6}), (F.embedding, (x, w), {"padding_idx": 0}),
             (F.normalize, (x, 2.0), {"dim": -1}), (F.mse_loss, (x, w), {"reduction": "sum"}),
             (F.multi_margin_loss, (x, w), {}), (F.unfold, (x, [2, 2]), {}), (F.logsigmoid, (x,), {}),
             (F.instance_norm, (x,), {}), (F.lp_pool2d, (x, 2, 3), {}), (F.gumbel_softmax, (x,), {"hard": True}),
             (F.upsample, (x, 2), {}), (F.silu, (x,), {}), (F.softplus, (x,), {}), (F.pad, (x, [1, 1], "reflect"), {})]
    graph.output([graph.call_function(function, args, kwargs) for function, args, kwargs in calls])
