import math, random, string, re
import typing as t
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import weight_norm, spectral_norm, remove_weight_norm
from torch.nn.init import xavier_uniform_ as xavier, calculate_gain
from torch.nn.utils.parametrizations import weight_norm as pweight_norm, spectral_norm as pspectral_norm

LRELU_SLOPE = 0.1


def init_weights(m, mean=0.0, std=0.01):
    if m.__class__.__name__.find("Conv") != -1:
        m.weight.data.normal_(mean, std)


def get_padding(kernel_size, dilation=1):
    return int((kernel_size * dilation - dilation) / 2)


class AttrDict(dict):
    def __init__(self, *args, **kwargs):
        super(AttrDict, self).__init__(*args, **kwargs)
        self.__dict__ = self


class ResBlock1(torch.nn.Module):
    def __init__(self, h, channels, kernel_size=3, dilation=(1, 3, 5)):
        super().__init__()
        self.h = h
        self.convs1 = nn.ModuleList(
            [
                weight_norm(
                    nn.Conv1d(channels, channels, kernel_size, 1, dilation=d, padding=get_padding(kernel_size, d))
                )
                for d in dilation
            ]
        )
        self.convs1.apply(init_weights)
        self.convs2 = nn.ModuleList(
            [
                weight_norm(
                    nn.Conv1d(channels, channels, kernel_size, 1, dilation=1, padding=get_padding(kernel_size, 1))
                )
                for _ in dilation
            ]
        )
        self.convs2.apply(init_weights)

    def forward(self, x):
        for c1, c2 in zip(self.convs1, self.convs2):
            xt = F.leaky_relu(x, LRELU_SLOPE)
            xt = c1(xt)
            xt = F.leaky_relu(xt, LRELU_SLOPE)
            xt = c2(xt)
            x = xt + x
        return x

    def remove_weight_norm(self):
        for l in self.convs1:
            remove_weight_norm(l)
        for l in self.convs2:
            remove_weight_norm(l)


H = AttrDict(
    upsample_rates=[2, 2],
    upsample_kernel_sizes=[4, 4],
    upsample_initial_channel=16,
    resblock_kernel_sizes=[3, 5],
    resblock_dilation_sizes=[[1, 3, 5], [1, 3, 5]],
)


class HiFiGAN(nn.Module):
    def __init__(self, h=H, fold=False):
        super().__init__()
        self.h = h
        self.num_kernels = len(h.resblock_kernel_sizes)
        self.num_upsamples = len(h.upsample_rates)
        self.conv_pre = weight_norm(nn.Conv1d(8, h.upsample_initial_channel, 7, 1, padding=3))
        self.ups = nn.ModuleList()
        for i, (u, k) in enumerate(zip(h.upsample_rates, h.upsample_kernel_sizes)):
            self.ups.append(
                weight_norm(
                    nn.ConvTranspose1d(
                        h.upsample_initial_channel // (2**i),
                        h.upsample_initial_channel // (2 ** (i + 1)),
                        k,
                        u,
                        padding=(k - u) // 2,
                    )
                )
            )
        self.resblocks = nn.ModuleList()
        for i in range(len(self.ups)):
            ch = h.upsample_initial_channel // (2 ** (i + 1))
            for j, (k, d) in enumerate(zip(h.resblock_kernel_sizes, h.resblock_dilation_sizes)):
                self.resblocks.append(ResBlock1(h, ch, k, d))
        self.conv_post = weight_norm(nn.Conv1d(ch, 1, 7, 1, padding=3))
        self.ups.apply(init_weights)
        self.conv_post.apply(init_weights)
        if fold:
            self.remove_weight_norm()

    def forward(self, x):
        x = self.conv_pre(x)
        for i in range(self.num_upsamples):
            x = F.leaky_relu(x, LRELU_SLOPE)
            x = self.ups[i](x)
            xs = None
            for j in range(self.num_kernels):
                if xs is None:
                    xs = self.resblocks[i * self.num_kernels + j](x)
                else:
                    xs += self.resblocks[i * self.num_kernels + j](x)
            x = xs / self.num_kernels
        x = F.leaky_relu(x)
        x = self.conv_post(x)
        return torch.tanh(x)

    def remove_weight_norm(self):
        for l in self.ups:
            remove_weight_norm(l)
        for l in self.resblocks:
            l.remove_weight_norm()
        remove_weight_norm(self.conv_pre)
        remove_weight_norm(self.conv_post)


