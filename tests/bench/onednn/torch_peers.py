# SPDX-License-Identifier: GPL-3.0-or-later
"""The pass `onednn` against PyTorch: eager, torch.compile with freezing, and Lancet's result, in turns.

    torch_peers.py --lancet BIN [--rounds N] [--seconds S] [--torchvision FOLDER] NET...

NET is a name of torchvision.models, `bert` or `gpt` (four layers, made here). Each round times eager, compiled and
Lancet one after the other; a figure is the median over rounds of medians, and a ratio is the median over rounds of
the ratios within a round, since the load of a machine changes between rounds. `least` has the shortest runs of all
rounds, which other processes disturb least. One JSON line per net.
"""

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.heads, self.causal = heads, causal
        self.register_buffer("mask", torch.full((128, 128), float("-inf")).triu(1))

    def forward(self, x):
        b, t, w = x.size(0), x.size(1), x.size(2)
        q, k, v = (each(x).view(b, t, self.heads, w // self.heads).permute(0, 2, 1, 3) for each in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(-1, -2)) / 8.0
        if self.causal:
            scores = scores + self.mask
        return self.o(torch.matmul(torch.softmax(scores, dim=-1), v).permute(0, 2, 1, 3).contiguous().view(b, t, w))


class Block(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.attention, self.norm1, self.norm2 = Attention(width, heads, causal), nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down, self.act = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.GELU()
        self.drop, self.before = nn.Dropout(0.1), causal

    def forward(self, x):
        if self.before:
            x = x + self.drop(self.attention(self.norm1(x)))
            return x + self.drop(self.down(self.act(self.up(self.norm2(x)))))
        x = self.norm1(x + self.drop(self.attention(x)))
        return self.norm2(x + self.drop(self.down(self.act(self.up(x)))))


class Transformer(nn.Module):
    def __init__(self, causal, width=256, heads=4):
        super().__init__()
        self.embed, self.place, self.norm = nn.Embedding(1000, width), nn.Parameter(torch.randn(1, 128, width)), nn.LayerNorm(width)
        self.blocks, self.head = nn.Sequential(*[Block(width, heads, causal) for _ in range(4)]), nn.Linear(width, 1000 if causal else width)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.embed(ids) + self.place)))


def torchvision_models(folder):
    if folder:
        sys.path.insert(0, folder)
    try:
        import torchvision
    except RuntimeError:  # its C extension is of another torch: the models need none of its operators
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms", "roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d"):
            for form in (name, f"_{name}_backward"):
                library.define(f"{form}(Tensor a) -> Tensor")
        import torchvision
    return torchvision.models


def net_of(name, models):
    torch.manual_seed(0)
    if name in ("bert", "gpt"):
        return Transformer(name == "gpt").eval(), torch.randint(1000, (1, 128))
    net = getattr(models(), name)(weights=None)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1), module.running_var.uniform_(0.5, 1.5)
    return net.eval(), torch.randn(1, 3, 224, 224)


def times_ms(work, seconds):
    """Median and minimum."""
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
    net, inputs = net_of(name, lambda: torchvision_models(options.torchvision))
    model, given, faster = folder / f"{name}.pt", folder / f"{name}.in.pt", folder / f"{name}.json"
    torch.save(torch.fx.symbolic_trace(net), model)
    torch.save(inputs, given)
    start = time.perf_counter()
    lancet(options.lancet, "pass", model, "onednn", "--inputs", given, "-o", faster)
    built = time.perf_counter() - start
    figures = {"eager": [], "compiled": [], "lancet": []}
    torch._inductor.config.freezing = True
    with torch.no_grad():
        start, compiled = time.perf_counter(), None
        if not options.no_compile:
            compiled = torch.compile(net)
            compiled(inputs)
        compiling = time.perf_counter() - start
        for _ in range(options.rounds):
            figures["eager"].append(times_ms(lambda: net(inputs), options.seconds))
            if compiled is not None:
                figures["compiled"].append(times_ms(lambda: compiled(inputs), options.seconds))
            which = faster if faster.exists() else model
            told = lancet(options.lancet, "bench", which, "--inputs", given, "--seconds", options.seconds)
            figures["lancet"].append((told["variants"][0]["median_ms"], told["variants"][0]["min_ms"]))
    least = {key: min(value for _, value in values) for key, values in figures.items() if values}
    figures = {key: [value for value, _ in values] for key, values in figures.items()}
    ratio = lambda a, b: round(statistics.median(x / y for x, y in zip(figures[a], figures[b])), 3)  # noqa: E731
    line = {"bench": "onednn", "net": name, "offered": faster.exists(), "pass_s": round(built, 2), "compile_s": round(compiling, 1)}
    line |= {f"{key}_ms": round(statistics.median(values), 2) for key, values in figures.items() if values}
    line["least"] = {key: round(value, 2) for key, value in least.items()}
    line["faster_than_eager"] = ratio("eager", "lancet")
    if compiled is not None:
        line |= {"compiled_than_eager": ratio("eager", "compiled"), "of_compiled": ratio("compiled", "lancet")}
    spread = [x / y for x, y in zip(figures["eager"], figures["lancet"])]
    line["eager_ratios"] = [round(min(spread), 2), round(max(spread), 2)]
    print(json.dumps(line | {"rounds": options.rounds, "threads": torch.get_num_threads(), "isa": torch.backends.cpu.get_cpu_capability(),
                             "processor": platform.processor() or platform.machine()}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--torchvision")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("nets", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.nets:
            measure(name, options, pathlib.Path(folder))
            torch._dynamo.reset()


if __name__ == "__main__":
    main()
