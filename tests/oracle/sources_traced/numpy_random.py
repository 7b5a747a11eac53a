# SPDX-License-Identifier: GPL-3.0-or-later
"""NumPy's legacy generator with a seed, and weights that are drawn again."""

import numpy as np
from torch import nn

TRACE = {"Drawn": {}, "Shuffled": {}, "DrawnAgain": {}}


class Drawn(nn.Module):
    def __init__(self):
        super().__init__()
        np.random.seed(7)
        self.one = float(np.random.rand())
        self.normals = [float(v) for v in np.random.randn(5)]
        self.whole = [int(v) for v in np.random.randint(0, 100, size=4)]
        self.between = float(np.random.uniform(-1, 1))
        self.square = [float(v) for v in np.random.random((2, 2)).flatten()]

    def forward(self, x):
        for value in [self.one, *self.normals, *self.whole, self.between, *self.square]:
            x = x + value
        return x


class Shuffled(nn.Module):
    def __init__(self, heads=6):
        super().__init__()
        generator = np.random.RandomState(3)
        self.order = [int(v) for v in generator.permutation(heads)]
        self.kept = [int(v) for v in generator.choice(heads, 3, replace=False)]
        self.scale = float(generator.normal(1.0, 2.0))
        self.names = [1, 2, 3, 4]
        generator.shuffle(self.names)

    def forward(self, x):
        return x[:, self.order][:, self.kept] * self.scale + sum(self.names[:2])


class DrawnAgain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.PReLU(), nn.GRUCell(4, 4))
        self.recurrent = nn.LSTM(4, 3)
        for module in self.modules():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(self, x):
        out, _ = self.recurrent(self.body(x))
        return out
