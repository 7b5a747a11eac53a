# SPDX-License-Identifier: GPL-3.0-or-later
"""int8 models: torch.ao in Python against the same models in Lancet, in turns, with the same threads and inputs.

    int8_speed.py --lancet BIN [--rounds N] [--seconds S] [--threads N] [resnet] [bert]

`resnet` is ResNet-18 with static quantisation (x86), `bert` a four-layer encoder with dynamic quantisation. torch.ao
prepares, calibrates and converts; both sides run the converted model, and Lancet also the float model. A figure is the
median over rounds of medians, a ratio the median over rounds of ratios within a round; `least` has the shortest runs,
which other processes disturb least. One JSON line per net.
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

warnings.filterwarnings("ignore")


class Basic(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer)
        self.conv2, self.bn2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer)
        self.relu, self.down = nn.ReLU(), nn.Identity()
        if stride != 1 or inner != outer:
            self.down = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.down(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.relu, self.pool = nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        widths = [
            (64, 64, 1),
            (64, 64, 1),
            (64, 128, 2),
            (128, 128, 1),
            (128, 256, 2),
            (256, 256, 1),
            (256, 512, 2),
            (512, 512, 1),
        ]
        self.layers = nn.Sequential(*[Basic(*width) for width in widths])
        self.average, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(512, 1000)

    def forward(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.average(self.layers(x)), 1))


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
    net = ResNet().eval()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1), module.running_var.uniform_(0.5, 1.5)
    return net, torch.randn(1, 3, 224, 224), get_default_qconfig_mapping("x86")


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
    figures = {"torch_float": [], "torch_int8": [], "lancet_float": [], "lancet_int8": []}
    with torch.no_grad():
        prepared = prepare_fx(net, mapping, (inputs,))
        for _ in range(4):
            prepared(torch.randn_like(inputs))
        int8 = convert_fx(prepared)
        torch.save(int8, paths["int8"])
        for _ in range(options.rounds):
            figures["torch_float"].append(times_ms(lambda: net(inputs), options.seconds))
            figures["torch_int8"].append(times_ms(lambda: int8(inputs), options.seconds))
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
    line |= {f"{key}_ms": round(statistics.median(each for each, _ in values), 2) for key, values in figures.items()}
    line["least"] = {key: round(min(each for _, each in values), 2) for key, values in figures.items()}
    pairs = zip(figures["torch_int8"], figures["lancet_int8"])
    line["faster_than_torch_ao"] = round(statistics.median(a / b for (a, _), (b, _) in pairs), 3)
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("nets", nargs="*", default=["resnet", "bert"])
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.nets:
            measure(name, options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
