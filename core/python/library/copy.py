# SPDX-License-Identifier: GPL-3.0-or-later
def copy(value):
    if isinstance(value, type):
        return value
    return value.__copy__() if hasattr(type(value), '__copy__') else __copy__(value, False)
def deepcopy(value, memo=None):
    memo = {} if memo is None else memo
    return value.__deepcopy__(memo) if hasattr(type(value), '__deepcopy__') else __copy__(value, True, memo)
