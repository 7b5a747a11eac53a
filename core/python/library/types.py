# SPDX-License-Identifier: GPL-3.0-or-later
class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)
    def __eq__(self, other):
        return self.__dict__ == other.__dict__ if isinstance(other, SimpleNamespace) else NotImplemented
    def __repr__(self):
        rows = ', '.join([f'{key}={value!r}' for key, value in self.__dict__.items()])
        return __repr_once__(self, 'namespace(...)', lambda: f'namespace({rows})')
FunctionType = LambdaType = type(lambda: 0)
class MethodType:
    __accepts__ = ['method']
    def __new__(cls, function, instance): return __bind__(function, instance)
BuiltinMethodType = type([].append)
BuiltinFunctionType = type(len)
ModuleType = module
NoneType = NoneType
class MappingProxyType:
    def __init__(self, mapping, /): self._mapping = mapping
    def __getitem__(self, key): return self._mapping[key]
    def __contains__(self, key): return key in self._mapping
    def __len__(self): return len(self._mapping)
    def __iter__(self): return iter(self._mapping)
    def __eq__(self, other): return self._mapping == getattr(other, '_mapping', other)
    def __or__(self, other): return self._mapping | getattr(other, '_mapping', other)
    def __repr__(self): return f'mappingproxy({self._mapping!r})'
    def get(self, key, default=None, /): return self._mapping.get(key, default)
    def keys(self): return self._mapping.keys()
    def values(self): return self._mapping.values()
    def items(self): return self._mapping.items()
    def copy(self): return self._mapping.copy()
GeneratorType = type(each for each in ())
class GenericAlias:
    def __new__(cls, origin, args): return __opaque__('types.GenericAlias()')
class UnionType:
    def __new__(cls, *args): raise TypeError("cannot create 'types.UnionType' instances")
