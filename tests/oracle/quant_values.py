# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs observers, FakeQuantize and quantised modules in lancet-worker and in torch.ao: equal, bit for bit?

    quant_values.py --lancet BIN --worker BIN [--only TEXT] [--every N] [--verbose]

Six parts: models that torch.ao converted and saved, operators of quantized_decomposed, calibration and errors of
layers, observers (state after each series of batches, `calculate_qparams`), and models that lancet quantises with the
batches that torch.ao gets, and models that are trained in Python between both steps. Exit 1: a difference.
"""

import argparse
import copy
import itertools
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.ao.quantization import fake_quantize, observer
from torch.ao.quantization.fx import _decomposed  # noqa: F401  registers the operators

import quantise_nets
import shapes
from worker import Died, Refused, Tables, Worker, bits, tensors

warnings.filterwarnings("ignore")
Q8, QU8 = torch.qint8, torch.quint8
TENSOR, SYMMETRIC = torch.per_tensor_affine, torch.per_tensor_symmetric
CHANNEL, CHANNEL_SYMMETRIC, CHANNEL_FLOAT = (
    torch.per_channel_affine,
    torch.per_channel_symmetric,
    torch.per_channel_affine_float_qparams,
)


# -- observers --------------------------------------------------------------------------------------------------------


def series():
    """Batches by name; each case gets its own generator, so that --only changes nothing."""

    def drawn(*shapes, scale=1.0, shift=0.0):
        return [torch.randn(shape) * scale + shift for shape in shapes]

    image = (2, 3, 8, 8)
    yield "one", lambda: drawn(image)
    yield "several", lambda: drawn(image, image, image)
    yield "growing", lambda: [torch.randn(image) * 2.0**i for i in range(6)]
    yield "shrinking", lambda: [torch.randn(image) / 3.0**i for i in range(4)]
    yield "positive", lambda: [torch.rand(image) + 3 for _ in range(3)]
    yield "negative", lambda: [-torch.rand(image) - 3 for _ in range(3)]
    yield "constant", lambda: [torch.full(image, 2.5)] * 3
    yield "zeros", lambda: [torch.zeros(image)] * 2
    yield "from_constant", lambda: [torch.full(image, 0.5), *drawn(image, image)]
    yield "outliers", lambda: [
        torch.where(torch.rand(image) > 0.99, torch.randn(image) * 100, torch.randn(image)) for _ in range(4)
    ]
    yield "tiny", lambda: drawn(image, image, scale=1e-12)
    yield "huge", lambda: drawn(image, image, scale=1e30)
    yield "wide", lambda: drawn((4, 3, 32, 32), (4, 3, 32, 32))
    yield "relu", lambda: [torch.randn(image).relu() for _ in range(4)]
    yield "empty_first", lambda: [torch.zeros(0, 3, 8, 8), *drawn(image)]
    yield "infinite", lambda: [torch.where(torch.rand(image) > 0.9, torch.inf, torch.randn(image)), *drawn(image)]
    yield "half", lambda: [torch.randn(image).half().float() for _ in range(2)]


def observers():
    uniform = [
        dict(),
        dict(reduce_range=True),
        dict(dtype=Q8, qscheme=SYMMETRIC),
        dict(dtype=QU8, qscheme=SYMMETRIC),
        dict(quant_min=0, quant_max=127),
        dict(dtype=Q8, qscheme=SYMMETRIC, quant_min=-127, quant_max=127),
        dict(dtype=QU8, qscheme=SYMMETRIC, quant_min=10 - 10, quant_max=101),
        dict(eps=2**-12),
        dict(dtype=Q8, reduce_range=True),
    ]
    channel = [
        dict(),
        dict(ch_axis=1),
        dict(dtype=Q8, qscheme=CHANNEL_SYMMETRIC),
        dict(qscheme=CHANNEL_FLOAT, quant_min=0, quant_max=255),
        dict(ch_axis=1, dtype=Q8, qscheme=CHANNEL_SYMMETRIC, eps=2**-12),
        dict(ch_axis=-1, dtype=Q8, reduce_range=True),
    ]
    for kind in ("MinMaxObserver", "HistogramObserver"):
        for settings in uniform:
            yield getattr(observer, kind), settings
    yield observer.HistogramObserver, dict(bins=100)
    for settings in uniform:
        yield observer.MovingAverageMinMaxObserver, settings
    yield observer.MovingAverageMinMaxObserver, dict(averaging_constant=0.3)
    for settings in channel:
        yield observer.PerChannelMinMaxObserver, settings
        yield observer.MovingAveragePerChannelMinMaxObserver, dict(averaging_constant=0.2, **settings)
    yield observer.FixedQParamsObserver, dict(scale=1 / 256, zero_point=0)
    fake = fake_quantize.FakeQuantize
    yield fake, dict()
    yield fake, dict(
        observer=observer.MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=QU8, reduce_range=True
    )
    yield fake, dict(
        observer=observer.MovingAveragePerChannelMinMaxObserver,
        quant_min=-128,
        quant_max=127,
        dtype=Q8,
        qscheme=CHANNEL_SYMMETRIC,
        ch_axis=0,
    )
    yield fake, dict(
        observer=observer.PerChannelMinMaxObserver,
        quant_min=0,
        quant_max=255,
        dtype=QU8,
        qscheme=CHANNEL_FLOAT,
        ch_axis=1,
    )
    yield fake, dict(observer=observer.HistogramObserver, quant_min=0, quant_max=255)
    fused = fake_quantize.FusedMovingAvgObsFakeQuantize
    yield fused, dict()
    yield fused, dict(
        observer=observer.MovingAverageMinMaxObserver, quant_min=-128, quant_max=127, dtype=Q8, qscheme=SYMMETRIC
    )
    yield fused, dict(
        observer=observer.MovingAveragePerChannelMinMaxObserver,
        quant_min=-128,
        quant_max=127,
        dtype=Q8,
        qscheme=CHANNEL_SYMMETRIC,
    )
    yield fake_quantize.FixedQParamsFakeQuantize, dict(
        observer=observer.FixedQParamsObserver.with_args(scale=2 / 256, zero_point=128)
    )


def spelled(settings):
    return ",".join(f"{key}={getattr(value, '__name__', value)}" for key, value in settings.items())


def buffer_paths(module):
    return [name for name, _ in module.named_buffers(remove_duplicate=False)]


class Observers:
    """A file of a GraphModule that calls an observer becomes one that runs a whole series and returns the state."""

    def __init__(self, lancet, worker, folder):
        self.lancet, self.worker, self.folder, self.files = lancet, worker, Path(folder), 0

    def model(self, module, count):
        root = nn.Module()
        root.watch = module
        graph = torch.fx.Graph()
        graph.output(graph.call_module("watch", (graph.placeholder("x0"),)))
        self.files += 1
        source, target = self.folder / f"o{self.files}.pt", self.folder / f"o{self.files}.json"
        torch.save(torch.fx.GraphModule(root, graph), source)
        subprocess.run([self.lancet, "convert", source, "-o", target, "--quiet"], check=True, capture_output=True)
        description = json.loads(target.read_text())
        nodes = [{"op": "placeholder", "name": f"x{i}", "target": f"x{i}"} for i in range(count)]
        nodes += [
            {"op": "call_module", "name": f"y{i}", "target": "watch", "args": [{"node": f"x{i}"}]} for i in range(count)
        ]
        nodes += [
            {"op": "get_attr", "name": f"b{i}", "target": "watch." + name}
            for i, name in enumerate(buffer_paths(module))
        ]
        nodes += [
            {"op": "get_attr", "name": "watch", "target": "watch"},
            {"op": "call_method", "name": "qparams", "target": "calculate_qparams", "args": [{"node": "watch"}]},
        ]
        results = [node["name"] for node in nodes if node["name"][0] in "yb"] + ["qparams"]
        nodes.append({"op": "output", "name": "output", "args": [[{"node": name} for name in results]]})
        description["nodes"] = nodes
        target.write_text(json.dumps(description))
        return target

    def differences(self, kind, settings, batches):
        path = self.model(kind(**settings), len(batches))
        module = kind(**settings)
        outputs = []
        try:
            outputs = [module(batch) for batch in batches]
            expected = [
                *outputs,
                *(buffer for _, buffer in module.named_buffers(remove_duplicate=False)),
                *module.calculate_qparams(),
            ]
        except Exception as error:  # noqa: BLE001  an observer that has seen nothing may raise
            expected = error
        names = [f"output {i}" for i in range(len(outputs))] + buffer_paths(module) + ["scale", "zero point"]
        try:
            *got, qparams = self.worker.run(path, tuple(batches))
        except Refused as refused:
            return [] if isinstance(expected, Exception) else [f"refused: {refused}"]
        if isinstance(expected, Exception):
            return [f"PyTorch raises {expected}"]
        return [
            f"{name}: expected {shown(want)}, got {shown(have)}"
            for name, want, have in zip(names, expected, [*got, *qparams])
            if not same(want, have)
        ]


def shown(tensor):
    return f"{tensor.dtype} {tensor.flatten()[:3].tolist()}"


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and bits(a) == bits(b)


def observer_cases(oracle):
    for (kind, settings), (name, batches) in itertools.product(observers(), series()):

        def run(kind=kind, settings=settings, batches=batches):
            torch.manual_seed(7)
            return oracle.differences(kind, settings, batches())

        yield f"observer {kind.__name__}({spelled(settings)}) {name}", run


# -- calibration and errors of layers ---------------------------------------------------------------------------------


def request(verb, model, batches, **more):
    """A request of the worker about a model and a list of batches; the tables must live until it is answered."""
    tables = Tables(([(batch,) for batch in batches],))
    message = {"verb": verb, "model": str(model), "seed": "0", "threads": 2, "random": [], "draws": 0}
    message |= {"inputs": tables.tree["tuple"][0], "tensors": tables.tensors, "storages": tables.storages}
    return message | more, tables


def calibration(oracle, kind, settings):
    batches = [torch.randn(2, 3, 8, 8) * (i + 1) for i in range(3)]
    message, tables = request("calibrate", oracle.model(kind(**settings), 1), batches, details=True)
    answer, blob = oracle.worker.call(message)
    told, module = answer["observers"][0], kind(**settings)
    for batch in batches:
        module(batch)
    known = tensors(answer, blob)
    expected = dict(module.named_buffers())
    out = [f"{name}: differs" for name, row in told["buffers"] if not same(known[row["tensor"]], expected[name])]
    scale, zero = (value.item() for value in module.calculate_qparams())
    seen = torch.cat([batch.flatten() for batch in batches]).double()
    low, high = (module.quant_min - zero - 0.5) * scale, (module.quant_max - zero + 0.5) * scale
    wanted = {"scale": scale, "zero_point": zero, "values": seen.numel(), "least": seen.min().item()}
    wanted["saturated"] = int(((seen < low) | (seen > high)).sum())
    wanted["counts"] = seen.numel()
    got = told | {"counts": sum(told["histogram"])}
    return out + [f"{key}: expected {value}, got {got[key]}" for key, value in wanted.items() if got[key] != value]


def refused_batches(oracle, batches, expected):
    message, tables = request("calibrate", oracle.model(observer.MinMaxObserver(), 1), batches, details=False)
    try:
        oracle.worker.call(message)
        return ["accepted"]
    except Refused as refused:
        told = refused.args[0]
        return [] if told["code"] == expected else [f"expected {expected}, got {told}"]


def layer_errors(oracle):
    """Errors of the layers of a converted model, with those of hooks on PyTorch's models."""
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).eval()
    batches = [torch.randn(5, 16) for _ in range(2)]
    prepared = prepare_fx(copy.deepcopy(net), get_default_qconfig_mapping("x86"), (batches[0],))
    prepared(batches[0])
    converted = convert_fx(prepared)
    paths = [oracle.folder / "float.pt", oracle.folder / "int8.pt"]
    torch.save(torch.fx.symbolic_trace(net), paths[0])
    torch.save(converted, paths[1])
    message, tables = request("layer_errors", paths[0], batches, other=str(paths[1]))
    answer, _ = oracle.worker.call(message)
    signal = sum(net(batch).double().square().sum().item() for batch in batches)
    noise = sum((net(batch) - converted(batch)).double().square().sum().item() for batch in batches)
    told, out = answer["output"], []
    for key, value in (("signal", signal), ("noise", noise)):
        if abs(told[key] - value) > 1e-9 * value:
            out.append(f"{key} of the output: expected {value}, got {told[key]}")
    pairs = {row["node"]: row["original"] for row in answer["layers"]}
    if pairs != {"_0": "_1", "_2": "_2"}:  # LinearReLU computes what ReLU returns
        out.append(f"layers are compared as {pairs}")
    wanted = sum(net[:2](batch).double().square().sum().item() for batch in batches)
    if abs(answer["layers"][0]["signal"] - wanted) > 1e-9 * wanted:
        out.append(f"signal of LinearReLU: expected {wanted}, got {answer['layers'][0]['signal']}")
    return out


