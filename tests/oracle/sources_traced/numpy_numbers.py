"""Numbers of numpy: their classes, dtypes, text and arithmetic, what torch makes of them, and models that use them."""

import math
import numbers

import numpy as np
import torch
from torch import nn


def values():
    return [
        (np.float64(0.5), np.float32(0.1), np.int64(3), np.bool_(True), np.float16(0.1), np.uint8(7)),
        (
            str(np.float64(0.5)),
            str(np.float32(0.1)),
            str(np.int64(3)),
            str(np.bool_(False)),
            f"{np.float32(.1)}",
            f"{np.float64(2):.3f}",
            "%d %s" % (np.int64(3), np.float32(0.5)),
        ),
        (
            isinstance(np.float64(1), float),
            isinstance(np.float32(1), float),
            isinstance(np.int64(1), int),
            isinstance(np.bool_(1), bool),
            isinstance(np.float32(1), np.floating),
            isinstance(np.int64(1), np.integer),
            isinstance(np.int64(1), np.generic),
            isinstance(1, np.integer),
        ),
        (
            isinstance(np.int64(1), numbers.Number),
            isinstance(np.int64(1), numbers.Integral),
            isinstance(np.float32(1), numbers.Real),
        ),
        (
            type(np.float64(1)),
            type(np.int64(1)).__name__,
            np.float32,
            np.float32.__name__,
            np.dtype("float32"),
            np.dtype(np.int64),
        ),
        (
            np.uint8(200) + np.uint8(100),
            np.uint8(200) * np.uint8(2),
            np.int8(127) + np.int8(1),
            np.uint8(3) - np.uint8(5),
        ),
        (
            np.uint8(200) + 100,
            np.int32(5) + 1,
            np.float32(1) + 1,
            np.float32(1) + 1.0,
            np.int64(1) + 1.5,
            np.int32(1) / 2,
            np.int8(7) // 2,
            np.int64(7) % 3,
            np.int64(2) ** 10,
        ),
        (
            np.float32(1) * np.float64(2),
            np.int32(1) + np.int64(1),
            np.int64(1) + np.float32(1),
            np.uint8(1) + np.int8(1),
            np.bool_(True) + 1,
            np.bool_(True) + np.bool_(True),
        ),
        (
            1 + np.float32(2),
            2 * np.int64(3),
            1.5 - np.float32(0.5),
            2 ** np.int64(3),
            7 // np.int64(2),
            1 / np.int64(2),
        ),
        (
            -np.float32(1),
            abs(np.int64(-3)),
            ~np.int64(5),
            round(np.float64(2.567), 2),
            round(np.float64(2.5)),
            round(np.float32(1.25), 1),
            +np.int64(2),
        ),
        (
            np.float64(0.5) == 0.5,
            np.int64(3) == 3,
            np.float32(1) < 2,
            2 > np.int64(1),
            np.int64(3) != 3,
            np.int64(1) == "a",
        ),
        (
            int(np.int64(3)),
            float(np.float32(0.5)),
            bool(np.int64(0)),
            int(np.float64(3.9)),
            np.int64(3).item(),
            np.float32(0.1).item(),
            np.float64(3).is_integer(),
        ),
        (
            np.sqrt(4),
            np.sqrt(np.float32(2)),
            np.log(10),
            np.exp(1),
            np.floor(2.5),
            np.ceil(2.1),
            np.abs(-3),
            np.round(2.567, 1),
            np.log2(8),
            np.sin(0.5),
            np.square(3),
            np.sign(-2.5),
        ),
        (
            np.prod((2, 3)),
            np.prod([2.0, 3.0]),
            np.sum([1, 2]),
            np.mean([1, 2]),
            np.max([1, 5]),
            np.min([1.0, 2.0]),
            np.std([1.0, 3.0]),
            np.prod([]),
            np.cumsum([1, 2, 3]).tolist(),
            np.argmax([1, 5, 2]),
        ),
        (
            np.linspace(0, 1, 5).tolist(),
            [x for x in np.linspace(0, 0.1, 3)],
            np.linspace(0, 1, 3)[1],
            np.linspace(0, 1, 3).dtype,
            list(np.linspace(0, 1, 2)),
        ),
        (
            np.arange(3).tolist(),
            np.arange(3)[1],
            np.arange(0, 1, 0.5).tolist(),
            np.arange(3).dtype,
            np.arange(1, 4, dtype=np.float32).dtype,
            list(np.arange(2)),
        ),
        (
            np.array([1, 2]).dtype,
            np.array([1.0, 2]).dtype,
            np.array([np.float32(1), 2.0]).dtype,
            np.array([1, 2], dtype=np.uint8)[0] * 200,
            np.array([[1, 2], [3, 4]]).shape,
            np.array(3).shape,
            np.array(3).item(),
        ),
        (
            np.array([1, 2]).astype(np.float32).dtype,
            np.array([1.7, 2]).astype(int).tolist(),
            np.float64(3.7).astype(np.int32),
            (np.array([1, 2]) * 1.5).tolist(),
        ),
        (
            np.array([1, 2]).sum(),
            np.array([1.0, 2]).mean(),
            np.array([1, 2]).max(),
            np.array([True, False]).any(),
            np.array([1, 2])[0],
            np.array([1.0, 2]).prod(),
        ),
        (
            (np.array([1, 2]) == np.array([1, 3])).tolist(),
            (np.array([1, 2]) > 1).tolist(),
            (np.array([1, 2]) + 1).tolist(),
            (2 - np.array([1, 2])).tolist(),
        ),
        (
            (np.array([1, 2], dtype=np.float32) * np.sqrt(2)).dtype,
            (np.array([1, 2], dtype=np.float32) * 2.0).dtype,
            (np.array([1, 2], dtype=np.uint8) + 1).dtype,
        ),
        (
            torch.tensor(np.float64(0.5)).dtype,
            torch.tensor(np.float32(0.5)).dtype,
            torch.tensor(np.int64(1)).dtype,
            torch.tensor(np.int32(1)).dtype,
            torch.tensor(np.bool_(True)).dtype,
            torch.tensor(np.uint8(1)).dtype,
        ),
        (
            torch.tensor([np.float64(0.5)]).dtype,
            torch.tensor([np.float32(0.5), 1.0]).dtype,
            torch.tensor([np.int32(1), 1.0]).dtype,
            torch.tensor([np.float32(1), np.float64(1)]).dtype,
            torch.tensor([1, np.float64(2)]).dtype,
            torch.tensor([np.int8(1), 2]).dtype,
        ),
        (
            torch.tensor(np.array([1, 2])).dtype,
            torch.tensor(np.array([1.0, 2])).dtype,
            torch.from_numpy(np.zeros(3, dtype=np.float32)).dtype,
            torch.as_tensor(np.arange(3)).dtype,
        ),
        (
            torch.zeros(np.int64(3)).shape,
            torch.zeros((np.int64(2), 3)).shape,
            torch.full((2,), np.float64(0.5)).dtype,
            torch.arange(np.int64(3)).tolist(),
        ),
        (
            list(range(np.int64(3))),
            [1, 2, 3][np.int64(1)],
            [1, 2, 3][: np.int64(2)],
            [0] * np.int64(2),
            "ab" * np.int64(2),
            (1,) * np.int64(2),
            "abc"[np.int64(1)],
        ),
        (
            {np.int64(1): 2}[1],
            {1: 2}[np.int64(1)],
            np.int64(1) in [1, 2],
            1 in [np.int64(1)],
            hash(np.int64(5)) == hash(5),
            len({np.int64(1), 1}),
        ),
        (
            max(np.int64(1), 2),
            min(np.float32(3), 4),
            sum([np.int64(1), 2]),
            sorted([np.int64(3), 1]),
            any([np.bool_(False)]),
            divmod(np.int64(7), 2),
            math.sqrt(np.float32(4)),
            math.floor(np.float64(2.5)),
            math.ceil(np.float32(2.1)),
            math.log(np.int64(8)),
        ),
        (
            np.float64("0.5"),
            np.int64("5"),
            np.float64(),
            np.int64(3.9),
            np.uint8(7.9),
            np.float32(1e-5),
            np.float32(1 / 3),
            np.float64(1 / 3),
            np.float64(1e16),
        ),
        (
            np.issubdtype(np.float32, np.floating),
            np.issubdtype(np.int64, np.integer),
            np.issubdtype(np.array([1]).dtype, np.floating),
            np.float32 == np.dtype("float32"),
            np.array([1.0]).dtype == np.float64,
            np.array([1.0]).dtype == "float64",
            np.array([1]).dtype.kind,
        ),
        (
            np.inf,
            np.pi,
            np.nan,
            np.e,
            np.isnan(np.nan),
            np.isinf(np.inf),
            np.isscalar(np.float32(1)),
            np.finfo(np.float32).eps,
            np.finfo(np.float32).max,
            np.iinfo(np.int32).max,
        ),
        (
            np.clip(5, 0, 3),
            np.maximum(1, 2),
            np.power(2, 3),
            np.power(2.0, 3),
            np.divide(1, 2),
            np.add(1, 2),
            np.where(True, 1, 2).item(),
            np.floor_divide(7, 2),
            np.mod(7, 3),
        ),
        (
            np.zeros(3).tolist(),
            np.ones((2, 2)).tolist(),
            np.full(2, 7).dtype,
            np.eye(2).tolist(),
            np.zeros(3).shape,
            np.concatenate([[1], [2]]).tolist(),
            np.stack([[1], [2]]).shape,
            np.expand_dims([1, 2], 0).shape,
        ),
        (
            [int(c) for c in np.linspace(8, 16, 3)],
            [round(v) for v in np.linspace(1, 5, 3)],
            tuple(np.array([1, 2])),
            *np.array([1, 2]),
        ),
        (
            np.float32(3) // 2,
            np.float64(7.5) % 2,
            divmod(np.float64(7.5), 2),
            np.int64(5) & 3,
            np.int64(5) | np.int64(2),
            np.int64(1) << 3,
            True & np.bool_(True),
            not np.bool_(True),
        ),
        (
            np.log(np.array([1.0, 2.0])).dtype,
            np.sqrt(np.array([4, 9])).tolist(),
            np.sin(np.arange(2)).tolist(),
            np.outer([1, 2], [3, 4]).tolist(),
            np.dot([1, 2], [3, 4]),
        ),
        (
            np.array([3, 1, 2]).argsort().tolist(),
            np.sort([3, 1]).tolist(),
            np.unique([1, 1, 2]).tolist(),
            np.array([1, 2, 3])[::-1].tolist(),
            np.array([[1, 2], [3, 4]])[:, 1].tolist(),
            np.array([[1, 2], [3, 4]])[0, 1],
            np.array([1, 2, 3])[np.array([0, 2])].tolist(),
        ),
        (
            np.meshgrid([1, 2], [3, 4])[0].tolist(),
            np.tile([1, 2], 2).tolist(),
            np.repeat([1, 2], 2).tolist(),
            np.array([1, 2]).reshape(2, 1).shape,
            np.array([[1, 2]]).T.shape,
            np.array([[1, 2]]).ravel().tolist(),
            np.array([1, 2]).size,
            len(np.array([1, 2])),
        ),
    ]


class Values(nn.Module):
    def forward(self, x):
        return [repr(each) for each in values()]


class Schedule(nn.Module):
    def __init__(self, depth=3, rate=0.1, width=np.int64(8)):
        super().__init__()
        rates = [rate for rate in np.linspace(0, rate, depth)]
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(width, width), nn.Dropout(float(each))) for each in rates])
        self.scale = 1 / np.sqrt(width)
        self.count = np.prod((2, 3), dtype=np.int32)
        self.register_buffer("steps", torch.tensor(np.arange(1, 4) ** 2 * self.scale))
        self.register_buffer("rate", torch.tensor(np.float32(rate)))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) * float(self.scale) + int(self.count)
        return x * self.steps[0] + self.rate


class Refused(nn.Module):
    def __init__(self, scale=np.float32(2)):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return x * self.scale


class FromTheLeft(nn.Module):
    def forward(self, x):
        return np.float64(2) * x


class ShapeProduct(nn.Module):
    def forward(self, x):
        return np.prod(x.shape), np.sum(x.shape), np.mean(x)


TRACE = {"Values": {}, "Schedule": {}, "Refused": {}, "FromTheLeft": {}, "ShapeProduct": {}, "Refused(np.int64(2))": {}}
