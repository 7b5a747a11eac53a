// SPDX-License-Identifier: GPL-3.0-or-later
// What torch and its parts do while a program runs, where that is not in Lancet's tables.
#include <string_view>

namespace fx::python {

extern const std::string_view kTorchModules;
const std::string_view kTorchModules = R"(
# module torch.profiler
from torch import _Context
class record_function(_Context): pass
class profile(_Context):
    def step(self): return None
# module torch.random
from contextlib import contextmanager
from torch import default_generator, get_rng_state, initial_seed, manual_seed, set_rng_state
@contextmanager
def fork_rng(devices=None, enabled=True, *args, **kwargs):
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
# module torch
class SymInt:
    def __init__(self, node): self.node = node
    def __repr__(self): return self.node
    def __eq__(self, other): return isinstance(other, SymInt) and self.node == other.node
    def __hash__(self): return hash(self.node)
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
xpu = __space__('torch.xpu')
mps = __space__('torch.mps')
mtia = __space__('torch.mtia')
accelerator = __space__('torch.accelerator')
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
    if len(args) == 1 and type(args[0]).__name__ == 'ndarray':
        args = (args[0]._values,)
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
def set_default_dtype(d):
    if d is not float32:
        raise NotImplementedError(f'Lancet makes tensors in torch.float32 only, not with {d} as the default; '
                                  'give the modules and tensors their dtype')
def set_default_tensor_type(t):
    if t not in (FloatTensor, 'torch.FloatTensor'):
        raise NotImplementedError('Lancet makes tensors in torch.float32 only; '
                                  'give the modules and tensors their dtype')
def get_default_device(): return __table__('torch.device')(__default_device__())
def set_default_device(device): __default_device__('cpu' if device is None else device)
def is_inference_mode_enabled(): return False
def compile(model=None, **options): return model if model is not None else lambda function: function
def is_inference(value): return False
def are_deterministic_algorithms_enabled(): return False
def get_num_threads(): return 1
class Generator:
    __module__ = 'torch._C'
    def __init__(self, device='cpu'):
        self.device = device
        self._state, self._seed = None, 67280421310721
    def manual_seed(self, seed):
        before = __random_state__()
        __manual_seed__(seed)
        self._state, self._seed = __random_state__(), seed
        __random_state__(before)
        return self
    def initial_seed(self):
        return self._seed
    def _draw(self, draw):
        if self._state is None:
            self.manual_seed(self._seed)
        before = __random_state__()
        __random_state__(self._state)
        made = draw()
        self._state = __random_state__()
        __random_state__(before)
        return made
class _RandomState:
    def __init__(self):
        self.number = __random_state__()
    def clone(self):
        return self
class _DefaultGenerator(Generator):
    def manual_seed(self, seed):
        __manual_seed__(seed)
        self._seed = seed
        return self
    def _draw(self, draw):
        return draw()
    def get_state(self):
        return _RandomState()
    def set_state(self, state):
        __random_state__(state.number)
        return self
default_generator = _DefaultGenerator()
def manual_seed(seed):
    return default_generator.manual_seed(int(seed))
def initial_seed(): return default_generator.initial_seed()
def get_rng_state(): return default_generator.get_state()
def set_rng_state(state): default_generator.set_state(state)
random = __space__('torch.random')
profiler = __space__('torch.profiler')
float32 = __table__('torch.float32')
def from_numpy(ndarray):
    if type(ndarray).__name__ != 'ndarray':
        raise TypeError(f'expected np.ndarray (got {type(ndarray).__name__})')
    return __table__('torch.tensor')(ndarray)
def cond(pred, true_fn, false_fn, operands=()):
    if isinstance(pred, (bool, int, float)):
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, Tensor):
        raise RuntimeError(f'Expected pred to be bool or tensor, but got {pred}.')
    if pred.numel() != 1:
        raise RuntimeError(f'Expected pred to be bool or single-element tensor, but got {pred}.')
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError('Expect both branches to be callable.')
    if not isinstance(operands, (tuple, list)) or not all([isinstance(each, Tensor) for each in operands]):
        raise RuntimeError('Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of '
                           f'tensor leaves, but got {operands}.')
    return true_fn(*operands) if pred else false_fn(*operands)
def is_tensor(value): return isinstance(value, Tensor)
def linspace(start, end, steps, **options):
    if options or __computes__() or any(not isinstance(each, (int, float)) for each in (start, end, steps)):
        return __table__('torch.linspace')(start, end, steps, **options)
    return __linspace__(start, end, steps)
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
def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    if materialize_grads and allow_unused is False:
        raise ValueError('Expected allow_unused to be True or not passed when materialize_grads=True, '
                         'but got: allow_unused=False.')
    if allow_unused is None:
        allow_unused = materialize_grads
    def listed(given): return (given,) if isinstance(given, Tensor) or __is_proxy__(given) else tuple(given)
    outputs = listed(outputs)
    wanted = tuple(inputs.values()) if type(inputs) is dict else listed(inputs)
    if not wanted:
        raise RuntimeError('`inputs` argument to `grad()` cannot be empty.')
    result = __table__('torch.autograd.grad')(
        outputs, wanted, grad_outputs=grad_outputs, retain_graph=retain_graph, create_graph=create_graph,
        only_inputs=only_inputs, allow_unused=allow_unused, is_grads_batched=is_grads_batched,
        materialize_grads=materialize_grads)
    return dict(zip(inputs.keys(), result)) if type(inputs) is dict else result
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
# What PyTorch compiles takes tensors only.
def _holds_proxy(value):
    return any([_holds_proxy(each) for each in value]) if isinstance(value, (list, tuple)) else __is_proxy__(value)
