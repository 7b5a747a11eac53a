# SPDX-License-Identifier: GPL-3.0-or-later
# Methods of Python's built-in types that models seldom call: `str_translate` is `str.translate`,
# `str_class_maketrans` is called by the class.
def str_class_maketrans(x, y=None, z=None):
    if y is None:
        return {ord(key) if isinstance(key, str) else key: each for key, each in x.items()}
    if len(x) != len(y):
        raise ValueError('the first two maketrans arguments must have equal length')
    table = {ord(key): ord(each) for key, each in zip(x, y)}
    table.update({ord(key): None for key in z or ''})
    return table
def dict_class_fromkeys(iterable, value=None): return {key: value for key in iterable}
def str_translate(self, table):
    out = []
    for each in self:
        made = table.get(ord(each), each) if isinstance(table, dict) else table[ord(each)]
        out.append('' if made is None else chr(made) if isinstance(made, int) else made)
    return ''.join(out)
def str_isspace(self): return len(self) > 0 and self.strip() == ''
def str_istitle(self): return self.title() == self and self.lower() != self
def str_isprintable(self):
    if not self.isascii():
        return __opaque__('str.isprintable()')
    return all([ord(each) >= 32 and ord(each) != 127 for each in self])
def str_isascii(self): return all([ord(each) < 128 for each in self])
def str_expandtabs(self, tabsize=8):
    out, column = [], 0
    for each in self:
        width = tabsize - column % tabsize if each == '\t' and tabsize > 0 else 0
        out.append(' ' * width if each == '\t' else each)
        column = 0 if each in '\n\r' else column + (width if each == '\t' else 1)
    return ''.join(out)
def str_ljust(self, width, fillchar=' ', /): return self + fillchar * (width - len(self))
def str_rjust(self, width, fillchar=' ', /): return fillchar * (width - len(self)) + self
def str_encode(self, encoding='utf-8', errors='strict'): return __opaque__('str.encode()')
def str_format_map(self, mapping): return self.format(**mapping)
def int_bit_count(self): return bin(abs(self)).count('1')
def int_conjugate(self): return self
def int_as_integer_ratio(self): return (self, 1)
bool_bit_count, bool_conjugate, bool_as_integer_ratio = int_bit_count, int_conjugate, int_as_integer_ratio
def float_conjugate(self): return self
def float_as_integer_ratio(self):
    down = 1
    while self != int(self):
        self, down = self * 2, down * 2
    return (int(self), down)
def Size_numel(self):
    out = 1
    for each in self:
        out *= each
    return out
