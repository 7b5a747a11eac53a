# SPDX-License-Identifier: GPL-3.0-or-later
"""Control flow and other higher-order operators: graphs inside graphs."""

import torch
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils.checkpoint import checkpoint


class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.a(x).relu(), lambda x: self.b(x) - 1, (x,))


class CondOnShape(nn.Module):
    def forward(self, x):
        return torch.cond(x.shape[0] > 3, lambda x: (x + 1, x.sum()), lambda x: (x - 1, x.mean()), (x,))


class NestedCond(nn.Module):
    def forward(self, x, y):
        def inner(x, y):
            return torch.cond(y.sum() > 0, lambda x, y: x * y, lambda x, y: x / 2, (x, y))

        return torch.cond(x.sum() > 0, inner, lambda x, y: x - y, (x, y))


class TwoConds(nn.Module):
    def forward(self, x, flag):
        x = torch.cond(flag, lambda x: x.sin(), lambda x: x.cos(), (x,))
        return torch.cond(flag, lambda x: x + 1, lambda x: x + 2, (x,))


class CondOnConstant(nn.Module):
    def forward(self, x, y):
        return torch.cond(y.any(), lambda x: torch.zeros(3), lambda x: torch.ones(3) * x, (x,))


class WhileLoop(nn.Module):
    def forward(self, count, x):
        return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x * 2), (count, x))


class WhileWithWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("step", torch.tensor(1))

    def forward(self, count, x):
        return while_loop(lambda i, x: i - self.step > 0, lambda i, x: (i - 1, self.linear(x)), (count, x))


class Map(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, xs, y):
        return map_over(lambda x, y: self.linear(x) + y, xs, y)


class Scan(nn.Module):
    def forward(self, start, xs):
        return scan(lambda carry, x: (carry + x, (carry * x).relu()), start, xs)


class AssociativeScan(nn.Module):
    def forward(self, xs):
        return associative_scan(lambda a, b: a + b, xs, 0, combine_mode="generic")


class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        y = self.linear(x)
        with torch.no_grad():
            z = self.linear(y).relu()
        return y + z


class Autocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.linear(x)
        return y + self.linear(x)


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return checkpoint(lambda x: self.linear(x).relu(), x, use_reentrant=False)


class CondInLoop(nn.Module):
    def forward(self, n, x):
        def body(i, x):
            return i - 1, torch.cond(x.sum() > 3, lambda x: x / 2, lambda x: x * 3, (x,))

        return while_loop(lambda i, x: i > 0, body, (n, x))


def dynamic(count):
    return tuple({0: torch.export.Dim("batch", min=2, max=100)} for _ in range(count))


def export(make, args, shapes=None, decomposed=False, strict=False):
    program = torch.export.export(make().eval(), args, dynamic_shapes=shapes, strict=strict)
    return program.run_decompositions() if decomposed else program


def items():
    x, n = torch.randn(4, 3), torch.tensor(5)
    cases = {
        "cond": (Cond, (x,)), "cond_dynamic": (Cond, (x,), dynamic(1)), "cond_shape": (CondOnShape, (x,), dynamic(1)),
        "cond_nested": (NestedCond, (x, x)), "cond_twice": (TwoConds, (x, torch.tensor(True))),
        "cond_constant": (CondOnConstant, (torch.randn(3), x)), "cond_decomposed": (Cond, (x,), None, True),
        "while_loop": (WhileLoop, (n, x)), "while_weights": (WhileWithWeights, (n, torch.randn(2, 2))),
        "map": (Map, (x, torch.randn(2))), "map_dynamic": (Map, (x, torch.randn(2)), (dynamic(1)[0], None)),
        "scan": (Scan, (torch.zeros(3), x)),
        "associative_scan": (AssociativeScan, (x,)), "no_grad": (NoGrad, (torch.randn(2, 2),)),
        "no_grad_strict": (NoGrad, (torch.randn(2, 2),), None, False, True), "autocast": (Autocast, (torch.randn(2, 2),)),
        "checkpoint": (Checkpointed, (torch.randn(2, 2),)), "cond_in_loop": (CondInLoop, (n, x)),
        "cond_strict": (Cond, (x,), None, False, True),
    }
    return {name: lambda case=case: export(*case) for name, case in cases.items()}
