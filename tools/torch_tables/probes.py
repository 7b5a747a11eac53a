# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Python function dispatches when its arguments are probes."""

import inspect

from torch._jit_internal import boolean_dispatched

from torch_tables.text import value_text


class Sentinel:
    def __init__(self, name):
        self.name = name


class Captured(Exception):
    pass


class Probe(Sentinel):
    """Stands for a proxy: the first dispatch on it ends the call and tells what was dispatched."""

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        raise Captured(function, args, kwargs or {})


def parameters_of(function):
    if function in boolean_dispatched:
        return parameters_of(boolean_dispatched[function]["if_false"])
    return list(inspect.signature(function).parameters.values())


def expression(value):
    if isinstance(value, Sentinel):
        return value.name
    if isinstance(value, tuple) and [item.name for item in value[1:] if isinstance(item, Sentinel)] == [""]:
        return value[0].name[1:]  # what a variadic parameter holds, as one tuple
    if isinstance(value, tuple):
        return "(" + ", ".join(map(expression, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(expression, value)) + "]"
    return value_text(value)


def probe_once(function, parameters, probed):
    """The dispatch that happens when the parameters named in `probed` are probes: (function, layout), or None."""
    positional, keyword = [], {}
    for parameter in parameters:
        make = Probe if parameter.name in probed else Sentinel
        if parameter.kind == parameter.VAR_POSITIONAL:
            positional += [make("*" + parameter.name), make("")]
        elif parameter.kind == parameter.KEYWORD_ONLY:
            keyword[parameter.name] = make(parameter.name)
        elif parameter.kind != parameter.VAR_KEYWORD:
            positional.append(make(parameter.name))
    try:
        function(*positional, **keyword)
    except Captured as captured:
        target, args, kwargs = captured.args
        layout = [expression(value) for value in args if not (isinstance(value, Sentinel) and value.name == "")]
        layout += [f"{name}={expression(value)}" for name, value in kwargs.items()]
        return target, ", ".join(layout)
    except BaseException:
        return None
    return None


def probe(function):
    """(target, layout, relevant parameters) of a Python function that dispatches, else None."""
    parameters = parameters_of(function)
    results = {}
    for parameter in parameters:
        result = probe_once(function, parameters, {parameter.name})
        if result:
            results[parameter.name] = result
    if not results:
        return None
    if len(set(results.values())) > 1:
        # A parameter can reach another function's dispatch first; the function's own is the one of its first parameter.
        first = next(iter(results.values()))
        results = {name: result for name, result in results.items() if result == first}
    target, layout = next(iter(results.values()))
    return target, layout, list(results)
