"""mmdet/detectron-style registries, builders, mixins, properties, class decorators, metaclasses."""

import functools, importlib, inspect, warnings, copy
from abc import ABCMeta, ABC, abstractmethod
from contextlib import contextmanager, nullcontext, suppress, ExitStack
from types import SimpleNamespace, MappingProxyType, FunctionType, MethodType
from typing import *
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
import torch.utils.checkpoint as cp


class Registry:
    def __init__(self, name):
        self._name = name
        self._module_dict = dict()

    def __len__(self):
        return len(self._module_dict)

    def __contains__(self, key):
        return self.get(key) is not None

    def __repr__(self):
        return f"{self.__class__.__name__}(name={self._name}, items={list(self._module_dict)})"

    @property
    def name(self):
        return self._name

    def get(self, key):
        return self._module_dict.get(key, None)

    def _register(self, cls, name=None, force=False):
        if not inspect.isclass(cls) and not callable(cls):
            raise TypeError(f"module must be a class, but got {type(cls)}")
        names = [name or cls.__name__] if not isinstance(name, (list, tuple)) else name
        for n in names:
            if not force and n in self._module_dict:
                raise KeyError(f"{n} is already registered in {self.name}")
            self._module_dict[n] = cls

    def register_module(self, name=None, force=False, module=None):
        if module is not None:
            self._register(module, name, force)
            return module

        def _inner(cls):
            self._register(cls, name, force)
            return cls

        return _inner

    def build(self, cfg, **default):
        args = cfg.copy() if isinstance(cfg, dict) else dict(type=cfg)
        kind = args.pop("type")
        for k, v in default.items():
            args.setdefault(k, v)
        cls = self.get(kind) if isinstance(kind, str) else kind
        if cls is None:
            raise KeyError(f"{kind} is not in the {self._name} registry")
        try:
            return cls(**args)
        except Exception as e:
            raise type(e)(f"{cls.__name__}: {e}") from e


NORM, CONV, ACT, BACKBONES, HEADS, DETECTORS = map(Registry, ["norm", "conv", "act", "backbone", "head", "detector"])
NORM.register_module("BN", module=nn.BatchNorm2d)
NORM.register_module(["GN", "GroupNorm"], module=nn.GroupNorm)
CONV.register_module("Conv2d", module=nn.Conv2d)
for module in [nn.ReLU, nn.LeakyReLU, nn.PReLU, nn.GELU]:
    ACT.register_module(module=module)


@ACT.register_module()
class HSwish(nn.Module):
    def forward(self, x):
        return x * nn.functional.relu6(x + 3) / 6


class BaseModule(nn.Module, metaclass=ABCMeta):
    def __init__(self, init_cfg=None):
        super().__init__()
        self._is_init = False
        self.init_cfg = copy.deepcopy(init_cfg)

    @property
    def is_init(self):
        return self._is_init

    @is_init.setter
    def is_init(self, v):
        self._is_init = v

    def init_weights(self):
        if not self.is_init:
            for m in self.children():
                if hasattr(m, "init_weights"):
                    m.init_weights()
            self.is_init = True
        else:
            warnings.warn(f"init_weights of {self.__class__.__name__} has been called more than once.")


