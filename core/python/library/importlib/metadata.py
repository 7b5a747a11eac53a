# SPDX-License-Identifier: GPL-3.0-or-later
class PackageNotFoundError(ModuleNotFoundError): pass
def version(name):
    found = __distribution__(name)
    if found is None:
        raise PackageNotFoundError('No package metadata was found for ' + name)
    return found
def packages_distributions(): return {}
class _Distribution:
    def __init__(self, name):
        self.version, self.metadata = version(name), {'Name': name}
def distribution(name): return _Distribution(name)
def metadata(name): return {'Name': name, 'Version': version(name)}
def requires(name): return []
def entry_points(**options): return []