def calibration_cases(oracle):
    kinds = [(observer.HistogramObserver, {}), (observer.MinMaxObserver, dict(reduce_range=True))]
    kinds.append((observer.MovingAverageMinMaxObserver, dict(averaging_constant=0.1)))
    for kind, settings in kinds:
        yield f"calibration {kind.__name__}", lambda kind=kind, settings=settings: calibration(oracle, kind, settings)
    image = torch.randn(2, 3, 4, 4)
    yield "calibration nan", lambda: refused_batches(oracle, [image, image / 0 * 0], "quant.nan_in_batch")
    yield "calibration none", lambda: refused_batches(oracle, [], "inputs.no_batches")
    yield "calibration empty", lambda: refused_batches(oracle, [image[:0]] * 2, "quant.no_elements")
    yield "calibration layers", lambda: layer_errors(oracle)


# -- quantized_decomposed ---------------------------------------------------------------------------------------------


def encoded(value):
    return {"dtype": str(value)} if isinstance(value, torch.dtype) else value


class Operators:
    def __init__(self, worker, folder):
        self.worker, self.path = worker, Path(folder) / "operator.json"

    def differences(self, name, arguments, keywords):
        inputs = [value for value in arguments if isinstance(value, torch.Tensor)]
        names = iter(f"x{i}" for i in range(len(inputs)))
        nodes = [{"op": "placeholder", "name": f"x{i}", "target": f"x{i}"} for i in range(len(inputs))]
        given = [{"node": next(names)} if isinstance(value, torch.Tensor) else encoded(value) for value in arguments]
        nodes += [
            {
                "op": "call_function",
                "name": "y",
                "target": "torch.ops.quantized_decomposed." + name,
                "args": given,
                "kwargs": {key: encoded(value) for key, value in keywords.items()},
            },
            {"op": "output", "name": "output", "args": [{"node": "y"}]},
        ]
        self.path.write_text(json.dumps({"lancet_ir": 1, "nodes": nodes}))
        packet, overload = name.split(".")
        try:
            expected = getattr(getattr(torch.ops.quantized_decomposed, packet), overload)(*arguments, **keywords)
        except Exception as error:  # noqa: BLE001  whatever the operator raises
            expected = error
        try:
            got = self.worker.run(self.path, tuple(inputs))
        except Refused as refused:
            return [] if isinstance(expected, Exception) else [f"refused: {refused}"]
        if isinstance(expected, Exception):
            return [f"PyTorch raises {expected}"]
        pairs = zip(expected, got) if isinstance(expected, tuple) else [(expected, got)]
        return [
            f"expected {want.dtype} {want.flatten()[:3].tolist()}, got {have.dtype} {have.flatten()[:3].tolist()}"
            for want, have in pairs
            if not same(want, have)
        ]


