// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx.passes as far as it is written in Python here: operator support, partitioners, shapes, pass managers.
#include <string_view>

namespace fx::python {

extern const std::string_view kFxPasses;
const std::string_view kFxPasses = R"py(
# module torch.fx.passes.operator_support
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
# module torch.fx.passes.infra.partitioner
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
# module torch.fx.passes.split_module
from torch.fx import split_module
# module torch.fx.passes.tools_common
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
# module torch.fx.passes
tools_common = __space__('torch.fx.passes.tools_common')
shape_prop = __space__('torch.fx.passes.shape_prop')
infra = __space__('torch.fx.passes.infra')
utils = __space__('torch.fx.passes.utils')
split_module = __space__('torch.fx.passes.split_module')
operator_support = __space__('torch.fx.passes.operator_support')
pass_manager = __space__('torch.fx.passes.pass_manager')
# module torch.fx.passes.shape_prop
import torch
from typing import NamedTuple
from torch.fx import Interpreter
from torch.fx.node import map_aggregate
class TensorMetadata(NamedTuple):
    shape: object
    dtype: object
    requires_grad: bool
    stride: object
    memory_format: object
    is_quantized: bool
    qparams: object
def _extract_tensor_metadata(result, include_contiguity=True):
    layout = None
    if include_contiguity:
        for each in (torch.contiguous_format, torch.channels_last, torch.channels_last_3d):
            if _is_laid_out(result, each):
                layout = each
                break
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), layout, False, {})
def _is_laid_out(result, layout):
    size, stride = result.shape, result.stride()
    if 0 in size:
        return True
    order = list(reversed(range(len(size))))
    if layout is not torch.contiguous_format:
        if len(size) != (4 if layout is torch.channels_last else 5):
            return False
        order = [1] + [each for each in order if each > 1] + [0]
    expected = 1
    for at in order:
        if size[at] != 1 and stride[at] != expected:
            return False
        expected *= size[at]
    return True
class ShapeProp(Interpreter):
    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError('ShapeProp with a fake mode')
    def run_node(self, n):
        try:
            result = super().run_node(n)
        except Exception as error:
            raise RuntimeError(f'ShapeProp error for: node={n.format_node()} with meta={n.meta}') from error
        found = []
        def extract(value):
            if isinstance(value, torch.Tensor):
                found.append(value)
                return _extract_tensor_metadata(value)
            return value
        meta = map_aggregate(result, extract)
        if found:
            n.meta['tensor_meta'] = meta
        n.meta['type'] = type(result)
        return result
    def propagate(self, *args):
        return super().run(*args)
# module torch.fx.passes.utils
matcher_utils = __space__('torch.fx.passes.utils.matcher_utils')
# module torch.fx.passes.utils.matcher_utils
from torch.fx import SubgraphMatcher
# module torch.fx.passes.infra
pass_base = __space__('torch.fx.passes.infra.pass_base')
partitioner = __space__('torch.fx.passes.infra.partitioner')
pass_manager = __space__('torch.fx.passes.infra.pass_manager')
# module torch.fx.passes.infra.pass_base
class PassResult:
    def __init__(self, graph_module, modified):
        self.graph_module, self.modified = graph_module, modified
class PassBase:
    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result
    def call(self, graph_module): pass
    def requires(self, graph_module): pass
    def ensures(self, graph_module): pass
# module torch.fx.passes.infra.pass_manager
from torch.fx.passes.infra.pass_base import PassResult
from torch.fx.passes.pass_manager import this_before_that_pass_constraint, _PassList, _validate
import inspect
def pass_result_wrapper(fn):
    if fn is None:
        return None
    def wrapped_fn(gm):
        result = fn(gm)
        if isinstance(result, PassResult):
            return result
        return PassResult(gm if result is None else result, True)
    wrapped_fn.__name__ = fn.__name__ if inspect.isfunction(fn) else type(fn).__name__
    return wrapped_fn
