# SPDX-License-Identifier: GPL-3.0-or-later
import re
class Version:
    def __init__(self, vstring=None):
        if vstring:
            self.parse(vstring)
    def __repr__(self): return f"{self.__class__.__name__} ('{self}')"
    def _order(self, other):
        other = other if isinstance(other, Version) else type(self)(other)
        return (self.version > other.version) - (self.version < other.version)
    def __eq__(self, other): return self._order(other) == 0
    def __lt__(self, other): return self._order(other) < 0
    def __le__(self, other): return self._order(other) <= 0
    def __gt__(self, other): return self._order(other) > 0
    def __ge__(self, other): return self._order(other) >= 0
class LooseVersion(Version):
    def parse(self, vstring):
        self.vstring = vstring
        parts = re.findall(r'\d+|[a-z]+|[^\da-z.]+', vstring)
        self.version = [int(each) if each.isdigit() else each for each in parts]
    def __str__(self): return self.vstring
