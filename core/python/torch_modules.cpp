// SPDX-License-Identifier: GPL-3.0-or-later
// What torch and its parts do while a program runs, where that is not in Lancet's tables.
#include <string_view>

namespace fx::python {

extern const std::string_view kTorchModules;
const std::string_view kTorchModules = R"(
# module torch
class _Context:
    def __init__(self, *args, **kwargs):
        pass
    def __call__(self, function):
        return function
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return None
no_grad = enable_grad = inference_mode = set_grad_enabled = autocast = _Context
def _optional(context):
    return context
class device_context(_Context): pass
__version__ = '2.13.0'
Tensor = Tensor
nn = __space__('torch.nn')
fx = __space__('torch.fx')
autograd = __space__('torch.autograd')
jit = __space__('torch.jit')
utils = __space__('torch.utils')
cuda = __space__('torch.cuda')
backends = __space__('torch.backends')
onnx = __space__('torch.onnx')
compiler = __space__('torch.compiler')
distributed = __space__('torch.distributed')
_C = __space__('torch._C')
_dynamo = __space__('torch._dynamo')
def _tensor_of(dtype, args):
    dtype = __table__('torch.float32') if dtype is None else __table__('torch.' + dtype)
    if any(__is_proxy__(each) for each in args):
        raise TypeError('new(): data must be a sequence (got Proxy)')
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0]
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        return __table__('torch.tensor')(args[0], dtype=dtype)
    return __table__('torch.empty')(tuple(args) if args else (0,), dtype=dtype)
class FloatTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('float32', args)
class DoubleTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('float64', args)
class HalfTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('float16', args)
class BFloat16Tensor(Tensor):
    def __new__(cls, *args): return _tensor_of('bfloat16', args)
class LongTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('int64', args)
class IntTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('int32', args)
class ShortTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('int16', args)
class CharTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('int8', args)
class ByteTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('uint8', args)
class BoolTensor(Tensor):
    def __new__(cls, *args): return _tensor_of('bool', args)
def is_grad_enabled(): return True
def is_autocast_enabled(*args): return False
def get_default_dtype(): return float32
def get_default_device(): return __table__('torch.device')('cpu')
def is_inference_mode_enabled(): return False
def compile(model=None, **options): return model if model is not None else lambda function: function
def is_inference(value): return False
def are_deterministic_algorithms_enabled(): return False
def get_num_threads(): return 1
def manual_seed(seed): return None
float32 = __table__('torch.float32')
def is_tensor(value): return isinstance(value, Tensor)
def linspace(start, end, steps, **options):
    return __linspace__(start, end, steps, options)
class JitType:
    def __init__(self, text, element=None):
        self._text, self._element = text, element
    def kind(self):
        return type(self).__name__
    def getElementType(self):
        return self._element
    def __str__(self):
        return self._text
    def __repr__(self):
        return self._text
    def __eq__(self, other):
        return isinstance(other, JitType) and self._text == other._text
    def __hash__(self):
        return hash(self._text)
class TensorType(JitType): pass
class OptionalType(JitType): pass
class ListType(JitType): pass
class NumberType(JitType): pass
class IntType(JitType): pass
class FloatType(JitType): pass
class BoolType(JitType): pass
class StringType(JitType): pass
class DeviceObjType(JitType): pass
class AnyType(JitType): pass
_types = {'Tensor': TensorType, 'Scalar': NumberType, 'int': IntType, 'SymInt': IntType, 'ScalarType': IntType,
          'Layout': IntType, 'MemoryFormat': IntType, 'float': FloatType, 'bool': BoolType, 'str': StringType,
          'Device': DeviceObjType}
def _type_of(text):
    if text.endswith('?'):
        inner = _type_of(text[:-1])
        return OptionalType(f'Optional[{inner}]', inner)
    if text.endswith(']'):
        inner = _type_of(text[:text.rindex('[')])
        return ListType(f'List[{inner}]', inner)
    text = text.split('(')[0]
    if text not in _types:
        return AnyType(text)
    return _types[text]({'Scalar': 'number', 'SymInt': 'int', 'ScalarType': 'int', 'Layout': 'int',
                         'MemoryFormat': 'int'}.get(text, text))
_literals = {'None': None, 'True': True, 'False': False, '': None}
def _literal(text):
    if text in _literals:
        return _literals[text]
    if text[0] in '\'"':
        return text[1:-1]
    if text[0] == '[':
        return [_literal(each.strip()) for each in text[1:-1].split(',') if each.strip()]
    return float(text) if '.' in text or 'e' in text else int(text)
class _SchemaArgument:
    def __init__(self, name, kind, kwarg_only, has_default, default):
        self.name, self.type, self.kwarg_only = name, _type_of(kind), kwarg_only
        self.default_value, self._has_default = _literal(default), has_default
        self.N = None
    def has_default_value(self):
        return self._has_default
