"""Programs that end by an exception, and values that hold themselves: nothing may crash."""

import torch
from torch import nn


def _raised(function):
    try:
        return repr(function())
    except Exception as error:
        return type(error).__name__


class _Own(Exception):
    def __init__(self, x):
        super().__init__("own", x)
        self.x = x


def raise_with_proxy(x):
    raise ValueError(x)


def raise_own_with_proxy(x):
    raise _Own(x)


def raise_proxy(x):
    raise x


def raise_with_shape(x):
    raise RuntimeError("shape", x.shape, [x])


def raise_number(x):
    raise 3


def raise_nothing(x):
    raise


def raise_from_proxy(x):
    raise ValueError("a") from x


def missing_key_proxy(x):
    return {}[x]


def missing_key_shape(x):
    return {(1, 2): 3}[tuple(x.shape)]


def missing_key_of_shapes(x):
    cache = {}
    return cache[x.shape, x.device]


def missing_key_caught(x):
    cache = {}
    try:
        return cache[x.shape]
    except KeyError:
        return x + 1


def cached_by_shape(x):
    cache = {}
    if x.shape not in cache:
        cache[x.shape] = 3
    return x + cache[x.shape]


def missing_key_in_default(x):
    return x, {}.get(x.shape), {}.pop(x, 4)


def pop_missing_proxy(x):
    return {}.pop(x)


def remove_missing_proxy(x):
    return [].remove(x)


def index_missing_proxy(x):
    return [].index(x)


def set_remove_missing(x):
    return set().remove(x)


def del_missing_proxy(x):
    made = {}
    del made[x]


def reversed_slice_assigned(x):
    y = list(range(6))
    y[::-1] = range(6)
    return x, y


def reversed_slice_of_proxy(x):
    x[::-1] = range(6)
    return x


def slice_assigned_too_long(x):
    y = list(range(6))
    y[::-1] = range(7)
    return x, y


def vars_of_nothing(x):
    return x, sorted(vars())


def vars_of_things(x):
    class Made:
        a = 1

    made = Made()
    made.b = 2
    return x, vars(made), "a" in vars(Made), _raised(lambda: vars(3)), _raised(lambda: vars([]))


def dir_of_things(x):
    class Made:
        a = 1

    return x, "a" in dir(Made()), "x" in dir(), "append" in dir([]), "upper" in dir(str)


def list_in_itself(x):
    y = [1]
    y.append(y)
    return x, repr(y), len(y[1]), _raised(lambda: y == y)


def dict_in_itself(x):
    y = {}
    y["a"] = y
    return x, repr(y)


def list_in_itself_returned(x):
    y = [x]
    y.append(y)
    return y


def deep_recursion(x):
    def run(n):
        return run(n + 1)

    return x, _raised(lambda: run(0))


def deep_list(x):
    y = []
    for _ in range(100000):
        y = [y]
    return x, len(y)


def long_loop_of_numbers(x):
    y = 0
    for i in range(20000):
        y += i
    return x + y


def big_power(x):
    return x, len(str(3**300)), 10**30 % 7


def huge_list(x):
    return x, _raised(lambda: [0] * 10**15)


def huge_text(x):
    return x, _raised(lambda: "a" * 10**15)


def huge_range(x):
    return x, len(range(10**12)), 10**11 in range(10**12), range(10**12)[-1]


def repr_raises(x):
    class Made:
        def __repr__(self):
            raise ValueError("no")

    return x, _raised(lambda: repr(Made())), _raised(lambda: str([Made()])), _raised(lambda: f"{Made()}")


def str_of_exception_raises(x):
    class Made(Exception):
        def __str__(self):
            raise ValueError("no")

    raise Made()


def eq_changes_list(x):
    class Made:
        def __eq__(self, other):
            y.clear()
            return False

    y = [Made(), Made(), Made()]
    return x, 3 in y, y


def key_changes_dict(x):
    class Made:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            made.clear()
            return False

    made = {}
    made[Made()] = 1
    _raised(lambda: made[Made()])
    return x


def iterator_of_itself(x):
    def run():
        yield next(made)

    made = run()
    return x, _raised(lambda: next(made))


def map_of_itself(x):
    y = [1, 2]
    made = map(lambda each: y.append(each) if len(y) < 6 else None, y)
    return x, list(made), y


def extend_with_own_iterator(x):
    y = [1, 2]
    it = iter(y)
    next(it)
    y.extend(list(it))
    return x, y, list(it)


def sort_changes_itself(x):
    y = [3, 1, 2]

    def key(each):
        y.append(each)
        return each

    return x, _raised(lambda: y.sort(key=key))


def exhausted_iterator_stays_exhausted(x):
    y = [1]
    it = iter(y)
    made = [next(it), next(it, None)]
    y.append(2)
    return x, made, next(it, None), list(it)


def zip_with_itself(x):
    it = iter(range(5))
    return x, list(zip(it, it)), list(it)


def generator_in_generator(x):
    def run(n):
        if n:
            yield n
            yield from run(n - 1)

    return x, list(run(5)), sum(1 for _ in run(50))


def exception_in_generator(x):
    def run():
        yield 1
        raise KeyError("x")

    it = run()
    return x, next(it), _raised(lambda: next(it)), _raised(lambda: next(it))


def stop_iteration_in_generator(x):
    def run():
        yield 1
        raise StopIteration

    it = run()
    return x, next(it), _raised(lambda: next(it))


def return_in_finally(x):
    def run():
        try:
            raise ValueError
        finally:
            return 1

    return x, run()


def exception_with_slots(x):
    try:
        raise _Own(x)
    except _Own as error:
        return error.x + len(error.args)


def keyword_twice(x):
    return x, _raised(lambda: dict(**{"a": 1}, **{"a": 2})), dict({"a": 1}, a=2)


def exit_called(x):
    raise SystemExit(x)


def keyboard_interrupt(x):
    raise KeyboardInterrupt


class InitRaises(nn.Module):
    def __init__(self):
        super().__init__()
        raise ValueError(self)

    def forward(self, x):
        return x


class InitRaisesWithTensor(nn.Module):
    def __init__(self):
        super().__init__()
        raise ValueError(torch.ones(2), nn.Linear(2, 2))

    def forward(self, x):
        return x


class NoSuperInit(nn.Module):
    def __init__(self):
        self.a = nn.Linear(2, 2)

    def forward(self, x):
        return self.a(x)


class ChildOfItself(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = [self]

    def forward(self, x):
        return x + len(self.a)


class NegativeSizes(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(-1, 2)

    def forward(self, x):
        return x
