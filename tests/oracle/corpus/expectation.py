# SPDX-License-Identifier: GPL-3.0-or-later
"""What PyTorch shows of a file after loading it: the texts and the figures that lancet must print."""

import collections
import re

import tabulate
import torch
import torch.fx

NODE_KINDS = ["placeholder", "get_attr", "call_function", "call_method", "call_module", "output"]


def of_file(path, kind):
    """The expectation as a JSON object; {"error": ...} when PyTorch cannot load the file."""
    try:
        return of_program(torch.export.load(path)) if kind == "pt2" else of_graph_module(load_alone(path))
    except Exception as error:  # whatever the file makes Python raise is the answer
        return {"error": f"{type(error).__name__}: {error}"}


def load_alone(path):
    """torch.load as in a process that loads nothing else: what a file wraps stays wrapped, and may be gone for the next one."""
    wrapped = torch.fx._symbolic_trace._wrapped_fns_to_patch
    before = dict(wrapped)
    try:
        return torch.load(path, weights_only=False)
    finally:
        wrapped.clear()
        wrapped.update(before)


def of_graph_module(gm):
    if not isinstance(gm, torch.fx.GraphModule):
        return {"error": f"not a GraphModule but {type(gm).__name__}"}
    return {"graph": str(gm.graph), "code": gm.code, "tabular": tabular(gm.graph),
            "info": {"format": "graphmodule", "class_name": type(gm).__name__, "nodes": count_nodes(gm.graph),
                     "dialect": dialect(gm.graph), "modules": len(list(gm.modules())) - 1,
                     "parameters": totals(gm.parameters()), "buffers": totals(gm.buffers()),
                     "inputs": [node.name for node in gm.graph.nodes if node.op == "placeholder"]}}


def of_program(program):
    if isinstance(program, dict):
        program = program["model"]
    inputs = [spec.arg.name for spec in program.graph_signature.input_specs
              if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT]
    return {"graph": str(program.graph), "code": program.graph_module.code, "tabular": tabular(program.graph),
            "info": {"format": "pt2", "nodes": count_nodes(program.graph), "dialect": dialect(program.graph),
                     "producer": torch.__version__, "inputs": inputs,
                     "parameters": totals(distinct(program.parameters())),
                     "buffers": totals(distinct(program.buffers()))}}


def tabular(graph):
    """Graph.print_tabular() with the addresses of functions as 0x0 before the column widths are computed."""
    rows = [[re.sub(r" at 0x[0-9a-f]+>", " at 0x0>", str(cell))
             for cell in (node.op, node.name, node.target, node.args, node.kwargs)] for node in graph.nodes]
    return tabulate.tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"])


def count_nodes(graph):
    counts = collections.Counter(node.op for node in graph.nodes)
    return {"total": len(graph.nodes), **{kind: counts[kind] for kind in NODE_KINDS}}


def dialect(graph):
    """None where the words of the command line leave it open: no function is called, or a higher-order one."""
    targets = [node.target for node in graph.nodes if node.op == "call_function"]
    if not targets or any(isinstance(target, torch._ops.HigherOrderOperator) for target in targets):
        return None
    return "aten" if all(isinstance(target, torch._ops.OpOverload)
                         or getattr(target, "__module__", "") == "_operator" for target in targets) else "fx"


def distinct(tensors):
    """Tied tensors of a loaded program are different objects on one storage."""
    seen = {}
    for tensor in tensors:
        place = (tensor.untyped_storage()._cdata, tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
        seen.setdefault(place, tensor)
    return seen.values()


def totals(tensors):
    tensors = list(tensors)
    if any(torch.nn.parameter.is_lazy(tensor) for tensor in tensors):
        return None  # no sizes yet: nothing to compare
    return {"tensors": len(tensors), "elements": sum(tensor.numel() for tensor in tensors),
            "bytes": sum(tensor.numel() * tensor.element_size() for tensor in tensors)}
