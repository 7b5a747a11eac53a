# SPDX-License-Identifier: GPL-3.0-or-later
"""Vision models with the topology of the real ones and few channels: NETS gives (model, example inputs)."""

import torch
import torch.nn.functional as F
from torch import nn

from corpus.nets_blocks import (Bottleneck, ConvAct, DenseBlock, InvertedResidual, Residual, ShuffleUnit, SqueezeExcite,
                                conv_bn, conv_bn_relu, divisible)


class ResNet(nn.Module):
    def __init__(self, block, layers, width=4, classes=10, **kwargs):
        super().__init__()
        self.inputs = width
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self.stage(block, width, layers[0], 1, kwargs)
        self.layer2 = self.stage(block, width * 2, layers[1], 2, kwargs)
        self.layer3 = self.stage(block, width * 4, layers[2], 2, kwargs)
        self.layer4 = self.stage(block, width * 8, layers[3], 2, kwargs)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(width * 8 * block.expansion, classes)

    def stage(self, block, width, count, stride, kwargs):
        layers = []
        for i in range(count):
            layers.append(block(self.inputs, width, stride if i == 0 else 1, **kwargs))
            self.inputs = width * block.expansion
        return nn.Sequential(*layers)

    def features(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        return self.layer4(self.layer3(self.layer2(self.layer1(x))))

    def forward(self, x):
        return self.fc(torch.flatten(self.avgpool(self.features(x)), 1))


class DenseNet(nn.Module):
    def __init__(self, layers=(6, 12, 24, 16), growth=2, width=4):
        super().__init__()
        features = [("conv0", nn.Conv2d(3, width, 7, 2, 3, bias=False)), ("norm0", nn.BatchNorm2d(width)),
                    ("relu0", nn.ReLU(inplace=True)), ("pool0", nn.MaxPool2d(3, 2, 1))]
        for i, count in enumerate(layers, 1):
            features.append((f"denseblock{i}", DenseBlock(count, width, growth)))
            width += count * growth
            if i < len(layers):
                features.append((f"transition{i}", nn.Sequential(
                    nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.Conv2d(width, width // 2, 1, bias=False),
                    nn.AvgPool2d(2, 2))))
                width //= 2
        features.append(("norm5", nn.BatchNorm2d(width)))
        self.features = nn.Sequential()
        for name, module in features:
            self.features.add_module(name, module)
        self.classifier = nn.Linear(width, 10)

    def forward(self, x):
        out = F.relu(self.features(x), inplace=True)
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(out, (1, 1)), 1))


