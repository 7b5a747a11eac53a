# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf classes, a wrapped function and an operator whose control flow depends on values, for own_calls_in_python.py."""

import torch
import torch.nn.functional as F
from torch import nn


class Halves(nn.Module):
    """A loop that ends by value."""
    def forward(self, x):
        while x.abs().max() > 1:
            x = x / 2
        return x

class Item(nn.Module):
    def forward(self, x):
        k = int(x.abs().sum().item()) % 3
        return x.roll(k, -1) * k

class Nms(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = 0.3
    def forward(self, x):
        order, keep = x[:, 0].argsort(descending=True).tolist(), []
        while order:
            best = order.pop(0)
            keep.append(best)
            order = [i for i in order if F.cosine_similarity(x[i], x[best], 0) < self.limit]
        return x[keep], torch.tensor(keep)

class Beam(nn.Module):
    def __init__(self):
        super().__init__()
        self.next = nn.Linear(4, 4)
        self.width, self.most = 2, 5
    def forward(self, x):
        beams = [(0.0, [], x)]
        for _ in range(self.most):
            found = []
            for score, path, state in beams:
                logits = F.log_softmax(self.next(state).mean(0), -1)
                for value, index in zip(*[each.tolist() for each in logits.topk(self.width)]):
                    if index == 0 and path:
                        found.append((score + value, path, state))
                        continue
                    found.append((score + value, path + [index], state + F.one_hot(torch.tensor(index), 4)))
            beams = sorted(found, key=lambda each: -each[0])[:self.width]
        return torch.tensor(beams[0][1]), beams[0][0], beams[0][2]

class Numpy(nn.Module):
    def forward(self, x):
        import numpy as np
        a = x.numpy().copy()
        a[a < np.median(a)] = 0
        return torch.from_numpy(np.cumsum(a, axis=-1))

class Remembers(nn.Module):
    """State in a Python dict."""
    def __init__(self):
        super().__init__()
        self.seen = {"calls": 0, "sums": []}
    def forward(self, x):
        self.seen["calls"] += 1
        self.seen["sums"].append(x.sum())
        if self.seen["calls"] > 1:
            return x * self.seen["calls"] + self.seen["sums"][-2]
        return x

class Running(nn.Module):
    """A buffer written in place, if the values say so."""
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("count", torch.tensor(0))
    def forward(self, x):
        if x.mean() > self.mean.mean():
            self.mean.lerp_(x.mean(0), 0.5)
            self.count += 1
        return x - self.mean + self.count

class Replaces(nn.Module):
    """A buffer that is replaced."""
    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(1, 4))
    def forward(self, x):
        h = self.h
        for row in x:
            h = torch.tanh(row + h) if row.sum() > 0 else h * 0.5
        self.h = h
        return h

class Writes(nn.Module):
    """Writes to its input, through a view and through numpy."""
    def forward(self, x):
        for i in range(len(x)):
            if x[i].sum() < 0:
                x[i].neg_()
        x.numpy()[0, 0] = 7
        return x[1:]

class Draws(nn.Module):
    def forward(self, x):
        while True:
            noise = torch.rand(4)
            if noise.max() > 0.7:
                return x + noise

class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)) for _ in range(3))
    def forward(self, x):
        out = torch.zeros_like(x)
        which = self.gate(x).argmax(-1)
        for i, expert in enumerate(self.experts):
            rows = (which == i).nonzero().flatten()
            if len(rows):
                out[rows] = expert(x[rows])
        return out

class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 4, num_layers=2, batch_first=True)
    def forward(self, x):
        steps, state = [], None
        for step in x.unbind(0):
            y, state = self.lstm(step.view(1, 1, 4), state)
            steps.append(y.flatten())
            if y.sum() > 0.5:
                break
        return torch.stack(steps), state

class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(4)
    def forward(self, x):
        return self.bn(x) if x.std() > 0.1 else x

