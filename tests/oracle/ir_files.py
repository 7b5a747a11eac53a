# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a GraphModule as Lancet's description (docs/ir-format.md), with its graph as it is: torch.save keeps only code."""

import json
import struct

import torch

DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.int64: "I64", torch.bool: "BOOL"}


def argument(value):
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if isinstance(value, tuple):
        return {"tuple": [argument(each) for each in value]}
    if isinstance(value, list):
        return [argument(each) for each in value]
    if isinstance(value, dict):
        return {"dict": [[argument(key), argument(each)] for key, each in value.items()]}
    if isinstance(value, slice):
        return {"slice": [argument(each) for each in (value.start, value.stop, value.step)]}
    plain = value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and abs(value) < float("inf")
    return value if plain else {"repr": repr(value)}


def target(node):
    if isinstance(node.target, (str, torch._ops.OpOverload)):
        return str(node.target)
    return torch.fx.node._get_qualified_name(node.target)


def module(inner, tensors):
    """A module with its weights; only the settings of those of torch.nn."""
    described = {"training": inner.training, "parameters": {}, "buffers": {}}
    if type(inner).__module__.startswith("torch.nn.modules") and type(inner) is not torch.nn.Module:
        described["type"] = f"{type(inner).__module__}.{type(inner).__name__}"
        described["settings"] = {key: argument(value) for key, value in vars(inner).items()
                                 if key != "training" and not key.startswith("_") and isinstance(value, (int, str, tuple))}
    for kind, slots in (("parameters", inner._parameters), ("buffers", inner._buffers)):
        for name, tensor in slots.items():
            described[kind][name] = f"t{len(tensors)}"
            tensors[f"t{len(tensors)}"] = tensor.detach().contiguous()
    described["modules"] = {name: module(child, tensors) for name, child in inner._modules.items()}
    return described


def write(graph_module, path):
    tensors = {}
    nodes = [{"op": node.op, "target": target(node), "name": node.name, "args": [argument(each) for each in node.args],
              "kwargs": {key: argument(each) for key, each in node.kwargs.items()}} for node in graph_module.graph.nodes]
    path.write_text(json.dumps({"lancet_ir": 1, "nodes": nodes, **module(graph_module, tensors)}))
    head, data = {"__metadata__": {"written_by": "lancet"}}, b""
    for name, tensor in tensors.items():
        stored = tensor.numpy().tobytes()
        head[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(stored)]}
        data += stored
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.with_suffix(".safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
