# SPDX-License-Identifier: GPL-3.0-or-later
from torch.cuda.amp import autocast, custom_fwd, custom_bwd
