# SPDX-License-Identifier: GPL-3.0-or-later
# As the documentation of contextlib does it.
class AbstractContextManager:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        return None
class ContextDecorator:
    def _recreate_cm(self):
        return self
    def __call__(self, function):
        def inside(*args, **kwargs):
            with self._recreate_cm():
                return function(*args, **kwargs)
        return __wraps__(inside, function)
class _GeneratorContextManager(ContextDecorator, AbstractContextManager):
    def __init__(self, function, args, kwargs):
        self.gen = function(*args, **kwargs)
        self.made = function, args, kwargs
    def _recreate_cm(self):
        return _GeneratorContextManager(*self.made)
    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield")
    def __exit__(self, kind, value, trace):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = kind()
        try:
            self.gen.throw(value)
        except StopIteration as stopped:
            return stopped is not value
        except BaseException as raised:
            is_wrapped = isinstance(raised, RuntimeError) and isinstance(value, StopIteration)
            if raised is value or (is_wrapped and raised.__cause__ is value):
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")
def contextmanager(function):
    def make(*args, **kwargs):
        return _GeneratorContextManager(function, args, kwargs)
    return __wraps__(make, function)
class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result
    def __enter__(self):
        return self.enter_result
class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self.exceptions = exceptions
    def __enter__(self):
        return None
    def __exit__(self, kind, value, trace):
        return value is not None and isinstance(value, self.exceptions)
class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing
    def __enter__(self):
        return self.thing
    def __exit__(self, *args):
        self.thing.close()
class ExitStack(AbstractContextManager):
    def __init__(self):
        self._exits = []
    def push(self, context):
        self._exits.append(context.__exit__ if hasattr(context, '__exit__') else context)
        return context
    def callback(self, function, *args, **kwargs):
        self._exits.append(lambda kind, value, trace: bool(function(*args, **kwargs)) and False)
        return function
    def enter_context(self, context):
        if not hasattr(context, '__enter__'):
            return context
        value = context.__enter__()
        self._exits.append(context.__exit__)
        return value
    def pop_all(self):
        made = ExitStack()
        made._exits, self._exits = self._exits, []
        return made
    def close(self):
        self.__exit__(None, None, None)
    def __exit__(self, kind, value, trace):
        given = value
        while self._exits:
            leave = self._exits.pop()
            try:
                if leave(None if value is None else type(value), value, None):
                    value = None
            except BaseException as raised:
                value = raised
        if value is not None and value is not given:
            raise value
        return given is not None and value is None
