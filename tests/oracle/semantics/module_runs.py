"""Modules that run in a constructor, mostly to find the size of a layer: statistics, random numbers, hooks."""

import torch
from torch import nn
from torch.nn import functional as F


class _Probed(nn.Module):
    """Runs layers on zeros and on random numbers, and draws the weights of another layer afterwards."""

    def __init__(self, *layers, shape=(2, 2, 6, 6)):
        super().__init__()
        self.layers = nn.Sequential(*layers)
        with torch.no_grad():
            self.layers(torch.zeros(shape))
            size = self.layers(torch.randn(shape)).flatten(1).shape[1]
        self.head = nn.Linear(size, 2)

    def forward(self, x):
        return self.head(self.layers(x).flatten(1))


class NormsAndDropout(_Probed):
    def __init__(self):
        super().__init__(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Dropout2d(0.5), nn.Dropout())


class NormWithoutMomentum(_Probed):
    def __init__(self):
        super().__init__(nn.BatchNorm2d(2, momentum=None), nn.BatchNorm2d(2, affine=False, momentum=0.3))


class NormWithoutStatistics(_Probed):
    def __init__(self):
        super().__init__(nn.BatchNorm2d(2, track_running_stats=False), nn.GroupNorm(1, 2), nn.LayerNorm([6, 6]))


class NormsOfSequences(_Probed):
    def __init__(self):
        super().__init__(nn.BatchNorm1d(3), nn.InstanceNorm1d(3, affine=True, track_running_stats=True),
                         shape=(2, 3, 5))


class InstanceNorms(_Probed):
    def __init__(self):
        super().__init__(nn.InstanceNorm2d(2), nn.InstanceNorm2d(2, track_running_stats=True))


class NormsOfVolumes(_Probed):
    def __init__(self):
        super().__init__(nn.BatchNorm3d(2), nn.InstanceNorm3d(2, track_running_stats=True), shape=(2, 2, 3, 3, 3))


class NormOfMatrices(_Probed):
    def __init__(self):
        super().__init__(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.2), shape=(5, 4))


class RandomSlopes(_Probed):
    def __init__(self):
        super().__init__(nn.RReLU(), nn.RReLU(0.1, 0.2, inplace=True))


class AlphaDropouts(_Probed):
    def __init__(self):
        super().__init__(nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.2))


class DropoutsOfOtherSizes(_Probed):
    def __init__(self):
        super().__init__(nn.Dropout1d(0.4), shape=(2, 3, 5))


class DropoutsOfVolumes(_Probed):
    def __init__(self):
        super().__init__(nn.Dropout3d(0.4), shape=(2, 2, 2, 2, 2))


class NoDropout(_Probed):
    def __init__(self):
        super().__init__(nn.Dropout(0.0), nn.Dropout(1.0))


class Evaluated(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(), nn.RReLU(), nn.InstanceNorm1d(2))
        self.layers.eval()
        self.layers[:3](torch.randn(4, 3))
        self.layers.train()
        self.w = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return self.layers[0](x) * self.w


class NormOfOneRow(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.norm(torch.randn(1, 3))

    def forward(self, x):
        return self.norm(x)


class NormOfWrongSize(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)
        self.norm(torch.randn(2, 3))

    def forward(self, x):
        return self.norm(x)


class OwnNorm(nn.BatchNorm2d):
    def forward(self, input):
        return super().forward(input) * 2


class OwnNormProbed(_Probed):
    def __init__(self):
        super().__init__(nn.Conv2d(2, 3, 1), OwnNorm(3))


class LstmWithDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, dropout=0.5)
        self.lstm(torch.ones(2, 1, 3))
        self.w = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return x * self.w


class LstmWithoutDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2)
        self.n = self.lstm(torch.ones(2, 1, 3))[0].shape[-1]
        self.w = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return self.lstm(x)[0] * self.n


class EncoderWithDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8)
        self.layer(torch.ones(2, 1, 4))
        self.w = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return x * self.w


class FractionalPool(nn.Module):
    def __init__(self):
        super().__init__()
        nn.FractionalMaxPool2d(2, output_size=2)(torch.ones(1, 1, 6, 6))
        self.w = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return x * self.w


class EmbeddingOfNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(3, 2, max_norm=0.5)
        self.embedding(torch.tensor([0, 2]))

    def forward(self, x):
        return self.embedding(x)


class HookOfALayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        handle = self.linear.register_forward_hook(lambda module, args, result: result * 0 + 3)
        self.n = self.linear(torch.ones(2)).sum().item()
        handle.remove()

    def forward(self, x):
        return self.linear(x) * self.n


class ForwardOfALayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.linear.forward = lambda x: x + 3
        self.n = self.linear(torch.ones(2)).sum().item()
        del self.linear.forward

    def forward(self, x):
        return self.linear(x) * self.n


class ChangedSettings(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.drop = nn.Conv2d(1, 2, 3), nn.Dropout(0.9)
        self.conv.stride = (2, 2)
        self.drop.p = 0.0
        self.n = self.drop(self.conv(torch.ones(1, 1, 7, 7))).shape[-1]

    def forward(self, x):
        return F.relu(self.conv(x)) * self.n


class TensorsInContainers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))
        self.found = [self.a] == [self.a], self.b in [self.a, self.b], [self.b].index(self.b), {self.a: 1}.get(self.b, 2)

    def forward(self, x):
        return x * self.a + self.b, self.found
