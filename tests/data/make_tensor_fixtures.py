#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/tensor/dtypes.txt: what PyTorch 2.13 makes of raw bytes, for every dtype.

One line a tensor, fields separated by tabs: dtype, hex bytes, values as Python prints them (`;` between them), then
count finite zeros nans infinities min max mean std of the finite values (absolute values for complex types)."""
import pathlib

import torch

OUT = pathlib.Path(__file__).parent / "tensor" / "dtypes.txt"


def all_bytes(dtype):
    return torch.arange(256, dtype=torch.int32).to(torch.uint8).view(dtype)


def tensors():
    special = [0.0, -0.0, 1.0, -2.5, 1e-3, 65504.0, float("nan"), float("inf"), float("-inf")]
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        yield torch.tensor(special, dtype=dtype)
        generator = torch.Generator().manual_seed(1)
        yield torch.randn(33, generator=generator, dtype=torch.float64).to(dtype)
    yield torch.arange(-512, 512, dtype=torch.int16).mul(64).view(torch.float16)  # subnormals included
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        yield all_bytes(getattr(torch, name))
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64):
        info = torch.iinfo(dtype)
        yield torch.tensor([info.min, info.max, 0, 1, 7], dtype=dtype)
    yield torch.tensor([True, False, True])
    for dtype in (torch.complex64, torch.complex128, torch.complex32):
        yield torch.tensor([1 + 2j, -0.5j, 0, 3 - 4j], dtype=dtype)


def line(tensor):
    raw = bytes(tensor.contiguous().view(torch.uint8).reshape(-1).tolist())
    if tensor.dtype == torch.complex32:
        values = tensor.to(torch.complex64).tolist()
    elif tensor.dtype.is_floating_point:
        values = tensor.to(torch.float64).tolist()
    else:
        values = tensor.tolist()
    magnitudes = [abs(v) if isinstance(v, complex) else float(v) for v in values]
    wide = torch.tensor(magnitudes, dtype=torch.float64)
    finite = wide[torch.isfinite(wide)]
    figures = [len(values), len(finite), int((finite == 0).sum()), int(wide.isnan().sum()), int(wide.isinf().sum()),
               float(finite.min()), float(finite.max()), float(finite.mean()), float(finite.std())]
    return "\t".join([str(tensor.dtype), raw.hex(), ";".join(map(repr, values)), " ".join(map(repr, figures))])


OUT.parent.mkdir(exist_ok=True)
OUT.write_text("\n".join(line(t) for t in tensors()) + "\n")