class Newton(nn.Module):
    def forward(self, x):
        y, steps = x.abs() + 1, 0
        while (y * y - x.abs()).abs().max().item() > 1e-4 and steps < 50:
            y, steps = (y + x.abs() / y) / 2, steps + 1
        return y, steps

class Structured(nn.Module):
    def forward(self, x, *, scale=1.0, names=("a", "b")):
        if x.sum() > 100:
            return None
        return {"rows": [row for row in x if row[0] > 0], names[0]: x.topk(2), "shape": x.shape, "none": None,
                "flag": bool(x.max() > 0), "scale": scale, names[1]: (x.dtype, x.size(0), float(x.sum()))}

class Halting(nn.Module):
    """Adaptive computation time."""
    def __init__(self):
        super().__init__()
        self.halt, self.step = nn.Linear(4, 1), nn.Linear(4, 4)
    def forward(self, x):
        total, out = torch.zeros(len(x)), torch.zeros_like(x)
        for _ in range(10):
            p = torch.sigmoid(self.halt(x)).squeeze(-1)
            out = out + p[:, None] * x
            total += p
            if bool((total > 1).all()):
                break
            x = torch.tanh(self.step(x))
        return out, total

class Types(nn.Module):
    def forward(self, x):
        if x.max() < 0:
            return x
        return (x > 0, x.to(torch.int16), x.to(torch.bfloat16), x.half(), torch.complex(x, -x).conj(), x.to(torch.float64).t(),
                x.new_zeros(0, 3), torch.tensor(3), x.expand(2, *x.shape))

class Sorted(nn.Module):
    def forward(self, x):
        rows = sorted(x, key=lambda row: float(row.norm()))
        return torch.stack(rows)

def limited(value):
    return value.clamp(-1, 1)

def tripled(module, args, output):
    return output * 3 if output.sum() > 0 else output

class Config:
    def __init__(self, steps):
        self.steps = steps

class Objects(nn.Module):
    """Settings in objects and functions of its own."""
    def __init__(self):
        super().__init__()
        self.config = Config(3)
        self.act = limited
        self.w = nn.Parameter(torch.rand(4))
    def forward(self, x):
        for _ in range(self.config.steps):
            if x.sum() > 0:
                x = self.act(x * self.w)
        return x

class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_forward_hook(tripled)
    def forward(self, x):
        return self.fc(x) if x.sum() > -100 else x

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight
    def forward(self, x):
        y = self.a(x)
        if y.sum() != 0:
            self.a.weight.data.mul_(0.5)
        return self.b(y)

class Searches(nn.Module):
    """Bisection, with try and except."""
    def forward(self, x):
        low, high = 0.0, 10.0
        while high - low > 1e-3:
            middle = (low + high) / 2
            try:
                if (x.abs() > middle).float().mean() < 0.25:
                    raise StopIteration
                low = middle
            except StopIteration:
                high = middle
        return x.clamp(-high, high), high

class Unique(nn.Module):
    def forward(self, x):
        values, counts = x.round().unique(return_counts=True)
        return values[counts == counts.max()]

PARTS = [Halves, Item, Nms, Beam, Numpy, Remembers, Running, Replaces, Writes, Draws, Experts, Lstm, Norms, Newton, Structured,
         Halting, Types, Sorted, Objects, Hooked, Tied, Searches, Unique]

@torch.fx.wrap
def routed(x, k=2):
    return x * k if x.sum() > 0 else x / k

@torch.library.custom_op("deciding_nets::route", mutates_args=())
def route(x: torch.Tensor, k: float = 0.5) -> torch.Tensor:
    return x * k if x.sum() > 0 else x - k

class Net(nn.Module):
    """A part between operators, called twice."""
    def __init__(self, part="Halves"):
        super().__init__()
        self.before = nn.Linear(4, 4)
        self.part = globals()[part]()
    def forward(self, x):
        first = self.part(self.before(x) * 2)
        return first, self.part(x * 3)

class Calls(nn.Module):
    def forward(self, x):
        return routed(route(x, 2.0), k=3) + torch.ops.deciding_nets.route(-x)
