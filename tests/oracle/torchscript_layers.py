#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes every layer of torch.nn, with inputs of every rank that it takes, and the functions whose kernel depends on the rank as .ts
with lancet, and compares torch.jit.load with the layer. A class of torch.nn without a case fails."""

import argparse
import copy
import inspect
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn

warnings.filterwarnings("ignore")
PER_FILE = 24  # cases written together; one by one where that fails
NO_LAYERS = {"Module", "Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Buffer", "Parameter",
             "UninitializedParameter", "UninitializedBuffer", "NLLLoss2d", "DataParallel", "SyncBatchNorm", "CrossMapLRN2d", "RNNBase", "RNNCellBase"}
# What TorchScript cannot express; lancet says so.
REFUSED = {"LinearCrossEntropyLoss", "AdaptiveLogSoftmaxWithLoss", "TripletMarginWithDistanceLoss", "EmbeddingBag max_norm", "Embedding max_norm"}
# Their numbers depend on the state of the generator, as those of PyTorch do.
RANDOM = {"FractionalMaxPool2d", "FractionalMaxPool3d"}


def image(rank, channels=4, size=8):
    """A tensor of this rank with channels before its spatial dimensions, the first of two rows if it has a batch."""
    return torch.randn([2, channels, size, size + 2, size + 1][:rank])


def spatial(rank, channels=4, size=8):
    return torch.randn([channels, size, size + 2, size + 1][: rank])


def layers():
    """(name, layer, inputs) of everything."""
    out = []

    def add(name, layer, *inputs):
        out.append((name, layer, inputs))

    for kind in "ReLU ReLU6 SELU SiLU Mish GELU Sigmoid Tanh Hardsigmoid Hardswish Hardtanh Softplus Softsign Softshrink Hardshrink Tanhshrink LogSigmoid ELU CELU LeakyReLU Identity RReLU Dropout AlphaDropout FeatureAlphaDropout Flatten".split():
        for rank in (2, 3, 4, 5) if kind in ("Flatten", "FeatureAlphaDropout") else (0, 1, 2, 4, 5):
            add(f"{kind} {rank}", getattr(nn, kind)(), image(rank))
    add("GELU tanh", nn.GELU("tanh"), image(2))
    add("Threshold", nn.Threshold(0.1, 20), image(3))
    for rank in (1, 2, 3, 4):
        add(f"Linear {rank}", nn.Linear(6, 3), torch.randn([2, 3, 4, 6][4 - rank:]))
        for kind in ("LayerNorm", "RMSNorm"):
            add(f"{kind} {rank}", getattr(nn, kind)(6), torch.randn([2, 3, 4, 6][4 - rank:]))
        for kind in ("Softmax", "LogSoftmax", "Softmin"):
            add(f"{kind} {rank}", getattr(nn, kind)(-1), torch.randn([2, 3, 4, 6][:rank]))
            add(f"{kind} no dim {rank}", getattr(nn, kind)(), torch.randn([2, 3, 4, 6][:rank]))
        add(f"GLU {rank}", nn.GLU(), torch.randn([2, 3, 4, 6][4 - rank:]))
    add("LayerNorm no affine", nn.LayerNorm((4, 6), elementwise_affine=False), torch.randn(3, 4, 6))
    add("LayerNorm no bias", nn.LayerNorm(6, bias=False), torch.randn(3, 4, 6))
    add("RMSNorm eps", nn.RMSNorm((4, 6), eps=1e-3, elementwise_affine=False), torch.randn(3, 4, 6))
    for rank in (2, 3, 4, 5):
        add(f"PReLU {rank}", nn.PReLU(4), image(rank))
        add(f"GroupNorm {rank}", nn.GroupNorm(2, 4), image(rank))
        if rank > 2:
            add(f"LocalResponseNorm {rank}", nn.LocalResponseNorm(3), image(rank))
    add("PReLU 1", nn.PReLU(), image(1))
    for rank in (3, 4):
        add(f"Softmax2d {rank}", nn.Softmax2d(), image(rank) if rank == 4 else spatial(rank))
        add(f"ChannelShuffle {rank}", nn.ChannelShuffle(2), image(rank))
        add(f"PixelShuffle {rank}", nn.PixelShuffle(2), image(rank) if rank == 4 else spatial(rank))
        add(f"PixelUnshuffle {rank}", nn.PixelUnshuffle(2), torch.randn([2, 4, 8, 6][4 - rank:]))
    for dims in (1, 2, 3):
        for batched in (True, False):
            x = image(dims + 2) if batched else spatial(dims + 1)
            tag = f"{dims + 1 + batched}"
            conv, turned = getattr(nn, f"Conv{dims}d"), getattr(nn, f"ConvTranspose{dims}d")
            add(f"Conv{dims}d {tag}", conv(4, 6, 3, 2, 1), x)
            add(f"Conv{dims}d groups {tag}", conv(4, 4, 3, padding="same", groups=2, bias=False), x)
            for mode in ("reflect", "replicate", "circular"):
                add(f"Conv{dims}d {mode} {tag}", conv(4, 6, 3, padding=1, padding_mode=mode), x)
            add(f"ConvTranspose{dims}d {tag}", turned(4, 6, 3, 2, 1, 1), x)
            for how in ("Max", "Avg"):
                pool = getattr(nn, f"{how}Pool{dims}d")
                add(f"{how}Pool{dims}d {tag}", pool(2), x)
                add(f"{how}Pool{dims}d wide {tag}", pool(3, 2, 1, ceil_mode=True), x)
            add(f"MaxPool{dims}d indices {tag}", getattr(nn, f"MaxPool{dims}d")(2, return_indices=True), x)
            add(f"MaxPool{dims}d dilated {tag}", getattr(nn, f"MaxPool{dims}d")(2, dilation=2), x)
            odd = torch.randn([2, 4, 9, 9, 9][: dims + 2][not batched:])
            pooled, indices = getattr(F, f"max_pool{dims}d")(odd, 3, return_indices=True)
            add(f"MaxUnpool{dims}d {tag}", getattr(nn, f"MaxUnpool{dims}d")(3), pooled, indices)
            pooled, indices = getattr(F, f"max_pool{dims}d")(odd, 3, 2, 1, return_indices=True)
            add(f"MaxUnpool{dims}d padded {tag}", getattr(nn, f"MaxUnpool{dims}d")(3, 2, 1), pooled, indices)
            add(f"LPPool{dims}d {tag}", getattr(nn, f"LPPool{dims}d")(2, 3), x)
            add(f"LPPool{dims}d stride {tag}", getattr(nn, f"LPPool{dims}d")(1.5, 3, 2, ceil_mode=True), x)
            add(f"LPPool{dims}d infinite {tag}", getattr(nn, f"LPPool{dims}d")(float("inf"), 3, 2), x)
            for how in ("Avg", "Max"):
                pool = getattr(nn, f"Adaptive{how}Pool{dims}d")
                add(f"Adaptive{how}Pool{dims}d {tag}", pool(3), x)
                if dims > 1:
                    add(f"Adaptive{how}Pool{dims}d none {tag}", pool((3, None, None)[:dims]), x)
                    add(f"Adaptive{how}Pool{dims}d all none {tag}", pool((None,) * dims), x)
            add(f"AdaptiveMaxPool{dims}d indices {tag}", getattr(nn, f"AdaptiveMaxPool{dims}d")(3, return_indices=True), x)
            if dims > 1:
                pool = getattr(nn, f"FractionalMaxPool{dims}d")
                add(f"FractionalMaxPool{dims}d {tag}", pool(2, output_size=3), x)
                add(f"FractionalMaxPool{dims}d ratio {tag}", pool(2, output_ratio=(0.5, 0.6, 0.7)[:dims], return_indices=True), x)
            for how in ("Reflection", "Replication", "Constant", "Zero", "Circular"):
                settings = (1, 0.5) if how == "Constant" else (1,)
                add(f"{how}Pad{dims}d {tag}", getattr(nn, f"{how}Pad{dims}d")(*settings), x)
            add(f"InstanceNorm{dims}d {tag}", getattr(nn, f"InstanceNorm{dims}d")(4), x)
            add(f"InstanceNorm{dims}d tracked {tag}", getattr(nn, f"InstanceNorm{dims}d")(4, affine=True, track_running_stats=True), x)
            add(f"Dropout{dims}d {tag}", getattr(nn, f"Dropout{dims}d")(0.3), x)
        for settings in ({}, {"affine": False}, {"track_running_stats": False}, {"momentum": None}):
            add(f"BatchNorm{dims}d {'_'.join(settings)}", getattr(nn, f"BatchNorm{dims}d")(4, **settings), image(dims + 2))
        x = image(dims + 2)
        upsampling = [({"scale_factor": 2}, mode) for mode in ("nearest", "nearest-exact", "area")]
        upsampling += [({"size": 11}, "nearest"), ({"size": (5, 6, 7)[:dims]}, "nearest"), ({"scale_factor": 1.5, "recompute_scale_factor": True}, "nearest"),
                       ({"scale_factor": (1.5, 2.0, 0.7)[:dims]}, "nearest-exact"), ({"size": 5}, "area")]
        for mode in {1: ("linear",), 2: ("bilinear", "bicubic"), 3: ("trilinear",)}[dims]:
            upsampling += [({"scale_factor": 2}, mode), ({"size": 5, "align_corners": True}, mode), ({"size": (5, 6, 7)[:dims]}, mode),
                           ({"scale_factor": 1.7, "recompute_scale_factor": True, "align_corners": False}, mode)]
        for settings, mode in upsampling:
            text = " ".join(f"{key}={value}" for key, value in settings.items())
            add(f"Upsample {mode} {text} {dims + 2}", nn.Upsample(mode=mode, **settings), x)
            add(f"interpolate {mode} {text} {dims + 2}", lambda g, x, mode=mode, settings=settings: g.call_function(F.interpolate, (x,), {"mode": mode, **settings}), x)
        for pool, settings in ((f"lp_pool{dims}d", (2.0, 3)), (f"adaptive_avg_pool{dims}d", ((3, None, 2)[:dims] if dims > 1 else 3,)), (f"adaptive_max_pool{dims}d", ((3, None, 2)[:dims] if dims > 1 else 3,))):
            add(f"{pool}", lambda g, x, pool=pool, settings=settings: g.call_function(getattr(F, pool), (x, *settings)), x)
        add(f"interpolate shape {dims + 2}", lambda g, x, y: g.call_function(F.interpolate, (x,), {"size": sizes(g, y)}), x, image(dims + 2, 1, 5))
    for size in ("bilinear", "bicubic"):
        add(f"interpolate {size} antialias", lambda g, x, mode=size: g.call_function(F.interpolate, (x,), {"mode": mode, "size": (5, 6), "antialias": True}), image(4))
    add("UpsamplingNearest2d", nn.UpsamplingNearest2d(scale_factor=2), image(4))
    add("UpsamplingBilinear2d", nn.UpsamplingBilinear2d(size=(5, 6)), image(4))
    add("BatchNorm1d 2", nn.BatchNorm1d(4), image(2))
    add("ZeroPad2d wide", nn.ZeroPad2d((1, 2, 0, 1)), image(4))
    add("Unflatten", nn.Unflatten(1, (2, 2)), image(3))
    add("Flatten some", nn.Flatten(0, 1), image(4))
    add("Fold 3", nn.Fold((4, 5), 2), torch.randn(2, 12, 12))
    add("Fold 2", nn.Fold((4, 5), 2), torch.randn(12, 12))
    add("Unfold 4", nn.Unfold(2, padding=1), image(4))
    add("Unfold 3", nn.Unfold(2), spatial(3))
    add("Bilinear", nn.Bilinear(3, 4, 5), torch.randn(2, 3), torch.randn(2, 4))
    add("Bilinear 3", nn.Bilinear(3, 4, 5, bias=False), torch.randn(2, 6, 3), torch.randn(2, 6, 4))
    for kind in ("CosineSimilarity", "PairwiseDistance"):
        for shape in ((4,), (3, 4), (2, 3, 4)) if kind == "PairwiseDistance" else ((3, 4), (2, 3, 4)):
            add(f"{kind} {len(shape)}", getattr(nn, kind)(), torch.randn(shape), torch.randn(shape))
    for shape in ((), (3,), (2, 3), (2, 3, 4)):
        add(f"Embedding {len(shape)}", nn.Embedding(9, 4, padding_idx=1), torch.randint(9, shape))
    add("Embedding max_norm", nn.Embedding(9, 4, max_norm=1.0), torch.randint(9, (3,)))
    for mode in ("sum", "mean", "max"):
        add(f"EmbeddingBag {mode} 2", nn.EmbeddingBag(9, 4, mode=mode), torch.randint(9, (2, 3)))
        add(f"EmbeddingBag {mode} 1", nn.EmbeddingBag(9, 4, mode=mode, padding_idx=2), torch.randint(9, (6,)), torch.tensor([0, 2, 5]))
    add("EmbeddingBag max_norm", nn.EmbeddingBag(9, 4, max_norm=1.0), torch.randint(9, (2, 3)))
    for kind in ("RNN", "LSTM", "GRU"):
        for shape in ((3, 2, 6), (3, 6)):
            add(f"{kind} {len(shape)}", getattr(nn, kind)(6, 5, 2, bidirectional=True), torch.randn(shape))
            state = torch.randn((4, *shape[1:-1], 5))
            if kind == "LSTM":
                add(f"{kind} state {len(shape)}", lambda g, x, h, c, m=nn.LSTM(6, 5, 2, bidirectional=True): g.call_module(held(g, m), (x, (h, c))), torch.randn(shape), state, state)
            else:
                add(f"{kind} state {len(shape)}", getattr(nn, kind)(6, 5, 2, bidirectional=True), torch.randn(shape), state)
        for shape in ((2, 6), (6,)):
            cell = getattr(nn, kind + "Cell")(6, 5)
            state = torch.randn((*shape[:-1], 5))
            add(f"{kind}Cell {len(shape)}", cell, torch.randn(shape))
            if kind == "LSTM":
                add(f"{kind}Cell state {len(shape)}", lambda g, x, h, c, m=cell: g.call_module(held(g, m), (x, (h, c))), torch.randn(shape), state, state)
            else:
                add(f"{kind}Cell state {len(shape)}", cell, torch.randn(shape), state)
    add("RNN relu", nn.RNN(6, 5, nonlinearity="relu", batch_first=True), torch.randn(2, 3, 6))
    add("LSTM proj", nn.LSTM(6, 5, proj_size=2, batch_first=True), torch.randn(2, 3, 6))
    for shape in ((2, 5, 16), (5, 16)):
        y = torch.randn(shape)
        add(f"MultiheadAttention {len(shape)}", nn.MultiheadAttention(16, 4), y, y, y)
        add(f"TransformerEncoderLayer {len(shape)}", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), y)
        add(f"TransformerDecoderLayer {len(shape)}", nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), y, y)
    y = torch.randn(2, 5, 16)
    add("TransformerEncoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2, enable_nested_tensor=False), y)
    add("TransformerDecoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), 2), y, y)
    add("Transformer", nn.Transformer(16, 4, 1, 1, 32, batch_first=True), y, y)
    add("AdaptiveLogSoftmaxWithLoss", nn.AdaptiveLogSoftmaxWithLoss(6, 9, [3, 5]), torch.randn(4, 6), torch.randint(9, (4,)))
    add("LinearCrossEntropyLoss", nn.LinearCrossEntropyLoss(6, 9), torch.randn(4, 6), torch.randint(9, (4,)))
    losses(add)
    return out


def losses(add):
    x, y, z = torch.rand(3, 4) * 0.8 + 0.1, torch.rand(3, 4) * 0.8 + 0.1, torch.rand(3, 4)
    classes, sign = torch.randint(4, (3,)), torch.tensor([1, -1, 1])
    for how in ("none", "mean", "sum"):
        for kind in "L1Loss MSELoss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss PoissonNLLLoss SoftMarginLoss MultiLabelSoftMarginLoss".split():
            add(f"{kind} {how}", getattr(nn, kind)(reduction=how), x, y)
            if kind not in ("MultiLabelSoftMarginLoss",):
                add(f"{kind} {how} 1", getattr(nn, kind)(reduction=how), x[0], y[0])
        add(f"HingeEmbeddingLoss {how}", nn.HingeEmbeddingLoss(reduction=how), x, torch.ones(3, 4) * -1)
        add(f"CrossEntropyLoss {how}", nn.CrossEntropyLoss(reduction=how, label_smoothing=0.1), x, classes)
        add(f"CrossEntropyLoss {how} 1", nn.CrossEntropyLoss(reduction=how), x[0], classes[0])
        add(f"CrossEntropyLoss {how} 4", nn.CrossEntropyLoss(reduction=how, weight=torch.rand(4)), image(4), torch.randint(4, (2, 8, 10)))
        add(f"CrossEntropyLoss {how} soft", nn.CrossEntropyLoss(reduction=how), x, y.softmax(-1))
        add(f"NLLLoss {how}", nn.NLLLoss(reduction=how), x.log(), classes)
        add(f"NLLLoss {how} 4", nn.NLLLoss(reduction=how), image(4), torch.randint(4, (2, 8, 10)))
        add(f"GaussianNLLLoss {how}", nn.GaussianNLLLoss(reduction=how), x, y, z + 0.1)
        add(f"GaussianNLLLoss full {how}", nn.GaussianNLLLoss(full=True, reduction=how), x, y, z[:, :1] + 0.1)
        add(f"MarginRankingLoss {how}", nn.MarginRankingLoss(0.2, reduction=how), x[:, 0], y[:, 0], sign)
        add(f"CosineEmbeddingLoss {how}", nn.CosineEmbeddingLoss(0.1, reduction=how), x, y, sign)
        add(f"TripletMarginLoss {how}", nn.TripletMarginLoss(swap=True, reduction=how), x, y, z)
        add(f"TripletMarginWithDistanceLoss {how}", nn.TripletMarginWithDistanceLoss(reduction=how), x, y, z)
        add(f"MultiMarginLoss {how}", nn.MultiMarginLoss(reduction=how), x, classes)
        add(f"MultiLabelMarginLoss {how}", nn.MultiLabelMarginLoss(reduction=how), x, torch.tensor([[3, 0, -1, 1]] * 3))
        add(f"CTCLoss {how}", nn.CTCLoss(reduction=how), torch.randn(6, 2, 5).log_softmax(2), torch.randint(1, 5, (2, 3)), torch.tensor([6, 5]), torch.tensor([3, 2]))
    for how in ("none", "mean", "sum", "batchmean"):
        add(f"KLDivLoss {how}", nn.KLDivLoss(reduction=how), x.log(), y)
        add(f"KLDivLoss log {how}", nn.KLDivLoss(reduction=how, log_target=True), x.log(), y.log())
    add("BCELoss weight", nn.BCELoss(weight=z), x, y)
    add("BCEWithLogitsLoss weight", nn.BCEWithLogitsLoss(weight=z, pos_weight=z[0]), x, y)


def held(graph, module):
    name = f"m{len(graph.held)}"
    graph.held[name] = module
    return name


def sizes(graph, y):
    shape = graph.call_function(getattr, (y, "shape"))
    return graph.call_function(__import__("operator").getitem, (shape, slice(2, None, None)))


def model_of(cases):
    graph = fx.Graph()
    graph.held, outputs = {}, []
    places = [[graph.placeholder(f"x{i}_{j}") for j in range(len(inputs))] for i, (name, layer, inputs) in enumerate(cases)]
    for (name, layer, inputs), given in zip(cases, places):
        outputs.append(graph.call_module(held(graph, layer), tuple(given)) if isinstance(layer, nn.Module) else layer(graph, *given))
    graph.output(tuple(outputs))
    return fx.GraphModule(graph.held, graph).eval()


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, (tuple, list)) else [value]


def written(lancet, model, inputs, folder):
    """The script that lancet writes, or what it says."""
    torch.save(model, folder / "model.pt")
    done = subprocess.run([lancet, "convert", folder / "model.pt", "-o", folder / "model.ts"], capture_output=True, text=True, timeout=300)
    return torch.jit.load(folder / "model.ts") if done.returncode == 0 else done.stderr.strip()


def differs(case, got, expected):
    got, expected = flat(got), flat(expected)
    if len(got) != len(expected):
        return f"{len(got)} results instead of {len(expected)}"
    for a, b in zip(got, expected):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype} {tuple(a.shape)} instead of {b.dtype} {tuple(b.shape)}"
        if case[0].split()[0] not in RANDOM and not torch.allclose(a, b, 1e-4, 1e-5, equal_nan=True):
            return f"differs by {(a.double() - b.double()).abs().max():.3g}"
    return ""


def compare(lancet, cases, folder):
    """Name and reason of each case that differs."""
    model, inputs = model_of(copy.deepcopy(cases)), [x for case in cases for x in case[2]]
    script = written(lancet, model, inputs, folder)
    try:
        with torch.no_grad():
            expected = model(*inputs)
    except Exception as error:
        return [(cases[0][0], f"the case is wrong: {error}")] if len(cases) == 1 else halves(lancet, cases, folder)
    if isinstance(script, str):
        if len(cases) > 1:
            return halves(lancet, cases, folder)
        name = cases[0][0]
        known = name in REFUSED or name.split()[0] in REFUSED
        return [] if known and "cannot" in script else [(name, script[:400])]
    try:
        with torch.no_grad():
            got = script(*inputs)
    except Exception as error:
        return [(cases[0][0], f"{str(error).strip().splitlines()[-1][:300]}")] if len(cases) == 1 else halves(lancet, cases, folder)
    reasons = [(case[0], differs(case, a, b)) for case, a, b in zip(cases, got, expected)]
    reasons += [(case[0], "is written, though it is listed as refused") for case in cases if case[0] in REFUSED or case[0].split()[0] in REFUSED]
    return [(name, reason) for name, reason in reasons if reason]


def halves(lancet, cases, folder):
    middle = len(cases) // 2
    return compare(lancet, cases[:middle], folder) + compare(lancet, cases[middle:], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth case")
    options = parser.parse_args()
    torch.manual_seed(0)
    everything = layers()
    seen = {name.split()[0] for name, layer, inputs in everything}
    classes = {name for name in dir(nn) if inspect.isclass(getattr(nn, name)) and issubclass(getattr(nn, name), nn.Module)}
    missing = sorted(name for name in classes - seen - NO_LAYERS if not name.startswith("Lazy"))
    cases = [case for case in everything if options.only in case[0]][:: options.every]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(cases), PER_FILE):
            wrong += compare(options.lancet, cases[start : start + PER_FILE], pathlib.Path(folder))
    for name, reason in wrong:
        print(f"{name}: {reason}", flush=True)
    if missing:
        print(f"no case for {', '.join(missing)}")
    print(f"{len(cases) - len(wrong)} of {len(cases)} layers give the same as TorchScript")
    return 1 if wrong or missing or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
