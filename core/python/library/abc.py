# SPDX-License-Identifier: GPL-3.0-or-later
class ABCMeta(type):
    def register(cls, subclass): return __register__(cls, subclass)
class ABC(metaclass=ABCMeta): pass
def abstractmethod(function): return __abstract__(function)
def abstractproperty(function): return property(__abstract__(function))
def abstractclassmethod(function): return classmethod(__abstract__(function))
def abstractstaticmethod(function): return staticmethod(__abstract__(function))
