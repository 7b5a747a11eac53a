# SPDX-License-Identifier: GPL-3.0-or-later
class Number:
    __accepts__ = ['int', 'float', 'bool', 'complex', 'number']
class Complex(Number):
    __accepts__ = ['int', 'float', 'bool', 'complex', 'integer', 'floating']
class Real(Complex):
    __accepts__ = ['int', 'float', 'bool', 'integer', 'floating']
class Rational(Real):
    __accepts__ = ['int', 'bool', 'integer']
class Integral(Rational):
    __accepts__ = ['int', 'bool', 'integer']
