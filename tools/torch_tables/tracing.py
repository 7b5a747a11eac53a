# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls on real proxies, as torch.fx traces them."""

import inspect
import re

import torch
import torch.fx
from torch.fx.node import _get_qualified_name

from torch_tables.text import printed

# How many calls were compared, for the line at the end.
COUNTS = {"c functions": 0, "c calls": 0, "functions": 0, "calls": 0}

FX_ERRORS = (torch.fx.proxy.TraceError, TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError,
             AssertionError, IndexError, KeyError, OverflowError)


SHORT_ERRORS = {"Proxy object cannot be iterated": "iteration", "'len' is not supported": "len",
                "symbolically traced variables cannot": "control_flow"}


def trace(call):
    """The nodes that call(proxy) records, or the exception that it raised."""
    tracer = torch.fx.Tracer()
    tracer.graph = torch.fx.Graph()
    tracer.root, tracer.module_stack = torch.nn.Module(), {}
    tracer.tensor_attrs = {}
    proxy = tracer.create_proxy("placeholder", "p", (), {})
    try:
        call(proxy)
    except FX_ERRORS as error:
        return error
    return [node for node in tracer.graph.nodes if node.op != "placeholder"]


def outcome(call):
    """What a call records, as text: `_operator.add(p, v)`, `.abs(p)`, `!TypeError: ...`, or `` when nothing."""
    nodes = trace(call)
    if isinstance(nodes, Exception):
        text = printed(nodes).splitlines()[0]
        short = [code for start, code in SHORT_ERRORS.items() if text.startswith(start)]
        return f"!{short[0]}" if short else f"!{type(nodes).__name__}: {text}"
    texts = []
    for node in nodes:
        target = "." + node.target if node.op == "call_method" else _get_qualified_name(node.target)
        arguments = [expression_of_node(value) for value in node.args]
        arguments += [f"{name}={expression_of_node(value)}" for name, value in node.kwargs.items()]
        texts.append(f"{target}({', '.join(arguments)})")
    return " ".join(texts)


def expression_of_node(value):
    return {7: "v", 8: "w"}.get(value, repr(value)) if isinstance(value, int) else str(value)


def describe_plain_call(row):
    """operator.* and builtins: what a call with proxies records or raises, for each place where a proxy can stand."""
    function = row.thing
    forms = {"p": lambda p: (p,), "p, v": lambda p: (p, 7), "v, p": lambda p: (7, p), "p, p": lambda p: (p, p),
             "p, v, w": lambda p: (p, 7, 8), "v, w, p": lambda p: (7, 8, p)}
    if row.path.split(".")[-1] in ("input", "print", "exit", "quit", "breakpoint", "help", "open", "exec", "eval", "compile",
                                   "__import__", "copyright", "credits", "license"):
        row.behaviour = "unknown"
        return
    results = {}
    for form, make in forms.items():
        try:
            inspect.signature(function).bind(*[None] * (form.count(",") + 1))
        except ValueError:
            pass
        except TypeError:
            continue
        text = outcome(lambda p: function(*make(p)))
        if not re.search(r"!TypeError: .*(expected|takes|argument)", text) or form == "p":
            results[form] = text
    row.behaviour = "plain"
    row.layout = " | ".join(f"{form} -> {text}" for form, text in results.items())
