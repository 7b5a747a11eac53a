"""A model as source: two convolutions side by side, joined and classified."""
import torch
from torch import nn


class Branch(nn.Sequential):
    def __init__(self, channels, kernel_size):
        padding = kernel_size // 2
        super().__init__(nn.Conv2d(3, channels, kernel_size, padding=padding), nn.BatchNorm2d(channels), nn.ReLU())


class TwoBranches(nn.Module):
    def __init__(self, channels=8, classes=10):
        super().__init__()
        self.branches = nn.ModuleList([Branch(channels, size) for size in (3, 5)])
        self.head = nn.Linear(2 * channels, classes)

    def forward(self, x):
        joined = torch.cat([branch(x) for branch in self.branches], dim=1)
        return self.head(joined.mean((2, 3)))