class DiscriminatorP(nn.Module):
    def __init__(self, period=3, kernel_size=5, stride=3, use_spectral_norm=False):
        super().__init__()
        self.period = period
        norm_f = weight_norm if use_spectral_norm == False else spectral_norm
        self.convs = nn.ModuleList(
            [
                norm_f(nn.Conv2d(1, 4, (kernel_size, 1), (stride, 1), padding=(get_padding(5, 1), 0))),
                norm_f(nn.Conv2d(4, 8, (kernel_size, 1), (stride, 1))),
            ]
        )
        self.conv_post = norm_f(nn.Conv2d(8, 1, (3, 1), 1, padding=(1, 0)))

    def forward(self, x):
        fmap = []
        b, c, t_ = x.shape
        x = x.view(b, c, t_ // self.period, self.period)
        for l in self.convs:
            x = F.leaky_relu(l(x), LRELU_SLOPE)
            fmap.append(x)
        x = self.conv_post(x)
        fmap.append(x)
        return torch.flatten(x, 1, -1), fmap


class Swish(nn.Module):
    def forward(self, x):
        return x * x.sigmoid()


class GLU(nn.Module):
    def __init__(self, dim: int) -> None:
        super(GLU, self).__init__()
        self.dim = dim

    def forward(self, inputs):
        outputs, gate = inputs.chunk(2, dim=self.dim)
        return outputs * gate.sigmoid()


class Transpose(nn.Module):
    def __init__(self, shape: t.Tuple[int, int]):
        super().__init__()
        self.shape = shape

    def forward(self, x):
        return x.transpose(*self.shape)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int = 16, max_len: int = 50):
        super().__init__()
        pe = torch.zeros(max_len, d_model, requires_grad=False)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0), persistent=False)

    def forward(self, length):
        return self.pe[:, :length]


class RelAttention(nn.Module):
    def __init__(self, d=16, h=4):
        super().__init__()
        self.d, self.h, self.dh = d, h, int(d / h)
        self.sqrt_dim = math.sqrt(d)
        for name in "query key value pos".split():
            setattr(self, name + "_proj", nn.Linear(d, d, bias=name != "pos"))
        self.u_bias = nn.Parameter(torch.Tensor(self.h, self.dh))
        torch.nn.init.xavier_uniform_(self.u_bias)

    def forward(self, q, k, v, pos, mask=None):
        b = v.size(0)
        q = self.query_proj(q).view(b, -1, self.h, self.dh)
        k = self.key_proj(k).view(b, -1, self.h, self.dh).permute(0, 2, 1, 3)
        v = self.value_proj(v).view(b, -1, self.h, self.dh).permute(0, 2, 1, 3)
        content = torch.matmul((q + self.u_bias).transpose(1, 2), k.transpose(2, 3))
        p = self._shift(
            torch.matmul(q.transpose(1, 2), self.pos_proj(pos).view(b, -1, self.h, self.dh).permute(0, 2, 3, 1))
        )
        score = (content + p) / self.sqrt_dim
        if mask is not None:
            mask = mask.unsqueeze(1)
            score.masked_fill_(mask, -1e9)
        attn = F.softmax(score, -1)
        return torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, -1, self.d)

    def _shift(self, p):
        b, h, l1, l2 = p.size()
        zeros = p.new_zeros(b, h, l1, 1)
        padded = torch.cat([zeros, p], dim=-1).view(b, h, l2 + 1, l1)
        return padded[:, :, 1:].view_as(p)


class ConvModule(nn.Module):
    def __init__(self, c=16, k=31, expansion=2):
        super().__init__()
        assert (k - 1) % 2 == 0, "kernel_size should be a odd number for 'SAME' padding"
        self.sequential = nn.Sequential(
            nn.LayerNorm(c),
            Transpose(shape=(1, 2)),
            nn.Conv1d(c, c * expansion, 1),
            GLU(dim=1),
            nn.Conv1d(c, c, k, padding=(k - 1) // 2, groups=c, bias=False),
            nn.BatchNorm1d(c),
            Swish(),
            nn.Conv1d(c, c, 1),
            nn.Dropout(p=0.1),
        )

    def forward(self, x):
        return self.sequential(x).transpose(1, 2)


class CRNN(nn.Module):
    ALPHABET = string.ascii_lowercase + " '"

    def __init__(self, n=64, bidirectional=True):
        super().__init__()
        self.rnn = nn.GRU(n, 32, 2, batch_first=True, bidirectional=bidirectional)
        self.cell = nn.LSTMCell(32 * (1 + bidirectional), 8)
        self.fc = nn.Linear(8, len(self.ALPHABET) + 1)

    def forward(self, x, steps: int = 3):
        y, h = self.rnn(x)
        y = y[:, -1]
        hx, cx = torch.zeros(1, 8), torch.zeros(1, 8)
        outs = []
        for _ in range(steps):
            hx, cx = self.cell(y, (hx, cx))
            outs.append(self.fc(hx))
        return F.log_softmax(torch.stack(outs, 1), dim=-1)


TRACE = {
    "HiFiGAN": {},
    "HiFiGAN(fold=True)": {},
    "DiscriminatorP": {},
    "DiscriminatorP(use_spectral_norm=True)": {},
    "ConvModule": {},
    "RelAttention": {"concrete": {"mask": None}},
    "RelAttention()": {},
    "PositionalEncoding": {},
    "CRNN": {"concrete": {"steps": 3}},
    "CRNN(bidirectional=False)": {"concrete": {"steps": 2}},
    "pweight_norm(nn.Linear(3, 4))": {},
    "nn.Sequential(spectral_norm(nn.Linear(3, 4)), nn.ReLU())": {},
    "nn.Sequential(pspectral_norm(nn.Linear(3, 4)), nn.ReLU())": {},
}
