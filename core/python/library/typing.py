# SPDX-License-Identifier: GPL-3.0-or-later
NamedTuple = __NamedTuple__
TYPE_CHECKING = False
def cast(kind, value): return value
def _overloaded(*args, **kwds):
    raise NotImplementedError('You should not call an overloaded function. A series of @overload-decorated functions '
                              'outside a stub module should always be followed by an implementation that is not '
                              '@overload-ed.')
def overload(func): return _overloaded
def _marked(value, name, mark):
    try:
        setattr(value, name, mark)
    except (AttributeError, TypeError):
        pass
    return value
def final(f): return _marked(f, '__final__', True)
def override(function): return function
def runtime_checkable(cls):
    if not __is_protocol__(cls):
        raise TypeError(f'@runtime_checkable can be only applied to protocol classes, got {cls!r}')
    cls._is_runtime_protocol = True
    return cls
def no_type_check(arg):
    return __opaque__('typing.no_type_check()') if isinstance(arg, type) else _marked(arg, '__no_type_check__', True)
def dataclass_transform(*, eq_default=True, order_default=False, kw_only_default=False, frozen_default=False,
                        field_specifiers=(), **kwargs):
    about = {'eq_default': eq_default, 'order_default': order_default, 'kw_only_default': kw_only_default,
             'frozen_default': frozen_default, 'field_specifiers': field_specifiers, 'kwargs': kwargs}
    return lambda value: _marked(value, '__dataclass_transform__', about)
def deprecated(message, /, *, category=None, stacklevel=1): return lambda value: value
def assert_type(value, kind, /): return value
def reveal_type(value, /): return value
def assert_never(arg, /):
    shown = repr(arg)
    shown = shown if len(shown) <= 100 else shown[:100] + '...'
    raise AssertionError(f'Expected code to be unreachable, but got: {shown}')
class _Variable:
    def __or__(self, right): return __union__(self, right)
    def __ror__(self, left): return __union__(left, self)
    def __copy__(self): return self
    def __deepcopy__(self, memo): return self
    def __init_subclass__(cls, *args, **kwds):
        if cls.__bases__ != (_Variable,):
            raise TypeError('Cannot subclass special typing classes')
    def __repr__(self): return self._mark + self.__name__
class TypeVar(_Variable):
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        if covariant and contravariant:
            raise ValueError('Bivariant types are not supported.')
        if constraints and bound is not None:
            raise TypeError('Constraints cannot be combined with bound=...')
        if len(constraints) == 1:
            raise TypeError('A single constraint is not allowed')
        self.__name__, self.__constraints__, self.__bound__ = name, constraints, bound
        self.__covariant__, self.__contravariant__ = bool(covariant), bool(contravariant)
        self._mark = '+' if covariant else '-' if contravariant else '~'
class ParamSpec(_Variable):
    def __init__(self, name, **options):
        self.__name__ = name
        self.args, self.kwargs = __opaque__(name + '.args'), __opaque__(name + '.kwargs')
        self._mark = '~'
class NewType:
    def __init__(self, name, tp):
        self.__qualname__ = name
        self.__name__, self.__supertype__ = name.rpartition('.')[2], tp
    def __call__(self, x): return x
    def __or__(self, other): return __union__(self, other)
    def __ror__(self, other): return __union__(other, self)
    def __repr__(self): return __opaque__('typing.NewType.__repr__()')
def get_type_hints(obj, *args, **kwargs): return __opaque__('typing.get_type_hints()')
class ForwardRef:
    def __init__(self, arg, is_argument=True, module=None, *, is_class=False):
        if not isinstance(arg, str):
            raise TypeError(f'Forward reference must be a string -- got {arg!r}')
        self.__forward_arg__, self.__forward_module__ = arg, module
    def __eq__(self, other):
        if not isinstance(other, ForwardRef):
            return NotImplemented
        return (self.__forward_arg__, self.__forward_module__) == (other.__forward_arg__, other.__forward_module__)
    def __hash__(self): return hash((self.__forward_arg__, self.__forward_module__))
    def __repr__(self):
        module = f', module={self.__forward_module__!r}' if self.__forward_module__ else ''
        return f'ForwardRef({self.__forward_arg__!r}{module})'
class _GenericAlias: pass
class _UnionGenericAlias(_GenericAlias): pass
class _LiteralGenericAlias(_GenericAlias): pass
class _AnnotatedAlias(_GenericAlias): pass
class _CallableGenericAlias(_GenericAlias): pass
def get_origin(tp): return __origin__(tp)
def get_args(tp): return __arguments__(tp)
