# SPDX-License-Identifier: GPL-3.0-or-later
from keyword import kwlist as _keywords
from collections.abc import MutableMapping
OrderedDict, defaultdict = OrderedDict, defaultdict
def namedtuple(typename, field_names, *, rename=False, defaults=(), module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(',', ' ').split()
    names, seen = list(map(str, field_names)), set()
    for at, name in enumerate(names):
        if rename and (not name.isidentifier() or name in _keywords or name.startswith('_') or name in seen):
            names[at] = f'_{at}'
        seen.add(names[at])
    for name in [typename] + names:
        if not name.isidentifier():
            raise ValueError(f'Type names and field names must be valid identifiers: {name!r}')
        if name in _keywords:
            raise ValueError(f'Type names and field names cannot be a keyword: {name!r}')
    seen = set()
    for name in names:
        if name.startswith('_') and not rename:
            raise ValueError(f'Field names cannot start with an underscore: {name!r}')
        if name in seen:
            raise ValueError(f'Encountered duplicate field name: {name!r}')
        seen.add(name)
    defaults = tuple(defaults or ())
    if len(defaults) > len(names):
        raise TypeError('Got more default values than field names')
    return __namedtuple__(typename, names, defaults)
class Counter(dict):
    def __init__(self, iterable=(), /, **counts):
        self.update(iterable, **counts)
    def __missing__(self, key):
        return 0
    def __repr__(self):
        name = self.__class__.__name__
        if not self:
            return f'{name}()'
        try:
            return f'{name}({dict(self.most_common())!r})'
        except TypeError:  # counts that have no order
            return f'{name}({dict(self)!r})'
    @classmethod
    def fromkeys(cls, iterable, v=None):
        raise NotImplementedError('Counter.fromkeys() is undefined.  Use Counter(iterable) instead.')
    def update(self, iterable=None, /, **kwds):
        if hasattr(iterable, 'items'):
            if self:
                for key, count in iterable.items():
                    self[key] = count + self.get(key, 0)
            else:
                super().update(iterable)
        elif iterable is not None:
            for key in iterable:
                self[key] = self.get(key, 0) + 1
        if kwds:
            self.update(kwds)
    def subtract(self, iterable=None, /, **kwds):
        if hasattr(iterable, 'items'):
            for key, count in iterable.items():
                self[key] = self.get(key, 0) - count
        elif iterable is not None:
            for key in iterable:
                self[key] = self.get(key, 0) - 1
        if kwds:
            self.subtract(kwds)
    def copy(self):
        return self.__class__(self)
    def most_common(self, n=None):
        return sorted(self.items(), key=lambda item: item[1], reverse=True)[:n]
    def elements(self):
        return (key for key, count in self.items() for _ in range(count))
    def total(self):
        return sum(self.values())
    def _merged(self, other, how):
        out = Counter()
        for key in list(self) + [key for key in other if key not in self]:
            count = how(self[key], other[key])
            if count > 0:
                out[key] = count
        return out
    def __eq__(self, other):
        if not isinstance(other, Counter):
            return dict(self) == other
        return all(self[key] == other[key] for each in (self, other) for key in each)
    def __ne__(self, other): return not self == other
    def __le__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[key] <= other[key] for each in (self, other) for key in each)
    def __lt__(self, other): return self <= other and self != other if isinstance(other, Counter) else NotImplemented
    def __ge__(self, other): return other <= self if isinstance(other, Counter) else NotImplemented
    def __gt__(self, other): return other < self if isinstance(other, Counter) else NotImplemented
    def __delitem__(self, key):
        if key in self:
            super().__delitem__(key)
    def __pos__(self): return self._merged(Counter(), lambda a, b: a)
    def __neg__(self): return Counter()._merged(self, lambda a, b: -b)
    def _keep_positive(self):
        for key in [key for key, count in self.items() if not count > 0]:
            del self[key]
        return self
    def __iadd__(self, other):
        for key, count in other.items():
            self[key] += count
        return self._keep_positive()
    def __isub__(self, other):
        for key, count in other.items():
            self[key] -= count
        return self._keep_positive()
    def __ior__(self, other):
        for key, count in other.items():
            if count > self[key]:
                self[key] = count
        return self._keep_positive()
    def __iand__(self, other):
        for key, count in self.items():
            if other[key] < count:
                self[key] = other[key]
        return self._keep_positive()
    def _combined(self, other, count): return self._merged(other, count) if isinstance(other, Counter) else NotImplemented
    def __add__(self, other): return self._combined(other, lambda a, b: a + b)
    def __sub__(self, other): return self._combined(other, lambda a, b: a - b)
    def __and__(self, other): return self._combined(other, min)
    def __or__(self, other): return self._combined(other, max)
