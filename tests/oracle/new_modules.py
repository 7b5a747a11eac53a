# SPDX-License-Identifier: GPL-3.0-or-later
"""New modules of torch.nn, made by `lancet edit` with the step add_module, beside PyTorch's own after torch.manual_seed.

    new_modules.py --lancet BIN [--only NAME] [-v]

For every class that torch.nn exports: constructor arguments from PyTorch's module_db and from the list below; the file that Lancet
writes is loaded, and attributes, modules and every bit of the weights are compared. What is refused has to be in REFUSED, with a
part of its reason. Observers and FakeQuantize of torch.ao likewise, also as a pattern and a pass in Python insert them.
Exit 1: a difference.
"""

import argparse
import inspect
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.ao.quantization as ao
from torch import fx, nn
from torch.testing._internal.common_modules import module_db

warnings.simplefilter("ignore")

LAYER = {"type": "torch.nn.TransformerEncoderLayer", "settings": {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "batch_first": True}}
DECODER = {"type": "torch.nn.TransformerDecoderLayer", "settings": {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "activation": "gelu"}}
NORM = {"type": "torch.nn.LayerNorm", "settings": {"normalized_shape": 8}}
# What module_db does not have, or not in this form.
MORE = {
    "AdaptiveLogSoftmaxWithLoss": [{"in_features": 16, "n_classes": 20, "cutoffs": [5, 10]}, {"in_features": 9, "n_classes": 9, "cutoffs": [2], "div_value": 2.0, "head_bias": True}],
    "AlphaDropout": [{}], "ChannelShuffle": [{"groups": 2}], "CosineSimilarity": [{"dim": 0}], "CrossMapLRN2d": [{"size": 3}],
    "Dropout": [{}, {"p": 0.1, "inplace": True}], "Dropout1d": [{}], "Dropout2d": [{}], "Dropout3d": [{}], "FeatureAlphaDropout": [{}],
    "Bilinear": [{"in1_features": 2, "in2_features": 3, "out_features": 4, "bias": False}],
    "Conv2d": [{"in_channels": 3, "out_channels": 4, "kernel_size": [3, 5], "padding": "same", "padding_mode": "reflect"}],
    "ConvTranspose1d": [{"in_channels": 2, "out_channels": 4, "kernel_size": 3, "output_padding": 1, "stride": 2}],
    "ConvTranspose3d": [{"in_channels": 2, "out_channels": 4, "kernel_size": 2, "groups": 2, "bias": False}],
    "Embedding": [{"num_embeddings": 7, "embedding_dim": 3, "padding_idx": -1}, {"num_embeddings": 7, "embedding_dim": 4, "_freeze": True, "padding_idx": 2}],
    "EmbeddingBag": [{"num_embeddings": 7, "embedding_dim": 5}, {"num_embeddings": 7, "embedding_dim": 2, "mode": "sum", "padding_idx": 1, "include_last_offset": True}],
    "Flatten": [{}], "Fold": [{"output_size": [4, 5], "kernel_size": [2, 2]}], "Hardsigmoid": [{}], "Identity": [{}],
    "FractionalMaxPool2d": [{"kernel_size": 2, "output_ratio": 0.5}], "FractionalMaxPool3d": [{"kernel_size": 2, "output_size": 3}],
    "GroupNorm": [{"num_groups": 2, "num_channels": 4, "bias": False}], "BatchNorm1d": [{"num_features": 4, "bias": False}],
    "LayerNorm": [{"normalized_shape": [2, 3], "bias": False}],
    "GRU": [{"input_size": 3, "hidden_size": 5, "num_layers": 2, "bidirectional": True, "dropout": 0.5}],
    "LSTM": [{"input_size": 3, "hidden_size": 5, "num_layers": 2, "bidirectional": True, "proj_size": 2}, {"input_size": 4, "hidden_size": 4}],
    "RNN": [{"input_size": 3, "hidden_size": 5, "nonlinearity": "relu"}, {"input_size": 3, "hidden_size": 5, "bias": False}],
    "MaxUnpool1d": [{"kernel_size": 2}], "MaxUnpool2d": [{"kernel_size": [2, 3], "stride": 2}], "MaxUnpool3d": [{"kernel_size": 2, "padding": 1}],
    "ModuleDict": [{}], "ModuleList": [{}], "Sequential": [{}], "PairwiseDistance": [{}, {"p": 1.0, "keepdim": True}],
    "PixelShuffle": [{"upscale_factor": 2}], "PixelUnshuffle": [{"downscale_factor": 2}], "PReLU": [{"num_parameters": 3, "init": 1}], "RReLU": [{}],
    "SyncBatchNorm": [{"num_features": 4}], "TripletMarginLoss": [{}], "TripletMarginWithDistanceLoss": [{}, {"margin": 2.0, "swap": True}],
    "Unflatten": [{"dim": 1, "unflattened_size": (2, 3)}], "Unfold": [{"kernel_size": 3}],
    "Upsample": [{"scale_factor": 2}, {"size": 8, "mode": "bilinear", "align_corners": False}, {"scale_factor": (2, 3)}],
    "UpsamplingBilinear2d": [{"scale_factor": 2}], "UpsamplingNearest2d": [{"size": 8}],
    "MultiheadAttention": [{"embed_dim": 8, "num_heads": 2}, {"embed_dim": 8, "num_heads": 2, "kdim": 4, "vdim": 5, "bias": False, "add_bias_kv": True}],
    "TransformerEncoderLayer": [{"d_model": 8, "nhead": 2, "dim_feedforward": 16, "activation": "gelu", "norm_first": True},
                                {"d_model": 8, "nhead": 2, "activation": {"type": "torch.nn.GELU"}}],
    "TransformerDecoderLayer": [{"d_model": 8, "nhead": 2, "dim_feedforward": 16, "bias": False}],
    "TransformerEncoder": [{"encoder_layer": LAYER, "num_layers": 2}, {"encoder_layer": LAYER, "num_layers": 1, "norm": NORM, "enable_nested_tensor": False}],
    "TransformerDecoder": [{"decoder_layer": DECODER, "num_layers": 2, "norm": NORM}],
    "Transformer": [{"d_model": 8, "nhead": 2, "num_encoder_layers": 2, "num_decoder_layers": 1, "dim_feedforward": 12},
                    {"d_model": 8, "nhead": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "activation": "gelu", "bias": False}],
}
BASE = "base class or a wrapper"
REFUSED = {"Module": BASE, "Container": BASE, "RNNBase": BASE, "RNNCellBase": BASE, "DataParallel": "", "NLLLoss2d": BASE, "ParameterDict": "", "ParameterList": "", "Lazy": "no weights before"}