def script(value=None, **options):
    if not isinstance(value, type(script)):
        return value
    def compiled(*args, **kwargs):
        for at, each in enumerate(args + tuple(kwargs.values())):
            if _holds_proxy(each):
                raise RuntimeError(f"{value.__name__}() Expected a value of type 'Tensor' for argument {at} but "
                                   "instead found type 'Proxy'.")
        return value(*args, **kwargs)
    return __wraps__(compiled, value)
def ignore(function=None, **options): return function if function is not None else lambda each: each
unused = export = script_method = ignore
def script_if_tracing(function): return function
def interface(cls): return cls
def annotate(kind, value): return value
def _overload_method(function): return function
_overload = _overload_method
Final = __opaque__('torch.jit.Final')
class ScriptModule: pass
# module torch.utils
_pytree = __space__('torch.utils._pytree')
checkpoint = __space__('torch.utils.checkpoint')
# module torch.utils._pytree
class TreeSpec:
    def __init__(self, type, context, children_specs):
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_leaves = 1 if type is None else sum([each.num_leaves for each in children_specs])
        self.num_children = len(children_specs)
    def is_leaf(self): return self.type is None
    def unflatten(self, leaves): return tree_unflatten(leaves, self)
    def __eq__(self, other):
        return (isinstance(other, TreeSpec) and self.type is other.type and self.context == other.context and
                self.children_specs == other.children_specs)
    def __repr__(self):
        if self.type is None:
            return '*'
        return f'TreeSpec({self.type.__name__}, {self.context}, {self.children_specs})'
LeafSpec = TreeSpec
def _parts(tree):
    if isinstance(tree, dict):
        return list(tree.values()), list(tree.keys())
    if isinstance(tree, (list, tuple)):
        return list(tree), None
    return None, None
def tree_flatten(tree, is_leaf=None):
    children, context = (None, None) if is_leaf is not None and is_leaf(tree) else _parts(tree)
    if children is None:
        return [tree], TreeSpec(None, None, [])
    leaves, specs = [], []
    for child in children:
        more, spec = tree_flatten(child, is_leaf)
        leaves.extend(more)
        specs.append(spec)
    return leaves, TreeSpec(type(tree), context, specs)
def tree_unflatten(leaves, treespec):
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f'treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a '
                         f'pytree that holds {treespec.num_leaves} items ({treespec}).')
    if treespec.is_leaf():
        return leaves[0]
    children, at = [], 0
    for spec in treespec.children_specs:
        children.append(tree_unflatten(leaves[at:at + spec.num_leaves], spec))
        at += spec.num_leaves
    kind = treespec.type
    if issubclass(kind, dict):
        return kind(zip(treespec.context, children))
    return kind(*children) if hasattr(kind, '_fields') else kind(children)
def tree_leaves(tree, is_leaf=None): return tree_flatten(tree, is_leaf)[0]
tree_iter = tree_leaves
def tree_structure(tree, is_leaf=None): return tree_flatten(tree, is_leaf)[1]
def tree_map(func, tree, *rests, is_leaf=None):
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others)], spec)
def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree
def tree_map_only(types, func, tree, is_leaf=None):
    fits = types if not isinstance(types, (type, tuple)) and callable(types) else lambda each: isinstance(each, types)
    return tree_map(lambda each: func(each) if fits(each) else each, tree, is_leaf=is_leaf)
def tree_all(pred, tree, is_leaf=None): return all([pred(each) for each in tree_leaves(tree, is_leaf)])
def tree_any(pred, tree, is_leaf=None): return any([pred(each) for each in tree_leaves(tree, is_leaf)])
def tree_all_only(types, pred, tree, is_leaf=None):
    return all([pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, types)])
def tree_any_only(types, pred, tree, is_leaf=None):
    return any([pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, types)])
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
# module torch.xpu
from torch.cuda import is_available, device_count
# module torch.mps
from torch.cuda import is_available, device_count
# module torch.mtia
from torch.cuda import is_available, device_count
# module torch.accelerator
from torch.cuda import is_available, device_count
def current_accelerator(check_available=False): return None
# module torch.backends
mps = __space__('torch.backends.mps')
# module torch.backends.mps
from torch.cuda import is_available
is_built = is_available
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
)";

} // namespace fx::python
