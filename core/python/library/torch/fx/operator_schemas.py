# SPDX-License-Identifier: GPL-3.0-or-later
from typing import NamedTuple
from torch.fx import normalize_function, normalize_module
class ArgsKwargsPair(NamedTuple):
    args: tuple
    kwargs: dict