class FunctionSchema:
    def __init__(self, name, overload, arguments, returns, text):
        self.name, self.overload_name, self._text = name, overload, text
        self.arguments = [_SchemaArgument(*each) for each in arguments]
        self.returns = [_SchemaArgument(*each) for each in returns]
    def __str__(self):
        return self._text
    __repr__ = __str__
def _schema_of(path):
    about = __schema__(path)
    if about is None:
        raise AttributeError(f'the schema of {path} is not known')
    return FunctionSchema(*about)
# module torch.autograd
function = __space__('torch.autograd.function')
from torch.autograd.function import Function
# module torch.autograd.function
class FunctionCtx:
    def save_for_backward(self, *tensors): self.saved_tensors = tensors
    def save_for_forward(self, *tensors): pass
    def mark_dirty(self, *tensors): pass
    def mark_non_differentiable(self, *tensors): pass
    def set_materialize_grads(self, value): pass
class Function(FunctionCtx):
    @classmethod
    def apply(cls, *args, **kwargs):
        context = FunctionCtx()
        if hasattr(cls, 'setup_context'):
            result = cls.forward(*args, **kwargs)
            cls.setup_context(context, args, result)
            return result
        return cls.forward(context, *args, **kwargs)
class InplaceFunction(Function): pass
def once_differentiable(function): return function
# module torch.jit
def is_scripting(): return False
def is_tracing(): return False
def script(value=None, **options): return value
def ignore(function=None, **options): return function if function is not None else lambda each: each
unused = export = script_method = ignore
def script_if_tracing(function): return function
def interface(cls): return cls
def annotate(kind, value): return value
def _overload_method(function): return function
_overload = _overload_method
Final = __opaque__('torch.jit.Final')
class ScriptModule: pass
# module torch.fx
def wrap(what): return __wrap__(what)
class Proxy:
    __accepts__ = ['Proxy']
_compatibility = __opaque__('torch.fx._compatibility')
passes = __space__('torch.fx.passes')
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
class Tracer:
    def is_leaf_module(self, module, name):
        return True
    def trace(self, root, concrete_args=None):
        if type(self) is not Tracer or concrete_args:
            raise NotImplementedError('tracing inside a pass with a tracer of its own')
        return __trace__(root).graph
class Interpreter:
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.graph = module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.env = {}
        self.name = 'Interpreter'
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
    def run(self, *args, initial_env=None, enable_io_processing=True):
        self.env = {} if initial_env is None else initial_env
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node not in self.env:
                self.env[node] = self.run_node(node)
            if node.op == 'output':
                return self.env[node]
    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)
    def fetch_args_kwargs_from_env(self, n):
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
    def map_nodes_to_values(self, args, n):
        return map_arg(args, lambda each: self.env[each])
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
    def call_function(self, target, args, kwargs):
        return self.tracer.create_proxy('call_function', target, args, kwargs)
    def call_module(self, target, args, kwargs):
        return self.tracer.call_module(self.fetch_attr(target), None, args, kwargs)
    def transform(self):
        result = self.run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(result)
        return GraphModule(self.module, self.new_graph)
# module torch.fx.node
from torch.fx import Node, map_arg, map_aggregate
# module torch.fx.graph
from torch.fx import Graph, Node, map_arg
# module torch.fx.graph_module
from torch.fx import GraphModule
# module torch.fx.proxy
from torch.fx import Proxy, GraphAppendingTracer
# module torch.fx.interpreter
from torch.fx import Interpreter, Transformer
# module torch.fx.subgraph_rewriter
from torch.fx import replace_pattern, replace_pattern_with_filters
# module torch.fx.passes
infra = __space__('torch.fx.passes.infra')
utils = __space__('torch.fx.passes.utils')
pass_manager = __space__('torch.fx.passes.pass_manager')
# module torch.fx.passes.utils
matcher_utils = __space__('torch.fx.passes.utils.matcher_utils')
# module torch.fx.passes.utils.matcher_utils
from torch.fx import SubgraphMatcher
# module torch.fx.passes.infra
pass_base = __space__('torch.fx.passes.infra.pass_base')
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
from torch.fx.passes.pass_manager import this_before_that_pass_constraint, _validate
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
class PassManager:
    _validated = False
    steps = 1
    def __init__(self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False,
                 suppress_check_failures=False):
        self.passes, self.constraints = passes or [], constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
    def add_pass(self, _pass):
        self.passes.append(_pass)
        self._validated = False
    def add_constraint(self, constraint):
        self.constraints.append(constraint)
        self._validated = False
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
class PassManager:
    _validated = False
    def __init__(self, passes=None, constraints=None):
        self.passes, self.constraints = passes or [], constraints or []
    @classmethod
    def build_from_passlist(cls, passes):
        return PassManager(passes)
    def add_pass(self, _pass):
        self.passes.append(_pass)
        self._validated = False
    def add_constraint(self, constraint):
        self.constraints.append(constraint)
        self._validated = False
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
from torch.fx import Tracer, symbolic_trace
def wrap(what): return __wrap__(what)
def is_fx_tracing(): return True
def is_fx_symbolic_tracing(): return True
# module torch.utils
checkpoint = __space__('torch.utils.checkpoint')
# module torch.utils.checkpoint
def checkpoint(function, *args, use_reentrant=None, **kwargs): return function(*args)
def checkpoint_sequential(functions, segments, value, **kwargs):
    for function in functions:
        value = function(value)
    return value
