# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx import replace_pattern, replace_pattern_with_filters
