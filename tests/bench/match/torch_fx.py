# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx needs for the figures of bench_match.cpp. One JSON line per figure.

    torch_fx.py [PAIRS...]        1000 and 2000 unless told: its time grows with the square, 10,000 pairs take minutes
"""

import sys

from torch import fx
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

from chain import chain, measure, pattern

graph = fx.symbolic_trace(pattern).graph
for pairs in map(int, sys.argv[1:] or ["1000", "2000"]):
    net = chain(pairs)
    measure("match", "match", len(net.graph.nodes), 1 if pairs > 1000 else 3, lambda _, net=net: SubgraphMatcher(graph).match(net.graph))
