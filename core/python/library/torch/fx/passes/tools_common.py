# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx import legalize_graph
CALLABLE_NODE_OPS = {'call_module', 'call_function', 'call_method'}
def get_node_target(submodules, node):
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f'Expect op types of call_function, call_method or call_module, but found {node.op}')
    if node.op == 'call_module':
        module = submodules[node.target]
        module = getattr(module, '_base_class_origin', type(module))
        return f'{module.__module__}.{module.__name__}'
    if node.op == 'call_function':
        if node.target.__module__ is not None and 'acc_ops' in node.target.__module__:
            return f'acc_ops.{node.target.__name__}'
        shown = node._pretty_print_target(node.target)
        return '_' + shown if shown.startswith('operator.') else shown.removeprefix('builtins.')
    return node.target
