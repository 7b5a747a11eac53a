# SPDX-License-Identifier: GPL-3.0-or-later
"""Random models for passes.py: decomposed operators in many spellings, views, constants, convolutions with normalisations."""

import math

import torch
import torch.nn.functional as F
from torch import nn

WIDTH = 8


def pick(chance, *choices):
    return chance.choice(choices)


class Gelu(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.kind = chance.randrange(6)

    def forward(self, x):
        if self.kind == 0:
            return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))
        if self.kind == 1:
            return 0.5 * (x * (1 + torch.erf(x * 0.7071067811865476)))
        if self.kind == 2:
            return torch.mul(x, 0.5).mul(torch.erf(x.div(1.4142135623730951)).add(1))
        if self.kind == 3:
            return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
        if self.kind == 4:
            return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
        return x * 0.5 * (1.0 + torch.erf(x / 1.5))  # not GELU


class Norm(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.kind, self.affine = chance.randrange(6), chance.random() < .6
        if self.affine:
            self.weight, self.bias = nn.Parameter(torch.randn(WIDTH)), nn.Parameter(torch.randn(WIDTH))

    def forward(self, x):
        if self.kind == 0:
            d = x - x.mean(-1, keepdim=True)
            y = d / torch.sqrt(d.pow(2).mean(-1, keepdim=True) + 1e-5)
        elif self.kind == 1:
            d = x - torch.mean(x, dim=-1, keepdim=True)
            y = d * torch.rsqrt((d * d).mean(dim=-1, keepdim=True) + 1e-6)
        elif self.kind == 2:
            y = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()
        elif self.kind == 3:  # unbiased: no layer norm
            y = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + 1e-5)
        else:
            y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) if self.kind == 4 else x / (torch.mean(x ** 2, -1, keepdim=True) + 1e-6).sqrt()
            return self.weight * y if self.affine else y
        return y * self.weight + self.bias if self.affine else y


