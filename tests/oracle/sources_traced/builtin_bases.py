"""Classes derived from built-in and abstract ones, private names, wrapped forwards, constructors of tensors."""

import functools
import operator
from collections import OrderedDict
from collections.abc import MutableMapping, Sequence

import torch
from torch import nn


class Frozen(OrderedDict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for key, value in self.items():
            setattr(self, key, value)
        self.__frozen = True

    def __setattr__(self, name, value):
        if hasattr(self, "__frozen"):
            raise TypeError("frozen")
        super().__setattr__(name, value)


class Interface(MutableMapping):
    known = {"add": operator.add}

    def __init__(self):
        self._own = {}

    def __getitem__(self, key):
        return self._own[key] if key in self._own else self.known[key]

    def __setitem__(self, key, value):
        self._own[key] = value

    def __delitem__(self, key):
        del self._own[key]

    def __iter__(self):
        return iter({**self.known, **self._own})

    def __len__(self):
        return len(list(iter(self)))

    def get(self, key, default=None):
        return super().get(key, default)


class Countdown(Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, at):
        if at >= 3:
            raise IndexError(at)
        return 3 - at


class Version:
    def __init__(self, number):
        self.number = number

    def __ge__(self, other):
        return self.number >= other.number


class Bases(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = Frozen(width=2, depth=3)
        self.interface = Interface()
        self.interface["mul"] = operator.mul
        self.steps = [*Countdown()]
        self.isNew = operator.ge(Version(2), Version(1))
        names = OrderedDict(a=1)
        names.other = 5
        self.other = names.other
        self.weight = nn.Parameter(torch.Tensor(3, 2).fill_(1.0))
        self.scale = nn.Parameter(torch.FloatTensor([0.5, 2.0]))

    def forward(self, x):
        x = self.interface.get("add")(x, self.settings.width)
        x = self.interface.get("absent", operator.sub)(x, self.interface["mul"](self.weight, self.scale))
        if self.isNew and "mul" in self.interface and 2 in Countdown():
            x = x + self.other
        return x, self.steps, self.settings["depth"], sorted(self.interface.keys())


def relu_of_inputs(forward):
    @functools.wraps(forward)
    def wrapped(self, *args, **kwargs):
        return torch.relu(args) * kwargs  # torch.fx makes them two plain inputs

    return wrapped


class Wrapped(nn.Module):
    @relu_of_inputs
    def forward(self, x, **options):
        return x


TRACE = {"Bases": {}, "Wrapped": {}}
