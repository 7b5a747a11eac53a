# SPDX-License-Identifier: GPL-3.0-or-later
# How objects are made again is as the documentation of pickle says it.
def copy(x):
    if isinstance(x, type):
        return x
    return x.__copy__() if hasattr(type(x), '__copy__') else __copy__(x)
def deepcopy(x, memo=None): return __copy__(x, {} if memo is None else memo)
def _rebuilt(value, memo):
    made = _reduced(value)
    if isinstance(made, str):
        return value
    return _reconstruct(value, memo, *made)
def _reduced(value):
    cls = type(value)
    if __has_own__(value, '__reduce_ex__'):
        return value.__reduce_ex__(4)
    if __has_own__(value, '__reduce__'):
        return value.__reduce__()
    if isinstance(value, (int, float, str, tuple, set)):
        return __opaque__('copy.copy()')
    args, kwargs = (), {}
    if __has_own__(value, '__getnewargs_ex__'):
        args, kwargs = value.__getnewargs_ex__()
    elif __has_own__(value, '__getnewargs__'):
        args = value.__getnewargs__()
    state = value.__getstate__() if __has_own__(value, '__getstate__') else dict(value.__dict__) or None
    make = lambda cls, *args: cls.__new__(cls, *args, **kwargs)
    return (make, (cls, *args), state, iter(value) if isinstance(value, list) else None,
            iter(value.items()) if isinstance(value, dict) else None)
def _reconstruct(x, memo, func, args, state=None, listiter=None, dictiter=None):
    deep = memo is not None
    again = (lambda value: deepcopy(value, memo)) if deep else (lambda value: value)
    y = func(*[again(each) for each in args])
    if deep:
        memo[id(x)] = y
    if state is not None:
        state = again(state)
        if hasattr(y, '__setstate__'):
            y.__setstate__(state)
        else:
            slots = None
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            if state is not None:
                y.__dict__.update(state)
            for key, value in (slots or {}).items():
                setattr(y, key, value)
    for item in listiter or ():
        y.append(again(item))
    for key, value in dictiter or ():
        y[again(key)] = again(value)
    return y
