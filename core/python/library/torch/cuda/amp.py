# SPDX-License-Identifier: GPL-3.0-or-later
class autocast:
    def __init__(self, *args, **kwargs): pass
    def __call__(self, function): return function
    def __enter__(self): return self
    def __exit__(self, *args): return None
def custom_fwd(function=None, **options): return function if function is not None else lambda each: each
custom_bwd = custom_fwd
