# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of the usual kinds, small, for pairs.py: what matters is their depth and how signals fare in them."""

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
        self.b3 = nn.Sequential(conv_bn(i, o, 1), conv_bn(o, o, 3, padding=1), conv_bn(o, o, 3, padding=1))
        self.b4 = nn.Sequential(nn.MaxPool2d(3, 1, 1), conv_bn(i, o, 1))

    def forward(self, x):
        return torch.cat([self.b1(x), self.b2(x), self.b3(x), self.b4(x)], 1)


class GoogLike(nn.Module):
    """With PyTorch's initial weights each layer weakens the signal, until the bias of the last one is all that is left."""

    def __init__(self, blocks=9):
        super().__init__()
        self.stem, self.pool = conv_bn(3, 16, 3, padding=1), nn.MaxPool2d(2)
        self.blocks = nn.Sequential(*[Inception(16, 4) for _ in range(blocks)])
        self.dropout, self.fc = nn.Dropout(0.4), nn.Linear(16, 10)

    def forward(self, x):
        x = self.blocks(self.pool(self.stem(x)))
        return self.fc(self.dropout(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)))


class Inverted(nn.Module):
    def __init__(self, channels):
        super().__init__()
        wide = 2 * channels
        self.expand, self.depth = conv_bn(channels, wide, 1, nn.ReLU6), conv_bn(wide, wide, 3, nn.ReLU6, padding=1, groups=wide)
        self.project = conv_bn(wide, channels, 1, None)

    def forward(self, x):
        return x + self.project(self.depth(self.expand(x)))


class MobileLike(nn.Module):
    """Without a bias at its end, so that weak signals give outputs next to nothing."""

    def __init__(self, blocks=3, residual=True):
        super().__init__()
        self.stem = conv_bn(3, 8, 3, nn.ReLU6, stride=2, padding=1)
        body = [Inverted(8) for _ in range(blocks)] if residual else [conv_bn(8, 8, 3, nn.ReLU6, padding=1) for _ in range(4 * blocks)]
        self.body, self.fc = nn.Sequential(*body), nn.Linear(8, 10, bias=False)

    def forward(self, x):
        return self.fc(self.body(self.stem(x)).mean((2, 3)))


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + x)


class ResLike(nn.Module):
    def __init__(self, blocks=3, zero_init=False):
        super().__init__()
        self.stem, self.blocks = conv_bn(3, 8, 3, padding=1), nn.Sequential(*[Block(8) for _ in range(blocks)])
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(8, 10)
        for block in self.blocks if zero_init else []:
            nn.init.zeros_(block.bn2.weight)

    def forward(self, x):
        return self.fc(self.pool(self.blocks(self.stem(x))).flatten(1))


class Attention(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.norm, self.heads = nn.LayerNorm(width), heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down, self.norm2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width), nn.LayerNorm(width)

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (self.q(y), self.k(y), self.v(y)))
        weights = torch.softmax(q @ k.transpose(-2, -1) / 8**0.5, -1)
        x = x + self.out((weights @ v).transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Former(nn.Module):
    def __init__(self, words=50, depth=2, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers, self.head = nn.Sequential(*[Attention(width) for _ in range(depth)]), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        return self.head(self.layers(self.embed(ids)))


def trained_like(module):
    """Weights that keep a signal alive and statistics that do something, as training leaves them."""
    for layer in module.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(layer.weight)
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_(0, 0.3)
            layer.running_var.uniform_(0.5, 2)
            nn.init.normal_(layer.bias, 0, 0.2)
            if layer.weight.any():
                nn.init.uniform_(layer.weight, 0.7, 1.3)
    return module