class ConvModule(nn.Module):
    _abbr_ = "conv_block"

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        conv_cfg=None,
        norm_cfg=None,
        act_cfg=dict(type="ReLU"),
        inplace=True,
        order=("conv", "norm", "act"),
    ):
        super().__init__()
        assert isinstance(order, tuple) and len(order) == 3 and set(order) == {"conv", "norm", "act"}
        self.order = order
        self.with_norm, self.with_activation = norm_cfg is not None, act_cfg is not None
        self.conv = CONV.build(
            conv_cfg or dict(type="Conv2d"),
            in_channels=in_channels,
            out_channels=out_channels,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            bias=not self.with_norm,
        )
        self.in_channels = self.conv.in_channels
        if self.with_norm:
            norm_channels = out_channels if order.index("norm") > order.index("conv") else in_channels
            cfg = dict(norm_cfg)
            kind = cfg.pop("type")
            cls = NORM.get(kind)
            layer = (
                cls(num_channels=norm_channels, **cfg) if issubclass(cls, nn.GroupNorm) else cls(norm_channels, **cfg)
            )
            self.norm_name, norm = kind.lower(), layer
            self.add_module(self.norm_name, norm)
        else:
            self.norm_name = None
        if self.with_activation:
            act_cfg_ = act_cfg.copy()
            if act_cfg_["type"] not in ["Tanh", "PReLU", "Sigmoid", "HSwish", "Swish", "GELU"]:
                act_cfg_.setdefault("inplace", inplace)
            self.activate = ACT.build(act_cfg_)
        self.init_weights()

    @property
    def norm(self):
        return getattr(self, self.norm_name) if self.norm_name else None

    def init_weights(self):
        if not hasattr(self.conv, "init_weights"):
            a = 0.01 if self.with_activation and isinstance(self.activate, nn.LeakyReLU) else 0
            nn.init.kaiming_normal_(self.conv.weight, a=a, nonlinearity="relu" if not a else "leaky_relu")
        if self.with_norm:
            nn.init.constant_(self.norm.weight, 1)

    def forward(self, x, activate: bool = True, norm: bool = True):
        for layer in self.order:
            if layer == "conv":
                x = self.conv(x)
            elif layer == "norm" and norm and self.with_norm:
                x = self.norm(x)
            elif layer == "act" and activate and self.with_activation:
                x = self.activate(x)
        return x


