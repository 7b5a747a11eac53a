# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx needs for the figures of bench_rewrite.cpp. One JSON line per figure.

    torch_fx.py [PAIRS...]        1000 and 4000 unless told: its time grows with the square, 10,000 pairs take two minutes
"""

import pathlib
import sys

from torch import fx

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "match"))
from chain import chain, measure, pattern, replacement  # noqa: E402

for pairs in map(int, sys.argv[1:] or ["1000", "4000"]):
    size = len(chain(pairs).graph.nodes)
    measure("rewrite", "replace", size, 1 if pairs > 1000 else 3, lambda net: fx.replace_pattern(net, pattern, replacement), lambda pairs=pairs: chain(pairs))
