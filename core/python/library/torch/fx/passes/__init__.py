# SPDX-License-Identifier: GPL-3.0-or-later
tools_common = __space__('torch.fx.passes.tools_common')
shape_prop = __space__('torch.fx.passes.shape_prop')
infra = __space__('torch.fx.passes.infra')
utils = __space__('torch.fx.passes.utils')
split_module = __space__('torch.fx.passes.split_module')
operator_support = __space__('torch.fx.passes.operator_support')
pass_manager = __space__('torch.fx.passes.pass_manager')
