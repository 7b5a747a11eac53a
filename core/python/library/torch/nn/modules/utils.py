# SPDX-License-Identifier: GPL-3.0-or-later
def _ntuple(n):
    return lambda x: tuple(x) if isinstance(x, (list, tuple)) else (x,) * n
_single, _pair, _triple, _quadruple = _ntuple(1), _ntuple(2), _ntuple(3), _ntuple(4)
def _reverse_repeat_tuple(t, n):
    return tuple(x for x in reversed(t) for _ in range(n))
