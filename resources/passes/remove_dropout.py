"""Takes Dropout modules out of a model for inference."""
import torch
from torch import fx, nn


def remove_dropout(gm: fx.GraphModule) -> fx.GraphModule:
    modules = dict(gm.named_modules())
    for node in gm.graph.nodes:
        if node.op == "call_module" and isinstance(modules.get(node.target), (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)):
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.recompile()
    return gm
