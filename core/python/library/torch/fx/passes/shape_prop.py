# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from typing import NamedTuple
from torch.fx import Interpreter
from torch.fx.node import map_aggregate
class TensorMetadata(NamedTuple):
    shape: object
    dtype: object
    requires_grad: bool
    stride: object
    memory_format: object
    is_quantized: bool
    qparams: object
def _extract_tensor_metadata(result, include_contiguity=True):
    layout = None
    if include_contiguity:
        for each in (torch.contiguous_format, torch.channels_last, torch.channels_last_3d):
            if _is_laid_out(result, each):
                layout = each
                break
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), layout, False, {})
def _is_laid_out(result, layout):
    size, stride = result.shape, result.stride()
    if 0 in size:
        return True
    order = list(reversed(range(len(size))))
    if layout is not torch.contiguous_format:
        if len(size) != (4 if layout is torch.channels_last else 5):
            return False
        order = [1] + [each for each in order if each > 1] + [0]
    expected = 1
    for at in order:
        if size[at] != 1 and stride[at] != expected:
            return False
        expected *= size[at]
    return True
class ShapeProp(Interpreter):
    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError('ShapeProp with a fake mode')
    def run_node(self, n):
        try:
            result = super().run_node(n)
        except Exception as error:
            raise RuntimeError(f'ShapeProp error for: node={n.format_node()} with meta={n.meta}') from error
        found = []
        def extract(value):
            if isinstance(value, torch.Tensor):
                found.append(value)
                return _extract_tensor_metadata(value)
            return value
        meta = map_aggregate(result, extract)
        if found:
            n.meta['tensor_meta'] = meta
        n.meta['type'] = type(result)
        return result
    def propagate(self, *args):
        return super().run(*args)
