# SPDX-License-Identifier: GPL-3.0-or-later
import functools
def inplace_wrapper(fn):
    @functools.wraps(fn)
    def wrapped_fn(gm, *args, **kwargs):
        fn(gm, *args, **kwargs)
        return gm
    return wrapped_fn
def log_hook(fn, level=None):
    return fn
def loop_pass(base_pass, n_iter=None, predicate=None):
    if (n_iter is None) == (predicate is None):
        raise AssertionError('Exactly one of `n_iter`or `predicate` must be specified.')
    if n_iter is not None and n_iter <= 0:
        raise RuntimeError(f'loop_pass must be given positive int n_iter (given {n_iter})')
    @functools.wraps(base_pass)
    def new_pass(source):
        if n_iter is not None:
            for _ in range(n_iter):
                source = base_pass(source)
        else:
            while predicate(source):
                source = base_pass(source)
        return source
    return new_pass
def _unwrapped(function):
    while hasattr(function, '__wrapped__'):
        function = function.__wrapped__
    return function
def this_before_that_pass_constraint(this, that):
    return lambda a, b: a != that or b != this
def these_before_those_pass_constraint(these, those):
    return lambda a, b: _unwrapped(a) != those or _unwrapped(b) != these
def _validate(constraints, passes):
    for constraint in constraints:
        for i, a in enumerate(passes):
            for j, b in enumerate(passes[i + 1:]):
                if not constraint(a, b):
                    raise RuntimeError(f'pass schedule constraint violated. Expected {a} before {b} but found {a} '
                                       f'at index {i} and {b} at index {j} in pass list.')
class _PassList:
    _validated = False
    def add_pass(self, _pass):
        self.passes.append(_pass)
        self._validated = False
    def add_constraint(self, constraint):
        self.constraints.append(constraint)
        self._validated = False
class PassManager(_PassList):
    def __init__(self, passes=None, constraints=None):
        self.passes, self.constraints = passes or [], constraints or []
    @classmethod
    def build_from_passlist(cls, passes):
        return PassManager(passes)
    def remove_pass(self, _passes):
        self.passes = [each for each in self.passes if each.__name__ not in _passes]
        self._validated = False
    def replace_pass(self, _target, _replacement):
        self.passes = [_replacement if each.__name__ == _target.__name__ else each for each in self.passes]
        self._validated = False
    def validate(self):
        if not self._validated:
            _validate(self.constraints, self.passes)
        self._validated = True
    def __call__(self, source):
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
