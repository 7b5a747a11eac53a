// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx as far as it is written in Python here: interpreters, passes, pass managers. GraphModule, Graph, Node,
// rewriting and what interpreters do to each node come from core/textpasses.
#include <string_view>

namespace fx::python {

extern const std::string_view kFxModules;
const std::string_view kFxModules = R"py(
# module torch.fx
import operator
import torch.nn as nn
from torch.fx._symbolic_trace import PH
def wrap(what): return __wrap__(what)
class Proxy:
    __accepts__ = ['Proxy']
_compatibility = __opaque__('torch.fx._compatibility')
passes = __space__('torch.fx.passes')
operator_schemas = __space__('torch.fx.operator_schemas')
node = __space__('torch.fx.node')
graph = __space__('torch.fx.graph')
graph_module = __space__('torch.fx.graph_module')
proxy = __space__('torch.fx.proxy')
subgraph_rewriter = __space__('torch.fx.subgraph_rewriter')
interpreter = __space__('torch.fx.interpreter')
class GraphAppendingTracer:
    def __init__(self, graph):
        self.graph, self.root, self._paths = graph, None, {}
    def create_arg(self, value):
        return value
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        return Proxy(self.create_node(kind, target, args, kwargs, name, type_expr), self)
    def proxy(self, node):
        return Proxy(node, self)
    def path_of_module(self, module):
        if module not in self._paths:
            self._paths = {}
            for name, each in self.root.named_modules():
                self._paths[each] = name
        if module not in self._paths:
            raise NameError('module is not installed as a submodule')
        return self._paths[module]
    def call_module(self, module, forward, args, kwargs):
        return self.create_proxy('call_module', self.path_of_module(module), args, kwargs)
def _decompose(gm, rules):
    modules = dict(gm.named_modules())
    def plain(each): return each.node if isinstance(each, Proxy) else each
    for node in list(gm.graph.nodes):
        if node.op not in ('call_function', 'call_method', 'call_module'):
            continue
        rule = rules.get(type(modules[node.target]) if node.op == 'call_module' else node.target)
        if rule is None:
            continue
        tracer = GraphAppendingTracer(gm.graph)
        def opened(each): return Proxy(each, tracer)
        with gm.graph.inserting_before(node):
            made = map_aggregate(rule(*map_arg(node.args, opened), **map_arg(node.kwargs, opened)), plain)
        if isinstance(made, Node):
            node.replace_all_uses_with(made)
        else:
            for user in list(node.users):
                if not isinstance(made, (tuple, list)) or user.target is not operator.getitem:
                    raise TypeError(f'the rule for {node.name} returned {made}, which {user.name} cannot use')
                user.replace_all_uses_with(made[user.args[1]])
                gm.graph.erase_node(user)
        gm.graph.erase_node(node)
    return gm
class Scope:
    def __init__(self, module_path, module_type):
        self.module_path, self.module_type = module_path, module_type
class TraceError(ValueError): pass
class TracerBase:
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = 'forward'
    def create_arg(self, a):
        return __tracer_argument__(self.graph, a)
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)
    def proxy(self, node):
        return Proxy(node, self)
    def to_bool(self, obj):
        raise TraceError('symbolically traced variables cannot be used as inputs to control flow')
    def iter(self, obj):
        raise TraceError('Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or '
                         'as a *args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more '
                         'detailed explanation of what types of control flow can be traced, and check out the Proxy '
                         'docstring for help troubleshooting Proxy iteration errors')
class Tracer(TracerBase):
    def __init__(self, autowrap_modules=(), autowrap_functions=(), param_shapes_constant=False):
        self._autowrap_modules, self._autowrap_functions = autowrap_modules, autowrap_functions
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths, self.root_module_name = None, ''
        self.scope, self.module_stack, self.num_calls = Scope('', None), {}, {}
        self.node_name_to_scope = {}
    def is_leaf_module(self, m, module_qualified_name):
        return m.__module__.startswith(('torch.nn', 'torch.ao.nn')) and not isinstance(m, nn.Sequential)
    def path_of_module(self, mod):
        return __tracer_path__(mod)
    def call_module(self, m, forward, args, kwargs):
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy('call_module', path, args, kwargs)
        return forward(*args, **kwargs)
    def getattr(self, attr, attr_val, parameter_proxy_cache):
        return __tracer_read__(attr, attr_val)
    def trace(self, root, concrete_args=None):
        return __tracer_trace__(self, root, concrete_args)
class Interpreter:
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.graph = module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.env = {}
        self.name = 'Interpreter'
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
    def fetch_attr(self, target):
        value = self.module
        for name in target.split('.'):
            value = getattr(value, name)
        return value
    def placeholder(self, target, args, kwargs):
        if target.startswith('*'):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f'Expected positional argument for parameter {target}, but one was not passed in!')
    def get_attr(self, target, args, kwargs):
        return self.fetch_attr(target)
    def call_function(self, target, args, kwargs):
        return target(*args, **kwargs)
    def call_method(self, target, args, kwargs):
        return getattr(args[0], target)(*args[1:], **kwargs)
    def call_module(self, target, args, kwargs):
        return self.fetch_attr(target)(*args, **kwargs)
    def output(self, target, args, kwargs):
        return args[0]
