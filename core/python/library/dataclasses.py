# SPDX-License-Identifier: GPL-3.0-or-later
class _Missing: pass
MISSING = _Missing()
KW_ONLY = _Missing()
class Field:
    def __init__(self, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True,
                 metadata=None, kw_only=MISSING, doc=None):
        self.default, self.default_factory, self.init, self.name = default, default_factory, init, None
        self.repr, self.hash, self.compare, self.metadata = repr, hash, compare, metadata or {}
        self.kw_only, self._type, self._owner, self._is_init_var = kw_only, None, None, False
    @property
    def type(self):
        if self._owner is not None:  # whose annotation is evaluated when it is asked for
            self.type = __annotation__(self._owner, self.name)
        return self._type
    @type.setter
    def type(self, value): self._type, self._owner = value, None
def field(**options):
    return Field(**options)
class _Parameters:
    def __init__(self, options):
        self.init, self.repr, self.eq = options.get('init', True), options.get('repr', True), options.get('eq', True)
        self.order, self.frozen = options.get('order', False), options.get('frozen', False)
InitVar = __opaque__('dataclasses.InitVar')
def _default(cls, name):
    return getattr(cls, name, MISSING)
def dataclass(cls=None, **options):
    if cls is None:
        return lambda made: dataclass(made, **options)
    fields, words = {}, options.get('kw_only', False)
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get('__dataclass_fields__', {}))
    for name, kind in cls.__annotations__.items():
        if kind == 'KW_ONLY' or kind.endswith('.KW_ONLY'):
            words = True
            continue
        if kind.startswith('ClassVar') or kind.startswith('typing.ClassVar') or name == '_':
            continue
        value = _default(cls, name)
        made = value if isinstance(value, Field) else Field(value)
        if isinstance(made.default, (list, dict, set)):
            raise ValueError(f'mutable default {type(made.default)} for field {name} is not allowed: use default_factory')
        made.name, made._owner = name, cls
        if made.kw_only is MISSING:
            made.kw_only = words
        made._is_init_var = kind.startswith('InitVar') or kind.startswith('dataclasses.InitVar')
        fields[name] = made
    for name, made in fields.items():
        if isinstance(cls.__dict__.get(name), Field):
            if made.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, made.default)
    names = list(fields)
    if options.get('init', True):
        _check_order([made for made in fields.values() if made.init and made.kw_only is not True])
    def __init__(self, *args, **kwargs):
        given, passed = _arguments(f'{cls.__qualname__}.__init__()', fields.values(), args, kwargs), []
        for name in names:
            if name in given:
                value = given[name]
            elif fields[name].default is not MISSING:
                value = fields[name].default
            elif fields[name].default_factory is not MISSING:
                value = fields[name].default_factory()
            else:
                continue
            if fields[name]._is_init_var:
                passed.append(value)
            elif options.get('frozen'):
                __raw_set__(self, name, value)
            else:
                setattr(self, name, value)
        if hasattr(self, '__post_init__'):
            self.__post_init__(*passed)
        if options.get('frozen'):
            __raw_set__(self, '__made__', True)
    if '__init__' not in cls.__dict__ and options.get('init', True):
        cls.__init__ = __init__
    if '__repr__' not in cls.__dict__ and options.get('repr', True):
        cls.__repr__ = _shown
    cls.__dataclass_fields__ = fields
    cls.__dataclass_params__ = _Parameters(options)
    kept = [name for name in names if not fields[name]._is_init_var]
    cls.__match_args__ = tuple(name for name in names if fields[name].init and fields[name].kw_only is not True)
    if options.get('order'):
        for name, sign, how in _orders:
            setattr(cls, name, _ordering(sign, how))
    if options.get('slots'):
        cls.__slots__ = tuple(kept)
    compared = [name for name in kept if fields[name].compare] if options.get('eq', True) else None
    own = cls.__dict__
    has_hash = '__hash__' in own and not (own['__hash__'] is None and '__eq__' in own)
    if options.get('unsafe_hash') and has_hash:
        raise TypeError(f'Cannot overwrite attribute __hash__ in class {cls.__name__}')
    if options.get('unsafe_hash') or (compared is not None and options.get('frozen') and not has_hash):
        hashed = [name for name in kept if (fields[name].compare if fields[name].hash is None else fields[name].hash)]
        cls.__hash__ = lambda self: hash(tuple([getattr(self, name) for name in hashed]))
    elif compared is not None and not has_hash:
        cls.__hash__ = None
    return __record__(cls, kept, options.get('frozen', False), compared)
def _listed(names):
    shown = [repr(each) for each in names]
    if len(shown) < 3:
        return ' and '.join(shown)
    return ', '.join(shown[:-1]) + ', and ' + shown[-1]
