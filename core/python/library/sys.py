# SPDX-License-Identifier: GPL-3.0-or-later
version_info = __namedtuple__('version_info', ['major', 'minor', 'micro', 'releaselevel', 'serial'], [])(
    3, 11, 2, 'final', 0)
class _Implementation:
    name, version, cache_tag = 'cpython', version_info, 'cpython-311'
implementation = _Implementation()
class _FloatInfo:
    max, min, epsilon, dig, mant_dig = 1.7976931348623157e+308, 2.2250738585072014e-308, 2.220446049250313e-16, 15, 53
    max_exp, min_exp, max_10_exp, min_10_exp, radix, rounds = 1024, -1021, 308, -307, 2, 1
float_info = _FloatInfo()
byteorder, executable, hexversion = 'little', __opaque__('sys.executable'), 51052272
def exit(status=None): raise SystemExit(status)
def getrecursionlimit(): return 1000
def setrecursionlimit(limit): return None
getsizeof = __opaque__('sys.getsizeof')
version = '3.11.2'
platform = 'linux'
maxsize = 9223372036854775807
modules = __modules__
argv = __opaque__('sys.argv')
path = __opaque__('sys.path')
