#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports models with dynamic sizes, writes the .pt2 as .pt with lancet, loads that in Python and compares results at several sizes.
What torch.load cannot trace again (cond, while_loop, autocast) is refused, and no file is written."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import nn

warnings.filterwarnings("ignore")
SIZES = ((4, 6, 6), (7, 6, 6), (4, 9, 6), (3, 5, 6))


class Recurrent(nn.Module):
    def __init__(self, kind, **settings):
        super().__init__()
        self.rnn, self.out = kind(6, 12, 2, **settings), nn.LazyLinear(3)

    def forward(self, x):
        y, state = self.rnn(x)
        return self.out(y), state


class Expands(nn.Module):
    """Of a parameter, a buffer, and a constant that the model makes."""

    def __init__(self):
        super().__init__()
        self.token, self.places = nn.Parameter(torch.randn(1, 1, 6)), nn.Buffer(torch.randn(1, 1, 6))

    def forward(self, x):
        rows, columns, width = x.shape
        token = self.token.expand(rows, -1, -1)
        return torch.cat([token, x], 1), self.places.expand(1, columns, -1) + x, self.places.expand(2, columns, width), torch.ones(1, 3).expand(2, rows, 3) * rows


class Factories(nn.Module):
    def forward(self, x):
        rows, columns = x.shape[:2]
        mask = torch.tril(torch.ones(columns, columns, dtype=torch.bool))
        return (torch.zeros(2, rows, 3), torch.full((4, columns), 1.5, dtype=torch.float64), x.new_zeros(rows * 2, columns - 1), torch.arange(columns)[None].expand(rows, -1), torch.empty(3, columns).fill_(2),
                torch.ones(4, rows + columns), mask, torch.zeros(3, 2, columns).new_ones(3, rows), torch.linspace(0, 1, columns), torch.eye(columns))


class Views(nn.Module):
    """Sizes behind numbers in lists of views, pads and resampling."""

    def __init__(self):
        super().__init__()
        self.table = nn.Buffer(torch.randn(60))

    def forward(self, x):
        rows, columns, width = x.shape
        return (x.reshape(1, rows * columns, width), x.unflatten(2, (2, 3)).reshape(2, rows, columns, -1), self.table[: rows * 2].view(2, rows), self.table[: columns * 3].view(3, columns).repeat(1, rows), F.pad(x, (1, columns % 3)),
                F.interpolate(x[None], size=(rows * 2, columns // 2 + 1)), x.split([1, columns - 1], 1)[1], self.table.split([rows, 60 - rows])[0], F.pad(self.table, (0, columns)), self.table.as_strided((2, rows), (1, 2)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(6, 18)

    def forward(self, x):
        rows, columns, width = x.shape
        q, k, v = self.project(x).view(rows, columns, 3, 2, 3).permute(2, 0, 3, 1, 4)
        mask = torch.tril(torch.ones(columns, columns, dtype=torch.bool))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(rows, columns, width) * columns**-0.5


class Numbers(nn.Module):
    def forward(self, x):
        rows, columns = x.shape[:2]
        return x / columns**0.5, x * (rows / columns), x.sum() / (x.numel() - 1), max(rows, columns) * x, x[:, : columns // 2], x.narrow(1, 0, columns - 1)


class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.a(x) * 2, lambda x: self.b(x) - 1, (x,))


class NestedCond(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.cond(x.mean() > 0.1, lambda x: x + 1, lambda x: x - 1, (x,)), lambda x: x * x.shape[0], (x,))


class While(nn.Module):
    def forward(self, x):
        return torch._higher_order_ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2 + x.shape[0]), (torch.tensor(0), x))[1]


class Autocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x):
        with torch.autocast("cpu", torch.bfloat16):
            y = self.linear(x)
        return y.float() + torch.zeros(1, x.shape[1], 6)


class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x):
        with torch.no_grad():
            y = self.linear(x)
        return y * 2 + torch.zeros(1, x.shape[1], 6)


CASES = {
    "lstm": lambda: Recurrent(nn.LSTM, bidirectional=True),
    "gru": lambda: Recurrent(nn.GRU, batch_first=True),
    "expands": Expands,
    "factories": Factories,
    "views": Views,
    "attention": Attention,
    "numbers": Numbers,
    "no_grad": NoGrad,
    "cond": Cond,
    "nested_cond": NestedCond,
    "while_loop": While,
    "autocast": Autocast,
}
REFUSED = ("cond", "nested_cond", "while_loop", "autocast")


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, (tuple, list)) else [value]


def check(lancet, name, folder):
    torch.manual_seed(0)
    model = CASES[name]().eval()
    model(torch.randn(SIZES[0]))  # lazy layers
    dynamic = torch.export.Dim.AUTO
    program = torch.export.export(model, (torch.randn(SIZES[0]),), dynamic_shapes=({0: dynamic, 1: dynamic},), strict=False)
    path, written = folder / "model.pt2", folder / "model.pt"
    torch.export.save(program, path)
    done = subprocess.run([lancet, "convert", path, "-o", written], capture_output=True, text=True, timeout=300)
    if name in REFUSED:
        assert done.returncode == 4 and not written.exists(), f"exit {done.returncode}: {done.stderr.strip()[:500]}"
        return
    assert done.returncode == 0, done.stderr.strip()[:700]
    loaded = torch.load(written, weights_only=False)
    compared = 0
    for sizes in SIZES:
        x = torch.randn(sizes)
        try:
            expected = flat(program.module()(x))
        except Exception:
            continue  # the export has fixed this size
        compared += 1
        got = flat(loaded(x))
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            torch.testing.assert_close(a, b, msg=lambda text: f"for {sizes}: {text}")
    assert compared, "compared at no size"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth case")
    options = parser.parse_args()
    names = [name for name in CASES if options.only in name][:: options.every]
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(options.lancet, name, pathlib.Path(folder))
            except Exception as error:  # the others are compared all the same
                failed += 1
                print(f"{name}: {type(error).__name__}: {str(error)[:700]}", flush=True)
    print(f"{len(names) - failed} of {len(names)} exports give the same as .pt, or are refused")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
