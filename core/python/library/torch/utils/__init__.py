# SPDX-License-Identifier: GPL-3.0-or-later
_pytree = __space__('torch.utils._pytree')
checkpoint = __space__('torch.utils.checkpoint')
model_zoo = __space__('torch.utils.model_zoo')
mkldnn = __space__('torch.utils.mkldnn')
