# SPDX-License-Identifier: GPL-3.0-or-later
from torch.cuda import is_available, device_count
