import copy
import dataclasses
import enum
import functools
import logging
import math
import os
import sys
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, asdict, replace
from enum import Enum, auto, IntEnum, Flag
from pathlib import Path
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    Final,
    Generic,
    Iterable,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
    runtime_checkable,
    TYPE_CHECKING,
)
import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.utils import _pair

if TYPE_CHECKING:
    from somewhere import Something

__all__ = ["ViT", "ViTConfig"]
log = logging.getLogger(__name__)
T = TypeVar("T", bound=nn.Module)
_T_co = TypeVar("_T_co", covariant=True)
PathLike = Union[str, os.PathLike]


class Pool(str, Enum):
    CLS = "cls"
    MEAN = "mean"
    MAP = auto()


class Norm(Enum):
    LAYER = functools.partial(nn.LayerNorm, eps=1e-6)
    RMS = "rms"


@dataclass(frozen=True)
class AttnConfig:
    heads: int = 4
    qkv_bias: bool = True
    qk_norm: bool = False
    drop: float = 0.0


@dataclass
class ViTConfig:
    image_size: int = 32
    patch: int = 8
    dim: int = 32
    depth: int = 2
    mlp_ratio: float = 4.0
    pool: Pool = Pool.CLS
    attn: AttnConfig = field(default_factory=AttnConfig)
    layer_scale: Optional[float] = None
    extra: Dict[str, Any] = field(default_factory=dict, repr=False)
    drop_path: List[float] = field(init=False)
    NUM: ClassVar[int] = 10

    def __post_init__(self):
        self.drop_path = [x.item() for x in torch.linspace(0, 0.1, self.depth)]
        if self.image_size % self.patch:
            raise ValueError(f"{self.image_size=} must be divisible by {self.patch=}")

    @property
    def num_patches(self) -> int:
        return (self.image_size // self.patch) ** 2

    @classmethod
    def tiny(cls, **kw) -> "ViTConfig":
        return cls(dim=16, depth=1, **kw)


@runtime_checkable
class HasForward(Protocol):
    def forward(self, x): ...


def to_2tuple(x):
    return x if isinstance(x, (tuple, list)) else (x, x)


class PatchEmbed(nn.Module):
    def __init__(self, img_size, patch_size, in_chans=3, embed_dim=768, norm_layer=None, flatten=True):
        super().__init__()
        img_size, patch_size = map(to_2tuple, (img_size, patch_size))
        self.grid_size = tuple(s // p for s, p in zip(img_size, patch_size))
        self.num_patches = self.grid_size[0] * self.grid_size[1]
        self.flatten = flatten
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)
        self.norm = norm_layer(embed_dim) if norm_layer else nn.Identity()

    def forward(self, x):
        x = self.proj(x)
        if self.flatten:
            x = x.flatten(2).transpose(1, 2)
        return self.norm(x)


class DropPath(nn.Module):
    def __init__(self, p: float = 0.0):
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        mask = x.new_empty((x.shape[0],) + (1,) * (3 - 1)).bernoulli_(keep)
        if keep > 0.0:
            mask.div_(keep)
        return x * mask

    def extra_repr(self) -> str:
        return f"p={round(self.p, 3):0.3f}"


class LayerScale(nn.Module):
    def __init__(self, dim, init_values=1e-5, inplace=False):
        super().__init__()
        self.inplace = inplace
        self.gamma = nn.Parameter(init_values * torch.ones(dim))

    def forward(self, x):
        return x.mul_(self.gamma) if self.inplace else x * self.gamma


class Attention(nn.Module):
    fused: Final[bool]

    def __init__(self, dim, cfg: AttnConfig):
        super().__init__()
        h = cfg.heads
        assert dim % h == 0, "dim should be divisible by num_heads"
        self.h, self.d = h, dim // h
        self.scale = self.d**-0.5
        self.fused = hasattr(F, "scaled_dot_product_attention")
        self.qkv = nn.Linear(dim, dim * 3, bias=cfg.qkv_bias)
        self.q_norm, self.k_norm = (
            (nn.LayerNorm(self.d), nn.LayerNorm(self.d)) if cfg.qk_norm else (nn.Identity(), nn.Identity())
        )
        self.proj = nn.Linear(dim, dim)
        self.drop = cfg.drop

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        if self.fused:
            x = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=self.drop if self.training else 0.0)
        else:
            attn = (q * self.scale) @ k.transpose(-2, -1)
            x = attn.softmax(-1) @ v
        return self.proj(x.transpose(1, 2).reshape(B, N, C))


