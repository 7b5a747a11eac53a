# SPDX-License-Identifier: GPL-3.0-or-later
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
autocast = _Context
# The modes of autograd as a number: 1 if gradients are enabled, 2 in inference mode.
class _GradContext:
    _keeps, _sets = 3, 0
    def __call__(self, function):
        return __with_grad_mode__(function, self._keeps, self._sets)
    def __enter__(self):
        self.prev = __grad_mode__()
        __grad_mode__(self.prev & self._keeps | self._sets)
    def __exit__(self, *args):
        __grad_mode__(self.prev)
class no_grad(_GradContext):
    _keeps = 2
    def __new__(cls, orig_func=None):
        made = object.__new__(cls)
        return made if orig_func is None else made(orig_func)
class enable_grad(no_grad):
    _keeps, _sets = 3, 1
class inference_mode(_GradContext):
    def __new__(cls, mode=True):
        made = object.__new__(cls)
        made._keeps, made._sets = 0, 1 if mode is False else 2
        return made if isinstance(mode, bool) else made(mode)
class set_grad_enabled(_GradContext):
    def __init__(self, mode):
        self.prev, self.mode = __grad_mode__(), mode
        self._keeps, self._sets = 2, 1 if mode else 0
        __grad_mode__(self.prev & 2 | self._sets)
    def __call__(self, function):
        __grad_mode__(self.prev)
        return super().__call__(function)
    def __enter__(self):
        __grad_mode__(__grad_mode__() & 2 | self._sets)
def _optional(context):
    return context
class device_context(_Context): pass
__version__ = '2.13.0'
Tensor = Tensor
Size = __Size__
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
hub = __space__('torch.hub')
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
class _TensorType(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype == getattr(cls, '_dtype', value.dtype)
class FloatTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.float32')
    def __new__(cls, *args): return _tensor_of('float32', args)
class DoubleTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.float64')
    def __new__(cls, *args): return _tensor_of('float64', args)
class HalfTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.float16')
    def __new__(cls, *args): return _tensor_of('float16', args)
class BFloat16Tensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.bfloat16')
    def __new__(cls, *args): return _tensor_of('bfloat16', args)
class LongTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.int64')
    def __new__(cls, *args): return _tensor_of('int64', args)
class IntTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.int32')
    def __new__(cls, *args): return _tensor_of('int32', args)
class ShortTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.int16')
    def __new__(cls, *args): return _tensor_of('int16', args)
class CharTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.int8')
    def __new__(cls, *args): return _tensor_of('int8', args)
class ByteTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.uint8')
    def __new__(cls, *args): return _tensor_of('uint8', args)
class BoolTensor(Tensor, metaclass=_TensorType):
    _dtype = __table__('torch.bool')
    def __new__(cls, *args): return _tensor_of('bool', args)
def is_grad_enabled(): return __grad_mode__() & 1 == 1
def is_autocast_enabled(*args):
    if len(args) > 1:
        raise TypeError('is_autocast_enabled() received an invalid combination of arguments')
    if args and __is_proxy__(args[0]):
        raise RuntimeError('unpackString: expected bytes or unicode object')
    return False
def get_default_dtype(): return float32
def set_default_dtype(d):
    if d is not float32:
        __refuse_dtype__(f'torch.set_default_dtype({d})')
def set_default_tensor_type(t):
    if t not in (FloatTensor, 'torch.FloatTensor'):
        __refuse_dtype__('torch.set_default_tensor_type()')
def get_default_device(): return __table__('torch.device')(__default_device__())
def set_default_device(device):
    if __is_proxy__(device):
        device = __table__('torch.device')(device)
    __default_device__('cpu' if device is None else device)
def is_inference_mode_enabled(): return __grad_mode__() & 2 == 2
def compile(model=None, **options): return model if model is not None else lambda function: function
def is_inference(*args, **options):
    if len(args) == 1 and not options and isinstance(args[0], Tensor):
        return False
    return __table__('torch.is_inference')(*args, **options)
# Settings of a run, which change no graph and no weight.
def set_printoptions(*values, **options): return None
def _setting(name, args, wanted):
    if len(args) != 1:
        raise TypeError(f'torch.{name}() takes exactly one argument ({len(args)} given)')
    if __is_proxy__(args[0]):
        raise RuntimeError(f'{wanted}, but got Proxy')
def set_num_threads(*args): _setting('set_num_threads', args, 'set_num_threads expects an int')
def set_num_interop_threads(*args): _setting('set_num_interop_threads', args, 'set_num_interop_threads expects an int')
def set_warn_always(b, /): _setting('set_warn_always', (b,), 'setWarnOnlyOnce expects a bool')
def set_flush_denormal(*args): _setting('set_flush_denormal', args, 'flush_denormal expects a bool')
def set_float32_matmul_precision(precision):
    _setting('set_float32_matmul_precision', (precision,), 'set_float32_matmul_precision expects a str')
def set_deterministic_debug_mode(debug_mode):
    if __is_proxy__(debug_mode):
        raise TypeError("debug_mode must be str or int, but got <class 'torch.fx.proxy.Proxy'>")
_deterministic = [False, False]
def use_deterministic_algorithms(mode, *, warn_only=False): _deterministic[:] = mode, warn_only
def are_deterministic_algorithms_enabled(): return _deterministic[0]
def is_deterministic_algorithms_warn_only_enabled(): return _deterministic[1]
get_num_threads = __opaque__('torch.get_num_threads')
get_float32_matmul_precision = __opaque__('torch.get_float32_matmul_precision')
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
        self.number, self.seed = __random_state__(), default_generator._seed
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
        self._seed = state.seed
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
    ndarray._shares = True
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
def typename(obj, /):
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, '__module__', '') or ''
    if hasattr(obj, '__qualname__'):
        name = obj.__qualname__
    elif hasattr(obj, '__name__'):
        name = obj.__name__
    else:
        module, name = type(obj).__module__ or '', type(obj).__qualname__
    return f'{name}' if module in ('', 'builtins') else f'{module}.{name}'
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
