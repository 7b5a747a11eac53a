# SPDX-License-Identifier: GPL-3.0-or-later
"""int8 models in Lancet against torch.ao and torch.compile (PT2E of torchao), in turns, with the same threads and inputs.

    int8_speed.py --lancet BIN [--libraries DIR] [--rounds N] [--seconds S] [--threads N] [--no-compile] [NET...]

Nets: resnet18, resnet50, mobilenet_v2 and densenet121 of torchvision with static quantisation (x86), and bert, a
four-layer encoder with dynamic quantisation. torch.ao prepares, calibrates and converts; Lancet runs that model and the
float model. torch.compile runs what torchao makes of the export with X86InductorQuantizer, with freezing. A figure is
the median over rounds of medians, a ratio the median over rounds of ratios within a round; `least` has the shortest
runs, which other processes disturb least; `sqnr_db` compares outputs with those of the float model. One JSON line per net.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import torch
from torch import nn
from torch.ao.quantization import QConfigMapping, default_dynamic_qconfig, get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer

sys.path.append(str(pathlib.Path(__file__).parents[2] / "oracle"))
from traces import import_installed  # noqa: E402

warnings.filterwarnings("ignore")


class Layer(nn.Module):
    def __init__(self, width=256, heads=4):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down, self.act, self.heads, self.size = (
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
            nn.GELU(),
            heads,
            width // heads,
        )

    def forward(self, x):
        q, k, v = (each(x).view(1, 128, self.heads, self.size).permute(0, 2, 1, 3) for each in (self.q, self.k, self.v))
        scores = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / 8.0, dim=-1)
        x = self.norm1(x + self.o(torch.matmul(scores, v).permute(0, 2, 1, 3).reshape(1, 128, -1)))
        return self.norm2(x + self.down(self.act(self.up(x))))


def net_of(name):
    torch.manual_seed(0)
    if name == "bert":
        return (
            nn.Sequential(*[Layer() for _ in range(4)]).eval(),
            torch.randn(1, 128, 256),
            QConfigMapping().set_global(default_dynamic_qconfig),
        )
    net = getattr(import_installed("torchvision").models, name)(weights=None).eval()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1), module.running_var.uniform_(0.5, 1.5)
    return net, torch.randn(1, 3, 224, 224), get_default_qconfig_mapping("x86")


def compiled(net, inputs, batches, dynamic):
    """torch.compile of what PT2E makes of the net. Freezing is set globally: Dynamo does not see options of the call.
    Only a strict export tells torchao the sources of the nodes, by which it finds its patterns."""
    torch._inductor.config.freezing = True
    config = x86_inductor_quantizer.get_default_x86_inductor_quantization_config(is_dynamic=dynamic)
    quantizer = x86_inductor_quantizer.X86InductorQuantizer().set_global(config)
    prepared = prepare_pt2e(torch.export.export(net, (inputs,), strict=True).module(), quantizer)
    for batch in batches:
        prepared(batch)
    model = torch.compile(convert_pt2e(prepared))

    def run(given):  # what it makes of an encoder writes to its input
        return model(given.clone())

    for _ in range(3):
        run(inputs)
    return run


def sqnr(expected, got):
    noise = (expected - got).double().square().sum()
    return round((10 * torch.log10(expected.double().square().sum() / noise)).item(), 1)


def times_ms(work, seconds):
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), min(times)


def lancet(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def measure(name, options, folder):
    net, inputs, mapping = net_of(name)
    paths = {key: folder / f"{name}.{key}.pt" for key in ("float", "int8", "inputs")}
    torch.save(torch.fx.symbolic_trace(net), paths["float"])
    torch.save(inputs, paths["inputs"])
    batches = [torch.randn_like(inputs) for _ in range(4)]
    figures = {"torch_float": [], "torch_int8": [], "compiled": [], "lancet_float": [], "lancet_int8": []}
    with torch.no_grad():
        prepared = prepare_fx(net, mapping, (inputs,))
        for batch in batches:
            prepared(batch)
        int8 = convert_fx(prepared)
        torch.save(int8, paths["int8"])
        runs = {"torch_float": net, "torch_int8": int8}
        if not options.no_compile:
            runs["compiled"] = compiled(net, inputs, batches, name == "bert")
        for _ in range(options.rounds):
            for key, model in runs.items():
                figures[key].append(times_ms(lambda model=model: model(inputs), options.seconds))
            for key in ("float", "int8"):
                told = lancet(
                    options.lancet,
                    "bench",
                    paths[key],
                    "--inputs",
                    paths["inputs"],
                    "--seconds",
                    options.seconds,
                    "--threads",
                    options.threads,
                )["variants"][0]
                figures[f"lancet_{key}"].append((told["median_ms"], told["min_ms"]))
    line = {"bench": "int8", "net": name, "rounds": options.rounds, "threads": options.threads}
    figures = {key: values for key, values in figures.items() if values}
    line |= {f"{key}_ms": round(statistics.median(each for each, _ in values), 2) for key, values in figures.items()}
    line["least"] = {key: round(min(each for _, each in values), 2) for key, values in figures.items()}
    for key in set(figures) & {"torch_int8", "compiled"}:
        pairs = zip(figures[key], figures["lancet_int8"])
        line[f"faster_than_{key}"] = round(statistics.median(a / b for (a, _), (b, _) in pairs), 3)
    with torch.no_grad():
        line["sqnr_db"] = {key: sqnr(net(inputs), model(inputs)) for key, model in runs.items() if model is not net}
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--libraries", help="a folder that has torchvision beside Python's own")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("nets", nargs="*", default=["resnet18", "resnet50", "mobilenet_v2", "densenet121", "bert"])
    options = parser.parse_args()
    if options.libraries:
        sys.path.append(options.libraries)
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.nets:
            measure(name, options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