class MobileNetV2(nn.Module):
    SETTINGS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, scale=1 / 8):
        super().__init__()
        inputs = divisible(32 * scale)
        layers = [conv_bn_relu(3, inputs, 3, 2, act=nn.ReLU6)]
        for expand, width, count, stride in self.SETTINGS:
            for i in range(count):
                layers.append(InvertedResidual(inputs, divisible(width * scale), expand, stride if i == 0 else 1))
                inputs = divisible(width * scale)
        layers.append(conv_bn_relu(inputs, 64, 1, act=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(64, 10))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class MobileNetV3(nn.Module):
    """kernel, expanded, out, squeeze-excite, hard-swish, stride"""
    LARGE = [(3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1),
             (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
             (3, 184, 80, 0, 1, 1), (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2),
             (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1)]
    SMALL = [(3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2), (5, 240, 40, 1, 1, 1),
             (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1), (5, 288, 96, 1, 1, 2),
             (5, 576, 96, 1, 1, 1), (5, 576, 96, 1, 1, 1)]

    def __init__(self, settings, scale=1 / 8):
        super().__init__()
        inputs = divisible(16 * scale)
        layers = [conv_bn_relu(3, inputs, 3, 2, act=nn.Hardswish)]
        for kernel, wide, out, squeeze, swish, stride in settings:
            layers.append(InvertedResidual(inputs, divisible(out * scale), wide / (inputs / scale), stride, kernel,
                                           nn.Hardswish if swish else nn.ReLU, squeeze))
            inputs = divisible(out * scale)
        layers.append(conv_bn_relu(inputs, inputs * 6, 1, act=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(inputs * 6, 32), nn.Hardswish(inplace=True), nn.Dropout(0.2, inplace=True),
                                        nn.Linear(32, 10))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class InceptionA(nn.Module):
    def __init__(self, inputs, pool):
        super().__init__()
        self.branch1x1 = conv_bn_relu(inputs, 8, 1)
        self.branch5x5_1, self.branch5x5_2 = conv_bn_relu(inputs, 6, 1), conv_bn_relu(6, 8, 5)
        self.branch3x3dbl_1, self.branch3x3dbl_2 = conv_bn_relu(inputs, 8, 1), conv_bn_relu(8, 12, 3)
        self.branch3x3dbl_3 = conv_bn_relu(12, 12, 3)
        self.branch_pool = conv_bn_relu(inputs, pool, 1)

    def forward(self, x):
        a = self.branch1x1(x)
        b = self.branch5x5_2(self.branch5x5_1(x))
        c = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        d = self.branch_pool(F.avg_pool2d(x, kernel_size=3, stride=1, padding=1))
        return torch.cat([a, b, c, d], 1)


class InceptionB(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3 = conv_bn_relu(inputs, 12, 3, 2, padding=0)
        self.branch3x3dbl = nn.Sequential(conv_bn_relu(inputs, 8, 1), conv_bn_relu(8, 12, 3), conv_bn_relu(12, 12, 3, 2, padding=0))

    def forward(self, x):
        return torch.cat([self.branch3x3(x), self.branch3x3dbl(x), F.max_pool2d(x, kernel_size=3, stride=2)], 1)


class InceptionC(nn.Module):
    def __init__(self, inputs, middle):
        super().__init__()
        self.branch1x1 = conv_bn_relu(inputs, 12, 1)
        self.seven = nn.Sequential(conv_bn_relu(inputs, middle, 1), conv_bn_relu(middle, middle, (1, 7)),
                                   conv_bn_relu(middle, 12, (7, 1)))
        self.pool = conv_bn_relu(inputs, 12, 1)

    def forward(self, x):
        return torch.cat([self.branch1x1(x), self.seven(x), self.pool(F.avg_pool2d(x, 3, 1, 1))], 1)


class InceptionE(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.first = conv_bn_relu(inputs, 12, 1)
        self.a, self.b = conv_bn_relu(12, 12, (1, 3)), conv_bn_relu(12, 12, (3, 1))

    def forward(self, x):
        x = self.first(x)
        outputs = [x, torch.cat([self.a(x), self.b(x)], 1)]
        return torch.cat(outputs, 1)


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.Conv2d_1a_3x3 = conv_bn_relu(3, 8, 3, 2, padding=0)
        self.Conv2d_2a_3x3 = conv_bn_relu(8, 8, 3, padding=0)
        self.maxpool1 = nn.MaxPool2d(3, 2)
        self.Mixed_5b, self.Mixed_5c = InceptionA(8, 4), InceptionA(32, 8)
        self.Mixed_6a = InceptionB(36)
        self.Mixed_6b, self.Mixed_6c = InceptionC(60, 8), InceptionC(36, 10)
        self.Mixed_7b = InceptionE(36)
        self.avgpool, self.dropout, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Dropout(0.5), nn.Linear(36, 10)
        self.transform_input = True

    def forward(self, x):
        if self.transform_input:
            r = torch.unsqueeze(x[:, 0], 1) * (0.229 / 0.5) + (0.485 - 0.5) / 0.5
            g = torch.unsqueeze(x[:, 1], 1) * (0.224 / 0.5) + (0.456 - 0.5) / 0.5
            b = torch.unsqueeze(x[:, 2], 1) * (0.225 / 0.5) + (0.406 - 0.5) / 0.5
            x = torch.cat((r, g, b), 1)
        x = self.maxpool1(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = self.Mixed_6a(self.Mixed_5c(self.Mixed_5b(x)))
        x = self.Mixed_7b(self.Mixed_6c(self.Mixed_6b(x)))
        return self.fc(torch.flatten(self.dropout(self.avgpool(x)), 1))


class Vgg(nn.Module):
    def __init__(self, settings=(4, 4, "M", 8, 8, "M", 16, 16, 16, "M", 32, 32, 32, "M")):
        super().__init__()
        layers, inputs = [], 3
        for width in settings:
            if width == "M":
                layers.append(nn.MaxPool2d(2, 2))
            else:
                layers += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
                inputs = width
        self.features, self.avgpool = nn.Sequential(*layers), nn.AdaptiveAvgPool2d((2, 2))
        self.classifier = nn.Sequential(nn.Linear(inputs * 4, 32), nn.ReLU(True), nn.Dropout(), nn.Linear(32, 10))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class Fire(nn.Module):
    def __init__(self, inputs, squeeze, expand):
        super().__init__()
        self.squeeze, self.squeeze_activation = nn.Conv2d(inputs, squeeze, 1), nn.ReLU(inplace=True)
        self.expand1x1, self.expand1x1_activation = nn.Conv2d(squeeze, expand, 1), nn.ReLU(inplace=True)
        self.expand3x3, self.expand3x3_activation = nn.Conv2d(squeeze, expand, 3, padding=1), nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return torch.cat([self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1)


def squeezenet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 2, 4),
                         Fire(8, 2, 4), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 4, 8), Fire(16, 4, 8), nn.Dropout(0.5),
                         nn.Conv2d(16, 10, 1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten())


class ShuffleNetV2(nn.Module):
    def __init__(self, repeats=(4, 8, 4), widths=(8, 16, 32, 64)):
        super().__init__()
        self.conv1, self.maxpool = conv_bn_relu(3, 8, 3, 2), nn.MaxPool2d(3, 2, 1)
        inputs = 8
        for name, count, width in zip(("stage2", "stage3", "stage4"), repeats, widths[1:]):
            setattr(self, name, nn.Sequential(ShuffleUnit(inputs, width, 2),
                                              *[ShuffleUnit(width, width, 1) for _ in range(count - 1)]))
            inputs = width
        self.conv5, self.fc = conv_bn_relu(inputs, 64, 1), nn.Linear(64, 10)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


class EfficientNet(nn.Module):
    """expand, kernel, stride, width, count"""
    SETTINGS = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
                (6, 3, 1, 320, 1)]

    def __init__(self, scale=1 / 8):
        super().__init__()
        inputs = 4
        layers = [conv_bn_relu(3, inputs, 3, 2, act=nn.SiLU)]
        for expand, kernel, stride, width, count in self.SETTINGS:
            width = divisible(width * scale)
            stage = [InvertedResidual(inputs if i == 0 else width, width, expand, stride if i == 0 else 1, kernel, nn.SiLU, True)
                     for i in range(count)]
            layers.append(nn.Sequential(*stage))
            inputs = width
        layers.append(conv_bn_relu(inputs, 64, 1, act=nn.SiLU))
        self.features, self.avgpool = nn.Sequential(*layers), nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(0.2, inplace=True), nn.Linear(64, 10))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class ConvNeXtBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.dwconv, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width, eps=1e-6)
        self.pwconv1, self.act, self.pwconv2 = nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        self.layer_scale = nn.Parameter(torch.full((width,), 1e-6))

    def forward(self, x):
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.layer_scale * self.pwconv2(self.act(self.pwconv1(y)))
        return x + y.permute(0, 3, 1, 2)


class ConvNeXt(nn.Module):
    def __init__(self, depths=(3, 3, 9, 3), widths=(4, 8, 16, 32)):
        super().__init__()
        stages, inputs = [nn.Sequential(nn.Conv2d(3, widths[0], 4, 4), LayerNorm2d(widths[0]))], widths[0]
        for depth, width in zip(depths, widths):
            if width != inputs:
                stages.append(nn.Sequential(LayerNorm2d(inputs), nn.Conv2d(inputs, width, 2, 2)))
            stages.append(nn.Sequential(*[ConvNeXtBlock(width) for _ in range(depth)]))
            inputs = width
        self.stages, self.norm, self.head = nn.Sequential(*stages), nn.LayerNorm(inputs), nn.Linear(inputs, 10)

    def forward(self, x):
        return self.head(self.norm(self.stages(x).mean([-2, -1])))


class UNet(nn.Module):
    def __init__(self, widths=(4, 8, 16, 32), bilinear=False):
        super().__init__()
        self.encoders, inputs = nn.ModuleList(), 3
        for width in widths:
            self.encoders.append(nn.Sequential(conv_bn_relu(inputs, width, 3), conv_bn_relu(width, width, 3)))
            inputs = width
        self.pool, self.ups, self.decoders = nn.MaxPool2d(2), nn.ModuleList(), nn.ModuleList()
        for width in reversed(widths[:-1]):
            up = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(inputs, width, 1))
            self.ups.append(up if bilinear else nn.ConvTranspose2d(inputs, width, 2, 2))
            self.decoders.append(nn.Sequential(conv_bn_relu(2 * width, width, 3), conv_bn_relu(width, width, 3)))
            inputs = width
        self.out = nn.Conv2d(inputs, 2, 1)

    def forward(self, x):
        skips = []
        for i, encoder in enumerate(self.encoders):
            x = encoder(x if i == 0 else self.pool(x))
            skips.append(x)
        for up, decoder, skip in zip(self.ups, self.decoders, reversed(skips[:-1])):
            x = decoder(torch.cat([skip, up(x)], dim=1))
        return torch.sigmoid(self.out(x))


class DeepLab(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = ResNet(Bottleneck, (1, 1, 1, 1))
        self.aspp = nn.ModuleList([conv_bn_relu(128, 8, 1), *[ConvAct(128, 8, 3, padding=r, dilation=r) for r in (2, 4, 6)]])
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(128, 8, 1, bias=False), nn.ReLU())
        self.project, self.classifier = conv_bn_relu(40, 8, 1), nn.Conv2d(8, 5, 1)

    def forward(self, x):
        size = x.shape[-2:]
        features = self.backbone.features(x)
        pooled = F.interpolate(self.pool(features), size=features.shape[-2:], mode="bilinear", align_corners=False)
        y = self.project(torch.cat([*[branch(features) for branch in self.aspp], pooled], dim=1))
        return {"out": F.interpolate(self.classifier(y), size=size, mode="bilinear", align_corners=False)}


class FeaturePyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = ResNet(Residual, (1, 1, 1, 1))
        self.inner = nn.ModuleList(nn.Conv2d(width, 8, 1) for width in (4, 8, 16, 32))
        self.layer = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1) for _ in range(4))

    def forward(self, x):
        x = self.body.maxpool(self.body.relu(self.body.bn1(self.body.conv1(x))))
        levels = []
        for stage in (self.body.layer1, self.body.layer2, self.body.layer3, self.body.layer4):
            x = stage(x)
            levels.append(x)
        last = self.inner[3](levels[3])
        results = [self.layer[3](last)]
        for i in (2, 1, 0):
            last = self.inner[i](levels[i]) + F.interpolate(last, scale_factor=2.0, mode="nearest")
            results.insert(0, self.layer[i](last))
        return results


