# SPDX-License-Identifier: GPL-3.0-or-later
"""Hand-written models with the topology of the real ones."""

import torch

from corpus import nets_text, nets_vision


def items():
    nets = {**nets_vision.NETS, **nets_text.NETS}
    return {name: lambda make=make: torch.fx.symbolic_trace(make().eval()) for name, (make, _) in nets.items()}
