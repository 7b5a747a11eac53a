import abc, contextlib, operator, types, weakref, itertools, collections.abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial, partialmethod, reduce, singledispatch, wraps, total_ordering
from numbers import Number
import numpy as np
import torch as th
from torch import nn
from torch.distributions import Categorical, Normal
from typing import Any, Self


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    th.nn.init.orthogonal_(layer.weight, std)
    th.nn.init.constant_(layer.bias, bias_const)
    return layer


class Space:
    def __init__(self, shape=(), n=None):
        self.shape, self.n = shape, n


class Envs:
    single_observation_space = Space((4,))
    single_action_space = Space(n=2)


class Agent(nn.Module):
    def __init__(self, envs=Envs):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(np.array(envs.single_observation_space.shape).prod(), 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(np.array(envs.single_observation_space.shape).prod(), 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, envs.single_action_space.n), std=0.01),
        )

    def get_value(self, x):
        return self.critic(x)

    def forward(self, x):
        logits = self.actor(x)
        return logits - logits.logsumexp(dim=-1, keepdim=True), self.get_value(x)


class QNet(nn.Module):
    def __init__(self, obs=(4, 84, 84), n=6, dueling=True, noisy=False, n_atoms=51, v_min=-100, v_max=100):
        super().__init__()
        self.register_buffer("atoms", th.linspace(v_min, v_max, steps=n_atoms))
        c, h, w = obs
        sizes = [(8, 4), (4, 2), (3, 1)]
        conv_out = lambda s: reduce(lambda v, ks: (v - ks[0]) // ks[1] + 1, sizes, s)
        feats = 8 * conv_out(h) * conv_out(w)
        chans = [c] + [8] * 3
        mods = itertools.chain.from_iterable(
            (nn.Conv2d(i, o, k, stride=s), nn.ReLU()) for i, o, (k, s) in zip(chans, chans[1:], sizes)
        )
        self.conv = nn.Sequential(*mods, nn.Flatten())
        self.dueling = dueling
        lin = NoisyLinear if noisy else nn.Linear
        self.adv = nn.Sequential(lin(feats, 32), nn.ReLU(), lin(32, n))
        if dueling:
            self.val = nn.Sequential(lin(feats, 32), nn.ReLU(), lin(32, 1))

    def forward(self, x):
        x = self.conv(x / 255.0)
        a = self.adv(x)
        if not self.dueling:
            return a
        return self.val(x) + a - a.mean(1, keepdim=True)


class NoisyLinear(nn.Module):
    def __init__(self, i, o, std_init=0.5):
        super().__init__()
        self.i, self.o, self.std_init = i, o, std_init
        self.weight_mu = nn.Parameter(th.FloatTensor(o, i))
        self.weight_sigma = nn.Parameter(th.FloatTensor(o, i))
        self.register_buffer("weight_epsilon", th.FloatTensor(o, i))
        self.bias_mu = nn.Parameter(th.FloatTensor(o))
        self.bias_sigma = nn.Parameter(th.FloatTensor(o))
        self.register_buffer("bias_epsilon", th.FloatTensor(o))
        self.reset_parameters()
        self.reset_noise()

    def reset_parameters(self):
        r = 1 / np.sqrt(self.i)
        self.weight_mu.data.uniform_(-r, r)
        self.bias_mu.data.uniform_(-r, r)
        self.weight_sigma.data.fill_(self.std_init / np.sqrt(self.i))
        self.bias_sigma.data.fill_(self.std_init / np.sqrt(self.o))

    def _scale(self, size):
        x = th.randn(size)
        return x.sign().mul_(x.abs().sqrt_())

    def reset_noise(self):
        ei, eo = self._scale(self.i), self._scale(self.o)
        self.weight_epsilon.copy_(eo.ger(ei))
        self.bias_epsilon.copy_(eo)

    def forward(self, x):
        if self.training:
            return nn.functional.linear(
                x,
                self.weight_mu + self.weight_sigma * self.weight_epsilon,
                self.bias_mu + self.bias_sigma * self.bias_epsilon,
            )
        return nn.functional.linear(x, self.weight_mu, self.bias_mu)


class SquashedActor(nn.Module):
    LOG_STD_MIN, LOG_STD_MAX = -20, 2

    def __init__(self, obs=8, act=2, hidden=(32, 32), activation=nn.ReLU, low=-2.0, high=2.0):
        super().__init__()
        sizes = [obs, *hidden]
        self.net = mlp(sizes, activation, activation)
        self.mu_layer, self.log_std_layer = nn.Linear(hidden[-1], act), nn.Linear(hidden[-1], act)
        self.register_buffer("action_scale", th.tensor((np.float32(high) - np.float32(low)) / 2.0, dtype=th.float32))
        self.register_buffer("action_bias", th.tensor((high + low) / 2.0))

    def forward(self, obs, deterministic: bool = True, with_logprob: bool = True):
        out = self.net(obs)
        mu, log_std = self.mu_layer(out), self.log_std_layer(out)
        log_std = th.clamp(log_std, self.LOG_STD_MIN, self.LOG_STD_MAX)
        std = th.exp(log_std)
        pi = mu if deterministic else mu + std * th.randn_like(mu)
        logp = None
        if with_logprob:
            logp = (-((pi - mu) ** 2) / (2 * std**2) - log_std - float(np.log(np.sqrt(2 * np.pi)))).sum(axis=-1)
            logp -= (2 * (np.log(2) - pi - nn.functional.softplus(-2 * pi))).sum(axis=1) if False else logp * 0
        pi = th.tanh(pi)
        return pi * self.action_scale + self.action_bias, logp


def mlp(sizes, activation, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


class DecisionTransformer(nn.Module):
    def __init__(self, state_dim=4, act_dim=2, hidden=16, max_ep=100):
        super().__init__()
        layer = nn.TransformerEncoderLayer(hidden, 2, 32, batch_first=True, norm_first=True)
        self.embed_timestep = nn.Embedding(max_ep, hidden)
        self.embed_return = th.nn.Linear(1, hidden)
        self.embed_state, self.embed_action = nn.Linear(state_dim, hidden), nn.Linear(act_dim, hidden)
        self.embed_ln = nn.LayerNorm(hidden)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.predict = nn.Sequential(*([nn.Linear(hidden, act_dim)] + ([nn.Tanh()] if True else [])))

    def forward(self, states, actions, returns_to_go, timesteps):
        bs, n = states.shape[0], states.shape[1]
        t = self.embed_timestep(timesteps)
        s, a, r = (
            e(v) + t
            for e, v in ((self.embed_state, states), (self.embed_action, actions), (self.embed_return, returns_to_go))
        )
        x = th.stack((r, s, a), dim=1).permute(0, 2, 1, 3).reshape(bs, 3 * n, 16)
        x = self.blocks(self.embed_ln(x))
        x = x.reshape(bs, n, 3, 16).permute(0, 2, 1, 3)
        return self.predict(x[:, 1])


class RunningMeanStd(nn.Module):
    def __init__(self, shape=(4,), epsilon=1e-4):
        super().__init__()
        self.register_buffer("mean", th.zeros(shape))
        self.register_buffer("var", th.ones(shape))
        self.register_buffer("count", th.tensor(epsilon))

    def forward(self, x):
        return ((x - self.mean) / th.sqrt(self.var + 1e-8)).clamp(-10, 10)


TRACE = {
    "Agent": {},
    "QNet": {},
    "QNet(noisy=True)": {},
    "QNet(noisy=True).eval()": {},
    "QNet(dueling=False)": {},
    "SquashedActor": {"concrete": {"deterministic": True, "with_logprob": True}},
    "SquashedActor()": {"concrete": {"deterministic": False, "with_logprob": False}},
    "DecisionTransformer": {},
    "RunningMeanStd": {},
    "NoisyLinear(3, 4)": {},
}
