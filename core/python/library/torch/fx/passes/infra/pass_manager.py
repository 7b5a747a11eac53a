# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx.passes.infra.pass_base import PassResult
from torch.fx.passes.pass_manager import this_before_that_pass_constraint, _PassList, _validate
import inspect
def pass_result_wrapper(fn):
    if fn is None:
        return None
    def wrapped_fn(gm):
        result = fn(gm)
        if isinstance(result, PassResult):
            return result
        return PassResult(gm if result is None else result, True)
    wrapped_fn.__name__ = fn.__name__ if inspect.isfunction(fn) else type(fn).__name__
    return wrapped_fn
def _sorted(passes, constraints):
    after, waits = {each: [] for each in passes}, {each: 0 for each in passes}
    ready = []
    for a in passes:
        for b in passes:
            if a == b:
                continue
            for constraint in constraints:
                if not constraint(a, b):
                    after[b].append(a)
                    waits[a] += 1
        if waits[a] == 0:
            ready.append(a)
    order = []
    while ready:
        first = ready.pop(0)
        order.append(first)
        for each in after[first]:
            waits[each] -= 1
            if waits[each] == 0:
                ready.append(each)
    cycle = [each for each in passes if waits[each] != 0]
    if cycle:
        names = [each.__name__ if inspect.isfunction(each) else type(each).__name__ for each in cycle]
        raise RuntimeError(f'Circular dependency detected within the following passes: {names}')
    return order
class PassManager(_PassList):
    steps = 1
    def __init__(self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False,
                 suppress_check_failures=False):
        self.passes, self.constraints = passes or [], constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
    def validate_constraints(self):
        if not self._validated:
            _validate(self.constraints, self.passes)
        self._validated = True
    def solve_constraints(self):
        if self.constraints:
            self.passes = _sorted(self.passes, self.constraints)
        self._validated = True
    def add_checks(self, check):
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError('PassManager check function should only take in one variable, a module')
        self.check = check
    def check(self, module): pass
    def __call__(self, module):
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            modified = False
            for fn in self.passes:
                result = fn(module)
                if not hasattr(result, 'graph_module'):
                    name = fn.__name__ if inspect.isfunction(fn) else type(fn).__name__
                    raise TypeError(f'The result of the pass {name} should be type PassResult.'
                                    'Please wrap it with pass_result_wrapper()')
                module, modified = result.graph_module, modified or result.modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed = changed or modified
            if not modified:
                break
        return PassResult(module, changed)