class Detector(nn.Module):
    """One-stage heads over three scales, decoded to boxes."""

    def __init__(self, anchors=3, classes=4):
        super().__init__()
        self.stem = nn.Sequential(conv_bn_relu(3, 8, 3, 2, act=nn.LeakyReLU), conv_bn_relu(8, 16, 3, 2, act=nn.LeakyReLU))
        self.down = nn.ModuleList(conv_bn_relu(16, 16, 3, 2, act=nn.SiLU) for _ in range(2))
        self.heads = nn.ModuleList(nn.Conv2d(16, anchors * (5 + classes), 1) for _ in range(3))
        self.anchors, self.outputs = anchors, 5 + classes
        self.register_buffer("grid", torch.rand(1, anchors, 1, 1, 2))

    def forward(self, x):
        x = self.stem(x)
        results = []
        for i, head in enumerate(self.heads):
            x = x if i == 0 else self.down[i - 1](x)
            y = head(x)
            n, _, height, width = y.shape
            y = y.view(n, self.anchors, self.outputs, height, width).permute(0, 1, 3, 4, 2).contiguous()
            center, size, rest = y.sigmoid().split((2, 2, self.outputs - 4), 4)
            y = torch.cat((center * 2 - 0.5 + self.grid, (size * 2) ** 2 * self.grid, rest), 4)
            results.append(y.view(n, -1, self.outputs))
        return torch.cat(results, 1), results


