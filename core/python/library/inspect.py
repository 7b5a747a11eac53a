# SPDX-License-Identifier: GPL-3.0-or-later
from types import MappingProxyType, ModuleType
class _Empty: pass
_empty = _Empty
class _ParameterKind(int, __Enum__):
    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4
    @property
    def description(self): return _descriptions[self.value]
    def __str__(self): return self.name
_descriptions = ['positional-only', 'positional or keyword', 'variadic positional', 'keyword-only', 'variadic keyword']
class _Annotation:
    """What a function says of a parameter, evaluated when it is asked for."""
    def __init__(self, function, name): self.function, self.name = function, name
    def read(self):
        if type(self.function).__name__ != 'function':
            return __opaque__('inspect.Parameter.annotation')
        return self.function.__annotations__.get(self.name, _Empty)
def _read(annotation): return annotation.read() if isinstance(annotation, _Annotation) else annotation
def formatannotation(annotation):
    if isinstance(annotation, type):
        where = annotation.__module__
        return annotation.__qualname__ if where == 'builtins' else f'{where}.{annotation.__qualname__}'
    return repr(annotation).replace('typing.', '')
class Parameter:
    empty = _Empty
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = list(_ParameterKind)
    def __init__(self, name, kind, default=_Empty, *, annotation=_Empty):
        self._name, self._kind, self._default = name, _ParameterKind(kind), default
        self._annotation = annotation
    name, kind = property(lambda self: self._name), property(lambda self: self._kind)
    default, annotation = property(lambda self: self._default), property(lambda self: _read(self._annotation))
    def _about(self): return self._name, self._kind, self._default, self.annotation
    def __eq__(self, other):
        if self is other:
            return True
        return self._about() == other._about() if isinstance(other, Parameter) else NotImplemented
    def __hash__(self): return hash(self._about())
    def __str__(self):
        text = {2: '*', 4: '**'}.get(self.kind.value, '') + self.name
        is_marked = self.annotation is not _Empty
        if is_marked:
            text += ': ' + formatannotation(self.annotation)
        return text if self.default is _Empty else text + (' = ' if is_marked else '=') + repr(self.default)
    def __repr__(self): return f'<Parameter "{self}">'
class BoundArguments:
    def __init__(self, signature, arguments): self._signature, self.arguments = signature, arguments
    signature = property(lambda self: self._signature)
    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, BoundArguments):
            return NotImplemented
        return self.signature == other.signature and self.arguments == other.arguments
    def __repr__(self):
        return f'<BoundArguments ({", ".join([f"{name}={value!r}" for name, value in self.arguments.items()])})>'
    def apply_defaults(self):
        kinds = {2: (), 4: {}}
        out = {}
        for name, each in self.signature.parameters.items():
            if name in self.arguments:
                out[name] = self.arguments[name]
            elif each.default is not _Empty:
                out[name] = each.default
            elif each.kind.value in kinds:
                out[name] = kinds[each.kind.value]
        self.arguments = out
    @property
    def args(self):
        out = []
        for name, each in self.signature.parameters.items():
            if each.kind.value > 2 or name not in self.arguments:
                break
            out.extend(self.arguments[name] if each.kind.value == 2 else [self.arguments[name]])
        return tuple(out)
    @property
    def kwargs(self):
        out, behind = {}, False
        for name, each in self.signature.parameters.items():
            behind = behind or each.kind.value > 2 or name not in self.arguments
            if behind and name in self.arguments:
                out.update(self.arguments[name] if each.kind.value == 4 else {name: self.arguments[name]})
        return out
class Signature:
    empty = _Empty
    def __init__(self, parameters=None, *, return_annotation=_Empty):
        self._parameters = OrderedDict([(each.name, each) for each in parameters or []])
        self._returned = return_annotation
    parameters = property(lambda self: MappingProxyType(self._parameters))
    return_annotation = property(lambda self: _read(self._returned))
    def _about(self):
        words = {name: each for name, each in self._parameters.items() if each.kind == 3}
        return [each for each in self._parameters.values() if each.kind != 3], words, self.return_annotation
    def __eq__(self, other):
        if self is other:
            return True
        return self._about() == other._about() if isinstance(other, Signature) else NotImplemented
    def _bound(self, args, kwargs, partial):
        out, left, given = {}, dict(kwargs), list(args)
        for name, each in self.parameters.items():
            kind = each.kind.value
            if kind > 2 and given:
                raise TypeError('too many positional arguments')
            if kind == 2:
                if given:
                    out[name], given = tuple(given), []
            elif kind == 4:
                if left:
                    out[name], left = left, {}
            elif kind < 2 and given:
                if kind == 1 and name in left:
                    raise TypeError(f"multiple values for argument '{name}'")
                out[name] = given.pop(0)
            elif kind and name in left:
                out[name] = left.pop(name)
            elif each.default is _Empty and not partial:
                raise TypeError(f"missing a required argument: '{name}'")
        if given:
            raise TypeError('too many positional arguments')
        if left:
            raise TypeError(f"got an unexpected keyword argument '{next(iter(left))}'")
        return BoundArguments(self, out)
    def bind(self, /, *args, **kwargs): return self._bound(args, kwargs, False)
    def bind_partial(self, /, *args, **kwargs): return self._bound(args, kwargs, True)
    def replace(self, *, parameters=None, return_annotation=None):
        returned = self._returned if return_annotation is None else return_annotation
        kept = list(self.parameters.values()) if parameters is None else parameters
        return Signature(kept, return_annotation=returned)
    def __str__(self):
        out, before, starred = [], None, False
        for each in self.parameters.values():
            kind = each.kind.value
            if before == 0 and kind != 0:
                out.append('/')
            if kind == 3 and not starred:
                out.append('*')
            starred = starred or kind in (2, 3)
            out.append(str(each))
            before = kind
        text = '(' + ', '.join(out + (['/'] if before == 0 else [])) + ')'
        return text if self.return_annotation is _Empty else f'{text} -> {formatannotation(self.return_annotation)}'
    def __repr__(self): return f'<Signature {self}>'
