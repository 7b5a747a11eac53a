# SPDX-License-Identifier: GPL-3.0-or-later
pass_base = __space__('torch.fx.passes.infra.pass_base')
partitioner = __space__('torch.fx.passes.infra.partitioner')
pass_manager = __space__('torch.fx.passes.infra.pass_manager')
