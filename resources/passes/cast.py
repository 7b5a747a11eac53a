"""Makes a model compute in bfloat16: weights are converted, inputs and outputs stay what they are.

Normalisation layers stay in float32, with a conversion before and after each of them.
"""
import torch
from torch import fx, nn

DTYPE = torch.bfloat16
EXACT = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm, nn.GroupNorm)


def _converted(graph, node, dtype):
    return graph.call_method("to", (node, dtype))


def cast(gm: fx.GraphModule) -> fx.GraphModule:
    graph = gm.graph
    exact = set()
    for node in graph.nodes:
        if node.op == "call_module" and isinstance(gm.get_submodule(node.target), EXACT):
            exact.add(node)
    for module in gm.modules():
        if not isinstance(module, EXACT):
            for tensor in list(module.parameters(recurse=False)) + list(module.buffers(recurse=False)):
                if tensor.is_floating_point():
                    tensor.data = tensor.data.to(DTYPE)
    for node in list(graph.nodes):
        if node.op == "placeholder":
            with graph.inserting_after(node):
                new = _converted(graph, node, DTYPE)
            node.replace_all_uses_with(new, lambda user, new=new: user is not new)
        elif node in exact:
            with graph.inserting_before(node):
                node.args = (_converted(graph, node.args[0], torch.float32),) + tuple(node.args[1:])
            with graph.inserting_after(node):
                new = _converted(graph, node, DTYPE)
            node.replace_all_uses_with(new, lambda user, new=new: user is not new)
        elif node.op == "output":
            with graph.inserting_before(node):
                node.args = fx.map_arg(node.args, lambda each: _converted(graph, each, torch.float32))
    graph.lint()
    gm.recompile()
    return gm
