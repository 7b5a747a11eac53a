# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the files of bench_torchscript.cpp into the folder for temporary files: traces of a ResNet-152 and of a BERT with 24 layers."""

import pathlib
import tempfile

import torch
from torch import nn


class Bottleneck(nn.Module):
    def __init__(self, inside, width, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride > 1 or inside != 4 * width:
            self.downsample = nn.Sequential(nn.Conv2d(inside, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet152(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        layers, inside = [], 64
        for width, depth, stride in ((64, 3, 1), (128, 8, 2), (256, 36, 2), (512, 3, 2)):
            blocks = [Bottleneck(inside, width, stride)] + [Bottleneck(4 * width, width) for _ in range(depth - 1)]
            layers.append(nn.Sequential(*blocks))
            inside = 4 * width
        self.layers = nn.Sequential(*layers)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(inside, 1000)

    def forward(self, x):
        return self.fc(self.pool(self.layers(self.stem(x))).flatten(1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.heads, self.dropout = heads, nn.Dropout(0.1)
        self.dense, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = self.dropout((q @ k.transpose(-1, -2) / q.size(-1) ** 0.5 + mask).softmax(-1))
        out = (scores @ v).permute(0, 2, 1, 3).contiguous()
        return self.norm(x + self.dense(out.view(out.size(0), out.size(1), -1)))


class Bert(nn.Module):
    def __init__(self, width=256, heads=8, depth=24):
        super().__init__()
        self.words, self.places = nn.Embedding(1000, width), nn.Embedding(512, width)
        self.layers = nn.ModuleList(nn.ModuleList([Attention(width, heads), nn.Linear(width, 4 * width), nn.GELU(),
                                                   nn.Linear(4 * width, width), nn.LayerNorm(width)]) for _ in range(depth))

    def forward(self, ids, mask):
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        mask = (1.0 - mask[:, None, None, :]) * -1e4
        for attention, up, activation, down, norm in self.layers:
            x = attention(x, mask)
            x = norm(x + down(activation(up(x))))
        return x


def save(model, inputs, name):
    with torch.no_grad():
        torch.jit.trace(model.eval(), inputs, check_trace=False).save(pathlib.Path(tempfile.gettempdir(), f"lancet-bench-{name}.ts"))


save(ResNet152(), torch.randn(1, 3, 64, 64), "resnet152")
save(Bert(), (torch.randint(1000, (1, 16)), torch.ones(1, 16)), "bert24")
