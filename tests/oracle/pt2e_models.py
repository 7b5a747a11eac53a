"""Models for pt2e.py: what people quantise with torchao, small, with random weights.

`models()` gives name -> (module, example inputs, further settings of torch.export.export).
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {
    "relu": nn.ReLU, "relu_inplace": lambda: nn.ReLU(inplace=True), "relu6": nn.ReLU6, "hardtanh": nn.Hardtanh,
    "hardswish": nn.Hardswish, "silu": nn.SiLU, "gelu": nn.GELU, "tanh": nn.Tanh, "leaky": nn.LeakyReLU,
    "sigmoid": nn.Sigmoid, "identity": nn.Identity,
}


class Perceptron(nn.Module):
    def __init__(self, sizes, act, bias=True, norm=False):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b, bias=bias)] + ([nn.BatchNorm1d(b)] if norm else []) + [ACTIVATIONS[act]()]
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Convolutional(nn.Module):
    """conv (bn) act, pool, flatten, linear."""

    def __init__(self, act, norm=True, bias=False, pool="max", depth=2, groups=1, head=True):
        super().__init__()
        self.blocks = nn.ModuleList()
        channels = 4
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        for _ in range(depth):
            block = [nn.Conv2d(channels, channels * 2, 3, padding=1, bias=bias, groups=groups)]
            block += [nn.BatchNorm2d(channels * 2)] if norm else []
            block += [ACTIVATIONS[act]()]
            block += [{"max": nn.MaxPool2d(2), "avg": nn.AvgPool2d(2), "none": nn.Identity()}[pool]]
            self.blocks.append(nn.Sequential(*block))
            channels *= 2
        self.out = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, 5) if head else None

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        if self.fc is None:
            return x
        return self.fc(torch.flatten(self.out(x), 1))


class Residual(nn.Module):
    def __init__(self, c=8, inplace=False, act=True, swap=False, project=False, norm=True):
        super().__init__()
        self.c1, self.b1, self.r1 = nn.Conv2d(c, c, 3, padding=1, bias=not norm), nn.BatchNorm2d(c), nn.ReLU()
        self.c2, self.b2, self.r2 = nn.Conv2d(c, c, 3, padding=1, bias=not norm), nn.BatchNorm2d(c), nn.ReLU()
        if not norm:
            self.b1 = self.b2 = nn.Identity()
        self.down = nn.Sequential(nn.Conv2d(c, c, 1, bias=False), nn.BatchNorm2d(c)) if project else nn.Identity()
        self.inplace, self.act, self.swap = inplace, act, swap

    def forward(self, x):
        y = self.b2(self.c2(self.r1(self.b1(self.c1(x)))))
        z = self.down(x)
        if self.inplace:
            y += z
        else:
            y = z + y if self.swap else y + z
        return self.r2(y) if self.act else y


class Resnet(nn.Module):
    def __init__(self, blocks, **settings):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.layers = nn.Sequential(*[Residual(8, **settings) for _ in range(blocks)])
        self.pool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(8, 10)

    def forward(self, x):
        x = self.pool(self.layers(self.stem(x)))
        return self.fc(torch.flatten(x, 1))


class Bottleneck(nn.Module):
    def __init__(self, c, m, down=False):
        super().__init__()
        self.c1, self.b1, self.a1 = nn.Conv2d(c, m, 1, bias=False), nn.BatchNorm2d(m), nn.ReLU()
        self.c2, self.b2, self.a2 = nn.Conv2d(m, m, 3, padding=1, bias=False), nn.BatchNorm2d(m), nn.ReLU()
        self.c3, self.b3, self.a3 = nn.Conv2d(m, c * 2, 1, bias=False), nn.BatchNorm2d(c * 2), nn.ReLU()
        self.down = nn.Sequential(nn.Conv2d(c, c * 2, 1, bias=False), nn.BatchNorm2d(c * 2))

    def forward(self, x):
        y = self.a2(self.b2(self.c2(self.a1(self.b1(self.c1(x))))))
        return self.a3(self.b3(self.c3(y)) + self.down(x))


class SharedRelu(nn.Module):
    """As in torchvision: one ReLU for all calls."""

    def __init__(self):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3)
        self.c2, self.b2 = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3)
        self.relu = nn.ReLU()

    def forward(self, x):
        y = self.relu(self.b1(self.c1(x)))
        return self.relu(self.b2(self.c2(y)) + x)


class Inverted(nn.Module):
    def __init__(self, c=4, act="relu6", attention=False):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(c, c * 4, 1, bias=False), nn.BatchNorm2d(c * 4), ACTIVATIONS[act]())
        self.depth = nn.Sequential(
            nn.Conv2d(c * 4, c * 4, 3, padding=1, groups=c * 4, bias=False), nn.BatchNorm2d(c * 4), ACTIVATIONS[act]())
        self.squeeze = Squeeze(c * 4) if attention else nn.Identity()
        self.project = nn.Sequential(nn.Conv2d(c * 4, c, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return x + self.project(self.squeeze(self.depth(self.expand(x))))


class Squeeze(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.pool, self.f1, self.r = nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, 4, 1), nn.ReLU()
        self.f2, self.s = nn.Conv2d(4, c, 1), nn.Hardsigmoid()

    def forward(self, x):
        return x * self.s(self.f2(self.r(self.f1(self.pool(x)))))


class Mobile(nn.Module):
    def __init__(self, act, blocks=2, attention=False):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2, bias=False), nn.BatchNorm2d(4), ACTIVATIONS[act]())
        self.blocks = nn.Sequential(*[Inverted(4, act, attention) for _ in range(blocks)])
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(4, 6))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.blocks(self.stem(x)), (1, 1))
        return self.head(torch.flatten(x, 1))


class Dense(nn.Module):
    def __init__(self, layers=3, growth=4):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(8 + i * growth), nn.ReLU(), nn.Conv2d(8 + i * growth, growth, 3, padding=1))
            for i in range(layers))
        self.last = nn.Conv2d(8 + layers * growth, 8, 1)
        self.pool = nn.AvgPool2d(2)

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return self.pool(self.last(x))


class Inception(nn.Module):
    def __init__(self, act="relu", twice=False):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(3, 4, 1), ACTIVATIONS[act]())
        self.b = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), ACTIVATIONS[act]())
        self.c = nn.Sequential(nn.Conv2d(3, 4, 1), nn.MaxPool2d(3, stride=1, padding=1))
        self.out = nn.Conv2d(16 if twice else 12, 4, 1)
        self.twice = twice

    def forward(self, x):
        parts = [self.a(x), self.b(x), self.c(x)]
        if self.twice:
            parts.append(parts[0])
        return self.out(torch.cat(parts, dim=1))


class Unet(nn.Module):
    def __init__(self, norm=True):
        super().__init__()
        def block(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b) if norm else nn.Identity(), nn.ReLU())
        self.d1, self.d2, self.pool = block(3, 4), block(4, 8), nn.MaxPool2d(2)
        self.up, self.u1, self.out = nn.ConvTranspose2d(8, 4, 2, stride=2), block(8, 4), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.up(self.d2(self.pool(a)))
        return self.out(self.u1(torch.cat([a, b], 1)))


class Attention(nn.Module):
    def __init__(self, d=16, heads=2, fused=True, bias=True):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d, d, bias=bias) for _ in range(3))
        self.o, self.heads, self.fused = nn.Linear(d, d, bias=bias), heads, fused

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (f(x).view(b, t, self.heads, d // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            y = torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d), -1), v)
        return self.o(y.transpose(1, 2).reshape(b, t, d))


class Transformer(nn.Module):
    def __init__(self, layers=1, act="gelu", fused=True, pre=True, d=16):
        super().__init__()
        self.emb = nn.Embedding(20, d)
        self.attn = nn.ModuleList(Attention(d, fused=fused) for _ in range(layers))
        self.n1, self.n2 = (nn.ModuleList(nn.LayerNorm(d) for _ in range(layers)) for _ in range(2))
        self.ff = nn.ModuleList(
            nn.Sequential(nn.Linear(d, 2 * d), ACTIVATIONS[act](), nn.Linear(2 * d, d)) for _ in range(layers))
        self.out, self.pre = nn.Linear(d, 20), pre

    def forward(self, ids):
        x = self.emb(ids)
        for attn, n1, n2, ff in zip(self.attn, self.n1, self.n2, self.ff):
            if self.pre:
                x = x + attn(n1(x))
                x = x + ff(n2(x))
            else:
                x = n1(x + attn(x))
                x = n2(x + ff(x))
        return self.out(x)


class ConvNext(nn.Module):
    def __init__(self, c=6):
        super().__init__()
        self.stem, self.dw, self.norm = nn.Conv2d(3, c, 2, stride=2), nn.Conv2d(c, c, 7, padding=3, groups=c), \
            nn.LayerNorm(c)
        self.p1, self.act, self.p2 = nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c)
        self.gamma = nn.Parameter(torch.ones(c))

    def forward(self, x):
        x = self.stem(x)
        y = self.norm(self.dw(x).permute(0, 2, 3, 1))
        y = self.gamma * self.p2(self.act(self.p1(y)))
        return x + y.permute(0, 3, 1, 2)


class LinearAdd(nn.Module):
    def __init__(self, act=True, swap=False, inplace=False):
        super().__init__()
        self.a, self.b, self.r = nn.Linear(8, 8), nn.Linear(8, 8), nn.ReLU()
        self.act, self.swap, self.inplace = act, swap, inplace

    def forward(self, x):
        y = self.a(x)
        if self.inplace:
            y += x
        else:
            y = x + y if self.swap else y + x
        y = self.r(y) if self.act else y
        return self.b(y)


class Function(nn.Module):
    """A module around a function of its layers."""

    def __init__(self, function, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.function = [function]

    def forward(self, *args, **kwargs):
        return self.function[0](self, *args, **kwargs)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.register = nn.Linear(6, 6), None
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scale", torch.ones(6), persistent=False)
        self.shift = torch.ones(6)

    def forward(self, x):
        self.count += 1
        return self.fc(x * self.scale) + self.shift


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.fc = nn.Embedding(12, 8), nn.Linear(8, 12, bias=False)
        self.fc.weight = self.emb.weight

    def forward(self, ids):
        return self.fc(self.emb(ids))


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, pair, extra, *, scale):
        return {"sum": self.a(pair[0]) + self.b(pair[1]), "rest": (extra["x"] * scale, extra["y"])}


class Renamed(nn.Module):
    """Inputs with names that torch.fx does not give away."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, input, sum):
        return self.fc(input) * self.fc.weight.sum() + sum