class Mlp(nn.Sequential):
    def __init__(self, dim, hidden, act: Callable[[], nn.Module] = nn.GELU, p=0.0):
        super().__init__()
        for name, layer in [
            ("fc1", nn.Linear(dim, hidden)),
            ("act", act()),
            ("drop1", nn.Dropout(p)),
            ("fc2", nn.Linear(hidden, dim)),
            ("drop2", nn.Dropout(p)),
        ]:
            self.add_module(name, layer)


class Block(nn.Module):
    def __init__(self, c: ViTConfig, i: int):
        super().__init__()
        norm = Norm.LAYER.value
        self.norm1, self.norm2 = norm(c.dim), norm(c.dim)
        self.attn = Attention(c.dim, c.attn)
        self.mlp = Mlp(c.dim, int(c.dim * c.mlp_ratio))
        self.ls1 = LayerScale(c.dim, c.layer_scale) if c.layer_scale else nn.Identity()
        self.ls2 = copy.deepcopy(self.ls1)
        self.dp = DropPath(c.drop_path[i]) if c.drop_path[i] > 0 else nn.Identity()

    def forward(self, x):
        x = x + self.dp(self.ls1(self.attn(self.norm1(x))))
        x = x + self.dp(self.ls2(self.mlp(self.norm2(x))))
        return x


class ViT(nn.Module):
    config_class = ViTConfig
    _registry: Dict[str, Callable[..., "ViT"]] = {}

    def __init__(self, config: Optional[ViTConfig] = None, **overrides):
        super().__init__()
        c = self.config = replace(config, **overrides) if config is not None else ViTConfig(**overrides)
        self.embed = PatchEmbed(c.image_size, c.patch, embed_dim=c.dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, c.dim)) if c.pool is Pool.CLS else None
        n = self.embed.num_patches + (c.pool == Pool.CLS)
        self.pos = nn.Parameter(torch.randn(1, n, c.dim) * 0.02)
        self.blocks = nn.Sequential(*[Block(c, i) for i in range(c.depth)])
        self.norm = nn.LayerNorm(c.dim)
        match c.pool:
            case Pool.CLS | Pool.MEAN:
                self.attn_pool = None
            case Pool.MAP:
                self.attn_pool = nn.MultiheadAttention(c.dim, 4, batch_first=True)
                self.q = nn.Parameter(torch.zeros(1, 1, c.dim))
        self.head = nn.Linear(c.dim, c.NUM)
        nn.init.trunc_normal_(self.pos, std=0.02)
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)

    def __init_subclass__(cls, /, name=None, **kw):
        super().__init_subclass__(**kw)
        ViT._registry[name or cls.__name__.lower()] = cls

    def pooled(self, x):
        match self.config.pool:
            case Pool.CLS:
                return x[:, 0]
            case Pool.MEAN:
                return x.mean(dim=1)
            case Pool.MAP:
                out, _ = self.attn_pool(self.q.expand(x.shape[0], -1, -1), x, x, need_weights=False)
                return out.squeeze(1)
            case other:
                raise NotImplementedError(other)

    def forward(self, x):
        x = self.embed(x)
        if self.cls_token is not None:
            x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        x = x + self.pos
        return self.head(self.pooled(self.norm(self.blocks(x))))


class Tiny(ViT, name="tiny"):
    def __init__(self, **kw):
        super().__init__(ViTConfig.tiny(**kw))


def build(name: str, **kw) -> ViT:
    return ViT._registry[name](**kw)


TRACE = {
    "ViT": {},
    "ViT(pool=Pool.MEAN)": {},
    "ViT(pool=Pool.MAP, depth=1)": {},
    "build('tiny')": {},
    "Tiny(layer_scale=1e-5)": {},
    "ViT(attn=AttnConfig(qk_norm=True))": {},
}
