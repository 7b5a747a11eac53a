# SPDX-License-Identifier: GPL-3.0-or-later
# Modules that take tensors in MKL-DNN layout. Their weights are dense here, as in the pass optimize_for_inference:
# whoever runs the model converts them once.
import torch
from torch.nn import Module
def _bias_of(dense):
    if dense.bias is not None:
        return dense.bias.data
    return torch.zeros([dense.weight.size(0)], dtype=torch.float)
class MkldnnLinear(Module):
    def __init__(self, dense_module, dtype):
        super().__init__()
        self.register_buffer('weight', dense_module.weight.data)
        self.register_buffer('bias', _bias_of(dense_module))
class MkldnnConv2d(Module):
    def __init__(self, dense_module, dtype):
        super().__init__()
        self.stride, self.padding = dense_module.stride, dense_module.padding
        self.dilation, self.groups = dense_module.dilation, dense_module.groups
        self.register_buffer('weight', dense_module.weight.data)
        self.register_buffer('bias', _bias_of(dense_module))
class MkldnnBatchNorm(Module):
    def __init__(self, dense_module):
        super().__init__()
        for holds, condition in ((not dense_module.training, 'eval mode batchnorm'),
                                 (dense_module.track_running_stats, 'track_running_stats=True'),
                                 (dense_module.affine, 'affine=True')):
            if not holds:
                raise AssertionError(f'Only support {condition} for mkldnn path now')
        self.exponential_average_factor = 0.0 if dense_module.momentum is None else dense_module.momentum
        self.eps = dense_module.eps
        self.register_buffer('weight', dense_module.weight.data)
        self.register_buffer('bias', dense_module.bias.data)
        self.register_buffer('running_mean', dense_module.running_mean)
        self.register_buffer('running_var', dense_module.running_var)