def image(n=2, c=3, s=16):
    return (torch.randn(n, c, s, s),)


def models():
    all = {}

    def add(name, module, inputs, **settings):
        all[name] = (module, inputs, settings)

    for act in ("relu", "gelu", "tanh", "leaky", "sigmoid", "identity", "silu"):
        add(f"mlp_{act}", Perceptron([8, 16, 4], act), (torch.randn(4, 8),))
    add("mlp_nobias", Perceptron([8, 8, 8], "relu", bias=False), (torch.randn(4, 8),))
    add("mlp_norm", Perceptron([8, 8, 8], "relu", norm=True), (torch.randn(4, 8),))
    add("mlp_norm_nobias", Perceptron([8, 8], "identity", bias=False, norm=True), (torch.randn(4, 8),))
    add("mlp_deep", Perceptron([8] * 9, "relu"), (torch.randn(4, 8),))
    for act in ("relu", "relu_inplace", "relu6", "hardtanh", "hardswish", "silu", "gelu", "identity", "leaky"):
        add(f"cnn_{act}", Convolutional(act), image())
        add(f"cnn_{act}_nonorm", Convolutional(act, norm=False, bias=True), image())
    for pool in ("max", "avg", "none"):
        add(f"cnn_pool_{pool}", Convolutional("relu", pool=pool, bias=True), image())
        add(f"cnn_headless_{pool}", Convolutional("relu", pool=pool, head=False), image())
    add("cnn_groups", Convolutional("relu", groups=2), image())
    add("cnn_deep", Convolutional("relu", depth=4, pool="none"), image())
    for inplace in (False, True):
        for act in (False, True):
            add(f"resnet_{'i' if inplace else 'o'}{'a' if act else 'n'}", Resnet(2, inplace=inplace, act=act), image())
    add("resnet_swap", Resnet(2, swap=True), image())
    add("resnet_project", Resnet(2, project=True), image())
    add("resnet_project_swap", Resnet(3, project=True, swap=True), image())
    add("resnet_nonorm", Resnet(2, norm=False), image())
    add("residual_only", Residual(3), image())
    add("bottleneck", nn.Sequential(Bottleneck(3, 4), Bottleneck(6, 4)), image())
    add("bottleneck_stem", nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), Bottleneck(4, 2)), image())
    add("shared_relu", SharedRelu(), image())
    for act in ("relu6", "hardswish", "silu"):
        add(f"mobile_{act}", Mobile(act), image())
        add(f"mobile_{act}_attention", Mobile(act, attention=True), image())
    for layers in (1, 3):
        add(f"dense_{layers}", Dense(layers), image())
    add("inception", Inception(), image())
    add("inception_twice", Inception(twice=True), image())
    add("inception_hardtanh", Inception("hardtanh"), image())
    add("unet", Unet(), image())
    add("unet_nonorm", Unet(norm=False), image())
    for fused in (True, False):
        add(f"attention_{'sdpa' if fused else 'matmul'}", Attention(fused=fused), (torch.randn(2, 5, 16),))
        add(f"transformer_{'sdpa' if fused else 'matmul'}", Transformer(2, fused=fused), (torch.randint(20, (2, 5)),))
    add("transformer_post_relu", Transformer(1, "relu", pre=False), (torch.randint(20, (2, 5)),))
    add("transformer_deep", Transformer(4, "tanh"), (torch.randint(20, (2, 5)),))
    add("encoder_layer", nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), (torch.randn(2, 5, 16),))
    add("multihead", Function(lambda s, x: s.a(x, x, x)[0], a=nn.MultiheadAttention(16, 2, batch_first=True)),
        (torch.randn(2, 5, 16),))
    add("convnext", ConvNext(), image())
    for act in (True, False):
        for swap in (True, False):
            add(f"linear_add_{'a' if act else 'n'}{'s' if swap else 'o'}", LinearAdd(act, swap), (torch.randn(3, 8),))
    add("linear_iadd", LinearAdd(inplace=True), (torch.randn(3, 8),))
    add("conv1d_relu", nn.Sequential(nn.Conv1d(4, 8, 3), nn.ReLU(), nn.Conv1d(8, 4, 3)), (torch.randn(2, 4, 12),))
    add("conv1d_norm", nn.Sequential(nn.Conv1d(4, 8, 3), nn.BatchNorm1d(8), nn.ReLU()), (torch.randn(2, 4, 12),))
    add("conv1d_norm_nobias", nn.Sequential(nn.Conv1d(4, 8, 3, bias=False), nn.BatchNorm1d(8), nn.ReLU(),
                                            nn.Conv1d(8, 8, 3)), (torch.randn(2, 4, 12),))
    add("conv3d", nn.Sequential(nn.Conv3d(2, 4, 3), nn.BatchNorm3d(4), nn.ReLU()), (torch.randn(1, 2, 6, 6, 6),))
    add("transposed", nn.Sequential(nn.ConvTranspose2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3)),
        image())
    add("transposed1d", nn.Sequential(nn.ConvTranspose1d(3, 4, 3, bias=False), nn.BatchNorm1d(4)),
        (torch.randn(2, 3, 8),))
    add("functional_relu", Function(lambda s, x: F.relu(s.b(F.relu(s.a(x)))), a=nn.Conv2d(3, 4, 3),
                                    b=nn.Conv2d(4, 4, 3)), image())
    add("functional_conv", Function(lambda s, x: F.conv2d(x, s.a.weight), a=nn.Conv2d(3, 4, 3)), image())
    add("functional_linear", Function(lambda s, x: F.linear(F.linear(x, s.a.weight), s.b.weight, s.b.bias),
                                      a=nn.Linear(4, 4), b=nn.Linear(4, 4)), (torch.randn(2, 4),))
    add("mul_same", Function(lambda s, x: s.a(x) * s.b(x), a=nn.Linear(4, 4), b=nn.Linear(4, 4)),
        (torch.randn(2, 4),))
    add("mul_square", Function(lambda s, x: s.a(x) * x * x, a=nn.Linear(4, 4)), (torch.randn(2, 4),))
    add("gated", Function(lambda s, x: s.c(F.silu(s.a(x)) * s.b(x)), a=nn.Linear(4, 8), b=nn.Linear(4, 8),
                          c=nn.Linear(8, 4)), (torch.randn(2, 4),))
    add("two_users", Function(lambda s, x: (s.b(s.r(s.a(x))), s.c(s.r.forward(s.a.weight.sum() + x))),
                              a=nn.Conv2d(3, 3, 3, padding=1), b=nn.Conv2d(3, 3, 1), c=nn.Conv2d(3, 3, 1),
                              r=nn.Sigmoid()), image())
    add("branches", Function(lambda s, x: s.b(s.a(x)) + s.c(s.a(x).relu()) * 2, a=nn.Identity(), b=nn.Conv2d(3, 4, 3),
                             c=nn.Conv2d(3, 4, 3)), image())
    add("three_heads", Function(lambda s, x: [f(s.r(s.a(x))) for f in (s.b, s.c, s.d)], a=nn.Conv2d(3, 4, 3),
                                r=nn.ReLU(), b=nn.Conv2d(4, 4, 3), c=nn.Conv2d(4, 4, 3), d=nn.AvgPool2d(2)), image())
    add("conv_returned", Function(lambda s, x: (s.a(x), s.b(s.a.weight)), a=nn.Conv2d(3, 3, 3), b=nn.Conv2d(3, 2, 2)),
        image())
    add("scalar_add", Function(lambda s, x: s.b(s.a(x) + 1.5), a=nn.Conv2d(3, 4, 3), b=nn.Conv2d(4, 4, 3)), image())
    add("same_padding", nn.Sequential(nn.Conv2d(3, 4, 3, padding="same"), nn.ReLU()), image())
    add("circular_padding", nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"), nn.ReLU()), image())
    add("conv_twice", Function(lambda s, x: s.a(s.a(x)), a=nn.Conv2d(3, 3, 3)), image())
    add("linear_twice", Function(lambda s, x: s.r(s.a(s.a(x))), a=nn.Linear(4, 4), r=nn.ReLU()), (torch.randn(2, 4),))
    add("cat_tensors", Function(lambda s, x: s.b(torch.cat([s.a(x), x], 1)), a=nn.Conv2d(3, 3, 1),
                                b=nn.Conv2d(6, 3, 1)), image())
    add("cat_pools", Function(lambda s, x: torch.cat([s.p(s.a(x)), s.p2(s.b(x))], 1), a=nn.Conv2d(3, 3, 1),
                              b=nn.Conv2d(3, 3, 1), p=nn.MaxPool2d(2), p2=nn.AvgPool2d(2)), image())
    add("cat_of_cats", Function(lambda s, x: s.c(torch.cat([torch.cat([s.a(x), s.b(x)], 1), s.a2(x)], 1)),
                                a=nn.Conv2d(3, 3, 1), b=nn.Conv2d(3, 3, 1), a2=nn.Conv2d(3, 3, 1),
                                c=nn.Conv2d(9, 3, 1)), image())
    add("pool_first", nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(3, 4, 3), nn.MaxPool2d(2), nn.Flatten(),
                                    nn.Linear(36, 3)), image())
    add("flatten_end", nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten()), image())
    add("flatten_linear", nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
                                        nn.Linear(16, 3), nn.Tanh()), image())
    add("counting", Counting(), (torch.randn(2, 6),))
    add("tied", Tied(), (torch.randint(12, (2, 4)),))
    add("nested", Nested(), ((torch.randn(2, 4), torch.randn(2, 4)), {"x": torch.randn(2, 4), "y": torch.randn(2)}),
        kwargs={"scale": torch.randn(1)})
    batch = torch.export.Dim("batch", min=2, max=64)
    add("dynamic_batch", Convolutional("relu"), image(), dynamic_shapes=({0: batch},))
    add("dynamic_mlp", Perceptron([8, 16, 4], "relu"), (torch.randn(4, 8),),
        dynamic_shapes={"x": {0: batch}})
    add("strict", Resnet(2), image(), strict=True)
    add("bfloat16", Perceptron([8, 16, 4], "relu").bfloat16(), (torch.randn(4, 8).bfloat16(),))
    add("float64", Perceptron([8, 4], "relu").double(), (torch.randn(4, 8).double(),))
    add("no_layers", Function(lambda s, x: torch.softmax(x.relu(), -1)), (torch.randn(2, 4),))
    add("constant_weight", Function(lambda s, x: F.linear(x, s.a.weight * 2), a=nn.Linear(4, 4)), (torch.randn(2, 4),))
    add("computed_weight", Function(lambda s, x: torch.matmul(x, s.a.weight.t()) + s.a(x), a=nn.Linear(4, 4)),
        (torch.randn(2, 4),))
    add("input_name", Renamed(), (torch.randn(2, 4), torch.randn(2, 4)))
    add("names", Function(lambda s, x: s.mul(s.add(x)), add=nn.Conv2d(3, 3, 1), mul=nn.Sequential(
        nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))), image())
    return all