def _sorted(passes, constraints):
    after, waits = {each: [] for each in passes}, {each: 0 for each in passes}
    ready = []
    for a in passes:
        for b in passes:
            if a == b:
                continue
            for constraint in constraints:
                if not constraint(a, b):
                    after[b].append(a)
                    waits[a] += 1
        if waits[a] == 0:
            ready.append(a)
    order = []
    while ready:
        first = ready.pop(0)
        order.append(first)
        for each in after[first]:
            waits[each] -= 1
            if waits[each] == 0:
                ready.append(each)
    cycle = [each for each in passes if waits[each] != 0]
    if cycle:
        names = [each.__name__ if inspect.isfunction(each) else type(each).__name__ for each in cycle]
        raise RuntimeError(f'Circular dependency detected within the following passes: {names}')
    return order
class PassManager(_PassList):
    steps = 1
    def __init__(self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False,
                 suppress_check_failures=False):
        self.passes, self.constraints = passes or [], constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
    def validate_constraints(self):
        if not self._validated:
            _validate(self.constraints, self.passes)
        self._validated = True
    def solve_constraints(self):
        if self.constraints:
            self.passes = _sorted(self.passes, self.constraints)
        self._validated = True
    def add_checks(self, check):
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError('PassManager check function should only take in one variable, a module')
        self.check = check
    def check(self, module): pass
    def __call__(self, module):
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            modified = False
            for fn in self.passes:
                result = fn(module)
                if not hasattr(result, 'graph_module'):
                    name = fn.__name__ if inspect.isfunction(fn) else type(fn).__name__
                    raise TypeError(f'The result of the pass {name} should be type PassResult.'
                                    'Please wrap it with pass_result_wrapper()')
                module, modified = result.graph_module, modified or result.modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed = changed or modified
            if not modified:
                break
        return PassResult(module, changed)
# module torch.fx.passes.pass_manager
import functools
def inplace_wrapper(fn):
    @functools.wraps(fn)
    def wrapped_fn(gm, *args, **kwargs):
        fn(gm, *args, **kwargs)
        return gm
    return wrapped_fn
def log_hook(fn, level=None):
    return fn
def loop_pass(base_pass, n_iter=None, predicate=None):
    if (n_iter is None) == (predicate is None):
        raise AssertionError('Exactly one of `n_iter`or `predicate` must be specified.')
    if n_iter is not None and n_iter <= 0:
        raise RuntimeError(f'loop_pass must be given positive int n_iter (given {n_iter})')
    @functools.wraps(base_pass)
    def new_pass(source):
        if n_iter is not None:
            for _ in range(n_iter):
                source = base_pass(source)
        else:
            while predicate(source):
                source = base_pass(source)
        return source
    return new_pass
def _unwrapped(function):
    while hasattr(function, '__wrapped__'):
        function = function.__wrapped__
    return function
def this_before_that_pass_constraint(this, that):
    return lambda a, b: a != that or b != this
def these_before_those_pass_constraint(these, those):
    return lambda a, b: _unwrapped(a) != those or _unwrapped(b) != these
def _validate(constraints, passes):
    for constraint in constraints:
        for i, a in enumerate(passes):
            for j, b in enumerate(passes[i + 1:]):
                if not constraint(a, b):
                    raise RuntimeError(f'pass schedule constraint violated. Expected {a} before {b} but found {a} '
                                       f'at index {i} and {b} at index {j} in pass list.')
class _PassList:
    _validated = False
    def add_pass(self, _pass):
        self.passes.append(_pass)
        self._validated = False
    def add_constraint(self, constraint):
        self.constraints.append(constraint)
        self._validated = False
class PassManager(_PassList):
    def __init__(self, passes=None, constraints=None):
        self.passes, self.constraints = passes or [], constraints or []
    @classmethod
    def build_from_passlist(cls, passes):
        return PassManager(passes)
    def remove_pass(self, _passes):
        self.passes = [each for each in self.passes if each.__name__ not in _passes]
        self._validated = False
    def replace_pass(self, _target, _replacement):
        self.passes = [_replacement if each.__name__ == _target.__name__ else each for each in self.passes]
        self._validated = False
    def validate(self):
        if not self._validated:
            _validate(self.constraints, self.passes)
        self._validated = True
    def __call__(self, source):
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
)py";

} // namespace fx::python