# module torch.cuda
def is_available(): return False
def device_count(): return 0
amp = __space__('torch.cuda.amp')
# module torch.cuda.amp
class autocast:
    def __init__(self, *args, **kwargs): pass
    def __call__(self, function): return function
    def __enter__(self): return self
    def __exit__(self, *args): return None
def custom_fwd(function=None, **options): return function if function is not None else lambda each: each
custom_bwd = custom_fwd
# module torch.amp
from torch.cuda.amp import autocast, custom_fwd, custom_bwd
# module torch.onnx
def is_in_onnx_export(): return False
# module torch.compiler
def is_compiling(): return False
def is_dynamo_compiling(): return False
def disable(function=None, **options): return function if function is not None else lambda each: each
allow_in_graph = disable
# module torch._dynamo
def is_compiling(): return False
def disable(function=None, **options): return function if function is not None else lambda each: each
allow_in_graph = disable
# module torch._C
def _log_api_usage_once(*args): return None
def _get_tracing_state(): return None
# module torch.distributed
def is_available(): return True
def is_initialized(): return False
def get_world_size(group=None): return 1
def get_rank(group=None): return 0
# module torch.nn
Parameter = Parameter
class Buffer:
    def __init__(self, data=None, *, persistent=True):
        self.data, self.persistent = data, persistent
init = __space__('torch.nn.init')
functional = __space__('torch.nn.functional')
modules = __space__('torch.nn.modules')
utils = __space__('torch.nn.utils')
parameter = __space__('torch.nn.parameter')
# module torch.nn.modules.utils
def _ntuple(n):
    return lambda x: tuple(x) if isinstance(x, (list, tuple)) else (x,) * n
_single, _pair, _triple, _quadruple = _ntuple(1), _ntuple(2), _ntuple(3), _ntuple(4)
def _reverse_repeat_tuple(t, n):
    return tuple(x for x in reversed(t) for _ in range(n))
# module torch.nn.modules.transformer
import copy
import torch.nn.functional as F
from torch.nn import ModuleList
def _get_clones(module, N):
    return ModuleList([copy.deepcopy(module) for _ in range(N)])
def _get_activation_fn(activation):
    if activation == 'relu':
        return F.relu
    if activation == 'gelu':
        return F.gelu
    raise RuntimeError(f'activation should be relu/gelu, not {activation}')
# module torch.nn.parameter
Parameter = Parameter
UninitializedParameter = Parameter
# module torch.nn.init
import math
def zeros_(tensor): return __tensor_init__('zeros_', tensor)
def ones_(tensor): return __tensor_init__('ones_', tensor)
def constant_(tensor, val): return __tensor_init__('constant_', tensor, val)
def uniform_(tensor, a=0.0, b=1.0, generator=None): return __tensor_init__('uniform_', tensor, a, b)
def normal_(tensor, mean=0.0, std=1.0, generator=None): return __tensor_init__('normal_', tensor, mean, std)
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    return __tensor_init__('trunc_normal_', tensor, mean, std, a, b)
def xavier_uniform_(tensor, gain=1.0, generator=None): return __tensor_init__('xavier_uniform_', tensor, gain)
def xavier_normal_(tensor, gain=1.0, generator=None): return __tensor_init__('xavier_normal_', tensor, gain)
def calculate_gain(nonlinearity, param=None):
    if nonlinearity == 'tanh':
        return 5.0 / 3
    if nonlinearity == 'relu':
        return math.sqrt(2.0)
    if nonlinearity == 'leaky_relu':
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    return 3.0 / 4 if nonlinearity == 'selu' else 1
def _calculate_fan_in_and_fan_out(tensor):
    sizes = list(tensor.shape)
    if len(sizes) < 2:
        raise ValueError('Fan in and fan out can not be computed for tensor with fewer than 2 dimensions')
    field = 1
    for size in sizes[2:]:
        field *= size
    return sizes[1] * field, sizes[0] * field
def _deviation(tensor, a, mode, nonlinearity):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan_in if mode == 'fan_in' else fan_out)
def kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None):
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return __tensor_init__('uniform_', tensor, -bound, bound)
def kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None):
    return __tensor_init__('normal_', tensor, 0, _deviation(tensor, a, mode, nonlinearity))
def dirac_(tensor, groups=1): return __tensor_init__('dirac_', tensor, groups)
def orthogonal_(tensor, gain=1, generator=None): return __tensor_init__('orthogonal_', tensor, gain)
def eye_(tensor): return __tensor_init__('eye_', tensor)
)";

} // namespace fx::python
