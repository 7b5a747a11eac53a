# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of PyTorch for the work of bench_exec.cpp: eager, and torch.fx's Interpreter. Run it beside the benchmark."""

import json
import pathlib
import statistics
import time

import torch
import torch.nn.functional as F
from torch import fx

ROOT = pathlib.Path(__file__).resolve().parents[3]


def chain(x, w):
    last = x
    for _ in range(333):
        last = F.linear(torch.relu(last) + x, w)
    return last


def median(work, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), min(times)


def main():
    torch.set_num_threads(1)
    with torch.no_grad():
        traced, x, w = fx.symbolic_trace(chain), torch.randn(1, 4), torch.randn(4, 4)
        for what, work in [("eager", lambda: chain(x, w)), ("torch.fx Interpreter", lambda: fx.Interpreter(traced).run(x, w))]:
            print(json.dumps({"bench": "exec", "what": f"chain, {what}", "nodes": 999, "micros_per_node": round(median(work, 60)[0] * 1e6 / 999, 3)}))
        net, image = torch.load(ROOT / "resources/samples/resnet.pt", weights_only=False), torch.randn(1, 3, 224, 224)
        middle, least = median(lambda: net(image), 40)
        print(json.dumps({"bench": "exec", "what": "resnet sample, 1x3x224x224, eager", "millis": round(middle * 1e3, 3), "min": round(least * 1e3, 3)}))


if __name__ == "__main__":
    main()
