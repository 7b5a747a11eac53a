# SPDX-License-Identifier: GPL-3.0-or-later
# `__accepts__`: names of the built-in classes; `__methods__`: what a class of the program must have.
_views = ['dict_keys', 'dict_values', 'dict_items', 'odict_keys', 'odict_values', 'odict_items']
_iterators = ['generator', 'list_iterator', 'tuple_iterator', 'range_iterator', 'str_iterator', 'set_iterator',
              'dict_keyiterator', 'dict_valueiterator', 'dict_itemiterator', 'list_reverseiterator',
              'callable_iterator', 'zip', 'map', 'filter', 'enumerate', 'reversed', 'groupby']
_collections = ['list', 'tuple', 'dict', 'set', 'frozenset', 'str', 'bytes', 'range', 'deque', 'ModuleDict',
                'ParameterDict', *_views]
_sequences = ['ModuleList', 'Sequential', 'ParameterList']
class Iterable:
    __accepts__ = [*_collections, *_iterators, *_sequences, 'Tensor', 'Proxy', 'EnumType']
    __abstract__ = ['__iter__']
    __methods__ = ['__iter__']
class Sized:
    __accepts__ = [*_collections, *_sequences, 'Tensor', 'Proxy', 'EnumType']
    __abstract__ = ['__len__']
    __methods__ = ['__len__']
class Container:
    __accepts__ = [*_collections, 'Tensor', 'EnumType']
    __abstract__ = ['__contains__']
    __methods__ = ['__contains__']
class Collection(Sized, Iterable, Container):
    __accepts__ = [*_collections, 'Tensor', 'EnumType']
    __methods__ = ['__len__', '__iter__', '__contains__']
class Reversible(Iterable):
    __accepts__ = ['list', 'tuple', 'dict', 'str', 'bytes', 'range', 'deque', *_views]
    __abstract__ = ['__reversed__']
    __methods__ = ['__reversed__', '__iter__']
class Iterator(Iterable):
    __accepts__ = [*_iterators]
    __abstract__ = ['__next__']
    __methods__ = ['__iter__', '__next__']
    def __iter__(self): return self
class Generator(Iterator):
    __accepts__ = ['generator']
    __abstract__ = ['send', 'throw']
    __methods__ = ['__iter__', '__next__', 'send', 'throw', 'close']
    def __next__(self): return self.send(None)
    def close(self):
        try:
            self.throw(GeneratorExit)
        except (GeneratorExit, StopIteration):
            pass
        else:
            raise RuntimeError('generator ignored GeneratorExit')
class Hashable:
    __abstract__ = ['__hash__']
    __refuses__ = ['list', 'dict', 'set', 'slice', 'deque', 'dict_keys', 'dict_items', 'odict_keys', 'odict_items']
class Callable:
    __accepts__ = ['function', 'method', 'builtin_function_or_method', 'type', 'Module', 'partial', 'Proxy',
                   'OpOverload', 'OpOverloadPacket', 'EnumType']
    __abstract__ = ['__call__']
    __methods__ = ['__call__']
class Sequence(Reversible, Collection):
    __accepts__ = ['list', 'tuple', 'str', 'bytes', 'range', 'deque']
    __abstract__ = ['__getitem__', '__len__']
    def __iter__(self):
        at = 0
        try:
            while True:
                yield self[at]
                at += 1
        except IndexError:
            return
    def __contains__(self, value): return any(each is value or each == value for each in self)
    def __reversed__(self): return (self[at] for at in reversed(range(len(self))))
    def index(self, value, start=0, stop=None):
        if start is not None and start < 0:
            start = max(len(self) + start, 0)
        if stop is not None and stop < 0:
            stop += len(self)
        at = start
        while stop is None or at < stop:
            try:
                each = self[at]
            except IndexError:
                break
            if each is value or each == value:
                return at
            at += 1
        raise ValueError
    def count(self, value): return sum(1 for each in self if each is value or each == value)
class MutableSequence(Sequence):
    __accepts__ = ['list', 'deque']
    __abstract__ = ['__setitem__', '__delitem__', 'insert']
    def append(self, value): self.insert(len(self), value)
    def extend(self, values):
        for each in list(values):
            self.append(each)
    def __iadd__(self, values):
        self.extend(values)
        return self
    def clear(self):
        try:
            while True:
                self.pop()
        except IndexError:
            pass
    def reverse(self):
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]
    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value
    def remove(self, value): del self[self.index(value)]
class Mapping(Collection):
    __accepts__ = ['dict', 'OrderedDict', 'defaultdict']
    __abstract__ = ['__getitem__']
    __reversed__ = None
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default
    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True
    def keys(self): return KeysView(self)
    def values(self): return ValuesView(self)
    def items(self): return ItemsView(self)
    def __eq__(self, other):
        if not isinstance(other, (dict, Mapping)):
            return NotImplemented
        return dict(self.items()) == dict(other.items())
