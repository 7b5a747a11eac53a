# SPDX-License-Identifier: GPL-3.0-or-later
from torch import _Context
class record_function(_Context): pass
class profile(_Context):
    def step(self): return None
