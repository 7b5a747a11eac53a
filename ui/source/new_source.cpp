// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/new_source.h"

namespace ui {

QByteArray newSourceText() {
    return R"(import torch
from torch import nn


class Block(nn.Module):
    """A convolution whose result is added to its input."""

    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, kernel_size=3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x) + x)


class Net(nn.Module):
    """Change this model: the graph follows as you type."""

    def __init__(self, width=16, depth=2, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, kernel_size=3, stride=2)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        # Click a line to select its nodes, or a node to find its line.
        x = self.stem(x)
        for block in self.blocks:  # tracing unrolls the loop
            x = block(x)
        x = self.pool(x)
        x = torch.flatten(x, 1)
        return self.head(x)
)";
}

} // namespace ui
