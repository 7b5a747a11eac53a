# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of test.support that CPython's tests need, in Python that Lancet follows. See cpython_tests.py."""

import contextlib
from standin_unittest import skip

MISSING_C_DOCSTRINGS = False
verbose = False
is_emscripten = is_wasi = is_jython = False
Py_DEBUG = False
NHASHBITS = 61
MAX_Py_ssize_t = 2**63 - 1
TESTFN = "@test"


class _ALWAYS_EQ:
    def __eq__(self, other): return True
    def __ne__(self, other): return False


class _NEVER_EQ:
    def __eq__(self, other): return False
    def __ne__(self, other): return True
    def __hash__(self): return 1


class _LARGEST:
    def __eq__(self, other): return isinstance(other, _LARGEST)
    def __lt__(self, other): return False
    def __le__(self, other): return isinstance(other, _LARGEST)
    def __gt__(self, other): return not isinstance(other, _LARGEST)
    def __ge__(self, other): return True


class _SMALLEST:
    def __eq__(self, other): return isinstance(other, _SMALLEST)
    def __lt__(self, other): return not isinstance(other, _SMALLEST)
    def __le__(self, other): return True
    def __gt__(self, other): return False
    def __ge__(self, other): return isinstance(other, _SMALLEST)


ALWAYS_EQ, NEVER_EQ = _ALWAYS_EQ(), _NEVER_EQ()
LARGEST, SMALLEST = _LARGEST(), _SMALLEST()

cpython_only = skip("of CPython alone")
refcount_test = no_tracing = requires_legacy_unicode_capi = skip_if_pgo_task = cpython_only


def impl_detail(*args, **kwargs): return cpython_only
def check_impl_detail(**guards): return False
def bigmemtest(size, memuse, dry_run=True): return skip("needs much memory")
def bigaddrspacetest(f): return skip("needs much memory")(f)
def run_with_locale(*args): return skip("needs a locale")
def requires_subprocess(): return skip("starts a process")
def requires_resource(resource): return skip("needs a resource")
def requires_mac_ver(*args): return skip("of macOS")
def requires_docstrings(f): return f
def requires_IEEE_754(f): return f


@contextlib.contextmanager
def swap_attr(obj, attr, new_val):
    had = hasattr(obj, attr)
    old = getattr(obj, attr, None)
    setattr(obj, attr, new_val)
    try:
        yield old
    finally:
        if had:
            setattr(obj, attr, old)
        elif hasattr(obj, attr):
            delattr(obj, attr)


@contextlib.contextmanager
def swap_item(obj, item, new_val):
    had = item in obj
    old = obj[item] if had else None
    obj[item] = new_val
    try:
        yield old
    finally:
        if had:
            obj[item] = old
        elif item in obj:
            del obj[item]