class deque:
    def __init__(self, iterable=(), maxlen=None):
        self._items, self.maxlen, self._changes = [], maxlen, 0
        self.extend(iterable)
    def __repr__(self):
        return __repr_once__(self, '[...]', lambda: f'deque({self._items!r}' + (
            '' if self.maxlen is None else f', maxlen={self.maxlen}') + ')')
    def append(self, x, /):
        self._changes += 1
        self._items.append(x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)
    def appendleft(self, x, /):
        self._changes += 1
        self._items.insert(0, x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()
    def extend(self, iterable, /):
        for value in list(self._items) if iterable is self else iterable:
            self.append(value)
    def extendleft(self, iterable, /):
        for value in list(self._items) if iterable is self else iterable:
            self.appendleft(value)
    def pop(self):
        if not self._items:
            raise IndexError('pop from an empty deque')
        self._changes += 1
        return self._items.pop()
    def popleft(self):
        if not self._items:
            raise IndexError('pop from an empty deque')
        self._changes += 1
        return self._items.pop(0)
    def rotate(self, n=1, /):
        self._changes += len(self._items) > 1
        for _ in range(n % len(self._items) if self._items else 0):
            self._items.insert(0, self._items.pop())
    def insert(self, i, x, /):
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError('deque already at its maximum size')
        self._changes += 1
        self._items.insert(i, x)
    def copy(self): return type(self)(self) if self.maxlen is None else type(self)(self, self.maxlen)
    __copy__ = copy
    def clear(self):
        self._changes += 1
        self._items.clear()
    def count(self, x, /): return self._items.count(x)
    def index(self, x, *bounds):
        try:
            return self._items.index(x, *bounds)
        except ValueError:
            raise ValueError(f'{x!r} is not in deque') from None
    def remove(self, value, /):
        if value not in self._items:
            raise ValueError('deque.remove(x): x not in deque')
        self._changes += 1
        self._items.remove(value)
    def reverse(self): self._items.reverse()
    def __len__(self): return len(self._items)
    def __bool__(self): return len(self._items) > 0
    def _drawn(self, changes):
        at = 0
        while True:
            if self._changes != changes:
                raise RuntimeError('deque mutated during iteration')
            if at == len(self._items):
                return
            yield self._items[at]
            at += 1
    def __iter__(self): return self._drawn(self._changes)
    def _drawn_back(self, changes, size):
        for at in range(size - 1, -1, -1):
            if self._changes != changes:
                raise RuntimeError('deque mutated during iteration')
            yield self._items[at]
    def __reversed__(self): return self._drawn_back(self._changes, len(self._items))
    def __contains__(self, value): return value in self._items
    def _place(self, key):
        if isinstance(key, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        if not -len(self._items) <= key < len(self._items):
            raise IndexError('deque index out of range')
        return key
    def __getitem__(self, key): return self._items[self._place(key)]
    def __setitem__(self, key, value): self._items[self._place(key)] = value
    def __delitem__(self, key):
        self._changes += 1
        del self._items[self._place(key)]
    def __iadd__(self, values):
        self.extend(values)
        return self
    def __add__(self, other):
        if not isinstance(other, deque):
            raise TypeError(f'can only concatenate deque (not "{type(other).__name__}") to deque')
        both = self.copy()
        both.extend(other)
        return both
    def __mul__(self, count): return deque(self._items * count, self.maxlen)
    __rmul__ = __mul__
    def __eq__(self, other): return self._items == other._items if isinstance(other, deque) else NotImplemented
    def __lt__(self, other): return self._items < other._items if isinstance(other, deque) else NotImplemented
    def __le__(self, other): return self._items <= other._items if isinstance(other, deque) else NotImplemented
    def __gt__(self, other): return self._items > other._items if isinstance(other, deque) else NotImplemented
    def __ge__(self, other): return self._items >= other._items if isinstance(other, deque) else NotImplemented
class ChainMap(MutableMapping):
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]
    def __missing__(self, key):
        raise KeyError(key)
    def __getitem__(self, key):
        for each in self.maps:
            try:
                return each[key]
            except KeyError:
                pass
        return self.__missing__(key)
    def get(self, key, default=None): return self[key] if key in self else default
    def __len__(self): return len({key: None for each in self.maps for key in each})
    def __iter__(self):
        out = {}
        for each in reversed(self.maps):
            out.update({key: None for key in each})
        return iter(out)
    def __contains__(self, key): return any(key in each for each in self.maps)
    def __bool__(self): return any(self.maps)
    def __repr__(self):
        return __repr_once__(self, '...', lambda: f'{type(self).__name__}({", ".join(map(repr, self.maps))})')
    @classmethod
    def fromkeys(cls, iterable, *args): return cls(dict.fromkeys(iterable, *args))
    def copy(self): return self.__class__(self.maps[0].copy(), *self.maps[1:])
    __copy__ = copy
    def new_child(self, m=None, **kwargs):
        if m is None:
            m = kwargs
        elif kwargs:
            m.update(kwargs)
        return self.__class__(m, *self.maps)
    @property
    def parents(self): return self.__class__(*self.maps[1:])
    def __setitem__(self, key, value): self.maps[0][key] = value
    def __delitem__(self, key):
        try:
            del self.maps[0][key]
        except KeyError:
            raise KeyError(f'Key not found in the first mapping: {key!r}')
    def popitem(self):
        try:
            return self.maps[0].popitem()
        except KeyError:
            raise KeyError('No keys found in the first mapping.')
    def pop(self, key, *args):
        try:
            return self.maps[0].pop(key, *args)
        except KeyError:
            raise KeyError(f'Key not found in the first mapping: {key!r}')
    def clear(self): self.maps[0].clear()
    def __ior__(self, other):
        self.maps[0].update(other)
        return self
    def __or__(self, other):
        if not isinstance(other, (dict, MutableMapping)):
            return NotImplemented
        made = self.copy()
        made.maps[0].update(other)
        return made
    def __ror__(self, other):
        if not isinstance(other, (dict, MutableMapping)):
            return NotImplemented
        made = dict(other)
        for each in reversed(self.maps):
            made.update(each)
        return self.__class__(made)
class UserDict(MutableMapping):
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)
    def __len__(self): return len(self.data)
    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self.__class__, '__missing__'):
            return self.__class__.__missing__(self, key)
        raise KeyError(key)
    def __setitem__(self, key, item): self.data[key] = item
    def __delitem__(self, key): del self.data[key]
    def __iter__(self): return iter(self.data)
    def __contains__(self, key): return key in self.data
    def __repr__(self): return repr(self.data)
    def _joined(self, one, other):
        if not isinstance(one, (UserDict, dict)) or not isinstance(other, (UserDict, dict)):
            return NotImplemented
        data = [each.data if isinstance(each, UserDict) else each for each in (one, other)]
        return self.__class__(data[0] | data[1])
    def __or__(self, other): return self._joined(self, other)
    def __ror__(self, other): return self._joined(other, self)
    def __ior__(self, other):
        self.data |= other.data if isinstance(other, UserDict) else other
        return self
    def __copy__(self):
        made = self.__class__.__new__(self.__class__)
        made.__dict__.update(self.__dict__)
        made.__dict__['data'] = self.__dict__['data'].copy()
        return made
    def copy(self):
        if self.__class__ is UserDict:
            return UserDict(self.data.copy())
        made = self.__copy__()
        made.data = {}
        made.update(self)
        return made
    @classmethod
    def fromkeys(cls, iterable, value=None):
        made = cls()
        for key in iterable:
            made[key] = value
        return made