class Transformer(Interpreter):
    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = GraphAppendingTracer(self.new_graph)
        self.tracer.root = module
    def placeholder(self, target, args, kwargs):
        return Proxy(self.new_graph.placeholder(target, None, *args), self.tracer)
    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy('get_attr', target, args, kwargs)
    def call_module(self, target, args, kwargs):
        return self.tracer.call_module(self.fetch_attr(target), None, args, kwargs)
    def transform(self):
        result = self.run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(result)
        return GraphModule(self.module, self.new_graph)
# module torch.fx._readable
import re
import torch
from torch.fx import GraphModule
_abbreviations = {torch.bfloat16: 'bf16', torch.float64: 'f64', torch.float32: 'f32', torch.float16: 'f16',
                  torch.complex64: 'c64', torch.complex128: 'c128', torch.int8: 'i8', torch.int16: 'i16',
                  torch.int32: 'i32', torch.int64: 'i64', torch.bool: 'b8', torch.uint8: 'u8'}
def _annotation(node, include_stride, include_device):
    about = node.meta.get('val', node.meta.get('tensor_meta'))
    if getattr(about, 'dtype', None) not in _abbreviations:
        return None
    def listed(sizes): return '[' + ', '.join([str(each) for each in sizes]) + ']'
    out = _abbreviations[about.dtype] + listed(about.shape)
    if include_stride:
        out += listed(about.stride() if callable(about.stride) else about.stride)
    return out + (str(about.device) if include_device and hasattr(about, 'device') else '')
def _indented(text):
    first, *rest = text.split('\n')
    return '\n'.join([first] + ['    ' + line if line else line for line in rest])
def _body(module, include_stride, include_device):
    lines = module.code.lstrip('\n').split('\n')
    types = {node.name: _annotation(node, include_stride, include_device) for node in module.graph.nodes}
    inputs = [node.name for node in module.graph.nodes if node.op == 'placeholder']
    at = [place for place, line in enumerate(lines) if line.startswith('def forward')][0]
    for name in inputs:
        if types[name]:
            lines[at] = re.sub(r'(?<=[ *])' + name + r'(?=[,)= ])', name + f': "{types[name]}"', lines[at], count=1)
    calls = {node.name for node in module.graph.nodes if node.op not in ('placeholder', 'output')}
    out, noted = lines[:at + 1], False
    for line in lines[at + 1:]:
        name = line.strip().partition(' ')[0]
        if name in calls and line.strip().startswith(name + ' = '):
            if not noted:
                out.append('    # No stacktrace found for following nodes')
                noted = True
            if types[name]:
                line = line.replace(name + ' = ', f'{name}: "{types[name]}" = ', 1)
        out.append(line)
    return '\n'.join(out)
def readable(module, name, include_stride=False, include_device=False):
    out = _indented(f'class {name}(torch.nn.Module):\n' + _body(module, include_stride, include_device))
    parts = [''] + [readable(child, called, include_stride, include_device)
                    for called, child in module.named_children() if isinstance(child, GraphModule)]
    return out + _indented('\n'.join(parts))
# module torch.fx.node
from torch.fx import Node, map_arg, map_aggregate
# module torch.fx.graph
from torch.fx import Graph, Node, map_arg
# module torch.fx.graph_module
from torch.fx import GraphModule
# module torch.fx.proxy
from torch.fx import Proxy, GraphAppendingTracer, TracerBase, TraceError, Scope
# module torch.fx.interpreter
from torch.fx import Interpreter, Transformer
# module torch.fx.subgraph_rewriter
from torch.fx import replace_pattern, replace_pattern_with_filters
# module torch.fx.operator_schemas
from typing import NamedTuple
from torch.fx import normalize_function, normalize_module
class ArgsKwargsPair(NamedTuple):
    args: tuple
    kwargs: dict
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
# module torch._ops
OpOverload, OpOverloadPacket, HigherOrderOperator = OpOverload, OpOverloadPacket, HigherOrderOperator
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
# module torch.fx._symbolic_trace
class PHBase:
    def __repr__(self): return 'PH'
PH = PHBase()
class PHWithMeta(PHBase):
    def __init__(self, ph_key=None):
        self.ph_key = ph_key
from torch.fx import Tracer, symbolic_trace
def wrap(what): return __wrap__(what)
def is_fx_tracing(): return True
def is_fx_symbolic_tracing(): return True
# module torch._subclasses
fake_tensor = __space__('torch._subclasses.fake_tensor')
# module torch._subclasses.fake_tensor
import torch
class FakeTensor(torch.Tensor):
    __accepts__ = ['Tensor', 'Parameter']
    def __init__(self, shape, stride, dtype, device, requires_grad):
        self.shape, self._strides, self.dtype = tuple(shape), tuple(stride), dtype
        self.device, self.requires_grad, self.ndim = device, requires_grad, len(shape)
    def dim(self): return self.ndim
    def size(self, dim=None): return self.shape if dim is None else self.shape[dim]
    def stride(self, dim=None): return self._strides if dim is None else self._strides[dim]
    def __repr__(self): return f"FakeTensor(..., size=({', '.join([str(each) for each in self.shape])}))"
)py";

} // namespace fx::python
