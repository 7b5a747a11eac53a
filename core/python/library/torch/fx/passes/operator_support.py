# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx import Node
from torch.fx.passes.shape_prop import TensorMetadata
from torch.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target
class OperatorSupportBase:
    def is_node_supported(self, submodules, node):
        raise NotImplementedError(f'{type(self).__name__}.is_node_supported')
class OperatorSupport(OperatorSupportBase):
    def __init__(self, support_dict=None):
        self._support_dict = support_dict or {}
    def is_node_supported(self, submodules, node):
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        if self._support_dict[target] is None:
            return True
        of_args, of_kwargs = self._support_dict[target]
        asked = [(node.args[at], dtypes) for at, dtypes in enumerate(of_args) if at < len(node.args)
                 if dtypes is not None]
        asked += [(node.kwargs[name], dtypes) for name, dtypes in of_kwargs.items() if name in node.kwargs]
        return all([_get_arg_dtype(arg) in dtypes for arg, dtypes in asked if isinstance(arg, Node)])
def _get_arg_dtype(arg):
    if not isinstance(arg, Node):
        raise AssertionError(f'Expected torch.fx.Node, got {type(arg)}')
    tensor_meta = arg.meta.get('tensor_meta')
    return tensor_meta.dtype if isinstance(tensor_meta, TensorMetadata) else arg.meta['type']
class _Asked(OperatorSupportBase):
    def __init__(self, ask):
        self.ask = ask
    def is_node_supported(self, submodules, node):
        return self.ask(submodules, node)
def create_op_support(is_node_supported):
    return _Asked(is_node_supported)
def chain(*op_support):
    return _Asked(lambda submodules, node: all(each.is_node_supported(submodules, node) for each in op_support))
def any_chain(*op_support):
    return _Asked(lambda submodules, node: any(each.is_node_supported(submodules, node) for each in op_support))
class OpSupports:
    @classmethod
    def decline_if_input_dtype(cls, dtype):
        return _Asked(lambda submodules, node: not any([_get_arg_dtype(arg) == dtype for arg in node.all_input_nodes]))
    @classmethod
    def decline_if_node_in_names(cls, disallow_set):
        return _Asked(lambda submodules, node: node.name not in disallow_set)