class SEMixin:
    se_ratio = 4

    def make_se(self, c):
        self.se = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(c, c // self.se_ratio, 1),
            nn.ReLU(),
            nn.Conv2d(c // self.se_ratio, c, 1),
            nn.Sigmoid(),
        )

    def gate(self, x):
        return x * self.se(x)


class Bottleneck(SEMixin, BaseModule):
    expansion = 2

    def __init__(self, inplanes, planes, stride=1, downsample=None, with_cp=False, norm_cfg=dict(type="BN"), **kw):
        super().__init__(**kw)
        self.conv1 = ConvModule(inplanes, planes, 1, norm_cfg=norm_cfg)
        self.conv2 = ConvModule(planes, planes, 3, stride=stride, padding=1, norm_cfg=norm_cfg)
        self.conv3 = ConvModule(planes, planes * self.expansion, 1, norm_cfg=norm_cfg, act_cfg=None)
        self.make_se(planes * self.expansion)
        self.downsample, self.with_cp = downsample, with_cp

    def forward(self, x):
        def _inner_forward(x):
            identity = x
            out = self.conv3(self.conv2(self.conv1(x)))
            out = self.gate(out)
            if self.downsample is not None:
                identity = self.downsample(x)
            out += identity
            return out

        if self.with_cp and x.requires_grad:
            out = cp.checkpoint(_inner_forward, x)
        else:
            out = _inner_forward(x)
        return nn.functional.relu(out)


@BACKBONES.register_module()
class ResNet(BaseModule):
    arch_settings = {14: (Bottleneck, (1, 1, 1)), 26: (Bottleneck, (2, 2, 2))}

    def __init__(
        self,
        depth,
        base=8,
        num_stages=3,
        strides=(1, 2, 2),
        out_indices=(0, 1, 2),
        frozen_stages=-1,
        norm_cfg=dict(type="BN", requires_grad=True),
        norm_eval=True,
        zero_init=True,
        init_cfg=None,
    ):
        super().__init__(init_cfg)
        if depth not in self.arch_settings:
            raise KeyError(f"invalid depth {depth} for resnet")
        norm_cfg = {k: v for k, v in norm_cfg.items() if k != "requires_grad"}
        self.block, stage_blocks = self.arch_settings[depth]
        self.stem = ConvModule(3, base, 7, stride=2, padding=3, norm_cfg=norm_cfg)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.inplanes = base
        self.res_layers = []
        for i, num_blocks in enumerate(stage_blocks[:num_stages]):
            planes = base * 2**i
            layer = self.make_res_layer(planes, num_blocks, stride=strides[i], norm_cfg=norm_cfg)
            self.inplanes = planes * self.block.expansion
            name = f"layer{i + 1}"
            self.add_module(name, layer)
            self.res_layers.append(name)
        self.out_indices, self.frozen_stages, self.norm_eval = out_indices, frozen_stages, norm_eval
        self._freeze_stages()
        self.feat_dim = self.block.expansion * base * 2 ** (len(stage_blocks) - 1)

    def make_res_layer(self, planes, n, stride=1, **kw):
        layers, down = [], None
        if stride != 1 or self.inplanes != planes * self.block.expansion:
            down = ConvModule(self.inplanes, planes * self.block.expansion, 1, stride=stride, act_cfg=None, **kw)
        layers.append(self.block(self.inplanes, planes, stride, down, **kw))
        layers.extend(self.block(planes * self.block.expansion, planes, **kw) for _ in range(1, n))
        return nn.Sequential(*layers)

    def _freeze_stages(self):
        if self.frozen_stages >= 0:
            self.stem.eval()
            for param in self.stem.parameters():
                param.requires_grad = False
        for i in range(1, self.frozen_stages + 1):
            m = getattr(self, f"layer{i}")
            m.eval()
            for p in m.parameters():
                p.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self._freeze_stages()
        if mode and self.norm_eval:
            for m in self.modules():
                if isinstance(m, nn.modules.batchnorm._BatchNorm):
                    m.eval()
        return self

    def forward(self, x):
        x = self.maxpool(self.stem(x))
        outs = []
        for i, layer_name in enumerate(self.res_layers):
            x = getattr(self, layer_name)(x)
            if i in self.out_indices:
                outs.append(x)
        return tuple(outs)


class BaseHead(BaseModule):
    @abstractmethod
    def predict(self, x): ...
    def forward(self, *args, **kw):
        return self.predict(*args, **kw)


@HEADS.register_module(name="fpn")
class FPNHead(BaseHead):
    def __init__(
        self, in_channels: List[int], out_channels: int, num_classes: int, add_extra: Union[bool, str] = False
    ):
        super().__init__()
        assert isinstance(in_channels, list)
        self.lateral = nn.ModuleList()
        self.fpn = nn.ModuleList()
        for c in in_channels:
            self.lateral.append(ConvModule(c, out_channels, 1, act_cfg=None))
            self.fpn.append(ConvModule(out_channels, out_channels, 3, padding=1, act_cfg=None))
        self.cls, self.reg = (nn.Conv2d(out_channels, n, 3, padding=1) for n in (num_classes, 4))

    def predict(self, feats):
        laterals = [conv(feats[i]) for i, conv in enumerate(self.lateral)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] += nn.functional.interpolate(laterals[i], size=laterals[i - 1].shape[2:], mode="nearest")
        outs = [f(l) for f, l in zip(self.fpn, laterals)]
        return multi_apply(self.single, outs)

    def single(self, x):
        return self.cls(x), self.reg(x)


def multi_apply(func, *args, **kwargs):
    pfunc = functools.partial(func, **kwargs) if kwargs else func
    return tuple(map(list, zip(*map(pfunc, *args))))


@DETECTORS.register_module()
class Detector(BaseModule):
    def __init__(self, backbone: Dict[str, Any], head, train_cfg=None, test_cfg=None):
        super().__init__()
        self.backbone = BACKBONES.build(backbone)
        self.head = HEADS.build(head)

    @property
    def with_head(self):
        return hasattr(self, "head") and self.head is not None

    def extract_feat(self, x):
        return self.backbone(x)

    def forward(self, img, mode="tensor"):
        match mode:
            case "loss" | "predict":
                raise NotImplementedError
            case "tensor" if self.with_head:
                return self.head(self.extract_feat(img))
            case str() as m:
                return {m: self.extract_feat(img)}


model = dict(
    type="Detector",
    backbone=dict(type="ResNet", depth=14, frozen_stages=1),
    head=dict(type="fpn", in_channels=[16, 32, 64], out_channels=8, num_classes=5),
)
TRACE = {
    "DETECTORS.build(model)": {"concrete": {"mode": "tensor"}},
    "DETECTORS.build(model).train()": {"concrete": {"mode": "tensor"}},
    "ResNet(26, norm_cfg=dict(type='GN', num_groups=4))": {},
    "ResNet(14, out_indices=(2,))": {},
    "ConvModule(3, 8, 3, norm_cfg=dict(type='BN'), order=('act', 'conv', 'norm'))": {
        "concrete": {"activate": True, "norm": False}
    },
    "ConvModule(3, 8, 3, act_cfg=dict(type='HSwish'))": {"concrete": {"activate": True, "norm": True}},
    "Bottleneck(8, 4, with_cp=True)": {},
}
