# SPDX-License-Identifier: GPL-3.0-or-later
matcher_utils = __space__('torch.fx.passes.utils.matcher_utils')
