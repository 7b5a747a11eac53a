"""Sets compared with each other and as keys."""

from torch import nn


class SetsOfStrings(nn.Module):
    def __init__(self):
        super().__init__()
        kinds = ("local", "lsh", "local")
        found = set(kinds)
        self.equal = found == {"lsh", "local"}
        self.unequal = found != {"lsh", "local"}
        self.other = found == {"lsh"}
        self.proper = [{1} < {1, 2}, {1, 2} < {1, 2}, {1, 2} <= {1, 2}, {1, 2} > {1}, {1, 2} > {1, 2}, {1} >= {2}]
        sizes = {frozenset({1, 2}): 12, frozenset({3}): 3}
        self.size = sizes[frozenset((2, 1))]

    def forward(self, x):
        if self.equal and not self.unequal and not self.other:
            x = x + self.size
        return x, self.proper


TRACE = {"SetsOfStrings": {}}
