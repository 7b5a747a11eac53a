# SPDX-License-Identifier: GPL-3.0-or-later
from contextlib import contextmanager
from torch import default_generator, get_rng_state, initial_seed, manual_seed, set_rng_state
@contextmanager
def fork_rng(devices=None, enabled=True, *args, **kwargs):
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