def signature(function, **options):
    if hasattr(function, '__signature__'):
        return function.__signature__
    if type(function).__name__ == 'partial':
        return __opaque__('inspect.signature()')
    if not isinstance(function, type) and not callable(function):
        raise TypeError(f'{function!r} is not a callable object')
    if not hasattr(function, '__name__') and not isinstance(function, type):
        function = function.__call__
    of = function.__init__ if isinstance(function, type) else function
    of = unwrap(getattr(of, '__func__', of))
    rows = [Parameter(*row, annotation=_Annotation(of, row[0])) for row in __parameters__(function)]
    returned = _Empty if isinstance(function, type) else _Annotation(of, 'return')
    return Signature(rows, return_annotation=returned)
class FullArgSpec(__namedtuple__('FullArgSpec', ['args', 'varargs', 'varkw', 'defaults', 'kwonlyargs',
                                                 'kwonlydefaults', 'annotations'], [])): pass
def getfullargspec(func):
    rows = signature(getattr(func, '__func__', func)).parameters.values()
    named = {kind: [each.name for each in rows if each.kind == kind] for kind in range(5)}
    given = {each.name: each.default for each in rows if each.default is not _Empty}
    defaults = tuple([each for name, each in given.items() if name not in named[3]])
    only = {name: each for name, each in given.items() if name in named[3]}
    return FullArgSpec(named[0] + named[1], (named[2] + [None])[0], (named[4] + [None])[0], defaults or None, named[3],
                       only or None, __opaque__('inspect.getfullargspec().annotations'))
def getsource(value):
    text = __source__(getattr(value, '__func__', value))
    if text is None:
        raise OSError('could not get source code')
    return text
def getfile(value): return value.__file__ if ismodule(value) else __import_module__(value.__module__).__file__
getsourcefile = getfile
def getmodule(value): return __import_module__(value.__module__)
def getdoc(value): return value.__doc__
cleandoc = __opaque__('inspect.cleandoc')
def unwrap(func, *, stop=None):
    known, made = [func], func
    while hasattr(made, '__wrapped__') and not (stop is not None and stop(made)):
        made = made.__wrapped__
        if any([each is made for each in known]) or len(known) >= 1000:
            raise ValueError(f'wrapper loop when unwrapping {func!r}')
        known.append(made)
    return made
def isabstract(value): return isinstance(value, type) and len(__abstract_names__(value)) > 0
def isroutine(value): return type(value).__name__ in ('function', 'method', 'builtin_function_or_method')
def isgenerator(value): return type(value).__name__ == 'generator'
def isgeneratorfunction(value): return __yields__(getattr(value, '__func__', value))
def isbuiltin(value): return type(value).__name__ == 'builtin_function_or_method'
def iscoroutinefunction(value): return False
def ismodule(value): return isinstance(value, module)
def getmembers(value, predicate=None):
    rows = [(name, getattr(value, name)) for name in dir(value)]
    return [row for row in rows if predicate is None or predicate(row[1])]
def isfunction(value): return isinstance(value, type(isfunction))
def isclass(value): return isinstance(value, type)
def ismethod(value): return type(value).__name__ == 'method'
def get_annotations(obj, *, globals=None, locals=None, eval_str=False):
    if eval_str or isinstance(obj, ModuleType):
        return __opaque__('inspect.get_annotations()')
    if isinstance(obj, type):
        return {name: __annotation__(obj, name) for name in obj.__annotations__}
    if not callable(obj):
        raise TypeError(f'{obj!r} is not a module, class, or callable.')
    return dict(getattr(obj, '__annotations__', None) or {})
