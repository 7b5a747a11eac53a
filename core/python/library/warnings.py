# SPDX-License-Identifier: GPL-3.0-or-later
def warn(*args, **kwargs): pass
def warn_explicit(*args, **kwargs): pass
def filterwarnings(*args, **kwargs): pass
def simplefilter(*args, **kwargs): pass
class catch_warnings:
    def __init__(self, *, record=False, **options): self._record = record
    def __enter__(self): return __opaque__('warnings.catch_warnings()') if self._record else None
    def __exit__(self, *args): return None