class Generator(nn.Module):
    def __init__(self, noise=16, width=4):
        super().__init__()
        layers, inputs = [], noise
        for i, out in enumerate((width * 8, width * 4, width * 2, width)):
            layers += [nn.ConvTranspose2d(inputs, out, 4, 1 if i == 0 else 2, 0 if i == 0 else 1, bias=False),
                       nn.BatchNorm2d(out), nn.ReLU(True)]
            inputs = out
        self.main = nn.Sequential(*layers, nn.ConvTranspose2d(inputs, 3, 4, 2, 1, bias=False), nn.Tanh())

    def forward(self, z):
        return self.main(z[:, :, None, None])


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU())
        self.mu, self.log_var = nn.Linear(32, 4), nn.Linear(32, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 64), nn.Unflatten(1, (1, 8, 8)))

    def forward(self, x):
        hidden = self.encoder(x)
        mu, log_var = self.mu(hidden), self.log_var(hidden)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * log_var)
        return self.decoder(z), mu, log_var


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 8, 3, padding=1)
        self.body = nn.ModuleList(nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.PReLU(), nn.Conv2d(8, 8, 3, padding=1))
                                  for _ in range(4))
        self.tail = nn.Sequential(nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2))
        self.register_buffer("mean", torch.tensor([0.4, 0.45, 0.5]).view(1, 3, 1, 1))

    def forward(self, x):
        x = self.head(x - self.mean)
        y = x
        for block in self.body:
            y = y + block(y).mul(0.1)
        return self.tail(x + y) + self.mean.mean()


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv3d(3, 4, (3, 7, 7), (1, 2, 2), (1, 3, 3)), nn.BatchNorm3d(4), nn.ReLU(),
                                      nn.MaxPool3d((1, 2, 2)), nn.Conv3d(4, 8, (3, 1, 1), padding=(1, 0, 0)), nn.ReLU(),
                                      nn.AdaptiveAvgPool3d(1))
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.transform = nn.Sequential(nn.Conv1d(3, 8, 1), nn.ReLU())
        self.matrix = nn.Linear(8, 9)
        self.mlp = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 16, 1))
        self.fc = nn.Linear(16, 5)
        self.register_buffer("identity", torch.eye(3).view(1, 9))

    def forward(self, x):
        matrix = self.matrix(torch.max(self.transform(x), 2, keepdim=True)[0].view(-1, 8)) + self.identity
        x = torch.bmm(x.transpose(2, 1), matrix.view(-1, 3, 3)).transpose(2, 1)
        return F.log_softmax(self.fc(self.mlp(x).max(2).values), dim=1), matrix