class Attention(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.scale, self.masked, self.soft, self.turn = chance.randrange(4), chance.random() < .5, chance.randrange(4), chance.randrange(4)
        self.register_buffer("mask", torch.full((4, 4), -1e4).triu(1))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        kt = (lambda: k.transpose(-2, -1), lambda: k.transpose(-1, -2), lambda: torch.transpose(k, -2, -1), lambda: k.permute(0, 2, 1))[self.turn]()
        if self.scale == 0:
            scores = torch.matmul(q, kt) / math.sqrt(WIDTH)
        elif self.scale == 1:
            scores = q @ kt * WIDTH ** -0.5
        elif self.scale == 2:
            scores = torch.bmm(q * 0.25, kt)
        else:
            scores = torch.matmul(q, kt)
        if self.masked:
            scores = scores + self.mask
        weights = (lambda: torch.softmax(scores, -1), lambda: F.softmax(scores, dim=-1), lambda: scores.softmax(dim=-1), lambda: self.softmax(scores))[self.soft]()
        return weights @ v


class Activation(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.kind, self.relu6 = chance.randrange(7), nn.ReLU6()

    def forward(self, x):
        return (lambda: x * F.relu6(x + 3) / 6, lambda: x * (self.relu6(x + 3.0) / 6.0), lambda: x * torch.sigmoid(x), lambda: x * torch.tanh(F.softplus(x)),
                lambda: x * torch.clamp(x + 3, 0, 6) / 6, lambda: F.relu6(x + 3) / 6, lambda: x * F.relu6(x + 2) / 6)[self.kind]()


class Views(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.kind = chance.randrange(8)

    def forward(self, x):  # 2×4×8
        if self.kind == 0:
            return x.view(8, 8).reshape(2, 32).view(2, 4, 8)
        if self.kind == 1:
            return x.permute(0, 2, 1).permute(0, 2, 1).contiguous().contiguous()
        if self.kind == 2:
            return x.transpose(1, 2).transpose(1, 2).unsqueeze(1).squeeze(1)
        if self.kind == 3:
            return x.permute(2, 0, 1).permute(1, 2, 0).clone().clone()
        if self.kind == 4:
            y = x.view(8, 8)
            y = y + 1
            return y.view(2, 4, 8).detach()
        if self.kind == 5:
            y = x.clone()
            y.view(8, 8).mul_(2)  # written to: stays
            return y
        if self.kind == 6:
            return x.permute(1, 0, 2).reshape(4, 16).view(4, 2, 8).transpose(0, 1).contiguous()
        return F.dropout(x.flatten(1).unsqueeze(0).reshape(2, 4, 8), 0.5, False)


class Constants(nn.Module):
    def __init__(self, chance):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(WIDTH)), nn.Parameter(torch.randn(WIDTH), requires_grad=chance.random() < .5)
        self.register_buffer("c", self.a.detach().clone())
        self.register_buffer("d", torch.arange(WIDTH))
        self.one, self.two = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        if chance.random() < .7:
            self.two.load_state_dict(self.one.state_dict())
        self.kind = chance.randrange(4)

    def forward(self, x):
        if self.kind == 0:
            return x + self.a * self.b + self.c
        if self.kind == 1:
            return self.one(x) + self.two(x) + torch.relu(self.a)
        if self.kind == 2:
            return x * (self.d + 1) + self.one(self.a) * self.c
        w = self.a.unsqueeze(0)
        return x * torch.cat([w, self.b.unsqueeze(0)]).sum(0) + torch.softmax(w, -1)


class Folded(nn.Module):
    """Convolutions and linear layers with normalisations, as modules and as functions."""

    def __init__(self, chance):
        super().__init__()
        self.kind, groups = chance.randrange(5), pick(chance, 1, 2)
        bias = chance.random() < .5
        self.conv = nn.Conv1d(4, 4, 3, padding=1, groups=groups, bias=bias)
        self.up = nn.ConvTranspose1d(4, 4, 3, padding=1, groups=groups, bias=bias)
        self.bn, self.bn1 = nn.BatchNorm1d(4, eps=pick(chance, 1e-5, 1e-3), affine=chance.random() < .7), nn.BatchNorm1d(4)
        self.weight = nn.Parameter(torch.randn(4, 4 // groups, 3))
        self.groups, self.given = groups, bias
        self.shift = nn.Parameter(torch.randn(4))
        for norm in (self.bn, self.bn1):
            nn.init.normal_(norm.running_mean), nn.init.uniform_(norm.running_var, 0.1, 3)
        for parameter in self.bn1.parameters():
            nn.init.normal_(parameter)

    def forward(self, x):  # 2×4×8
        if self.kind == 0:
            return self.bn1(self.up(self.bn(self.conv(x))))
        norm = lambda y: F.batch_norm(y, self.bn1.running_mean, self.bn1.running_var, self.bn1.weight, self.bn1.bias, False, 0.1, 1e-4)  # noqa: E731
        if self.kind == 1:
            return norm(F.conv1d(x, self.weight, self.shift if self.given else None, padding=1, groups=self.groups))
        if self.kind == 2:
            return norm(F.conv_transpose1d(x, self.weight, bias=self.shift if self.given else None, padding=1, groups=self.groups))
        if self.kind == 3:
            return norm(self.conv(x)) + self.bn(F.conv1d(x, self.weight, padding=1, groups=self.groups))
        return torch.batch_norm(F.conv1d(x, self.weight, None, 1, 1, 1, self.groups), None, None, self.bn.running_mean, self.bn.running_var, False, 0.1, 1e-5, False)


class Net(nn.Module):
    """What takes and gives 2×4×8, several of it in a row."""

    def __init__(self, chance):
        super().__init__()
        self.parts = nn.ModuleList(pick(chance, Gelu, Norm, Attention, Activation, Views, Constants, Folded)(chance) for _ in range(chance.randrange(2, 6)))

    def forward(self, x):
        for i, part in enumerate(self.parts):
            x = part(x + i)
        return x


def matmuls(chance):
    """A module with products, some of which have the same matrix on the right."""

    class Products(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.u = nn.Parameter(torch.randn(WIDTH, 3)), nn.Parameter(torch.randn(WIDTH, WIDTH))
            self.chosen = [chance.randrange(6) for _ in range(chance.randrange(2, 5))]

        def forward(self, x, y):
            outs = []
            for kind in self.chosen:
                value = (lambda: torch.matmul(x, self.w), lambda: torch.matmul(y, self.w), lambda: torch.matmul(x + 1, self.u),
                         lambda: torch.matmul(torch.relu(y), self.u), lambda: torch.matmul(torch.matmul(x, self.u), self.w), lambda: torch.matmul(y, self.u).sum(1))[kind]()
                outs.append(value * 2)
            return tuple(outs)

    return Products()


def functional(chance):
    """A function of tensors with in-place operators, to be made functional."""
    kinds = [chance.randrange(9) for _ in range(chance.randrange(2, 7))]

    def net(x, y):
        a, b = x + 1, y * 2
        for kind in kinds:
            if kind == 0:
                a = a.add(b)
            elif kind == 1:
                a = torch.relu(a).mul(a)
            elif kind == 2:
                a[0].fill_(1)
            elif kind == 3:
                a.view(-1)[2:4].mul_(3)
            elif kind == 4:
                b = b.sin().cos()
            elif kind == 5:
                b = a.t().contiguous()
                b = b + y
            elif kind == 6:
                a.diagonal().add_(2)
            elif kind == 7:
                a = a.ge(0).to(torch.float32) + a.exp()
            else:
                b = b.expand(4, 4).add(a)
        return a, b

    return net