def operator_calls():
    x = torch.randn(3, 4, 5) * 3
    for dtype, low, high in (
        (torch.int8, -128, 127),
        (torch.uint8, 0, 255),
        (torch.int16, -32768, 32767),
        (torch.int8, -127, 127),
        (torch.uint8, 0, 300),
    ):
        for scale, zero in ((0.05, 3), (1e-7, 0), (0.1234567, -7)):
            yield "quantize_per_tensor.default", (x, scale, zero, low, high, dtype), {}
            tensors = (torch.tensor(scale), torch.tensor(zero))
            yield "quantize_per_tensor.tensor", (x, *tensors, low, high, dtype), {}
            q = torch.randint(max(low, -100), min(high, 100), (3, 4, 5)).to(dtype)
            yield "dequantize_per_tensor.default", (q, scale, zero, low, high, dtype), {}
            yield "dequantize_per_tensor.default", (q, scale, zero, low, high, dtype), {"out_dtype": torch.bfloat16}
            yield "dequantize_per_tensor.tensor", (q, *tensors, low, high, dtype), {}
        for axis in (0, 1, 2, -1):
            scales, zeros = torch.rand(x.shape[axis]) + 0.01, torch.randint(-5, 5, (x.shape[axis],))
            yield "quantize_per_channel.default", (x, scales, zeros, axis, low, high, dtype), {}
            q = torch.randint(max(low, -100), min(high, 100), (3, 4, 5)).to(dtype)
            yield "dequantize_per_channel.default", (q, scales, zeros, axis, low, high, dtype), {}
        yield "choose_qparams.tensor", (x, low, high, 1e-6, dtype), {}
        yield "choose_qparams_symmetric.tensor", (x, low, high, 1e-6, dtype), {}
        yield "choose_qparams_per_token_asymmetric.default", (x, dtype), {}
        yield "quantize_per_tensor.default", (x.double(), 0.1, 0, low, high, dtype), {}
        yield "quantize_per_tensor.default", (x.bfloat16(), 0.1, 0, low, high, dtype), {}
        yield "convert_element_type.no_fuse", (x, torch.float16), {}
    yield "choose_qparams_per_token.default", (x, torch.int8), {}
    yield "quantize_per_token.default", (x, torch.rand(3, 4, 1) + 0.1, torch.zeros(3, 4, 1), -128, 127, torch.int8), {}


