# SPDX-License-Identifier: GPL-3.0-or-later
from torch.cuda import is_available, device_count
def current_accelerator(check_available=False): return None
