# SPDX-License-Identifier: GPL-3.0-or-later
"""What PyTorch needs for the graphs of bench_partition.cpp. One JSON line per figure.

    torch_fx.py [LENGTH...]        1000 and 4000 unless told: 10,000 take minutes
"""

import json
import operator
import sys
import time

import torch
from torch import fx
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import create_op_support


def net(length):
    """Every hundredth node is a sigmoid, every seventh adds the value of five nodes before, the others are relu."""
    graph = fx.Graph()
    nodes = [graph.placeholder("x")]
    for i in range(1, length + 1):
        if i % 100 == 50:
            nodes.append(graph.call_function(torch.sigmoid, (nodes[-1],)))
        elif i % 7 == 0:
            nodes.append(graph.call_function(operator.add, (nodes[-1], nodes[-6])))
        else:
            nodes.append(graph.call_function(torch.relu, (nodes[-1],)))
    graph.output(nodes[-1])
    return fx.GraphModule({}, graph)


def measure(what, length, work):
    start = time.perf_counter()
    result = work()
    print(json.dumps({"bench": "partition", "what": what, "nodes": length, "millis": round((time.perf_counter() - start) * 1e3, 3), "by": f"torch.fx {torch.__version__}"}), flush=True)
    return result


for size in map(int, sys.argv[1:] or ["1000", "4000"]):
    model = net(size)
    support = create_op_support(lambda _, node: node.op.startswith("call") and node.target is not torch.sigmoid)
    partitioner, partitions = measure("propose_partitions", size, lambda: (p := CapabilityBasedPartitioner(model, support), p.propose_partitions()))
    measure("fuse_partitions", size, lambda: partitioner.fuse_partitions(partitions))
