# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what the rows predict with what torch.fx records."""

import inspect
import math
import sys

import torch

from torch_tables.probes import parameters_of
from torch_tables.text import split_top
from torch_tables.tracing import COUNTS, trace


class Mismatch(Exception):
    """torch.fx does something else than the table says."""


def predicted(row, args, kwargs):
    """(target path or method, args, kwargs) by the row alone."""
    if row.behaviour == "record":
        return row.path, tuple(args), kwargs
    parameters = parameters_of(row.thing)
    bound = inspect.Signature(parameters).bind(*args, **kwargs)
    bound.apply_defaults()
    out_args, out_kwargs = [], {}
    for part in split_top(row.layout):
        name, equals, text = part.partition("=")
        if equals and name.isidentifier():
            out_kwargs[name] = value_of(text, bound.arguments)
        elif part.startswith("*"):
            out_args += bound.arguments[part[1:]]
        else:
            out_args.append(value_of(part, bound.arguments))
    return row.target or row.path, tuple(out_args), out_kwargs


def value_of(text, arguments):
    if text in arguments:
        return arguments[text]
    return eval(text, {"torch": torch, "math": math, "inf": math.inf, "nan": math.nan}, dict(arguments))


def call_forms(parameters, relevant):
    """Calls of a function as (args, kwargs) of a proxy: required ones positional, all positional, all by keyword."""
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = [p for p in parameters if p.kind == p.VAR_POSITIONAL]
    keyword = [p for p in parameters if p.kind == p.KEYWORD_ONLY]

    def given(parameter, proxy):
        if parameter.name in relevant:
            return proxy
        return 3 if parameter.default is parameter.empty else parameter.default

    def required(proxy):
        args = [given(p, proxy) for p in plain if p.default is p.empty] + [proxy, proxy] * len(variadic)
        return args, {p.name: given(p, proxy) for p in keyword if p.default is p.empty}

    def positional(proxy):
        args = [proxy if p.name in relevant[:1] else given(p, proxy) for p in plain] + [proxy] * len(variadic)
        return args, {p.name: given(p, proxy) for p in keyword}

    def by_keyword(proxy):
        if variadic or any(p.kind == p.POSITIONAL_ONLY for p in plain):
            return required(proxy)
        return [], {p.name: given(p, proxy) for p in reversed(plain + keyword)}

    def only(name):
        def form(proxy):
            args = [proxy if p.name == name else 3 for p in plain]
            return args, {p.name: proxy if p.name == name else given(p, None) for p in keyword}
        return form

    return [required, positional, by_keyword] + [only(name) for name in relevant if not variadic]


def check_row(row, rows, path_of):
    """Compares what the row predicts with what torch.fx records, for several forms of call; how many there were."""
    parameters, relevant = parameters_of(row.thing), row.relevant.split()
    checked = 0
    for form in call_forms(parameters, relevant):
        calls = []
        nodes = trace(lambda p: (calls.append(form(p)), row.thing(*calls[0][0], **calls[0][1])))
        if isinstance(nodes, Exception):
            # A value or a default that PyTorch or torch.fx refuses says nothing about what is recorded.
            if any(words in str(nodes) for words in ("must specify", "argument of type", "must be Tensor, not int")):
                continue
            raise Mismatch(f"{row.path}: predicted a node, torch.fx raised {type(nodes).__name__}: {nodes}")
        args, kwargs = torch.fx.node.map_aggregate(calls[0], lambda value: getattr(value, "node", value))
        want = predicted(leaf_row(row, rows, args, kwargs), args, kwargs)
        node = nodes[0] if nodes else None
        target = node and (node.target if node.op == "call_method" else path_of.get(id(node.target)))
        if len(nodes) != 1 or repr((target, node.args, dict(node.kwargs))) != repr(want):
            raise Mismatch(f"{row.path}: predicted {want}, torch.fx recorded {[n.format_node() for n in nodes]}")
        checked += 1
    return checked


def leaf_row(row, rows, args, kwargs):
    """The row that a select row leads to for these arguments."""
    while row.behaviour == "select":
        name, index, default = row.layout.split()
        flag = kwargs.get(name, args[int(index)] if int(index) < len(args) else default == "True")
        row = rows[row.target.split()[0 if flag else 1]]
    return row


def check(rows, path_of):
    """Stops at the first function that torch.fx records otherwise than its row says."""
    by_path = {row.path: row for row in rows}
    for row in rows:
        if row.behaviour in ("rewrite", "select") or row.kind == "function" and row.parameters and row.behaviour in ("method", "record"):
            try:
                checked = check_row(row, by_path, path_of)
                COUNTS["functions"] += checked > 0
                COUNTS["calls"] += checked
            except Mismatch as error:
                if not row.target or row.behaviour == "select":
                    raise
                # It ends in another function after work of its own, which no layout can tell.
                print("not followed:", str(error)[:200], file=sys.stderr)
                row.behaviour, row.target, row.layout = "unknown", "", ""
