# SPDX-License-Identifier: GPL-3.0-or-later
def import_module(name, package=None):
    if name.startswith('.'):
        dots = len(name) - len(name.lstrip('.'))
        for _ in range(dots - 1):
            package = package.rpartition('.')[0]
        name = package + '.' + name[dots:]
    return __import_module__(name)
def reload(module): return module
def invalidate_caches(): return None
util = __space_of__('importlib.util')
metadata = __space_of__('importlib.metadata')
machinery = __space_of__('importlib.machinery')