class WindowAttention(nn.Module):
    def __init__(self, width, heads, window):
        super().__init__()
        self.heads, self.window = heads, window
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.table = nn.Parameter(torch.randn(heads, window * window, window * window))

    def forward(self, x):
        n, t, c = x.shape
        qkv = self.qkv(x).reshape(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attention = (q * (c // self.heads) ** -0.5) @ k.transpose(-2, -1) + self.table
        return self.proj((attention.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c))


class SwinBlock(nn.Module):
    def __init__(self, width, heads, window, shift):
        super().__init__()
        self.window, self.shift = window, shift
        self.norm1, self.attn = nn.LayerNorm(width), WindowAttention(width, heads, window)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        n, h, w, c = x.shape
        y = self.norm1(x)
        if self.shift:
            y = torch.roll(y, shifts=(-self.shift, -self.shift), dims=(1, 2))
        size = self.window
        y = y.view(n, h // size, size, w // size, size, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, c)
        y = self.attn(y).view(n, h // size, w // size, size, size, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
        if self.shift:
            y = torch.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))
        x = x + y
        return x + self.mlp(self.norm2(x))


class Swin(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 4, 4)
        self.stage1 = nn.Sequential(SwinBlock(width, 2, 4, 0), SwinBlock(width, 2, 4, 2))
        self.norm, self.reduction = nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)
        self.stage2 = nn.Sequential(SwinBlock(2 * width, 4, 4, 0), SwinBlock(2 * width, 4, 4, 2))
        self.head = nn.Linear(2 * width, 10)

    def forward(self, x):
        x = self.stage1(self.patch(x).permute(0, 2, 3, 1))
        x = torch.cat([x[:, 0::2, 0::2, :], x[:, 1::2, 0::2, :], x[:, 0::2, 1::2, :], x[..., 1::2, 1::2, :]], -1)
        x = self.stage2(self.reduction(self.norm(x)))
        return self.head(x.flatten(1, 2).mean(1))


class MixerBlock(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.tokens = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.channels = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 8, 8)
        self.blocks = nn.Sequential(*[MixerBlock(16, 8) for _ in range(4)])
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x).flatten(2).transpose(1, 2)).mean(dim=1))


