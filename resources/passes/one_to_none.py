"""Takes calls out that change no values: detach and torch.detach."""
import torch
from torch import fx


def remove_detach(gm: fx.GraphModule) -> fx.GraphModule:
    for node in list(gm.graph.nodes):
        is_method = node.op == "call_method" and node.target == "detach"
        is_function = node.op == "call_function" and node.target is torch.detach
        if (is_method or is_function) and isinstance(node.args[0], fx.Node):
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.recompile()
    return gm