def operator_cases(oracle):
    torch.manual_seed(3)
    for number, (name, arguments, keywords) in enumerate(operator_calls()):
        yield f"operator {name} {number}", lambda call=(name, arguments, keywords): oracle.differences(*call)


# -- converted models -------------------------------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1, groups=2, padding_mode="reflect")
        self.pool, self.fc = nn.AdaptiveAvgPool2d(2), nn.Linear(32, 6)
        self.weight = nn.Parameter(torch.randn(6, 6))

    def forward(self, x):
        x = self.relu(self.norm(self.conv(x)))
        x = nn.functional.relu(x + self.conv2(x))
        return nn.functional.linear(torch.sigmoid(self.fc(self.pool(x).flatten(1))), self.weight)


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 32), nn.Linear(32, 8)
        self.layer_norm, self.act, self.elu, self.leaky, self.prelu = (
            nn.LayerNorm(32),
            nn.Hardswish(),
            nn.ELU(),
            nn.LeakyReLU(),
            nn.PReLU(),
        )

    def forward(self, x):
        x = self.leaky(self.elu(self.act(self.layer_norm(torch.relu(self.a(x))))))
        return torch.cat([self.b(self.prelu(x)), self.b(x)], 1).mean(1)


class Convs(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.up, self.norm, self.group = (
            nn.Conv1d(4, 8, 3),
            nn.ConvTranspose1d(8, 4, 3, stride=2),
            nn.InstanceNorm1d(4, affine=True),
            nn.GroupNorm(2, 4),
        )

    def forward(self, x):
        return self.group(self.norm(self.up(torch.relu(self.one(x)))))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.fc = nn.Embedding(20, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.fc(self.embedding(x))


def converted():
    from torch.ao.quantization import (
        QConfigMapping,
        default_dynamic_qconfig,
        float16_dynamic_qconfig,
        float_qparams_weight_only_qconfig,
        get_default_qconfig_mapping,
        per_channel_dynamic_qconfig,
    )
    from torch.ao.quantization.quantize_fx import convert_fx, convert_to_reference_fx, prepare_fx

    image, rows, signal, words = (
        torch.randn(2, 3, 12, 12),
        torch.randn(5, 16),
        torch.randn(2, 4, 16),
        torch.randint(0, 20, (3, 7)),
    )
    embeddings = QConfigMapping().set_object_type(nn.Embedding, float_qparams_weight_only_qconfig)
    cases = [
        ("net", Net, image, get_default_qconfig_mapping(backend)) for backend in ("x86", "fbgemm", "onednn", "qnnpack")
    ]
    cases += [("norms", Norms, rows, get_default_qconfig_mapping(backend)) for backend in ("x86", "qnnpack")]
    cases += [("convs", Convs, signal, get_default_qconfig_mapping("qnnpack"))]
    cases += [
        ("dynamic", Norms, rows, QConfigMapping().set_global(config))
        for config in (default_dynamic_qconfig, per_channel_dynamic_qconfig, float16_dynamic_qconfig)
    ]
    cases += [("words", Words, words, embeddings)]
    for number, (name, kind, example, mapping) in enumerate(cases):
        for form, convert in (("converted", convert_fx), ("reference", convert_to_reference_fx)):

            def make(kind=kind, example=example, mapping=mapping, convert=convert):
                torch.manual_seed(number)
                model = kind().eval()
                with torch.no_grad():
                    for norm in (part for part in model.modules() if isinstance(part, nn.BatchNorm2d)):
                        norm.running_mean.normal_()
                        norm.running_var.uniform_(0.5, 2)
                prepared = prepare_fx(model, mapping, (example,))
                prepared(example)
                return convert(prepared), example

            yield f"model {name} {number} {form}", make


class Models:
    """Files of torch.save are run, then written by Lancet as .json, .lancet, .ts, and as .pt if torch.load reads it."""

    def __init__(self, lancet, worker, folder):
        self.lancet, self.worker, self.folder = lancet, worker, Path(folder)

    def written(self, source, name):
        target = self.folder / name
        done = subprocess.run([self.lancet, "convert", source, "-o", target, "--quiet"], capture_output=True, text=True)
        return (target, "") if done.returncode == 0 else (None, done.stderr.strip())

    def differences(self, make):
        model, example = make()
        expected = model(example)
        source = self.folder / "source.pt"
        torch.save(model, source)
        try:
            torch.load(source, weights_only=False)
            loads = True
        except AttributeError:
            loads = False
        out = self.compared("file", source, example, expected) + self.shaped(source, model, example)
        for name in ("again.json", "again.lancet"):
            path, problem = self.written(source, name)
            out += self.compared(name, path, example, expected) if path else [f"{name}: {problem}"]
        script, problem = self.written(source, "again.ts")
        if script:
            out += differing("script in Python", expected, torch.jit.load(script)(example))
        else:
            out.append(f"again.ts: {problem}")
        anew, problem = self.written(self.folder / "again.json", "anew.pt")
        if loads != bool(anew):
            out.append(f"anew.pt: torch.load reads PyTorch's file: {loads}; Lancet writes: {problem or 'yes'}")
        if anew:
            out += differing("anew.pt in Python", expected, torch.load(anew, weights_only=False)(example))
        return out

    def shaped(self, path, model, example):
        """Shapes of all nodes in order, found without running the model, beside those of ShapeProp. Loading renames."""
        expected, gradients = shapes.propagated(model, (example,))
        answer = shapes.asked(self.worker, path, (example,), gradients)
        out = ["shapes: the model was run"] if answer["ran"] else []
        out += [f"shapes: {failure['node']} failed: {failure['what']}" for failure in answer["failures"]]
        wanted, got = list(expected.items()), list(shapes.told(answer).items())
        if out or len(wanted) != len(got):
            return out or [f"shapes: expected {len(wanted)} nodes, got {len(got)}"]
        plain = lambda values: [value[:3] for value in values]  # noqa: E731  packed weights of float16 keep gradients
        pairs = [(a, plain(wants), plain(gives)) for (a, wants), (_, gives) in zip(wanted, got)]
        return [f"shapes: {name}: expected {wants}, got {gives}" for name, wants, gives in pairs if wants != gives][:3]

    def compared(self, what, path, example, expected):
        try:
            return differing(what, expected, self.worker.run(path, (example,)))
        except Refused as refused:
            return [f"{what}: refused: {refused}"]


def quantised():
    """(name, class, batches, options of lancet, mapping)"""
    from torch.ao.quantization import QConfigMapping, get_default_qconfig_mapping, qconfig

    shapes = (("net", Net, (2, 3, 12, 12)), ("norms", Norms, (5, 16)), ("convs", Convs, (2, 4, 16)))
    for name, kind, shape in shapes:
        for backend in ("x86", "fbgemm", "onednn", "qnnpack"):
            if (name, backend) == ("convs", "onednn"):  # torch.ao refuses per-channel weights of ConvTranspose
                continue
            batches = lambda shape=shape: [torch.randn(shape) for _ in range(3)]  # noqa: E731
            yield f"{name} {backend}", kind, batches, ["--backend", backend], get_default_qconfig_mapping(backend)
    rows = lambda: [torch.randn(5, 8) for _ in range(3)]  # noqa: E731
    for backend in ("x86", "qnnpack"):
        mapping = get_default_qconfig_mapping(backend)
        yield f"computed weights {backend}", quantise_nets.ComputedWeights, rows, ["--backend", backend], mapping
    mapping = QConfigMapping().set_global(qconfig.default_dynamic_qconfig)
    yield "computed weights dynamic", quantise_nets.ComputedWeights, rows, ["--mode", "dynamic"], mapping
    for backend in ("x86", "fbgemm", "onednn", "qnnpack"):  # which has the range that the engine has
        for kind in ("FunctionalLinear", "ScopedFunctions"):
            options = ["--mode", "dynamic", "--backend", backend]
            yield f"{kind} dynamic {backend}", quantise_nets.NETS[kind], lambda: [torch.randn(6, 8)], options, mapping
    rows = lambda: [torch.randn(5, 16)]  # noqa: E731
    for dynamic in ("default_dynamic_qconfig", "per_channel_dynamic_qconfig", "float16_dynamic_qconfig"):
        mapping = QConfigMapping().set_global(getattr(qconfig, dynamic))
        yield f"norms {dynamic}", Norms, rows, ["--mode", "dynamic", "--qconfig", dynamic], mapping
    words = lambda: [torch.randint(0, 20, (3, 7))]  # noqa: E731
    mapping = QConfigMapping().set_object_type(nn.Embedding, qconfig.float_qparams_weight_only_qconfig)
    yield "words", Words, words, ["--mode", "weight-only"], mapping
    four = qconfig.float_qparams_weight_only_qconfig_4bit
    rules = json.dumps({"object_type": [["torch.nn.Embedding", "float_qparams_weight_only_qconfig_4bit"]]})
    mapping = QConfigMapping().set_object_type(nn.Embedding, four)
    yield "words of four bits", Words, words, ["--mode", "weight-only", "--qconfig", rules], mapping


def engine_of(options):
    """The engine decides the range of dynamic quantisation; the kernels are those of x86, as the worker's."""
    return options[options.index("--backend") + 1] if "dynamic" in options and "--backend" in options else "x86"


class Quantised:
    """Lancet's prepare, calibration and convert against torch.ao's, from one file and the same batches."""

    def __init__(self, lancet, worker, folder):
        self.lancet, self.worker, self.folder = lancet, worker, Path(folder)

    def written(self, form, name, options):
        target = self.folder / name
        command = [self.lancet, "quantize", self.folder / "float.pt", "--inputs", self.folder / "batches.pt", *options]
        command += ["--reference"] * (form == "reference") + ["-o", target, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        return (target, "") if done.returncode == 0 else (None, done.stderr.strip())

    def differences(self, form, kind, draw, options, mapping):
        from torch.ao.quantization.quantize_fx import convert_fx, convert_to_reference_fx, prepare_fx

        torch.manual_seed(1)
        batches = draw()
        torch.save(torch.fx.symbolic_trace(kind().eval()), self.folder / "float.pt")
        torch.save(batches, self.folder / "batches.pt")
        prepared = prepare_fx(torch.load(self.folder / "float.pt", weights_only=False), mapping, ())
        for batch in batches:
            prepared(batch)
        torch.backends.quantized.engine = engine_of(options)
        theirs = (convert_fx if form == "converted" else convert_to_reference_fx)(prepared)
        torch.backends.quantized.engine = "x86"  # that of the worker
        expected, out = theirs(batches[0]), []
        for name in ("made.json", "made.ts", "made.pt"):
            path, problem = self.written(form, name, options)
            if not path:
                # What PyTorch could not read: some files of torch.load, and TorchScript with weights of 4 bits.
                refused = name == "made.pt" or (name == "made.ts" and "4bit" in " ".join(options))
                out += [] if refused else [f"{name}: {problem}"]
            elif name == "made.json":
                try:
                    out += differing(name, expected, self.worker.run(path, (batches[0],)))
                except Refused as refused:
                    out.append(f"{name}: refused: {str(refused)[:200]}")
            elif name == "made.ts":
                out += differing(f"{name} in Python", expected, torch.jit.load(path)(batches[0]))
            else:
                out += differing(f"{name} in Python", expected, torch.load(path, weights_only=False)(batches[0]))
        return out


class Trained:
    """Lancet's prepared model as Python source, trained a step in Python, its weights converted by Lancet."""

    def __init__(self, lancet, worker, folder):
        self.lancet, self.worker, self.folder = lancet, worker, Path(folder)

    def quantize(self, target, *options):
        command = [self.lancet, "quantize", self.folder / "float.pt", "--mode", "qat", *options]
        done = subprocess.run([*command, "-o", self.folder / target, "--quiet"], capture_output=True, text=True)
        return f"{target}: {done.stderr.strip()}" if done.returncode else ""

    def prepared(self):
        """The module that the written source makes, with the weights that it begins with."""
        names = {}
        exec((self.folder / "prepared.py").read_text(), names)  # noqa: S102  written by lancet
        model = names["GraphModule"]()
        # torch.load gives an observer that has several names one of them
        model.load_state_dict(torch.load(self.folder / "prepared.pt", weights_only=False).state_dict(), strict=False)
        return model

    def differences(self, kind, draw, backend):
        from torch.ao.quantization import get_default_qat_qconfig_mapping
        from torch.ao.quantization.quantize_fx import convert_fx, prepare_qat_fx

        torch.manual_seed(1)
        batches = draw()
        torch.save(torch.fx.symbolic_trace(kind().train()), self.folder / "float.pt")
        loaded = torch.load(self.folder / "float.pt", weights_only=False)
        theirs = prepare_qat_fx(loaded, get_default_qat_qconfig_mapping(backend), ())
        options = ["--backend", backend]
        problems = [self.quantize(name, "--prepared", *options) for name in ("prepared.py", "prepared.pt")]
        if any(problems):
            return [each for each in problems if each]
        ours = self.prepared()
        for model in (ours, theirs):
            torch.manual_seed(2)  # for dropout
            train(model, batches)
        out = []
        for name, expected in theirs.state_dict().items():
            if not same(expected, ours.state_dict()[name]):
                out.append(f"after training, {name}: expected {shown(expected)}, got {shown(ours.state_dict()[name])}")
        torch.save(ours.state_dict(), self.folder / "trained.pt")
        expected = convert_fx(theirs.eval())(batches[0])
        for target in ("made.json", "made.ts"):
            if problem := self.quantize(target, "--weights", self.folder / "trained.pt", *options):
                return [*out, problem]
        try:
            out += differing("made.json", expected, self.worker.run(self.folder / "made.json", (batches[0],)))
        except Refused as refused:
            out.append(f"made.json: refused: {str(refused)[:200]}")
        return out + differing("made.ts in Python", expected, torch.jit.load(self.folder / "made.ts")(batches[0]))


def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()


def trained():
    """(name, class, shape of its input)"""
    yield "net", Net, (2, 3, 12, 12)
    yield "norms", Norms, (5, 16)
    for kind in ("ResNeXt", "MobileNetV2", "MobileNetV3", "DenseNet", "ShuffleUnit", "Inception", "AddRelu"):
        yield kind, quantise_nets.NETS[kind], (2, 3, 12, 12)
    for kind, columns in (("Mlp", 16), ("LinearBn", 8), ("FunctionalLinear", 8), ("ScopedFunctions", 8)):
        yield kind, quantise_nets.NETS[kind], (6, columns)


def calibrated(oracle, kind, draw, backend):
    """QAT without training: the batches go through the prepared model in training mode, which moves running statistics."""
    from torch.ao.quantization import get_default_qat_qconfig_mapping, qconfig
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_qat_fx

    torch.manual_seed(1)
    batches = draw()
    torch.save(torch.fx.symbolic_trace(kind().train()), oracle.folder / "float.pt")
    torch.save(batches, oracle.folder / "batches.pt")
    loaded = torch.load(oracle.folder / "float.pt", weights_only=False)
    mapping = get_default_qat_qconfig_mapping(backend).set_object_type(nn.Embedding, qconfig.default_embedding_qat_qconfig)
    theirs = prepare_qat_fx(loaded, mapping, ())
    for batch in batches:
        theirs(batch)
    expected = convert_fx(theirs.eval())(batches[0])
    if problem := oracle.quantize("made.json", "--backend", backend, "--inputs", oracle.folder / "batches.pt"):
        return [problem]
    try:
        return differing("made.json", expected, oracle.worker.run(oracle.folder / "made.json", (batches[0],)))
    except Refused as refused:
        return [f"made.json: refused: {str(refused)[:200]}"]


def calibrated_cases(oracle):
    for backend in ("x86", "fbgemm", "onednn", "qnnpack"):
        for name, kind, shape in trained():
            if name in ("MobileNetV2", "Mlp"):  # dropout draws other numbers
                continue
            draw = lambda shape=shape: [torch.randn(shape) for _ in range(2)]  # noqa: E731
            yield f"calibrated qat {name} {backend}", lambda case=(kind, draw, backend): calibrated(oracle, *case)
        draw = lambda: [torch.randint(0, 20, (3, 7)) for _ in range(2)]  # noqa: E731
        yield f"calibrated qat words {backend}", lambda case=(Words, draw, backend): calibrated(oracle, *case)


def trained_cases(oracle):
    for backend in ("x86", "fbgemm", "onednn", "qnnpack"):
        for name, kind, shape in trained():
            draw = lambda shape=shape: [torch.randn(shape) for _ in range(2)]  # noqa: E731
            yield f"trained {name} {backend}", lambda case=(kind, draw, backend): oracle.differences(*case)


def quantised_cases(oracle):
    for name, kind, draw, options, mapping in quantised():
        for form in ("converted", "reference"):
            if form == "converted" and engine_of(options) in ("onednn", "qnnpack"):
                continue  # packed for kernels that round otherwise; quantise.py compares the graphs
            case = (form, kind, draw, options, mapping)
            yield f"quantised {name} {form}", lambda case=case: oracle.differences(*case)


def differing(what, expected, got):
    if same(expected, got):
        return []
    return [f"{what}: largest difference {(expected - got).abs().max() if expected.shape == got.shape else got.shape}"]


class Held(nn.Module):
    """Holds a quantised tensor and gives its values."""

    def __init__(self, tensor):
        super().__init__()
        self.register_buffer("tensor", tensor)

    def forward(self, x):
        return self.tensor.dequantize() + x


def strided():
    """(name, quantised tensor) that is not contiguous, as some machines keep the weights of convolutions"""
    torch.manual_seed(11)
    image, volume = torch.randn(4, 3, 2, 5), torch.randn(4, 3, 2, 5, 2)
    per_tensor = torch.quantize_per_tensor(image, 0.02, 3, Q8)
    channels = (torch.rand(4) / 50, torch.randint(-3, 3, (4,)), 0, Q8)
    yield "channels_last", per_tensor.contiguous(memory_format=torch.channels_last)
    yield "transposed", per_tensor.transpose(1, 3)
    yield "part", per_tensor[1:3, :, :, 2:]
    yield "channels", torch.quantize_per_channel(image.contiguous(memory_format=torch.channels_last), *channels)
    yield "channels_3d", torch.quantize_per_channel(volume.contiguous(memory_format=torch.channels_last_3d), *channels)


def held(oracle, tensor):
    model, source = torch.fx.symbolic_trace(Held(tensor)), oracle.folder / "held.pt"
    torch.save(model, source)
    out = oracle.compared("file", source, torch.zeros(()), model(torch.zeros(())))
    for name in ("held.json", "held.lancet"):
        path, problem = oracle.written(source, name)
        out += oracle.compared(name, path, torch.zeros(()), model(torch.zeros(()))) if path else [f"{name}: {problem}"]
    return out


def model_cases(oracle):
    for name, make in converted():
        yield name, lambda make=make: oracle.differences(make)
    for name, tensor in strided():
        yield f"strided {name}", lambda tensor=tensor: held(oracle, tensor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True, type=Path)
    parser.add_argument("--worker", required=True, type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(2)
    worker = Worker(options.worker.resolve())
    checked, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        lancet = options.lancet.resolve()
        cases = itertools.chain(
            model_cases(Models(lancet, worker, folder)),
            operator_cases(Operators(worker, folder)),
            calibration_cases(Observers(lancet, worker, folder)),
            observer_cases(Observers(lancet, worker, folder)),
            quantised_cases(Quantised(lancet, worker, folder)),
            trained_cases(Trained(lancet, worker, folder)),
            calibrated_cases(Trained(lancet, worker, folder)),
        )
        for number, (name, run) in enumerate(case for case in cases if options.only in case[0]):
            if number % options.every:
                continue
            checked += 1
            try:
                problems = run()
            except Died as died:
                problems = [f"the worker died: {died}"]
            failed += bool(problems)
            for problem in problems:
                print(f"{name}: {problem}")
            if options.verbose and not problems:
                print(f"{name}: equal")
    worker.stop()
    print(f"{checked} cases, {failed} differ")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
