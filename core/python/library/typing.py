# SPDX-License-Identifier: GPL-3.0-or-later
NamedTuple = __NamedTuple__
TYPE_CHECKING = False
def cast(kind, value): return value
def overload(function): return function
def final(value): return value
def override(function): return function
_unasked = ['__module__', '__doc__', '__dict__', '__init__', '__new__', '__qualname__', '__annotations__']
def runtime_checkable(cls):
    cls.__methods__ = [name for name in cls.__dict__ if name not in _unasked] + list(cls.__annotations__)
    return cls
def no_type_check(value): return value
def dataclass_transform(*, eq_default=True, order_default=False, kw_only_default=False, frozen_default=False,
                        field_specifiers=(), **kwargs):
    return lambda value: value
def deprecated(message, /, *, category=None, stacklevel=1): return lambda value: value
def assert_type(value, kind, /): return value
def reveal_type(value, /): return value
class TypeVar:
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        self.__name__, self.__constraints__, self.__bound__ = name, constraints, bound
        self._mark = '+' if covariant else '-' if contravariant else '~'
    def __repr__(self): return self._mark + self.__name__
class ParamSpec:
    def __init__(self, name, **options):
        self.__name__ = name
        self.args, self.kwargs = __opaque__(name + '.args'), __opaque__(name + '.kwargs')
    def __repr__(self): return '~' + self.__name__
def NewType(name, kind): return kind
def get_type_hints(obj, *args, **kwargs): return __opaque__('typing.get_type_hints()')
def get_origin(tp): return __opaque__('typing.get_origin()')
def get_args(tp): return __opaque__('typing.get_args()')
