# SPDX-License-Identifier: GPL-3.0-or-later
class PHBase:
    def __repr__(self): return 'PH'
PH = PHBase()
class PHWithMeta(PHBase):
    def __init__(self, ph_key=None):
        self.ph_key = ph_key
from torch.fx import Tracer, symbolic_trace
def wrap(what): return __wrap__(what)
def is_fx_tracing(): return True
def is_fx_symbolic_tracing(): return True
