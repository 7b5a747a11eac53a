# SPDX-License-Identifier: GPL-3.0-or-later
"""The graphs of chain.h with torch.fx, and how its benchmarks print."""

import json
import statistics
import time

import torch
from torch import fx


def chain(pairs):
    """relu and neg in turn."""
    graph = fx.Graph()
    last = graph.placeholder("x")
    for _ in range(pairs):
        last = graph.call_function(torch.neg, (graph.call_function(torch.relu, (last,)),))
    graph.output(last)
    return fx.GraphModule({}, graph)


def pattern(x):
    return torch.neg(torch.relu(x))


def replacement(x):
    return torch.sigmoid(x)


def measure(bench, what, nodes, runs, work, prepare=lambda: None):
    """Prints the median of `runs` processor times of `work(prepare())`."""
    millis = []
    for _ in range(runs):
        prepared = prepare()
        start = time.thread_time()
        work(prepared)
        millis.append((time.thread_time() - start) * 1e3)
    print(json.dumps({"bench": bench, "what": what, "nodes": nodes, "millis": round(statistics.median(millis), 4), "by": f"torch.fx {torch.__version__}"}), flush=True)