A8 = {"observer": ao.MovingAverageMinMaxObserver, "quant_min": 0, "quant_max": 255}
OBSERVERS = [(ao.MinMaxObserver, {}), (ao.MinMaxObserver, {"dtype": torch.qint8, "qscheme": torch.per_tensor_symmetric, "reduce_range": True}),
             (ao.MovingAverageMinMaxObserver, {"averaging_constant": 0.5, "quant_min": -8, "quant_max": 7, "dtype": torch.qint8}),
             (ao.PerChannelMinMaxObserver, {"ch_axis": 1}), (ao.MovingAveragePerChannelMinMaxObserver, {"dtype": torch.qint8, "qscheme": torch.per_channel_symmetric}),
             (ao.HistogramObserver, {"bins": 64, "reduce_range": True}), (ao.PlaceholderObserver, {"dtype": torch.float16}), (ao.NoopObserver, {"dtype": torch.float16}),
             (ao.RecordingObserver, {}), (ao.FixedQParamsObserver, {"scale": 0.5, "zero_point": 3}), (ao.FakeQuantize, {}), (ao.FakeQuantize, A8),
             (ao.FakeQuantize, {"observer": ao.MovingAveragePerChannelMinMaxObserver, "quant_min": -128, "quant_max": 127, "dtype": torch.qint8, "qscheme": torch.per_channel_symmetric, "ch_axis": 0}),
             (ao.FusedMovingAvgObsFakeQuantize, {**A8, "dtype": torch.quint8, "qscheme": torch.per_tensor_affine, "reduce_range": True}), (ao.FusedMovingAvgObsFakeQuantize, {})]


class Relu(nn.Module):
    def forward(self, input):
        return torch.relu(input)


class NotWritable(Exception):
    pass


