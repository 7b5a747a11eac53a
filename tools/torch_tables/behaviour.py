# SPDX-License-Identifier: GPL-3.0-or-later
"""How a call of each object behaves while torch.fx traces: fills in the rows."""

import inspect

import torch
from torch._jit_internal import boolean_dispatched
from torch.fx._symbolic_trace import _wrapped_fns_to_patch

from torch_tables.c_functions import describe_c_function
from torch_tables.probes import parameters_of, probe
from torch_tables.text import signature_text, split_top, value_text
from torch_tables.tracing import describe_plain_call, trace


# Classes of builtins whose calls act on their arguments as functions do.
CONVERSIONS = {"builtins." + name for name in "int float bool complex str list tuple dict set frozenset range slice reversed "
               "enumerate zip map filter type".split()}


def mentions_dispatch(function):
    try:
        return "handle_torch_function(" in inspect.getsource(function)
    except (OSError, TypeError):
        return False


def describe_function(row, path_of):
    """Fills in the behaviour of a Python function."""
    function = row.thing
    try:
        parameters = parameters_of(function)
    except (ValueError, TypeError):
        row.behaviour = "unknown"
        return
    row.parameters = signature_text(parameters)
    row.behaviour = "unknown"
    if function.__name__ in [name for _, name in _wrapped_fns_to_patch] and function.__module__ == "torch.fx._symbolic_trace":
        row.behaviour = "wrap"  # torch.fx wraps it for itself
        return
    safe = row.path.split(".")[1:2] in (["functional"], ["nn"], ["_VF"]) or mentions_dispatch(function)
    if not safe or function.__module__.startswith(("torch._dynamo", "torch.jit", "torch.fx", "torch.overrides")):
        return
    if function in boolean_dispatched:
        describe_select(row, path_of)
        return
    result = probe(function)
    if result and torch.overrides.is_tensor_method_or_property(result[0]):
        row.behaviour, row.target, row.layout, row.relevant = "method", result[0].__name__, result[1], " ".join(result[2])
    elif result and id(result[0]) in path_of:
        set_rewrite(row, result, path_of)
    elif not result:
        describe_by_trace(row, parameters)
        if row.behaviour == "unknown":
            describe_by_defaults(row, parameters, path_of)
    describe_listed(row, parameters, path_of)


def describe_listed(row, parameters, path_of):
    """`f(*tensors)` that is given one list or nothing: `BEFORE TARGET kept|expanded` or an error, then what f() gives."""
    variadic = [p for p in parameters if p.kind == p.VAR_POSITIONAL]
    if len(variadic) != 1 or parameters[0] is not variadic[0] or row.behaviour not in ("record", "rewrite"):
        return
    for before in ([], ["i,i"]):  # einsum has its equation first
        nodes = trace(lambda p: row.thing(*before, [p, p]))
        if isinstance(nodes, list) and len(nodes) == 1:
            kept = isinstance(nodes[0].args[-1], list)
            row.listed = f"{len(before)} {path_of[id(nodes[0].target)]} {'kept' if kept else 'expanded'}"
            break
        row.listed = "0 !" + type(nodes).__name__
    nothing = []
    if isinstance(trace(lambda p: nothing.append(row.thing())), list) and isinstance(nothing[0], (tuple, int)):
        row.listed += f" {nothing[0]!r}"


