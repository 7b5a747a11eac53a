# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks as torchvision's, with initial weights: their signals fade on the way to the outputs."""

import torch
from torch import nn


def conv_bn(i, o, k, act=nn.ReLU, **more):
    layers = [nn.Conv2d(i, o, k, bias=False, **more), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


class Inception(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.b1 = conv_bn(i, o, 1)
        self.b2 = nn.Sequential(conv_bn(i, o, 1), conv_bn(o, o, 3, padding=1))
        self.b3 = nn.Sequential(nn.MaxPool2d(3, 1, 1), conv_bn(i, o, 1))

    def forward(self, x):
        return torch.cat([self.b1(x), self.b2(x), self.b3(x)], 1)


class GoogLike(nn.Module):
    """The bias of the last layer is all that is left of the signal."""

    def __init__(self):
        super().__init__()
        self.stem, self.pool = conv_bn(3, 12, 3, stride=4, padding=1), nn.MaxPool2d(2)
        self.blocks = nn.Sequential(*[Inception(12, 4) for _ in range(12)])
        self.dropout, self.fc = nn.Dropout(0.4), nn.Linear(12, 10)

    def forward(self, x):
        x = self.blocks(self.pool(self.stem(x)))
        return self.fc(self.dropout(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)))


class MobileLike(nn.Module):
    """Without a bias at its end: its outputs are next to nothing."""

    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 8, 3, nn.ReLU6, stride=4, padding=1)
        self.body = nn.Sequential(*[conv_bn(8, 8, 3, nn.ReLU6, padding=1, groups=8) for _ in range(14)])
        self.fc = nn.Linear(8, 10, bias=False)

    def forward(self, x):
        return self.fc(self.body(self.stem(x)).mean((2, 3)))
