# SPDX-License-Identifier: GPL-3.0-or-later
# numpy.random: the legacy generator, with the bits of NumPy's for the same seed.
import numpy
def _counted(size):
    shape = (size,) if isinstance(size, int) else tuple(size)
    count = 1
    for each in shape: count *= int(each)
    return shape, count
class RandomState:
    def __init__(self, seed=None): self.seed(seed)
    def seed(self, seed=None):
        if seed is not None and not 0 <= int(seed) < 2 ** 32:
            raise ValueError('Seed must be between 0 and 2**32 - 1')
        self._draw = None if seed is None else __mersenne_twister__(int(seed))
    def _drawn(self, size, kind, *limits):
        if self._draw is None:
            raise RuntimeError('numpy.random has no seed, so its numbers differ each time; call numpy.random.seed(N)')
        if size is None: return self._draw(kind, 1, *limits)[0]
        shape, count = _counted(size)
        return numpy.array(self._draw(kind, count, *limits),
                           dtype=numpy.int64 if kind == 'below' else numpy.float64).reshape(shape)
    def random_sample(self, size=None): return self._drawn(size, 'double')
    random = ranf = sample = random_sample
    def rand(self, *shape): return self._drawn(shape or None, 'double')
    def uniform(self, low=0.0, high=1.0, size=None): return low + (high - low) * self._drawn(size, 'double')
    def standard_normal(self, size=None): return self._drawn(size, 'normal')
    def randn(self, *shape): return self._drawn(shape or None, 'normal')
    def normal(self, loc=0.0, scale=1.0, size=None): return loc + scale * self._drawn(size, 'normal')
    def randint(self, low, high=None, size=None, dtype=int):
        if high is None: low, high = 0, low
        if low >= high: raise ValueError('low >= high')
        drawn = low + self._drawn(size, 'below', int(high) - int(low) - 1)
        return drawn if dtype is int or size is None else drawn.astype(dtype)
    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self._drawn(None, 'below', i)
            x[i], x[j] = x[j], x[i]
    def permutation(self, x):
        if isinstance(x, (int, numpy.integer)):
            order = list(range(int(x)))
            self.shuffle(order)
            return numpy.array(order, dtype=numpy.int64)
        order = list(range(len(x)))
        self.shuffle(order)
        return numpy.array(x)[numpy.array(order, dtype=numpy.int64)]
    def choice(self, a, size=None, replace=True, p=None):
        if p is not None: raise NotImplementedError('numpy.random.choice with probabilities')
        count = int(a) if isinstance(a, (int, numpy.integer)) else len(a)
        if replace: chosen = self.randint(0, count, size)
        elif size is None: chosen = int(self.permutation(count)[0])
        else:
            shape, wanted = _counted(size)
            if wanted > count: raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            chosen = self.permutation(count)[:wanted].reshape(shape)
        return chosen if isinstance(a, (int, numpy.integer)) else numpy.array(a)[chosen]
_state = RandomState()
seed, random_sample, random, ranf, sample = _state.seed, _state.random_sample, _state.random, _state.ranf, _state.sample
rand, randn, randint, uniform, normal = _state.rand, _state.randn, _state.randint, _state.uniform, _state.normal
standard_normal, shuffle = _state.standard_normal, _state.shuffle
permutation, choice = _state.permutation, _state.choice
