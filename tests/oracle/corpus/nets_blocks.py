# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of the vision models."""

import torch
from torch import nn


def divisible(width, by=4):
    return max(by, int(width + by / 2) // by * by)


def conv_bn(inputs, out, kernel, stride=1, padding=None, groups=1):
    sizes = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    padding = tuple(size // 2 for size in sizes) if padding is None else padding
    return nn.Sequential(nn.Conv2d(inputs, out, kernel, stride, padding, groups=groups, bias=False),
                         nn.BatchNorm2d(out, eps=0.001))


def conv_bn_relu(inputs, out, kernel, stride=1, padding=None, groups=1, act=nn.ReLU):
    return nn.Sequential(*conv_bn(inputs, out, kernel, stride, padding, groups), act(inplace=True))


class ConvAct(nn.Sequential):
    def __init__(self, inputs, out, kernel, **kwargs):
        super().__init__(nn.Conv2d(inputs, out, kernel, bias=False, **kwargs), nn.BatchNorm2d(out), nn.ReLU())


class SqueezeExcite(nn.Module):
    def __init__(self, width, gate=nn.Hardsigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1, self.fc2 = nn.Conv2d(width, divisible(width / 4), 1), nn.Conv2d(divisible(width / 4), width, 1)
        self.activation, self.scale_activation = nn.ReLU(), gate()

    def forward(self, x):
        scale = self.fc2(self.activation(self.fc1(self.avgpool(x))))
        return self.scale_activation(scale) * x


class Residual(nn.Module):
    expansion = 1

    def __init__(self, inputs, width, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        self.downsample = conv_bn(inputs, width, 1, stride) if stride != 1 or inputs != width else None

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride=1, groups=1, squeeze=False):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, groups=groups, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, width * 4, 1, bias=False), nn.BatchNorm2d(width * 4)
        self.relu = nn.ReLU(inplace=True)
        self.squeeze = SqueezeExcite(width * 4, nn.Sigmoid) if squeeze else None
        self.downsample = conv_bn(inputs, width * 4, 1, stride) if stride != 1 or inputs != width * 4 else None

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(out)))))
        if self.squeeze is not None:
            out = self.squeeze(out)
        return self.relu(out + identity)


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth):
        super().__init__()
        self.norm1, self.relu1 = nn.BatchNorm2d(inputs), nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(inputs, 4 * growth, 1, bias=False)
        self.norm2, self.relu2 = nn.BatchNorm2d(4 * growth), nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(4 * growth, growth, 3, 1, 1, bias=False)

    def forward(self, features):
        x = self.conv1(self.relu1(self.norm1(torch.cat(features, 1))))
        return self.conv2(self.relu2(self.norm2(x)))


class DenseBlock(nn.ModuleDict):
    def __init__(self, count, inputs, growth):
        super().__init__()
        for i in range(count):
            self.add_module(f"denselayer{i + 1}", DenseLayer(inputs + i * growth, growth))

    def forward(self, x):
        features = [x]
        for layer in self.values():
            features.append(layer(features))
        return torch.cat(features, 1)


class InvertedResidual(nn.Module):
    def __init__(self, inputs, out, expand, stride, kernel=3, act=nn.ReLU6, squeeze=False):
        super().__init__()
        hidden = divisible(inputs * expand)
        layers = [] if expand == 1 else [conv_bn_relu(inputs, hidden, 1, act=act)]
        layers.append(conv_bn_relu(hidden if layers else inputs, hidden if layers else inputs, kernel, stride,
                                   groups=hidden if layers else inputs, act=act))
        hidden = hidden if len(layers) == 2 else inputs
        if squeeze:
            layers.append(SqueezeExcite(hidden))
        self.conv = nn.Sequential(*layers, *conv_bn(hidden, out, 1))
        self.use_res_connect = stride == 1 and inputs == out

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


def channel_shuffle(x, groups):
    n, c, h, w = x.size()
    x = x.view(n, groups, c // groups, h, w)
    return torch.transpose(x, 1, 2).contiguous().view(n, c, h, w)


class ShuffleUnit(nn.Module):
    def __init__(self, inputs, out, stride):
        super().__init__()
        self.stride, half = stride, out // 2
        self.branch1 = nn.Sequential()
        if stride > 1:
            self.branch1 = nn.Sequential(*conv_bn(inputs, inputs, 3, 2, groups=inputs), *conv_bn_relu(inputs, half, 1))
        self.branch2 = nn.Sequential(*conv_bn_relu(inputs if stride > 1 else half, half, 1),
                                     *conv_bn(half, half, 3, stride, groups=half), *conv_bn_relu(half, half, 1))

    def forward(self, x):
        if self.stride == 1:
            x1, x2 = x.chunk(2, dim=1)
            out = torch.cat((x1, self.branch2(x2)), dim=1)
        else:
            out = torch.cat((self.branch1(x), self.branch2(x)), dim=1)
        return channel_shuffle(out, 2)
