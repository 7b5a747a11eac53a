"""DCGAN and a conditional GAN, in the style of tutorials."""

import argparse
import os
from collections import OrderedDict
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

img_shape = (1, 28, 28)
latent_dim, n_classes = 100, 10
opt = argparse.Namespace(latent_dim=100, n_classes=10, img_size=28, channels=1)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.label_emb = nn.Embedding(opt.n_classes, opt.n_classes)
        self.model = nn.Sequential(
            *block(opt.latent_dim + opt.n_classes, 128, normalize=False),
            *block(128, 256),
            *block(256, 512),
            *block(512, 1024),
            nn.Linear(1024, int(np.prod(img_shape))),
            nn.Tanh(),
        )

    def forward(self, noise, labels):
        gen_input = torch.cat((self.label_emb(labels), noise), -1)
        img = self.model(gen_input)
        img = img.view(img.size(0), *img_shape)
        return img


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class DCGenerator(nn.Module):
    def __init__(self, ngpu=1, nz=100, ngf=64, nc=3):
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 8, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 8),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 8, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )
        self.apply(weights_init)

    def forward(self, input):
        if self.ngpu > 1 and input.is_cuda:
            output = nn.parallel.data_parallel(self.main, input, range(self.ngpu))
        else:
            output = self.main(input)
        return output


class Discriminator(nn.Module):
    def __init__(
        self,
        channels: Sequence[int] = (3, 8, 16),
        *,
        norm: Optional[Callable[..., nn.Module]] = None,
        spectral: bool = False,
    ):
        super().__init__()
        norm = norm or nn.BatchNorm2d
        layers: List[nn.Module] = []
        for i, (cin, cout) in enumerate(zip(channels[:-1], channels[1:])):
            conv = nn.Conv2d(cin, cout, 4, 2, 1, bias=i == 0)
            layers += [conv] if i == 0 else [conv, norm(cout)]
            layers.append(nn.LeakyReLU(0.2))
        self.features = nn.Sequential(OrderedDict([(f"layer{i:02d}", m) for i, m in enumerate(layers)]))
        ds_size = 32 // 2 ** (len(channels) - 1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(channels[-1] * ds_size**2, 1), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(x)).squeeze(1)


class CycleBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.block = nn.Sequential(
            nn.ReflectionPad2d(1),
            nn.Conv2d(c, c, 3),
            nn.InstanceNorm2d(c),
            nn.ReLU(inplace=True),
            nn.ReflectionPad2d(1),
            nn.Conv2d(c, c, 3),
            nn.InstanceNorm2d(c),
        )

    def forward(self, x):
        return x + self.block(x)


class CycleGen(nn.Module):
    def __init__(self, input_shape=(3, 64, 64), num_residual_blocks=2):
        super().__init__()
        channels = input_shape[0]
        out_features = 8
        model = [
            nn.ReflectionPad2d(channels),
            nn.Conv2d(channels, out_features, 7),
            nn.InstanceNorm2d(out_features),
            nn.ReLU(inplace=True),
        ]
        in_features = out_features
        for _ in range(2):
            out_features *= 2
            model += [
                nn.Conv2d(in_features, out_features, 3, stride=2, padding=1),
                nn.InstanceNorm2d(out_features),
                nn.ReLU(inplace=True),
            ]
            in_features = out_features
        for _ in range(num_residual_blocks):
            model += [CycleBlock(out_features)]
        for _ in range(2):
            out_features //= 2
            model += [nn.Upsample(scale_factor=2), nn.Conv2d(in_features, out_features, 3, stride=1, padding=1)]
            in_features = out_features
        model += [nn.ReflectionPad2d(channels), nn.Conv2d(out_features, channels, 7), nn.Tanh()]
        self.model = nn.Sequential(*model)

    def forward(self, x):
        return self.model(x)


class StyleMod(nn.Module):
    """Equalised learning rate, modulation, noise."""

    def __init__(self, cin=8, cout=16, k=3, style=32, demodulate=True, gain=2**0.5):
        super().__init__()
        fan_in = cin * k**2
        self.scale = gain / np.sqrt(fan_in)
        self.padding = k // 2
        self.weight = nn.Parameter(torch.randn(1, cout, cin, k, k))
        self.affine = nn.Linear(style, cin)
        self.noise_strength = nn.Parameter(torch.zeros([]))
        self.register_buffer("kernel", self.make_kernel([1, 3, 3, 1]))
        self.demodulate = demodulate

    @staticmethod
    def make_kernel(k):
        k = torch.tensor(k, dtype=torch.float32)
        if k.ndim == 1:
            k = k[None, :] * k[:, None]
        k /= k.sum()
        return k

    def forward(self, x, s, noise=None):
        b, c, h, w = x.shape
        style = self.affine(s).view(b, 1, c, 1, 1)
        weight = float(self.scale) * self.weight * style
        if self.demodulate:
            d = torch.rsqrt(weight.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)
            weight = weight * d
        weight = weight.view(-1, c, *self.weight.shape[3:])
        out = F.conv2d(x.view(1, b * c, h, w), weight, padding=self.padding, groups=b)
        out = out.view(b, -1, h, w)
        if noise is not None:
            out = out + self.noise_strength * noise
        return F.leaky_relu(out, 0.2) * float(np.sqrt(2))


TRACE = {
    "Generator": {},
    "DCGenerator": {},
    "Discriminator": {},
    "Discriminator(norm=nn.InstanceNorm2d)": {},
    "CycleGen": {},
    "StyleMod": {},
    "StyleMod(demodulate=False)": {},
}
