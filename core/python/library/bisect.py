# SPDX-License-Identifier: GPL-3.0-or-later
def _search(values, lo, hi, is_before):
    hi = len(values) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if is_before(values[middle]):
            lo = middle + 1
        else:
            hi = middle
    return lo
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    return _search(a, lo, hi, lambda each: (key(each) if key else each) < x)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    return _search(a, lo, hi, lambda each: not x < (key(each) if key else each))
def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, key(x) if key else x, lo, hi, key=key), x)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, key(x) if key else x, lo, hi, key=key), x)
bisect, insort = bisect_right, insort_right
