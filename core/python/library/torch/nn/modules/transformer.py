# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import torch.nn.functional as F
from torch.nn import ModuleList
def _get_clones(module, N):
    return ModuleList([copy.deepcopy(module) for _ in range(N)])
def _get_activation_fn(activation):
    if activation == 'relu':
        return F.relu
    if activation == 'gelu':
        return F.gelu
    raise RuntimeError(f'activation should be relu/gelu, not {activation}')
