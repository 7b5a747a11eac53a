# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx import _fuse_partitions, _propose_partitions
class Partition:
    def __init__(self, id=None, nodes=None, node_orders=None):
        self.id, self.nodes = id, {each: None for each in nodes or ()}
    def __repr__(self):
        return str(self.nodes)
    def add_node(self, node, node_order=None):
        self.nodes[node] = None
    def remove_node(self, node):
        del self.nodes[node]
    def size(self):
        return len(self.nodes)
class CapabilityBasedPartitioner:
    def __init__(self, graph_module, operator_support, allows_single_node_partition=False, non_compute_ops=None,
                 allowed_single_node_partition_ops=None, skip_horizontal_fusion=False):
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops or []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion
    def propose_partitions(self):
        modules = dict(self.graph_module.named_modules())
        supported = [node for node in self.graph_module.graph.nodes
                     if self.operator_support.is_node_supported(modules, node)]
        found = _propose_partitions(self.graph_module, supported, self.allows_single_node_partition,
                                    self.non_compute_ops, self.allowed_single_node_partition_ops,
                                    self.skip_horizontal_fusion)
        return [Partition(number, nodes) for number, nodes in found]
    def fuse_partitions(self, partitions, prefix='fused_'):
        return _fuse_partitions(self.graph_module, [list(each.nodes) for each in partitions], prefix)
    def partition_and_fuse(self, prefix='fused_'):
        return self.fuse_partitions(self.propose_partitions(), prefix)
