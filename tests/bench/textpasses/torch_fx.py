# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx needs for the figures of bench_textpasses.cpp. One JSON line per figure.

    torch_fx.py [PAIRS...]        500 unless told: a Transformer over 5000 pairs takes more than a minute
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "match"))
import passes  # noqa: E402
from chain import chain, measure  # noqa: E402

for count in map(int, sys.argv[1:] or ["500"]):
    runs = 1 if count > 1000 else 3
    for what, work in (
        ("one-to-one, new nodes", passes.one_to_one),
        ("one-to-one, in place", passes.retarget),
        ("Transformer", lambda gm: passes.Replacing(gm).transform()),
    ):
        measure("textpasses", what, 2 * count + 2, runs, work, lambda count=count: chain(count))