class Xception(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = conv_bn_relu(3, 8, 3, 2)
        self.blocks = nn.ModuleList(nn.Sequential(
            nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False), nn.Conv2d(8, 8, 1, bias=False), nn.BatchNorm2d(8))
            for _ in range(6))
        self.skip, self.fc = conv_bn(8, 8, 1), nn.Linear(8, 10)

    def forward(self, x):
        x = self.conv(x)
        for i, block in enumerate(self.blocks):
            x = block(x) + (self.skip(x) if i % 3 == 0 else x)
        return self.fc(F.adaptive_avg_pool2d(F.relu_(x), 1).squeeze(-1).squeeze(-1))


class HighResolution(nn.Module):
    """Branches of several resolutions that exchange features (HRNet)."""

    def __init__(self):
        super().__init__()
        self.stem = conv_bn_relu(3, 4, 3, 2)
        self.transition = conv_bn_relu(4, 8, 3, 2)
        self.high, self.low = nn.ModuleList(), nn.ModuleList()
        self.up, self.down = nn.ModuleList(), nn.ModuleList()
        for _ in range(3):
            self.high.append(Residual(4, 4))
            self.low.append(Residual(8, 8))
            self.up.append(nn.Sequential(nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4), nn.Upsample(scale_factor=2.0)))
            self.down.append(conv_bn(4, 8, 3, 2))

    def forward(self, x):
        high = self.stem(x)
        low = self.transition(high)
        for a, b, up, down in zip(self.high, self.low, self.up, self.down):
            high, low = a(high), b(low)
            high, low = F.relu(high + up(low)), F.relu(low + down(high))
        return high, low


def image(*sizes):
    return lambda: (torch.randn(sizes or (2, 3, 64, 64)),)


NETS = {
    "resnet18": (lambda: ResNet(Residual, (2, 2, 2, 2)), image()),
    "resnet50": (lambda: ResNet(Bottleneck, (3, 4, 6, 3)), image()),
    "resnext50": (lambda: ResNet(Bottleneck, (3, 4, 6, 3), groups=2), image()),
    "se_resnet": (lambda: ResNet(Bottleneck, (2, 2, 2, 2), squeeze=True), image()),
    "densenet121": (DenseNet, image()), "mobilenet_v2": (MobileNetV2, image()),
    "mobilenet_v3_large": (lambda: MobileNetV3(MobileNetV3.LARGE), image()),
    "mobilenet_v3_small": (lambda: MobileNetV3(MobileNetV3.SMALL), image()),
    "inception": (Inception, image()), "vgg16": (Vgg, image()), "squeezenet": (squeezenet, image()),
    "shufflenet_v2": (ShuffleNetV2, image()), "efficientnet_b0": (EfficientNet, image()), "convnext": (ConvNeXt, image()),
    "unet": (UNet, image()), "unet_bilinear": (lambda: UNet(bilinear=True), image()), "deeplab": (DeepLab, image()),
    "feature_pyramid": (FeaturePyramid, image()), "detector": (Detector, image()),
    "generator": (Generator, lambda: (torch.randn(2, 16),)), "autoencoder": (Autoencoder, image(2, 1, 8, 8)),
    "super_resolution": (SuperResolution, image(1, 3, 16, 16)), "video": (Video, image(1, 3, 4, 32, 32)),
    "point_net": (PointNet, image(2, 3, 20)), "swin": (Swin, image(1, 3, 32, 32)), "mixer": (Mixer, image(1, 3, 32, 32)),
    "xception": (Xception, image(1, 3, 32, 32)), "high_resolution": (HighResolution, image(1, 3, 32, 32)),
    "squeeze_excite": (lambda: SqueezeExcite(16), image(1, 16, 8, 8)),
}
