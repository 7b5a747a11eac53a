# SPDX-License-Identifier: GPL-3.0-or-later
fusion = __space__('torch.nn.utils.fusion')
from torch.nn.utils.fusion import (fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval,
                                   fuse_linear_bn_weights)
def skip_init(module_cls, *args, **kwargs):
    kwargs.pop('device', None)
    state = __random_state__()  # nothing is drawn
    made = module_cls(*args, **kwargs)
    __random_state__(state)
    return made
from torch.nn.utils.weight_norm import weight_norm, remove_weight_norm
from torch.nn.utils.spectral_norm import spectral_norm, remove_spectral_norm
prune = __space__('torch.nn.utils.prune')
parametrize = __space__('torch.nn.utils.parametrize')
parametrizations = __space__('torch.nn.utils.parametrizations')
