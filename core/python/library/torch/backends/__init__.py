# SPDX-License-Identifier: GPL-3.0-or-later
mps = __space__('torch.backends.mps')
