# SPDX-License-Identifier: GPL-3.0-or-later
class EnumType(type): pass
EnumMeta = EnumType
Enum = __Enum__
class IntEnum(int, __Enum__):
    def __str__(self):
        return str(self.value)
class StrEnum(str, __Enum__):
    def __str__(self):
        return self.value
def _masks(cls):
    """The bits that have a name, and all up to the highest one."""
    mask = every = 0
    for each in cls.__members__.values():
        every |= each._value_
        if each._value_ and each._value_ & (each._value_ - 1) == 0:
            mask |= each._value_
    return mask, 2 ** every.bit_length() - 1
class Flag(__Enum__):
    _is_flag_ = True
    _keeps_unknown_, _inverted_ = False, None
    def __repr__(self):
        shown = type(self).__name__ if self._name_ is None else f'{type(self).__name__}.{self._name_}'
        return f'<{shown}: {self._value_!r}>'
    def __str__(self):
        name = type(self).__name__
        return f'{name}({self._value_})' if self._name_ is None else f'{name}.{self._name_}'
    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError(f'{value!r} is not a valid {cls.__qualname__}')
        mask, every = _masks(cls)
        if not ~every <= value <= every or value & (every ^ mask):
            if not cls._keeps_unknown_:  # versions of Python differ
                return __opaque__(f'enum.{cls.__qualname__}({value})')
            if value < 0:
                value = max(every + 1, 2 ** value.bit_length()) + value
        if value < 0:
            value = every + 1 + value
        unknown = value & ~mask
        names = [each._name_ for each in cls if each._value_ & value]
        if names and unknown:
            names.append(repr(unknown))
        return __flag__(cls, value, '|'.join(names) or None, not unknown)
    def _bits(self, other):
        if isinstance(other, type(self)):
            return other._value_
        return other if isinstance(self, int) and isinstance(other, int) else NotImplemented
    def __or__(self, other):
        bits = self._bits(other)
        return bits if bits is NotImplemented else type(self)(self._value_ | bits)
    def __and__(self, other):
        bits = self._bits(other)
        return bits if bits is NotImplemented else type(self)(self._value_ & bits)
    def __xor__(self, other):
        bits = self._bits(other)
        return bits if bits is NotImplemented else type(self)(self._value_ ^ bits)
    def __invert__(self):
        if self._inverted_ is None:
            value = ~self._value_ if self._keeps_unknown_ else _masks(type(self))[0] ^ self._value_
            self._inverted_ = type(self)(value)
            self._inverted_._inverted_ = self
        return self._inverted_
    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__
    def __contains__(self, other):
        if not isinstance(other, type(self)):
            raise TypeError(f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} and "
                            f'{type(self).__qualname__!r}')
        return other._value_ & self._value_ == other._value_
    def __iter__(self): return iter([each for each in type(self) if each._value_ & self._value_])
    def __len__(self): return bin(self._value_).count('1')
    def __bool__(self): return self._value_ != 0
class IntFlag(int, Flag):
    _keeps_unknown_ = True
    def __str__(self):
        return str(self.value)
auto = __auto__
property = property
def unique(cls):
    twice = [(name, member.name) for name, member in cls.__members__.items() if name != member.name]
    if twice:
        raise ValueError(f'duplicate values found in {cls!r}: ' + ', '.join([f'{a} -> {b}' for a, b in twice]))
    return cls
