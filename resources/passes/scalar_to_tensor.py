"""Gives operators tensors where their schema says Tensor: `aten.add.Tensor(x, 2)` gets a buffer that holds 2.

Runtimes that take operators by their schemas need this; PyTorch itself turns such numbers into tensors silently.
"""
import torch
from torch import fx
from torch.fx.passes.infra.pass_base import PassBase, PassResult


class ScalarToTensor(PassBase):
    def call(self, graph_module: fx.GraphModule) -> PassResult:
        self.made = {}
        modified = False
        for node in list(graph_module.graph.nodes):
            schema = getattr(node.target, "_schema", None) if node.op == "call_function" else None
            if schema is None:
                continue
            for at, (value, argument) in enumerate(zip(node.args, schema.arguments)):
                if isinstance(value, (bool, int, float)) and isinstance(argument.type, torch.TensorType):
                    with graph_module.graph.inserting_before(node):
                        node.update_arg(at, graph_module.graph.get_attr(self.buffer(graph_module, value)))
                    modified = True
        if modified:
            graph_module.graph.lint()
            graph_module.recompile()
        return PassResult(graph_module, modified)

    def buffer(self, graph_module, value):
        key = (type(value), value)
        if key not in self.made:
            number = len(self.made)
            while hasattr(graph_module, f"scalar_{number}"):
                number += 1
            self.made[key] = f"scalar_{number}"
            graph_module.register_buffer(self.made[key], torch.tensor(value))
        return self.made[key]
