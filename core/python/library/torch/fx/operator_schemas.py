# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any, List, NamedTuple, Tuple
from torch.fx import normalize_function, normalize_module
class ArgsKwargsPair(NamedTuple):
    args: tuple
    kwargs: dict
# The annotation of a list or tuple of types; other values stay as they are.
def create_type_hint(x):
    if not isinstance(x, (list, tuple)):
        return x
    kind = (lambda each: List[each]) if isinstance(x, list) else lambda each: Tuple[each, ...]
    try:
        base = x[0] if x else Any
        for each in x:
            if not issubclass(each, base):
                base = each if issubclass(base, each) else None
            if base is None:
                return kind(Any)
        return kind(base)
    except Exception:
        return x