def _arguments(function, fields, args, kwargs):
    """The arguments of `__init__` by name; raises Python's errors for a function with such parameters."""
    taken = [each for each in fields if each.init]
    places = [each for each in taken if each.kw_only is not True]
    needed = [each for each in taken if each.default is MISSING and each.default_factory is MISSING]
    names = [each.name for each in taken]
    given = {each.name: value for each, value in zip(places, args)}
    for key, value in kwargs.items():
        if key not in names:
            raise TypeError(f"{function} got an unexpected keyword argument '{key}'")
        if key in given:
            raise TypeError(f"{function} got multiple values for argument '{key}'")
        given[key] = value
    if len(args) > len(places):
        least, most = 1 + len([each for each in places if each in needed]), 1 + len(places)
        count = f'from {least} to {most}' if least < most else f'{most}'
        words = len([each for each in taken if each.kw_only is True and each.name in given])
        named = f' positional arguments (and {words} keyword-only argument{"" if words == 1 else "s"})' if words else ''
        raise TypeError(f"{function} takes {count} positional argument{'' if least == most == 1 else 's'} "
                        f"but {len(args) + 1}{named} were given")
    for kind, word in ((False, 'positional'), (True, 'keyword-only')):
        missing = [each.name for each in needed if (each.kw_only is True) == kind and each.name not in given]
        if missing:
            raise TypeError(f"{function} missing {len(missing)} required {word} "
                            f"argument{'' if len(missing) == 1 else 's'}: {_listed(missing)}")
    return given
def _check_order(positional):
    has_default = False
    for made in positional:
        if made.default is not MISSING or made.default_factory is not MISSING:
            has_default = True
        elif has_default:
            raise TypeError(f"non-default argument '{made.name}' follows default argument")
_orders = [('__lt__', '<', lambda a, b: a < b), ('__le__', '<=', lambda a, b: a <= b),
           ('__gt__', '>', lambda a, b: a > b), ('__ge__', '>=', lambda a, b: a >= b)]
def _ordering(sign, how):
    def compare(self, other):
        if type(other) is not type(self):
            raise TypeError(f"'{sign}' not supported between instances of '{type(self).__name__}' and "
                            f"'{type(other).__name__}'")
        return how(_compared(self), _compared(other))
    return compare
def _compared(value):
    return tuple(getattr(value, each.name) for each in fields(value) if each.compare)
def _shown(self): return __repr_once__(self, '...', lambda: _shown_fields(self))
def _shown_fields(self):
    parts = [f'{each.name}={getattr(self, each.name)!r}' for each in fields(self) if each.repr]
    return type(self).__qualname__ + '(' + ', '.join(parts) + ')'
def make_dataclass(name, given, bases=(), namespace=None, **options):
    made, kinds = type(name, bases, dict(namespace or {})), {}
    for each in given:
        field, kind, *default = (each, 'typing.Any') if isinstance(each, str) else each
        kinds[field] = kind
        for value in default:
            setattr(made, field, value)
    __annotate__(made, list(kinds))
    made.__module__ = 'types'
    made = dataclass(made, **options)
    for field, kind in kinds.items():
        made.__dataclass_fields__[field].type = kind
    return made
def fields(value):
    return tuple([each for each in value.__dataclass_fields__.values() if not each._is_init_var])
def is_dataclass(value):
    return hasattr(value, '__dataclass_fields__')
def asdict(value, *, dict_factory=dict):
    return _copied(value, lambda pairs: dict_factory(pairs))
def astuple(value, *, tuple_factory=tuple):
    return _copied(value, lambda pairs: tuple_factory([each for name, each in pairs]))
def _copied(value, make):
    if is_dataclass(value):
        return make([(each.name, _copied(getattr(value, each.name), make)) for each in fields(value)])
    if isinstance(value, tuple) and hasattr(value, '_fields'):
        return type(value)(*[_copied(each, make) for each in value])
    if isinstance(value, (list, tuple)):
        return type(value)([_copied(each, make) for each in value])
    if isinstance(value, dict):
        return {_copied(key, make): _copied(each, make) for key, each in value.items()}
    return value
def replace(value, **changes):
    for each in value.__dataclass_fields__.values():
        if not each.init:
            if each.name in changes:
                raise ValueError(f'field {each.name} is declared with init=False, it cannot be specified with replace()')
        elif each.name not in changes:
            if each._is_init_var and each.default is MISSING:
                raise ValueError(f"InitVar {each.name!r} must be specified with replace()")
            changes[each.name] = getattr(value, each.name)
    return type(value)(**changes)
