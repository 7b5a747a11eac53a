# SPDX-License-Identifier: GPL-3.0-or-later
import torch
class FakeTensor(torch.Tensor):
    __accepts__ = ['Tensor', 'Parameter']
    def __init__(self, shape, stride, dtype, device, requires_grad):
        self.shape, self._strides, self.dtype = tuple(shape), tuple(stride), dtype
        self.device, self.requires_grad, self.ndim = device, requires_grad, len(shape)
    def dim(self): return self.ndim
    def size(self, dim=None): return self.shape if dim is None else self.shape[dim]
    def stride(self, dim=None): return self._strides if dim is None else self._strides[dim]
    def __repr__(self): return f"FakeTensor(..., size=({', '.join([str(each) for each in self.shape])}))"
