# SPDX-License-Identifier: GPL-3.0-or-later
def is_available(): return True
def is_initialized(): return False
def get_world_size(group=None): return 1
def get_rank(group=None): return 0
