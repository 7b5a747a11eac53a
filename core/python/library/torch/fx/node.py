# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx import Node, map_arg, map_aggregate
