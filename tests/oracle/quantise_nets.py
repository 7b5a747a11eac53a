# SPDX-License-Identifier: GPL-3.0-or-later
"""Nets for quantise.py: what people quantise, and what quantisation has rules for. NETS: name -> (class, inputs).

Each is also traced as source by lancet, so that plain Python is used throughout.
"""

import math
import operator

import torch
import torch.nn.functional as F
from torch import nn


class ConvBnRelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(8)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 4 * 4, 10)

    def forward(self, x):
        x = self.pool(self.relu(self.bn(self.conv(x))))
        return self.fc(torch.flatten(x, 1))


class BasicBlock(nn.Module):
    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = None
        if stride != 1 or inplanes != planes:
            self.downsample = nn.Sequential(nn.Conv2d(inplanes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, layers=(2, 2)):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(BasicBlock(8, 8), BasicBlock(8, 8))
        self.layer2 = nn.Sequential(BasicBlock(8, 16, 2), BasicBlock(16, 16))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.avgpool(self.layer2(self.layer1(x)))
        return self.fc(torch.flatten(x, 1))


class AttributesOfResults(nn.Module):
    """`values` is traced where it is used: in the scope of the module that takes it."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        y = self.b(self.a(x).max(1, keepdim=True).values)
        return self.c(torch.add(y.max(1, keepdim=True).values, 1.0))


class Bottleneck(nn.Module):
    def __init__(self, inplanes, planes):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, groups=2, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, inplanes, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(inplanes)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = F.relu(self.bn2(self.conv2(out)))
        return F.relu(self.bn3(self.conv3(out)) + x)


class ResNeXt(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.Sequential(Bottleneck(8, 4), Bottleneck(8, 4))
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(x.mean([2, 3]))


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand):
        super().__init__()
        hidden = inp * expand
        self.use_res = stride == 1 and inp == oup
        self.conv = nn.Sequential(
            nn.Conv2d(inp, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, oup, 1, bias=False), nn.BatchNorm2d(oup))

    def forward(self, x):
        return x + self.conv(x) if self.use_res else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(inplace=True),
            InvertedResidual(8, 8, 1, 1), InvertedResidual(8, 12, 2, 2), InvertedResidual(12, 12, 1, 2))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(12, 10))

    def forward(self, x):
        x = self.features(x)
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1)).reshape(x.shape[0], -1)
        return self.classifier(x)


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, 4, 1)
        self.fc2 = nn.Conv2d(4, channels, 1)
        self.scale = nn.Hardsigmoid()

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        return x * self.scale(self.fc2(F.relu(self.fc1(s))))


class MobileNetV3(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.act = nn.Hardswish()
        self.se = SqueezeExcite(8)
        self.out = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        x = self.act(self.bn(self.conv(x)))
        x = self.out(self.se(x))
        return F.hardswish(x)


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inputs)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(inputs, growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(growth)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(growth, growth, 3, padding=1, bias=False)

    def forward(self, features):
        x = torch.cat(features, 1)
        return self.conv2(self.relu2(self.norm2(self.conv1(self.relu1(self.norm1(x))))))


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv0 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.a = DenseLayer(8, 4)
        self.b = DenseLayer(12, 4)
        self.norm = nn.BatchNorm2d(16)
        self.transition = nn.Conv2d(16, 8, 1, bias=False)
        self.pool = nn.AvgPool2d(2, 2)
        self.classifier = nn.Linear(8, 5)

    def forward(self, x):
        x = self.conv0(x)
        features = [x]
        features.append(self.a(features))
        features.append(self.b(features))
        x = self.pool(self.transition(F.relu(self.norm(torch.cat(features, 1)), inplace=True)))
        x = F.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1 = nn.Conv2d(3, 4, 1)
        self.b2 = nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
        self.b3 = nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(3, 4, 1))
        self.b4 = nn.AvgPool2d(3, 1, 1)

    def forward(self, x):
        return torch.cat([F.relu(self.b1(x)), self.b2(x), self.b3(x), self.b4(x)], dim=1)


class ShuffleUnit(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Sequential(nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.stem = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        x = self.stem(x)
        a, b = x.chunk(2, dim=1)
        x = torch.cat((a, self.branch(b)), dim=1)
        n, c, h, w = x.size()
        x = x.view(n, 2, c // 2, h, w)
        x = torch.transpose(x, 1, 2).contiguous()
        return x.view(n, -1, h, w)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.middle = nn.Conv2d(8, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 8, 2, 2)
        self.last = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        skip = self.down(x)
        x = F.relu(self.middle(F.max_pool2d(skip, 2)))
        x = self.up(x)
        return self.last(torch.cat([x, skip], 1))


class Upsampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 4, 3, padding=1)
        self.b = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        x = F.interpolate(self.a(x), scale_factor=2.0, mode="nearest")
        return F.pixel_shuffle(self.b(x), 2)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 4))

    def forward(self, x):
        return self.net(x)


class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.elu = nn.ELU()
        self.leaky = nn.LeakyReLU(0.1)
        self.tanh = nn.Tanh()
        self.hardtanh = nn.Hardtanh()
        self.prelu = nn.PReLU()
        self.softmax = nn.Softmax(dim=-1)
        self.sigmoid = nn.Sigmoid()
        self.gelu = nn.GELU()
        self.silu = nn.SiLU()

    def forward(self, x):
        x = self.leaky(self.elu(self.a(x)))
        x = self.hardtanh(self.tanh(x)) + self.prelu(x)
        y = self.gelu(x) * self.silu(x)
        return self.softmax(self.sigmoid(y))


class FunctionalActivations(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)

    def forward(self, x):
        x = self.a(x)
        x = F.elu(x) + F.leaky_relu(x, 0.2)
        x = F.hardsigmoid(x) * F.hardtanh(x)
        x = torch.tanh(x) + torch.sigmoid(x)
        x = F.relu6(x).relu()
        return F.dropout(torch.clamp(x, 0.0, 1.0), 0.5, False)


class FunctionalConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(4, 3, 3, 3))
        self.b1 = nn.Parameter(torch.randn(4))
        self.w2 = nn.Parameter(torch.randn(4, 4, 1, 1))
        self.wl = nn.Parameter(torch.randn(5, 4))
        self.bl = nn.Parameter(torch.randn(5))

    def forward(self, x):
        x = F.relu(F.conv2d(x, self.w1, self.b1, (1, 1), (1, 1), (1, 1), 1))
        x = F.conv2d(x, self.w2, None, (1, 1), (0, 0), (1, 1), 1)
        x = x.mean((2, 3))
        return F.relu(F.linear(x, self.wl, self.bl))


class FunctionalLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(8, 8))
        self.b = nn.Parameter(torch.randn(8))
        self.other = nn.Linear(8, 8)

    def forward(self, x):
        x = F.linear(x, self.w, bias=self.b)
        x = F.relu(F.linear(x, self.w))
        return self.other(x)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        x = F.linear(x, self.w)
        return torch.relu(x)


class ScopedFunctions(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Inner()
        self.b = nn.Sequential(Inner(), Inner())

    def forward(self, x):
        return self.b(self.a(x)) + x


class Arithmetic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 8)

    def forward(self, x, y):
        a, b = self.a(x), self.b(y)
        c = torch.add(a, b)
        c = torch.relu(c + 1.0)
        c = F.relu(torch.mul(c, b))
        c = c * 2 - a
        c = torch.matmul(c, b.t())
        return operator.add(c, c), a / 3.0


class AddRelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(3, 4, 3, padding=1)
        self.relu = nn.ReLU()

    def forward(self, x):
        y = self.relu(self.conv1(x) + self.conv2(x))
        return F.relu(torch.add(y, self.conv2(x)))


class SharedLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.relu = nn.ReLU()
        self.conv = nn.Conv1d(8, 8, 1)

    def forward(self, x):
        x = self.relu(self.linear(x))
        x = self.relu(self.linear(x))
        y = self.conv(x.unsqueeze(-1)).squeeze(-1)
        return self.relu(y + self.conv(y.unsqueeze(-1)).squeeze(-1))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.heads = nn.ModuleList([nn.Conv2d(4, 2, 1), nn.Conv2d(4, 3, 1)])

    def forward(self, x):
        x = F.relu(self.stem(x))
        return {"a": self.heads[0](x), "b": [self.heads[1](x), x]}


class Shapes(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        x = self.linear(x)
        n = x.size(0)
        x = x.reshape(n, 2, 4).permute(0, 2, 1).transpose(1, 2)
        x = x.view(x.shape[0], -1).repeat(1, 2)
        x = torch.stack([x, x], 1).squeeze(0)
        return x.flatten(1).contiguous().detach()


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, mask):
        x = self.linear(x)
        x = x.masked_fill(mask, -1.0)
        return torch.where(mask, x, x + 1)


class Attention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.dim = dim
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def split(self, x):
        return x.view(x.size(0), -1, self.heads, self.dim // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dim // self.heads)
        x = torch.matmul(torch.softmax(scores, dim=-1), v)
        x = x.transpose(1, 2).contiguous().view(x.size(0), -1, self.dim)
        return self.out(x)


class EncoderLayer(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.attention = Attention(dim)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 32)
        self.fc2 = nn.Linear(32, dim)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.norm1(x + self.drop(self.attention(x)))
        return self.norm2(x + self.drop(self.fc2(F.gelu(self.fc1(x)))))


class Bert(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.positions = nn.Embedding(20, 16)
        self.norm = nn.LayerNorm(16)
        self.layers = nn.ModuleList([EncoderLayer() for _ in range(layers)])
        self.pooler = nn.Linear(16, 16)

    def forward(self, ids, positions):
        x = self.norm(self.words(ids) + self.positions(positions))
        for layer in self.layers:
            x = layer(x)
        return torch.tanh(self.pooler(x[:, 0]))


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 4, 4)
        self.cls = nn.Parameter(torch.zeros(1, 1, 16))
        self.pos = nn.Parameter(torch.zeros(1, 5, 16))
        self.layer = EncoderLayer()
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.pos
        return self.head(self.layer(x)[:, 0])


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(20, 8, mode="sum")
        self.fc = nn.Linear(8, 2)

    def forward(self, ids, offsets):
        return self.fc(self.bag(ids, offsets))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 8, num_layers=1, batch_first=True)
        self.fc = nn.Linear(8, 4)

    def forward(self, ids):
        out, _ = self.lstm(self.embedding(ids))
        return self.fc(out)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRUCell(8, 8)
        self.lstm = nn.LSTMCell(8, 8)
        self.rnn = nn.RNNCell(8, 8)

    def forward(self, x, h, c):
        h = self.rnn(x, self.gru(x, h))
        h, c = self.lstm(x, (h, c))
        return h + c


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 8, bidirectional=True)
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        out, h = self.gru(x)
        return self.fc(out), h


class OneDimensional(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 8, 3, padding=1)
        self.bn = nn.BatchNorm1d(8)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool1d(2)
        self.deconv = nn.ConvTranspose1d(8, 4, 2, 2)
        self.bn2 = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.bn2(self.deconv(self.pool(self.relu(self.bn(self.conv(x))))))


class ThreeDimensional(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(3, 4, 3, padding=1)
        self.bn = nn.BatchNorm3d(4)
        self.relu = nn.ReLU()
        self.pool = nn.AdaptiveAvgPool3d(1)
        self.norm = nn.BatchNorm3d(4)

    def forward(self, x):
        x = self.relu(self.bn(self.conv(x)))
        return self.pool(F.relu(self.norm(x)))


class LinearBn(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.bn = nn.BatchNorm1d(8)
        self.linear2 = nn.Linear(8, 8)
        self.bn2 = nn.BatchNorm1d(8)
        self.leaky = nn.LeakyReLU()

    def forward(self, x):
        x = F.relu(self.bn(self.linear(x)))
        return self.leaky(self.bn2(self.linear2(x)))


class LoneNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm2d(3)
        self.relu = nn.ReLU()
        self.norm = nn.InstanceNorm2d(3)
        self.group = nn.GroupNorm(3, 3)
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        x = self.group(self.norm(self.relu(self.bn(x))))
        return self.conv(F.group_norm(F.instance_norm(x), 3))


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.relu = nn.ReLU()
        self.never = nn.Linear(3, 3)

    def forward(self, x, unused):
        y = self.relu(self.conv(x))
        z = y + 1
        return y


class Getitems(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.linear2 = nn.Linear(4, 8)

    def forward(self, pair):
        x = self.linear(pair[0])
        a, b = torch.split(x, 4, dim=-1)
        values, places = torch.topk(self.linear2(a), 2)
        return values + b[:, :2], places


class IdentityAndDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.identity = nn.Identity()
        self.drop = nn.Dropout(0.5)
        self.flatten = nn.Flatten()
        self.linear = nn.Linear(12, 4)
        self.pad = nn.ZeroPad2d(1)

    def forward(self, x):
        x = self.drop(self.identity(x))
        x = self.flatten(x)
        return self.linear(x)


class PaddedConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.pad = nn.ReflectionPad2d(1)
        self.conv = nn.Conv2d(3, 4, 3, padding_mode="reflect", padding=1)
        self.channel_shuffle = nn.ChannelShuffle(2)
        self.unshuffle = nn.PixelUnshuffle(2)

    def forward(self, x):
        x = self.conv(self.pad(F.pad(x, (1, 1, 1, 1))))
        return self.unshuffle(self.channel_shuffle(x))


class LinearTanh(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 8)
        self.c = nn.Linear(8, 8)
        self.tanh = nn.Tanh()
        self.leaky = nn.LeakyReLU(0.3)

    def forward(self, x):
        x = self.tanh(self.a(x))
        x = self.leaky(self.b(x))
        return F.leaky_relu(torch.tanh(self.c(x)))


class MeanAndNarrow(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        x = self.conv(x)
        x = torch.narrow(x, 1, 0, 2)
        x = torch.mean(x, dim=(2, 3), keepdim=True).squeeze(-1).unsqueeze_(0)
        x = torch.repeat_interleave(x, 2, 1)
        return torch.unsqueeze(torch.squeeze(x, 0), 0).clamp(min=0)


class InplaceRelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        x = self.conv(x).relu_()
        x = F.relu(x, inplace=True)
        x = F.avg_pool2d(x, 2).mean(-1).mean(-1)
        return F.log_softmax(self.fc(x), dim=1)


class FloatFunctionals(nn.Module):
    """What eager mode needs for sums: torch.ao swaps it before it traces."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.sums = nn.ModuleList([torch.ao.nn.quantized.FloatFunctional(), torch.ao.nn.quantized.FloatFunctional()])
        self.scale = nn.quantized.FloatFunctional()
        self.conv2 = nn.Conv2d(8, 3, 1)

    def forward(self, x):
        y = self.sums[0].add_relu(self.conv(x), self.conv(x + 1))
        y = self.scale.mul(self.sums[1].cat([y, y], 1), y.mean())
        return self.scale.add_scalar(self.conv2(self.scale.mul_scalar(y, 0.5)), 1.0)


class DerivedSum(nn.quantized.FloatFunctional):
    def __init__(self):
        super().__init__()
        self.unused = nn.Linear(2, 2)


class DerivedFunctionals(nn.Module):
    """torch.ao replaces classes that derive from FloatFunctional too."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(QuantizableBlock(4), QuantizableBlock(4))
        for block in self.inner:
            block.skip_add = DerivedSum()
        self.sum = self.inner[0].skip_add

    def forward(self, x):
        return self.sum.add_relu(self.inner(x), x)


class OwnSum(nn.quantized.FloatFunctional):
    """What it overrides is lost: torch.ao replaces it before it traces."""

    def add(self, x, y):
        return super().add(x, y) * 2

    def mul(self, x, y):
        return self.activation_post_process(torch.mul(x, y) + 1)


class OwnFunctionals(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.conv2 = nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1)
        self.sum = OwnSum()
        self.again = self.sum  # the second name of one module is not replaced
        self.plain = nn.quantized.FXFloatFunctional()

    def forward(self, x):
        y = self.sum.add(self.conv(x), self.conv2(x))
        return self.plain.add_relu(self.sum.mul(y, x), y)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, y):
        return self.fc(x) * y


class Deeper(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 1)

    def forward(self, x):
        return F.relu(self.conv(x))


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU()
        self.deeper = Deeper()

    def forward(self, x):
        return self.deeper(self.relu(self.norm(self.conv(x)))) + x


class Separate(nn.Module):
    """Modules that prepare_custom_config names."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3)
        self.sub = Part()
        self.body = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        self.mixed = Mixed()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        x = self.body(self.sub(self.first(x))).mean([2, 3])
        y = self.head(x)
        return self.head(self.mixed(x, y)) + y


class QuantizableBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU())
        self.skip_add = nn.quantized.FloatFunctional()

    def forward(self, x):
        return self.skip_add.add(x, self.body(x))


