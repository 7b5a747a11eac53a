# SPDX-License-Identifier: GPL-3.0-or-later
Parameter = Parameter
class Buffer:
    def __init__(self, data=None, *, persistent=True):
        self.data, self.persistent = data, persistent
init = __space__('torch.nn.init')
functional = __space__('torch.nn.functional')
modules = __space__('torch.nn.modules')
utils = __space__('torch.nn.utils')
parameter = __space__('torch.nn.parameter')
