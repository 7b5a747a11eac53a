"""A pattern and its replacement, for `lancet match` and `lancet replace` on the samples."""
import torch


def pattern(x, scale):
    return x * scale


def replacement(x, scale):
    return torch.mul(scale, x)


def conv_bn(x, conv: torch.nn.Conv2d, bn: torch.nn.BatchNorm2d):
    return bn(conv(x))