class Quantizable(nn.Module):
    """As torchvision writes the models that it quantises."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.stem = nn.Conv2d(3, 8, 3)
        self.blocks = nn.Sequential(QuantizableBlock(8), QuantizableBlock(8))

    def forward(self, x):
        return self.dequant(self.blocks(self.stem(self.quant(x))).mean([2, 3]))


class SharedContainers(nn.Module):
    """A source whose container has two names: nodes name what is in it by the first."""

    def __init__(self):
        super().__init__()
        block = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.LayerNorm(6))
        self.blocks = nn.ModuleList([block, block, nn.Sequential(nn.Linear(6, 6), nn.ReLU6())])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class ComputedWeights(nn.Module):
    """torch.ao runs what computes a weight when it converts, and packs the result."""

    def __init__(self):
        super().__init__()
        self.w, self.b = nn.Parameter(torch.randn(8, 8)), nn.Parameter(torch.randn(8))
        self.scale = nn.Parameter(torch.rand(8) + 0.5)

    def forward(self, x):
        x = F.linear(x, self.w * 2, self.b * self.scale)
        return F.linear(torch.relu(x), self.w.t())


class OtherPadding(nn.Module):
    """Quantised convolutions pad by numbers only, and with zeros or by reflection."""

    def __init__(self):
        super().__init__()
        self.same = nn.Conv1d(3, 4, 3, padding="same")
        self.circular = nn.Conv1d(4, 4, 3, padding=1, padding_mode="circular")

    def forward(self, x):
        return self.circular(self.same(x))


NETS = {cls.__name__: cls for cls in (
    ConvBnRelu, ResNet, ResNeXt, MobileNetV2, MobileNetV3, DenseNet, Inception, ShuffleUnit, UNet, Upsampled, Mlp, Activations, AttributesOfResults,
    FunctionalActivations, FunctionalConv, FunctionalLinear, ScopedFunctions, Arithmetic, AddRelu, SharedLayers, Branches, Shapes, Masked,
    Attention, Bert, Vit, Bags, Lstm, Cells, Gru, OneDimensional, ThreeDimensional, LinearBn, LoneNorms, Unused, Getitems,
    IdentityAndDropout, PaddedConv, LinearTanh, MeanAndNarrow, InplaceRelu, FloatFunctionals, DerivedFunctionals, OwnFunctionals, Separate,
    Quantizable, SharedContainers, ComputedWeights, OtherPadding)}