def to_json(value):
    if isinstance(value, dict):
        return {key: to_json(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return {"tuple": [to_json(each) for each in value]}
    if isinstance(value, list):
        return [to_json(each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise NotWritable(repr(value))


def constant(value):
    """A setting of an observer in a step."""
    return {"dtype": str(value)} if isinstance(value, torch.dtype) else {"qscheme": str(value)} if isinstance(value, torch.qscheme) \
        else f"{value.__module__}.{value.__name__}" if isinstance(value, type) else value


def observer_text(cls, settings, by_args):
    """The constructor call in Python."""
    given = ", ".join(f"{name}={value.__name__ if isinstance(value, type) else value}" for name, value in settings.items())
    return f"{cls.__name__}.with_args({given})()" if by_args else f"{cls.__name__}({given})"


def observer_failures(lancet, folder, model):
    """Inserted by a step, a replacement and a pass: the module that the constructor makes, called at that place."""
    head = f"import torch\nfrom torch.ao.quantization import {', '.join(sorted({cls.__name__ for cls, _ in OBSERVERS}))}\n"
    for place, (cls, settings) in enumerate(OBSERVERS):
        step = {"step": "insert_after", "node": "input_1", "op": "call_module", "target": "observed", "args": [{"node": "input_1"}], "rewire_users": True,
                "module": {"type": f"torch.ao.quantization.{cls.__name__}", "settings": {name: constant(value) for name, value in settings.items()}}}
        text = observer_text(cls, settings, place % 2)
        (folder / "pattern.py").write_text(head + f"def pattern(x):\n    return torch.relu(x)\n\ndef replacement(x):\n    return {text}(torch.relu(x))\n")
        (folder / "passes.py").write_text(head + f"def observe(gm):\n    node = list(gm.graph.nodes)[0]\n    gm.add_submodule('observed', {text})\n    with gm.graph.inserting_after(node):\n"
                                          "        new = gm.graph.call_module('observed', (node,))\n    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)\n"
                                          "    gm.recompile()\n    return gm\n")
        for way, words in (("step", ["edit", model, "--step", json.dumps(step)]), ("pattern", ["replace", model, "--pattern", folder / "pattern.py"]),
                           ("pass", ["pass", model, "--file", folder / "passes.py"])):
            out = folder / f"observed_{way}.pt"
            done = subprocess.run([lancet, *map(str, words), "-o", out], capture_output=True, text=True)
            if done.returncode:
                yield f"{text} by a {way}: {done.stderr}"
                continue
            loaded = torch.load(out, weights_only=False)
            made = [(node, loaded.get_submodule(node.target)) for node in loaded.graph.nodes if node.op == "call_module"]
            found = difference(made[-1][1] if way == "pattern" else made[0][1], cls(**settings)) if made else "no call"
            if found:
                yield f"{text} by a {way}: {found}"


def to_python(value):
    """Settings as the constructor takes them: modules are made where they stand."""
    if isinstance(value, dict) and "type" in value:
        cls = getattr(nn, value["type"].removeprefix("torch.nn."))
        return cls(**{key: to_python(each) for key, each in value.get("settings", {}).items()})
    return value


def cases():
    """Class names with settings by name."""
    seen = set()
    for info in module_db:
        cls = info.module_cls
        if getattr(nn, cls.__name__, None) is not cls:
            continue
        names = list(inspect.signature(cls.__init__).parameters)[1:]
        for given in info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=True):
            constructor = given.constructor_input
            settings = dict(zip(names, constructor.args)) if not issubclass(cls, nn.RNNBase) else {}
            settings.update({key: value for key, value in constructor.kwargs.items() if key not in ("device", "dtype")})
            if (key := repr((cls, settings))) not in seen:
                seen.add(key)
                yield cls.__name__, settings
    for name, several in MORE.items():
        for settings in several:
            yield name, settings


def state_of(module):
    """What an instance holds beside its tensors and modules."""
    common = set(vars(nn.Module())) | {"_flat_weights", "_flat_weight_refs"}
    return {key: value for key, value in vars(module).items() if key not in common}


def difference(ours, theirs):
    if type(ours) is not type(theirs):
        return f"{type(ours)} for {type(theirs)}"
    if list(state_of(ours)) != list(state_of(theirs)):
        return f"attributes {list(state_of(ours))} for {list(state_of(theirs))}"
    for key, value in state_of(theirs).items():
        if repr(state_of(ours)[key]) != repr(value) or type(state_of(ours)[key]) is not type(value):
            return f"{key}: {state_of(ours)[key]!r} for {value!r}"
    for kind in ("_parameters", "_buffers"):
        mine, wanted = getattr(ours, kind), getattr(theirs, kind)
        if list(mine) != list(wanted):
            return f"{kind} {list(mine)} for {list(wanted)}"
        for name, tensor in wanted.items():
            if (mine[name] is None) != (tensor is None):
                return f"{name} is {mine[name]}"
            if tensor is not None and (tensor.dtype != mine[name].dtype or not torch.equal(tensor, mine[name]) or tensor.requires_grad != mine[name].requires_grad):
                return f"the bits of {name} {tuple(tensor.shape)}"
    if list(ours._modules) != list(theirs._modules):
        return f"modules {list(ours._modules)} for {list(theirs._modules)}"
    for name, child in theirs._modules.items():
        if found := difference(ours._modules[name], child):
            return f"{name}: {found}"
    if hasattr(ours, "_flat_weights") and any(a is not b for a, b in zip(ours._flat_weights, ours.parameters(), strict=True)):
        return "_flat_weights are not the parameters"
    return None


def check(lancet, folder, model, name, settings, seed):
    """'made', 'refused: …' or 'DIFFERS: …'"""
    module = {"type": f"torch.nn.{name}", "settings": to_json(settings), "seed": seed}
    out = folder / "out.pt"
    done = subprocess.run([lancet, "edit", model, "--step", json.dumps({"step": "add_module", "path": "fresh", "module": module}), "-o", out], capture_output=True, text=True)
    if done.returncode == 4:
        return "refused: " + done.stderr.splitlines()[0]
    if done.returncode:
        return f"DIFFERS: exit {done.returncode}: {done.stderr}"
    torch.manual_seed(seed)
    theirs = getattr(nn, name)(**{key: to_python(value) for key, value in settings.items()})
    found = difference(torch.load(out, weights_only=False).get_submodule("fresh"), theirs)
    return f"DIFFERS: {found}" if found else "made"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    lancet, results = str(pathlib.Path(options.lancet).resolve()), {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "model.pt"
        torch.save(fx.symbolic_trace(nn.ReLU()), model)
        for cls, settings in cases():
            if options.only and cls != options.only:
                continue
            try:
                text = check(lancet, folder, model, cls, settings, 5)
            except NotWritable:
                continue  # tensors and functions as settings
            results.setdefault(cls, []).append(text)
            if options.v or text.startswith("DIFFERS"):
                print(cls, settings, text, flush=True)
        exported = sorted(n for n, c in vars(nn).items() if inspect.isclass(c) and issubclass(c, nn.Module))
        for cls in exported:
            if cls not in results and (not options.only or options.only == cls):
                done = subprocess.run([lancet, "edit", model, "--step", json.dumps({"step": "add_module", "path": "fresh", "module": {"type": f"torch.nn.{cls}"}}), "-o", folder / "out.pt"], capture_output=True, text=True)
                results[cls] = ["refused: " + done.stderr.splitlines()[0] if done.returncode == 4 else f"DIFFERS: exit {done.returncode}, and no settings to compare"]
        if options.only:
            failures = []
        else:
            plain = folder / "plain.pt"
            torch.save(fx.symbolic_trace(Relu()), plain)
            failures = list(observer_failures(lancet, folder, plain))
    for cls, texts in sorted(results.items()):
        allowed = next((reason for start, reason in REFUSED.items() if cls == start or (start == "Lazy" and cls.startswith("Lazy"))), None)
        for text in texts:
            if text.startswith("DIFFERS") or (text.startswith("refused") and (allowed is None or (allowed not in text))):
                failures.append(f"{cls}: {text}")
    made = [cls for cls, texts in results.items() if "made" in texts]
    print(*failures, sep="\n")
    print(f"{sum(map(len, results.values()))} modules of {len(results)} classes compared: {len(made)} classes are made bit for bit, {len(results) - len(made)} are not, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
