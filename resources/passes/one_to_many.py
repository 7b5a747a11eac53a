"""Takes a call apart: torch.addmm(bias, a, b) becomes torch.add(torch.mm(a, b), bias)."""
import torch
from torch import fx
from torch.fx.passes.infra.pass_base import PassBase, PassResult


class AddmmToMmAdd(PassBase):
    def call(self, graph_module):
        modified = False
        for node in graph_module.graph.nodes:
            if node.op != "call_function" or node.target is not torch.addmm or len(node.args) != 3 or node.kwargs:
                continue
            bias, a, b = node.args
            with graph_module.graph.inserting_before(node):
                product = graph_module.graph.call_function(torch.mm, (a, b))
                total = graph_module.graph.call_function(torch.add, (product, bias))
            node.replace_all_uses_with(total)
            graph_module.graph.erase_node(node)
            modified = True
        graph_module.recompile()
        return PassResult(graph_module, modified)