_missing = object()
class MutableMapping(Mapping):
    __accepts__ = ['dict', 'OrderedDict', 'defaultdict']
    __abstract__ = ['__setitem__', '__delitem__']
    def pop(self, key, default=_missing):
        try:
            value = self[key]
        except KeyError:
            if default is _missing:
                raise
            return default
        del self[key]
        return value
    def popitem(self):
        try:
            key = next(iter(self))
        except StopIteration:
            raise KeyError from None
        value = self[key]
        del self[key]
        return key, value
    def clear(self):
        for key in list(self):
            del self[key]
    def update(self, other=(), /, **kwargs):
        if isinstance(other, Mapping):
            for key in other:
                self[key] = other[key]
        elif hasattr(other, 'keys'):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwargs.items():
            self[key] = value
    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default
class Set(Collection):
    __accepts__ = ['set', 'frozenset', 'dict_keys', 'odict_keys', 'dict_items', 'odict_items']
    def __le__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) <= len(other) and all(each in other for each in self)
    def __lt__(self, other):
        return len(self) < len(other) and self.__le__(other) if isinstance(other, Set) else NotImplemented
    def __ge__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) >= len(other) and all(each in self for each in other)
    def __gt__(self, other):
        return len(self) > len(other) and self.__ge__(other) if isinstance(other, Set) else NotImplemented
    def __eq__(self, other):
        return len(self) == len(other) and self.__le__(other) if isinstance(other, Set) else NotImplemented
    @classmethod
    def _from_iterable(cls, values): return cls(values)
    def __and__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(each for each in other if each in self)
    __rand__ = __and__
    def __or__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(each for values in (self, other) for each in values)
    __ror__ = __or__
    def _less(self, values, other):
        other = other if isinstance(other, Set) else self._from_iterable(other)
        return self._from_iterable(each for each in values if each not in other)
    def __sub__(self, other): return self._less(self, other) if isinstance(other, Iterable) else NotImplemented
    def __rsub__(self, other): return self._less(other, self) if isinstance(other, Iterable) else NotImplemented
    def __xor__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        other = other if isinstance(other, Set) else self._from_iterable(other)
        return (self - other) | (other - self)
    __rxor__ = __xor__
    def isdisjoint(self, other): return all(each not in self for each in other)
class MutableSet(Set):
    __accepts__ = ['set']
    __abstract__ = ['add', 'discard']
    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        self.discard(value)
    def pop(self):
        try:
            value = next(iter(self))
        except StopIteration:
            raise KeyError from None
        self.discard(value)
        return value
    def clear(self):
        try:
            while True:
                self.pop()
        except KeyError:
            pass
    def __ior__(self, other):
        for each in other:
            self.add(each)
        return self
    def __iand__(self, other):
        for each in (self - other):
            self.discard(each)
        return self
    def __ixor__(self, other):
        if other is self:
            self.clear()
        else:
            for each in (other if isinstance(other, Set) else self._from_iterable(other)):
                self.discard(each) if each in self else self.add(each)
        return self
    def __isub__(self, other):
        if other is self:
            self.clear()
        else:
            for each in other:
                self.discard(each)
        return self
class MappingView(Sized):
    def __init__(self, mapping): self._mapping = mapping
    def __len__(self): return len(self._mapping)
    def __repr__(self): return f'{self.__class__.__name__}({self._mapping!r})'
class KeysView(MappingView, Set):
    __accepts__ = ['dict_keys', 'odict_keys']
    @classmethod
    def _from_iterable(cls, values): return set(values)
    def __contains__(self, key): return key in self._mapping
    def __iter__(self): yield from self._mapping
class ItemsView(MappingView, Set):
    __accepts__ = ['dict_items', 'odict_items']
    @classmethod
    def _from_iterable(cls, values): return set(values)
    def __contains__(self, item):
        key, value = item
        try:
            known = self._mapping[key]
        except KeyError:
            return False
        return known is value or known == value
    def __iter__(self):
        for key in self._mapping:
            yield key, self._mapping[key]
class ValuesView(MappingView, Collection):
    __accepts__ = ['dict_values', 'odict_values']
    def __contains__(self, value):
        for key in self._mapping:
            known = self._mapping[key]
            if known is value or known == value:
                return True
        return False
    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]
class ByteString(Sequence):
    __accepts__ = ['bytes']
Awaitable, Coroutine = __opaque__('collections.abc.Awaitable'), __opaque__('collections.abc.Coroutine')
AsyncIterator = __opaque__('collections.abc.AsyncIterator')
