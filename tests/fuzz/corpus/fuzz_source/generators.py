"""Generators, contexts and iterators: what they record stands between what their users record."""

import contextlib
import functools
import itertools

import torch
from torch import nn
def gen(x):
    for i in range(3):
        yield torch.relu(x + i)
class Interleaved(nn.Module):
    def forward(self, x):
        out = x
        for y in gen(x):
            out = torch.sigmoid(out * y)
        return out
class Early(nn.Module):
    def forward(self, x):
        for y in gen(x):
            return y.neg()
class Sent(nn.Module):
    def forward(self, x):
        def co():
            a = yield x.relu()
            b = yield a.neg()
            return b * 2
        g = co()
        y = next(g)
        z = g.send(y + 1)
        try:
            g.send(z.abs())
        except StopIteration as s:
            return s.value
class From(nn.Module):
    def forward(self, x):
        def inner(n):
            for i in range(n):
                yield x * i
            return x.abs()
        def outer():
            r = yield from inner(2)
            yield r
            if True:
                yield from [x.neg(), x.exp()]
            else:
                yield 1
        out = []
        for v in outer():
            out.append(torch.tanh(v))
        return torch.stack(out)
class Finally(nn.Module):
    def forward(self, x):
        log = []
        def g():
            try:
                yield x.relu()
                yield x.neg()
            except ValueError as e:
                log.append(x.abs())
                yield x.exp()
            else:
                log.append(x.sin())
            finally:
                log.append(x.cos())
        it = g()
        a = next(it)
        b = it.throw(ValueError('no'))
        try:
            next(it)
        except StopIteration:
            pass
        return a + b + log[0] + log[1]
@contextlib.contextmanager
def scaled(x, s):
    y = x * s
    try:
        yield y
    finally:
        torch.relu(y)
    y.neg()
class Context(nn.Module):
    def forward(self, x):
        with scaled(x, 2) as a, scaled(a, 3) as b:
            c = a + b
        return c.sigmoid()
@contextlib.contextmanager
def swallow(x):
    try:
        yield x.relu()
    except ValueError:
        x.abs()
class Swallow(nn.Module):
    def forward(self, x):
        with swallow(x) as y:
            z = y.exp()
            raise ValueError()
        return z.neg()
class Deco(nn.Module):
    def forward(self, x):
        @swallow(x)
        def f(v):
            return v.cos()
        return f(x) + f(x)
class Stack(nn.Module):
    def forward(self, x):
        with contextlib.ExitStack() as s:
            for i in range(2):
                x = s.enter_context(scaled(x, i))
            y = x.tanh()
        return y
class Cached(nn.Module):
    def forward(self, x):
        @functools.lru_cache(maxsize=None)
        def f(n):
            return x * n
        return f(1) + f(1) + f(2)
class Iter(nn.Module):
    def forward(self, x):
        it = itertools.chain(gen(x), (x - i for i in range(2)))
        out = [torch.tanh(v) for v in itertools.islice(it, 4)]
        acc = list(itertools.accumulate(out))
        for a, b in itertools.pairwise(out):
            acc.append(a * b)
        for a, b in itertools.zip_longest(gen(x), out, fillvalue=1):
            acc.append(a - b)
        return functools.reduce(lambda a, b: torch.maximum(a, b), acc)
class Dispatch(nn.Module):
    def forward(self, x):
        @functools.singledispatch
        def f(a):
            return x + 1
        @f.register(int)
        def _(a):
            return x + a
        @f.register(str)
        def _(a):
            return x * len(a)
        return f(3) + f('ab') + f(1.0)
class While(nn.Module):
    def forward(self, x):
        def g():
            n = 0
            while n < 5:
                n += 1
                if n == 2:
                    continue
                if n == 4:
                    break
                yield x + n
            else:
                yield x.neg()
            with scaled(x, 9) as w:
                yield w
                yield w.exp()
        s = x
        for v in g():
            s = s * v
        return s
class Comp(nn.Module):
    def forward(self, x):
        g = (x + i for i in range(3))
        y = next(g) * 2
        return y + sum(g) + x.neg()
class Cat(nn.Module):
    def forward(self, x):
        return torch.cat(x + i for i in range(3))
class CatList(nn.Module):
    def forward(self, x):
        return torch.cat([*gen(x)], dim=1) + torch.stack(tuple(gen(x))).sum()
class Zip(nn.Module):
    def forward(self, x):
        out = x
        for a, b in zip(gen(x), gen(x * 5)):
            out = out + a * b
        for i, v in enumerate(map(torch.neg, gen(out))):
            out = out - v * i
        return out
class Unpack(nn.Module):
    def forward(self, x):
        a, b, c = gen(x)
        d, *e = gen(a)
        return a + b + c + d + e[0] + e[1]
class Match(nn.Module):
    def forward(self, x):
        def g(k):
            match k:
                case 'a':
                    yield x + 1
                case [p, q]:
                    yield x * p
                    yield x * q
        out = x
        for v in g([2, 3]):
            out = out.relu() + v
        for v in g('a'):
            out = out.relu() - v
        return out
class WithRaises(nn.Module):
    def forward(self, x):
        with scaled(x, 2) as a:
            if a.sum() > 0:
                return a
        return x
