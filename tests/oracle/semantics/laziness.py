"""Order of evaluation: what iterates takes one element at a time, and functions are called in Python's order."""

import collections
import functools
import heapq
import itertools
import operator

import torch
from torch import nn


def _raised(function):
    try:
        return repr(function())
    except Exception as error:
        return type(error).__name__


def _noisy(log, values):
    for each in values:
        log.append(f"draw {each}")
        yield each


def _note(log, value):
    log.append(f"use {value}")
    return value


class ExtendDrainsByOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Linear(4, 4)

    def forward(self, x):
        y = [x]
        y.extend(self.m(y[-1]) for _ in range(3))
        return y


class PlusEqualsDrainsByOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Linear(4, 4)

    def forward(self, x):
        y = [x]
        y += (self.m(y[-1]) for _ in range(3))
        return y


class DictUpdateByOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Linear(4, 4)

    def forward(self, x):
        steps = {0: x}
        steps.update((i, self.m(steps[i - 1])) for i in range(1, 4))
        return steps


class LayersByMap(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        state = [x]
        for made in map(lambda layer: layer(state[-1]), self.layers):
            state.append(made.relu())
        return state[-1]


class LayersByZip(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        out = [x]
        for layer, before in zip(self.layers, out):
            out.append(layer(before))
        return out


def set_update_by_one(x):
    seen = {0}
    seen.update(len(seen) for _ in range(4))
    return x, sorted(seen)


def slice_assignment_draws_first(x):
    items = [1, 2, 3]
    items[1:] = (len(items) for _ in range(2))
    return x, items


def slice_assignment_of_itself(x):
    items = [1, 2, 3]
    items[1:2] = items
    items[:0] = (each for each in items)
    return x, items


def extend_by_itself(x):
    items = [1, 2]
    items.extend(items)
    items += items
    return x, items


def extend_stopped_by_exception(x):
    def values():
        yield 1
        yield 2
        raise ValueError("stop")

    items = [0]
    raised = _raised(lambda: items.extend(values()))
    other = [0]
    try:
        other += values()
    except ValueError:
        pass
    return x, items, other, raised


def dict_update_stopped_by_exception(x):
    def pairs():
        yield "a", 1
        raise ValueError("stop")

    made = {}
    raised = _raised(lambda: made.update(pairs()))
    seen = set()

    def members():
        yield 1
        raise KeyError("stop")

    other = _raised(lambda: seen.update(members()))
    return x, made, raised, sorted(seen), other


def dict_update_pairs(x):
    made = {}
    made.update([["a", 1], ("b", 2), "cd"], e=5)
    wrong = [_raised(lambda: dict([(1, 2, 3)])), _raised(lambda: dict([1])), _raised(lambda: {}.update(3))]
    return x, made, wrong


def dict_by_generator(x):
    log = []
    made = dict((key, _note(log, key)) for key in _noisy(log, "abc"))
    also = {key: _note(log, key) for key in _noisy(log, "de")}
    return x, made, also, log


def dict_display_order(x):
    log = []
    made = {_note(log, "k1"): _note(log, "v1"), **{_note(log, "k2"): _note(log, "v2")}, _note(log, "k3"): 3}
    return x, made, log


def set_comprehension_by_one(x):
    log = []
    made = {_note(log, each % 2) for each in _noisy(log, range(3))}
    return x, sorted(made), log


def set_comprehension_stops_at_unhashable(x):
    log = []

    def build():
        return {_note(log, each) for each in [1, [2], 3]}

    return x, _raised(build), log


def map_by_one(x):
    log = []
    made = map(lambda each: _note(log, each), _noisy(log, range(3)))
    log.append("made")
    first = next(made)
    log.append("first")
    rest = list(made)
    return x, first, rest, log


def map_of_two(x):
    log = []
    made = list(map(lambda a, b: (a, b), _noisy(log, range(3)), _noisy(log, "ab")))
    return x, made, log


def map_without_iterable(x):
    return x, _raised(lambda: map(len)), _raised(lambda: map()), _raised(lambda: list(map(None, [1])))


def zip_by_one(x):
    log = []
    left, right = _noisy(log, range(3)), _noisy(log, "ab")
    made = list(zip(left, right))
    return x, made, list(left), log


def zip_drops_what_was_drawn(x):
    left = iter(range(5))
    made = list(zip(left, [1, 2]))
    return x, made, next(left), list(zip()), list(zip([1]))


def zip_strict(x):
    log = []

    def run(*rows):
        return _raised(lambda: list(zip(*rows, strict=True)))

    return x, run([1], [1, 2]), run([1, 2], [1]), run([1], [2]), run(_noisy(log, range(2)), []), log


def filter_by_one(x):
    log = []
    made = filter(lambda each: _note(log, each) % 2, _noisy(log, range(5)))
    first = next(made)
    log.append("first")
    return x, first, list(made), list(filter(None, [0, 1, "", "a", None])), log


def enumerate_by_one(x):
    log = []
    made = enumerate(_noisy(log, "ab"), start=2)
    first = next(made)
    log.append("first")
    return x, first, list(made), log


def enumerate_while_growing(x):
    items = [1, 2]
    out = []
    for at, each in enumerate(items):
        out.append((at, each))
        if len(items) < 5:
            items.append(each * 10)
    return x, out


def reversed_while_growing(x):
    items = [1, 2, 3]
    out = []
    for each in reversed(items):
        out.append(each)
        items.append(each)
        if len(items) > 5:
            items.clear()
    return x, out, items


def reversed_kinds(x):
    made = {"a": 1, "b": 2}
    kinds = [list(reversed(each)) for each in ("abc", (1, 2), range(4), made, made.items(), made.values())]
    wrong = [_raised(lambda: reversed({1, 2})), _raised(lambda: reversed(each for each in [1])), _raised(lambda: reversed(3))]
    return x, kinds, wrong


def for_over_a_shrinking_list(x):
    items = [1, 2, 3, 4]
    out = []
    for each in items:
        out.append(each)
        items.remove(each)
    return x, out, items


def for_over_a_changing_dict(x):
    made = {"a": 1, "b": 2}

    def grow():
        for key in made:
            made[key + key] = 1

    def shrink():
        for key in made:
            del made[key]

    def replace():
        for key in made:
            made[key] = 7

    members = {1, 2}

    def add():
        for each in members:
            members.add(each + 10)

    return x, _raised(grow), _raised(shrink), _raised(replace), _raised(add)


def for_over_a_changing_view(x):
    made = {"a": 1, "b": 2}

    def run(view):
        for _ in view:
            made["c"] = 3

    first = _raised(lambda: run(made.items()))
    del made["c"]
    second = _raised(lambda: run(made.values()))
    return x, first, second


def any_stops(x):
    log = []
    found = any(_note(log, each) > 0 for each in _noisy(log, range(5)))
    return x, found, log


def all_stops(x):
    log = []
    found = all(_note(log, each) < 2 for each in _noisy(log, range(5)))
    return x, found, log


def any_and_all_of_nothing(x):
    return x, any([]), all([]), any(iter([0, "", None])), all(iter([1, "a"]))


def in_stops(x):
    log = []
    values = _noisy(log, range(5))
    found = 2 in values
    return x, found, next(values), log


def and_or_stop(x):
    log = []
    first = _note(log, 0) and _note(log, 1)
    second = _note(log, "") or _note(log, "b") or _note(log, "c")
    third = not _note(log, []) and _note(log, 5)
    return x, first, second, third, log


def comparison_chain_stops(x):
    log = []
    first = _note(log, 1) < _note(log, 0) < _note(log, 5)
    second = _note(log, 1) < _note(log, 3) < _note(log, 5)
    return x, first, second, log


def sum_by_one(x):
    log = []
    made = sum((_note(log, each) for each in _noisy(log, range(3))), 10)
    lists = sum([[1], [2]], [])
    return x, made, lists, log, _raised(lambda: sum(["a"], "")), _raised(lambda: sum(["a"]))


def sum_keeps_its_start(x):
    start = [0]
    made = sum([[1], [2]], start)
    return x, made, start


def min_max_by_one(x):
    log = []
    low = min(_noisy(log, [3, 1, 2]), key=lambda each: _note(log, each))
    high = max(_noisy(log, [3, 1, 3]), key=lambda each: -_note(log, each))
    return x, low, high, log


def min_max_kinds(x):
    wrong = [_raised(lambda: min()), _raised(lambda: min([])), _raised(lambda: max(3)), _raised(lambda: max(1, 2, default=3))]
    return x, min("b", "a"), max([1, True, 1.0]), min([(1, "b"), (1, "a")]), max([], default=None), wrong


def sorted_key_order(x):
    log = []
    made = sorted(_noisy(log, [3, 1, 2]), key=lambda each: _note(log, -each))
    return x, made, log


def sorted_is_stable(x):
    rows = [("b", 1), ("a", 1), ("c", 0)]
    up = sorted(rows, key=lambda row: row[1])
    down = sorted(rows, key=lambda row: row[1], reverse=True)
    return x, up, down, _raised(lambda: sorted([1, "a"])), _raised(lambda: sorted([1], lambda each: each))


def sort_hides_the_list(x):
    items = [3, 1, 2]
    seen = []

    def key(each):
        seen.append(len(items))
        return each

    items.sort(key=key)
    return x, items, seen


def sort_stopped_by_exception(x):
    items = [3, 1, 2]

    def key(each):
        if each == 2:
            raise ValueError("two")
        return each

    return x, _raised(lambda: items.sort(key=key)), items


def list_by_one(x):
    log = []
    made = list(_noisy(log, range(2))) + [*_noisy(log, "ab")]
    first, *rest = _noisy(log, range(3))
    return x, made, first, rest, log, list(tuple(_noisy(log, "z")))


def unpacking_draws_one_more(x):
    log = []

    def run():
        a, b = _noisy(log, range(5))
        return a, b

    return x, _raised(run), log


def nested_unpacking_order(x):
    log = []

    class Target:
        def __setattr__(self, name, value):
            log.append((name, value))

    t = Target()
    (t.a, t.b), t.c = t.d = (1, 2), 3
    made = {}
    at = 0
    at, made[at] = 1, 2
    return x, log, made


def starred_call_order(x):
    log = []

    def run(*args, **kwargs):
        return args, sorted(kwargs.items())

    made = run(_note(log, 1), *_noisy(log, "ab"), _note(log, 2), k=_note(log, 3), **{_note(log, "z"): _note(log, 4)})
    return x, made, log


def call_before_arguments(x):
    log = []

    def pick(name):
        log.append(name)
        return lambda *args: args

    made = pick("f")(_note(log, 1), pick("g")(_note(log, 2)))
    wrong = _raised(lambda: [].missing(_note(log, "never")))
    return x, made, log, wrong


def assignment_order(x):
    log = []
    made = {}

    def at(name):
        log.append(name)
        return name

    made[at("k")] = at("v")
    made[at("k")] += at("w")
    return x, made, log


def subscript_order(x):
    log = []
    [[1, 2], [3, 4]][_note(log, 1)][_note(log, 0) : _note(log, 2) : _note(log, 1)]
    return x, log


def conditional_order(x):
    log = []
    made = _note(log, "yes") if _note(log, 1) else _note(log, "no")
    return x, made, log


def default_arguments_once(x):
    def grow(each, into=[]):
        into.append(each)
        return into

    grow(1)
    return x, grow(2), grow(3, [])


def generator_by_one(x):
    log = []
    made = (_note(log, each) for each in _noisy(log, range(3)))
    log.append("made")
    first = next(made)
    log.append("first")
    return x, first, list(made), list(made), log


def generator_first_iterable_at_once(x):
    log = []

    def source(name):
        log.append(name)
        return [1, 2]

    made = (a + b for a in source("outer") for b in source("inner"))
    log.append("made")
    return x, list(made), log


def generator_sees_later_names(x):
    scale = 1
    made = (each * scale for each in [1, 2, 3])
    scale = 10
    return x, list(made)


def generator_first_iterable_is_fixed(x):
    items = [1, 2]
    made = (each for each in items)
    items = [5]
    return x, list(made), items


def lambdas_share_their_variable(x):
    made = [lambda: each for each in range(3)]
    bound = [lambda each=each: each for each in range(3)]
    return x, [each() for each in made], [each() for each in bound]


def join_by_one(x):
    log = []
    made = ",".join(_noisy(log, "abc"))
    return x, made, log, _raised(lambda: ",".join([1])), "-".join({"a": 1, "b": 2})


def iter_with_sentinel(x):
    items = [1, 2, 3, 0, 4]
    made = list(iter(lambda: items.pop(0), 0))
    return x, made, items


def next_default(x):
    values = iter([1])
    return x, next(values, 5), next(values, 5), next(values, None), _raised(lambda: next(values)), _raised(lambda: next([1]))


def chain_by_one(x):
    log = []
    made = itertools.chain(_noisy(log, "ab"), _noisy(log, "c"))
    first = next(made)
    log.append("first")
    return x, first, list(made), log, list(itertools.chain.from_iterable(_noisy(log, ["de", "f"])))


def islice_by_one(x):
    log = []
    values = _noisy(log, range(10))
    made = list(itertools.islice(values, 1, 6, 2))
    return x, made, next(values), log, list(itertools.islice("abcdef", 2)), list(itertools.islice("abcdef", 2, None))


def islice_leaves_the_rest(x):
    values = iter(range(10))
    head = list(itertools.islice(values, 3))
    none = list(itertools.islice(values, 0))
    return x, head, none, next(values), _raised(lambda: itertools.islice([1], -1)), _raised(lambda: itertools.islice([1]))


def takewhile_dropwhile(x):
    log = []
    values = _noisy(log, [1, 2, 5, 1])
    taken = list(itertools.takewhile(lambda each: each < 3, values))
    return x, taken, list(values), log, list(itertools.dropwhile(lambda each: each < 3, [1, 5, 1]))


def cycle_repeat_count(x):
    log = []
    cycled = itertools.cycle(_noisy(log, "ab"))
    made = [next(cycled) for _ in range(5)]
    counted = itertools.count(5, -2)
    return x, made, log, [next(counted) for _ in range(3)], list(itertools.repeat("z", 2)), list(zip(itertools.count(), "ab"))


def groupby_by_one(x):
    log = []
    rows = [(key, list(group)) for key, group in itertools.groupby(_noisy(log, "aabca"))]
    return x, rows, log


def groupby_shares_its_source(x):
    groups = itertools.groupby("aabb")
    first = next(groups)
    second = next(groups)
    return x, first[0], list(first[1]), second[0], list(second[1])


def groupby_key(x):
    made = [(key, list(group)) for key, group in itertools.groupby([1, 3, 2, 4, 5], key=lambda each: each % 2)]
    return x, made


def tee_by_one(x):
    log = []
    left, right = itertools.tee(_noisy(log, range(3)))
    a = next(left)
    b = list(right)
    return x, a, b, list(left), log


def accumulate_by_one(x):
    log = []
    made = itertools.accumulate(_noisy(log, [1, 2, 3]))
    first = next(made)
    log.append("first")
    return x, first, list(made), log, list(itertools.accumulate([3, 1, 2], max)), list(itertools.accumulate([1], initial=5))


def starmap_filterfalse_compress(x):
    log = []
    made = itertools.starmap(operator.add, _noisy(log, [(1, 2), (3, 4)]))
    first = next(made)
    return x, first, log, list(itertools.filterfalse(None, [0, 1])), list(itertools.compress("abc", [1, 0, 1]))


def pairwise_batched(x):
    log = []
    made = itertools.pairwise(_noisy(log, range(3)))
    first = next(made)
    return x, first, log, list(made)


def zip_longest_by_one(x):
    log = []
    made = list(itertools.zip_longest(_noisy(log, "abc"), _noisy(log, "d"), fillvalue="-"))
    return x, made, log


def product_takes_all_first(x):
    log = []
    made = itertools.product(_noisy(log, "ab"), _noisy(log, [1, 2]))
    log.append("made")
    first = next(made)
    return x, first, list(made), log, list(itertools.product("ab", repeat=2)), list(itertools.product())


def combinations_and_permutations(x):
    made = [list(itertools.combinations("abc", 2)), list(itertools.permutations("abc", 2))]
    with_same = list(itertools.combinations_with_replacement("ab", 2))
    return x, made, with_same, list(itertools.combinations("a", 2)), list(itertools.permutations("ab", 3))


def reduce_by_one(x):
    log = []
    made = functools.reduce(lambda a, b: _note(log, a + b), _noisy(log, range(4)), 10)
    return x, made, log, _raised(lambda: functools.reduce(operator.add, []))


def deque_by_one(x):
    log = []
    made = collections.deque(_noisy(log, range(5)), maxlen=2)
    made.extendleft(len(made) for _ in range(2))
    other = collections.deque([1, 2])
    other += (len(other) for _ in range(2))
    return x, list(made), list(other), log


def counter_by_one(x):
    made = collections.Counter("abca")
    made.update(["a"], b=2)
    return x, made.most_common(2), made["z"], sorted(made.elements()), dict(made - collections.Counter("ab"))


def heap_order(x):
    items = [5, 1, 4]
    heapq.heapify(items)
    heapq.heappush(items, 0)
    return x, [heapq.heappop(items) for _ in range(4)], heapq.nsmallest(2, [3, 1, 2]), heapq.nlargest(2, [3, 1, 2])


def generator_closed_and_thrown(x):
    log = []

    def run():
        try:
            got = yield 1
            log.append(got)
            yield 2
        except ValueError as error:
            log.append(str(error))
            yield 3
        finally:
            log.append("end")

    one = run()
    made = [next(one), one.send("sent"), one.throw(ValueError("bad"))]
    one.close()
    two = run()
    next(two)
    two.close()
    return x, made, log, _raised(lambda: next(two))


def yield_from_result(x):
    def inner():
        got = yield 1
        return got * 2

    def outer():
        made = yield from inner()
        yield made

    run = outer()
    return x, next(run), run.send(21), list(run)


def with_order(x):
    log = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            log.append("in " + self.name)
            return self.name

        def __exit__(self, *given):
            log.append(f"out {self.name} {given[0] is not None}")
            return self.name == "a"

    with Context("a") as a, Context("b") as b:
        log.append(a + b)
        raise ValueError
    return x, log


def try_order(x):
    log = []

    def run(fails):
        try:
            log.append("try")
            if fails:
                raise KeyError(1)
        except KeyError:
            log.append("except")
            return "handled"
        else:
            log.append("else")
            return "fine"
        finally:
            log.append("finally")

    return x, run(True), run(False), log


def loop_else(x):
    log = []
    for each in range(3):
        if each == 1:
            break
    else:
        log.append("for")
    while False:
        pass
    else:
        log.append("while")
    return x, log


def walrus_in_comprehension(x):
    made = [last := each * 2 for each in range(3)]
    found = any((hit := each) > 3 for each in [1, 5, 7])
    return x, made, last, found, hit


def decorators_from_below(x):
    log = []

    def note(name):
        log.append("eval " + name)

        def apply(function):
            log.append("apply " + name)
            return function

        return apply

    @note("a")
    @note("b")
    def made(value=log.append("default")):
        return value

    return x, log


def class_body_order(x):
    log = []

    class Base:
        def __init_subclass__(cls, **kwargs):
            log.append(("subclass", cls.__name__, kwargs))

    class Field:
        def __set_name__(self, owner, name):
            log.append(("name", name))

    class Made(Base, flag=_note(log, 1)):
        log.append("body")
        a = Field()
        b = Field()

    return x, log


def module_order(x):
    seen = torch.nn.ModuleDict({"b": nn.ReLU(), "a": nn.Tanh()})
    seen.update({"c": nn.ReLU(), "a": nn.GELU()})
    return x, list(seen.keys()), [type(each).__name__ for each in seen.values()]


class ModuleListExtendByOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        self.layers.extend(nn.Linear(self.layers[-1].out_features, 4 + i) for i in range(3))
        self.seq = nn.Sequential(*(nn.Linear(4, 4) for _ in range(2)))
        self.more = nn.ModuleList(map(lambda i: nn.Linear(i, i), range(1, 3)))

    def forward(self, x):
        return self.seq(self.layers[0](x))
