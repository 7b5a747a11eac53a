# SPDX-License-Identifier: GPL-3.0-or-later
class _Spec:
    def __init__(self, name):
        self.name, self.loader, self.origin, self.submodule_search_locations = name, None, None, None
def find_spec(name, package=None):
    return _Spec(name) if __module_exists__(name) else None
def module_from_spec(spec): return __import_module__(spec.name)
