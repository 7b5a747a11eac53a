"""Members of enums as settings, indices and operands."""
import enum

import torch
from torch import nn


TRACE = {"Levels": {}}


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(str, enum.Enum):
    REFLECT = "reflect"


class Levels(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4 * Level.HIGH, Level.LOW + 3)
        self.conv = nn.Conv1d(1, 1, Level.HIGH, padding_mode=Mode.REFLECT.value)
        self.register_buffer("table", torch.ones(Level.HIGH, 4))
        self.items = [1, 2, 3]
        self.level = Level.HIGH

    def forward(self, x):
        for step in range(Level.HIGH):
            x = x + self.items[Level.HIGH] + step
        x = torch.pow(x * self.level, Level.HIGH)
        unused = pow(x, Level.HIGH)[Level.LOW]
        constant = torch.zeros(Level.HIGH, 3) * Level.HIGH
        x = torch.nn.functional.pad(x, (1, 1), mode=Mode.REFLECT.value) + float(Level.HIGH) + abs(Level.LOW)
        x = self.fc(self.conv(x)) - int(Level.HIGH) + self.table[Level.LOW]
        return x + constant.sum() - (Level.HIGH - Level.LOW)
