# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs observers, FakeQuantize and quantised modules in lancet-worker and in torch.ao: the same statistics and outputs, bit for bit?

    quant_values.py --lancet BIN --worker BIN [--only TEXT] [--every N] [--verbose]

Three parts: observers (state after each series of batches, `calculate_qparams`), operators of quantized_decomposed, and models that torch.ao
converted and saved. Exit 1: a difference.
"""

import argparse
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

from worker import Died, Refused, Worker, bits

warnings.filterwarnings("ignore")
Q8, QU8 = torch.qint8, torch.quint8
TENSOR, SYMMETRIC = torch.per_tensor_affine, torch.per_tensor_symmetric
CHANNEL, CHANNEL_SYMMETRIC, CHANNEL_FLOAT = torch.per_channel_affine, torch.per_channel_symmetric, torch.per_channel_affine_float_qparams


# -- observers ------------------------------------------------------------------------------------------------------------


def series():
    """Batches by name; each case gets its own generator, so that --only changes nothing."""
    def drawn(*shapes, scale=1.0, shift=0.0):
        return [torch.randn(shape) * scale + shift for shape in shapes]
    image = (2, 3, 8, 8)
    yield "one", lambda: drawn(image)
    yield "several", lambda: drawn(image, image, image)
    yield "growing", lambda: [torch.randn(image) * 2.0 ** i for i in range(6)]
    yield "shrinking", lambda: [torch.randn(image) / 3.0 ** i for i in range(4)]
    yield "positive", lambda: [torch.rand(image) + 3 for _ in range(3)]
    yield "negative", lambda: [-torch.rand(image) - 3 for _ in range(3)]
    yield "constant", lambda: [torch.full(image, 2.5)] * 3
    yield "zeros", lambda: [torch.zeros(image)] * 2
    yield "from_constant", lambda: [torch.full(image, 0.5), *drawn(image, image)]
    yield "outliers", lambda: [torch.where(torch.rand(image) > 0.99, torch.randn(image) * 100, torch.randn(image)) for _ in range(4)]
    yield "tiny", lambda: drawn(image, image, scale=1e-12)
    yield "huge", lambda: drawn(image, image, scale=1e30)
    yield "wide", lambda: drawn((4, 3, 32, 32), (4, 3, 32, 32))
    yield "relu", lambda: [torch.randn(image).relu() for _ in range(4)]
    yield "empty_first", lambda: [torch.zeros(0, 3, 8, 8), *drawn(image)]
    yield "infinite", lambda: [torch.where(torch.rand(image) > 0.9, torch.inf, torch.randn(image)), *drawn(image)]
    yield "half", lambda: [torch.randn(image).half().float() for _ in range(2)]


def observers():
    uniform = [dict(), dict(reduce_range=True), dict(dtype=Q8, qscheme=SYMMETRIC), dict(dtype=QU8, qscheme=SYMMETRIC),
               dict(quant_min=0, quant_max=127), dict(dtype=Q8, qscheme=SYMMETRIC, quant_min=-127, quant_max=127),
               dict(dtype=QU8, qscheme=SYMMETRIC, quant_min=10 - 10, quant_max=101), dict(eps=2**-12), dict(dtype=Q8, reduce_range=True)]
    channel = [dict(), dict(ch_axis=1), dict(dtype=Q8, qscheme=CHANNEL_SYMMETRIC), dict(qscheme=CHANNEL_FLOAT, quant_min=0, quant_max=255),
               dict(ch_axis=1, dtype=Q8, qscheme=CHANNEL_SYMMETRIC, eps=2**-12), dict(ch_axis=-1, dtype=Q8, reduce_range=True)]
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
    yield fake, dict(observer=observer.MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=QU8, reduce_range=True)
    yield fake, dict(observer=observer.MovingAveragePerChannelMinMaxObserver, quant_min=-128, quant_max=127, dtype=Q8, qscheme=CHANNEL_SYMMETRIC, ch_axis=0)
    yield fake, dict(observer=observer.PerChannelMinMaxObserver, quant_min=0, quant_max=255, dtype=QU8, qscheme=CHANNEL_FLOAT, ch_axis=1)
    yield fake, dict(observer=observer.HistogramObserver, quant_min=0, quant_max=255)
    fused = fake_quantize.FusedMovingAvgObsFakeQuantize
    yield fused, dict()
    yield fused, dict(observer=observer.MovingAverageMinMaxObserver, quant_min=-128, quant_max=127, dtype=Q8, qscheme=SYMMETRIC)
    yield fused, dict(observer=observer.MovingAveragePerChannelMinMaxObserver, quant_min=-128, quant_max=127, dtype=Q8, qscheme=CHANNEL_SYMMETRIC)
    yield fake_quantize.FixedQParamsFakeQuantize, dict(observer=observer.FixedQParamsObserver.with_args(scale=2 / 256, zero_point=128))


def spelled(settings):
    return ",".join(f"{key}={getattr(value, '__name__', value)}" for key, value in settings.items())


def buffer_paths(module):
    return [name for name, _ in module.named_buffers(remove_duplicate=False)]


class Observers:
    """One file of a GraphModule that calls an observer is made a model that runs a whole series and returns the state."""

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
        nodes += [{"op": "call_module", "name": f"y{i}", "target": "watch", "args": [{"node": f"x{i}"}]} for i in range(count)]
        nodes += [{"op": "get_attr", "name": f"b{i}", "target": "watch." + name} for i, name in enumerate(buffer_paths(module))]
        nodes += [{"op": "get_attr", "name": "watch", "target": "watch"},
                  {"op": "call_method", "name": "qparams", "target": "calculate_qparams", "args": [{"node": "watch"}]}]
        results = [node["name"] for node in nodes if node["name"][0] in "yb"] + ["qparams"]
        nodes.append({"op": "output", "name": "output", "args": [[{"node": name} for name in results]]})
        description["nodes"] = nodes
        target.write_text(json.dumps(description))
        return target

    def differences(self, kind, settings, batches):
        path = self.model(kind(**settings), len(batches))
        module = kind(**settings)
        outputs = [module(batch) for batch in batches]
        try:
            expected = [*outputs, *(buffer for _, buffer in module.named_buffers(remove_duplicate=False)), *module.calculate_qparams()]
        except AssertionError as error:
            expected = error
        names = [f"output {i}" for i in range(len(outputs))] + buffer_paths(module) + ["scale", "zero point"]
        try:
            *got, qparams = self.worker.run(path, tuple(batches))
        except Refused as refused:
            return [] if isinstance(expected, Exception) else [f"refused: {refused}"]
        if isinstance(expected, Exception):
            return [f"PyTorch raises {expected}"]
        return [f"{name}: expected {want.dtype} {want.flatten()[:3].tolist()}, got {have.dtype} {have.flatten()[:3].tolist()}"
                for name, want, have in zip(names, expected, [*got, *qparams]) if not same(want, have)]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and bits(a) == bits(b)


def observer_cases(oracle):
    for (kind, settings), (name, batches) in itertools.product(observers(), series()):
        def run(kind=kind, settings=settings, batches=batches):
            torch.manual_seed(7)
            return oracle.differences(kind, settings, batches())
        yield f"observer {kind.__name__}({spelled(settings)}) {name}", run


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
        cases = observer_cases(Observers(options.lancet.resolve(), worker, folder))
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