def describe_by_defaults(row, parameters, path_of):
    """Functions that hand their arguments to a C function, which looks at them before anything is dispatched."""
    required = [p.name for p in parameters if p.default is p.empty]
    layouts = []
    for traced in [required, *([*required, p.name] for p in parameters if p.name not in required)]:
        made = []

        def call(proxy):
            made.append({p.name: getattr(proxy, p.name) if p.name in traced else p.default for p in parameters})
            row.thing(**made[0])

        nodes = trace(call)
        nodes = [n for n in nodes if n.target is not getattr] if isinstance(nodes, list) else []
        if len(nodes) != 1 or nodes[0].op != "call_function" or not {*nodes[0].kwargs} <= {*made[0]}:
            return
        names = {id(value.node): name for name, value in made[0].items() if name in traced}
        layouts.append((nodes[0].target, [names.get(id(value)) for value in nodes[0].args],
                        [(name, names.get(id(value))) for name, value in nodes[0].kwargs.items()]))
    target, args, kwargs = layouts[0]
    found = {name for _, positional, keywords in layouts for name in [*positional, *(name for _, name in keywords)]}
    in_order = args == [p.name for p in parameters][: len(args)]
    if id(target) in path_of and in_order and {p.name for p in parameters} <= found:
        layout = args + [f"{keyword}={keyword}" for keyword, _ in kwargs]
        set_rewrite(row, (target, ", ".join(layout), required), path_of)


def describe_select(row, path_of):
    choice = boolean_dispatched[row.thing]
    leaves = [probe(leaf) for leaf in leaves_of(row.thing)]
    if not all(leaves):
        return
    row.behaviour, row.relevant = "select", " ".join(leaves[0][2])
    row.layout = f"{choice['arg_name']} {choice['index']} {choice['default']}"
    row.target = " ".join(path_of[id(choice[side])] for side in ("if_true", "if_false"))
    if all(leaf == leaves[0] for leaf in leaves):
        set_rewrite(row, leaves[0], path_of)


def leaves_of(function):
    """The functions that boolean dispatch can end in."""
    if function not in boolean_dispatched:
        return [function]
    choice = boolean_dispatched[function]
    return leaves_of(choice["if_true"]) + leaves_of(choice["if_false"])


def set_rewrite(row, probed, path_of):
    target, layout, relevant = probed
    path = path_of[id(target)]
    row.behaviour, row.target, row.layout, row.relevant = "rewrite", "" if path == row.path else path, layout, " ".join(relevant)
    if "".join(relevant) == row.parameters[1:] == row.layout[1:]:
        row.behaviour, row.layout = "record", ""  # f(*tensors): exactly what was given
    elif any(part[0] in "([" or part.endswith("=") for part in split_top(layout)):
        row.behaviour, row.target, row.layout = "unknown", "", ""


def describe_by_trace(row, parameters):
    """Functions that call a method of their argument, such as functional.sigmoid."""
    required = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(required) != 1 or not row.path.startswith(("torch.nn.functional.", "torch.functional.")):
        return
    nodes = trace(lambda proxy: row.thing(proxy))
    if isinstance(nodes, list) and len(nodes) == 1 and nodes[0].op == "call_method" and not nodes[0].kwargs:
        row.behaviour, row.target, row.relevant = "method", nodes[0].target, required[0].name
        row.layout = ", ".join([required[0].name] + [value_text(value) for value in nodes[0].args[1:]])


def describe(row, path_of):
    """Fills in the behaviour of a row; `path_of` maps the id of each object to its path."""
    if row.kind == "function":
        if row.path.startswith("torch.Tensor."):
            row.behaviour, row.target = "method", row.thing.__name__
        elif not row.path.startswith("torch."):
            row.behaviour = "unknown"
        else:
            describe_function(row, path_of)
    elif row.kind == "c_function":
        if row.path.startswith("math."):
            row.behaviour = "wrap"
        elif row.path.split(".")[0] in ("_operator", "operator", "builtins"):
            describe_plain_call(row)
        elif row.path.startswith("torch.") and not (row.path.startswith("torch._C.") and row.path.count(".") == 2):
            describe_c_function(row, path_of)
        else:
            row.behaviour = "run"
    elif row.kind == "method":
        row.behaviour, row.target = "method", row.thing.__name__
    elif row.kind == "class":
        if row.path in CONVERSIONS:
            describe_plain_call(row)
        else:
            row.behaviour = "construct"
