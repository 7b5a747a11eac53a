# SPDX-License-Identifier: GPL-3.0-or-later
"""Language, sound and table models: NETS gives (model, example inputs). All can be traced and exported."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Heads over one projection or three, with an additive bias; self or cross attention."""

    def __init__(self, width, heads, packed=False, fused=False):
        super().__init__()
        self.heads, self.packed, self.fused = heads, packed, fused
        if packed:
            self.c_attn = nn.Linear(width, 3 * width)
        else:
            self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.c_proj, self.dropout = nn.Linear(width, width), nn.Dropout(0.1)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, x.size(2) // self.heads).permute(0, 2, 1, 3)

    def forward(self, x, bias=None, other=None):
        if self.packed:
            q, k, v = self.c_attn(x).chunk(3, dim=-1)
        else:
            source = x if other is None else other
            q, k, v = self.query(x), self.key(source), self.value(source)
        q, k, v = self.split(q), self.split(k), self.split(v)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(8)
            scores = scores if bias is None else scores + bias
            y = torch.matmul(self.dropout(F.softmax(scores, dim=-1)), v)
        y = y.permute(0, 2, 1, 3).contiguous()
        return self.c_proj(y.view(x.size(0), x.size(1), -1))


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.attention_norm = Attention(width, heads), nn.LayerNorm(width, eps=1e-12)
        self.intermediate, self.output = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.output_norm, self.dropout = nn.LayerNorm(width, eps=1e-12), nn.Dropout(0.1)

    def forward(self, x, bias):
        x = self.attention_norm(self.dropout(self.attention(x, bias)) + x)
        return self.output_norm(self.dropout(self.output(F.gelu(self.intermediate(x)))) + x)


class Bert(nn.Module):
    def __init__(self, layers=4, width=16, heads=2, vocabulary=50):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, width, padding_idx=0)
        self.position_embeddings, self.token_type_embeddings = nn.Embedding(32, width), nn.Embedding(2, width)
        self.norm, self.dropout = nn.LayerNorm(width, eps=1e-12), nn.Dropout(0.1)
        self.register_buffer("position_ids", torch.arange(8).expand((1, -1)), persistent=False)
        self.layer = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.pooler, self.classifier = nn.Sequential(nn.Linear(width, width), nn.Tanh()), nn.Linear(width, 3)

    def forward(self, input_ids, attention_mask, token_type_ids):
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        x = self.dropout(self.norm(x + self.position_embeddings(self.position_ids)))
        bias = (1.0 - attention_mask[:, None, None, :].to(dtype=torch.float32)) * torch.finfo(torch.float32).min
        for layer in self.layer:
            x = layer(x, bias)
        pooled = self.pooler(x[:, 0])
        return {"last_hidden_state": x, "pooler_output": pooled, "logits": self.classifier(self.dropout(pooled))}


class Gpt2Block(nn.Module):
    def __init__(self, width, heads, fused):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), Attention(width, heads, True, fused), nn.LayerNorm(width)
        self.c_fc, self.c_proj, self.dropout = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.Dropout(0.1)

    @staticmethod
    def gelu_new(x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))

    def forward(self, x, bias):
        x = x + self.attn(self.ln_1(x), bias)
        return x + self.dropout(self.c_proj(self.gelu_new(self.c_fc(self.ln_2(x)))))


class Gpt2(nn.Module):
    def __init__(self, layers=3, width=16, heads=2, vocabulary=50, fused=False):
        super().__init__()
        self.wte, self.wpe, self.drop = nn.Embedding(vocabulary, width), nn.Embedding(32, width), nn.Dropout(0.1)
        self.h = nn.ModuleList(Gpt2Block(width, heads, fused) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight
        self.register_buffer("bias", torch.full((8, 8), float("-inf")).triu(1))

    def forward(self, input_ids):
        x = self.drop(self.wte(input_ids) + self.wpe(torch.arange(input_ids.size(1), device=input_ids.device)))
        for block in self.h:
            x = block(x, self.bias)
        return self.lm_head(self.ln_f(x))


class Vit(nn.Module):
    def __init__(self, layers=3, width=16, heads=2):
        super().__init__()
        self.conv_proj, self.class_token = nn.Conv2d(3, width, 8, 8), nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embedding = nn.Parameter(torch.randn(1, 17, width))
        self.layers = nn.ModuleList(Gpt2Block(width, heads, False) for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, 10)

    def forward(self, x):
        n = x.shape[0]
        x = self.conv_proj(x).reshape(n, 16, 16).permute(0, 2, 1)
        x = torch.cat([self.class_token.expand(n, -1, -1), x], dim=1) + self.pos_embedding
        for layer in self.layers:
            x = layer(x, None)
        return self.head(self.ln(x)[:, 0])


class RmsNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + self.eps)).type_as(x)


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q_proj, self.o_proj = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, groups * self.size, bias=False)
        self.v_proj = nn.Linear(width, groups * self.size, bias=False)
        self.gate_proj, self.up_proj = nn.Linear(width, 2 * width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.down_proj = nn.Linear(2 * width, width, bias=False)
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(width), RmsNorm(width)

    @staticmethod
    def rotate(x, cos, sin):
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin

    def forward(self, x, cos, sin, mask):
        n, t, width = x.size()
        y = self.input_layernorm(x)
        q = self.rotate(self.q_proj(y).view(n, t, self.heads, self.size).transpose(1, 2), cos, sin)
        k = self.rotate(self.k_proj(y).view(n, t, self.groups, self.size).transpose(1, 2), cos, sin)
        v = self.v_proj(y).view(n, t, self.groups, self.size).transpose(1, 2)
        k, v = (z.repeat_interleave(self.heads // self.groups, dim=1) for z in (k, v))
        scores = (q @ k.transpose(2, 3) * self.size**-0.5).masked_fill(mask, float("-inf"))
        x = x + self.o_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, width))
        y = self.post_attention_layernorm(x)
        return x + self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


class Llama(nn.Module):
    def __init__(self, layers=2, width=16, heads=4, groups=2, vocabulary=50, length=8):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, groups) for _ in range(layers))
        self.norm, self.lm_head = RmsNorm(width), nn.Linear(width, vocabulary, bias=False)
        size = width // heads
        angles = torch.outer(torch.arange(length), 1.0 / 10000 ** (torch.arange(0, size, 2) / size)).repeat(1, 2)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.register_buffer("mask", torch.triu(torch.ones(length, length, dtype=torch.bool), 1), persistent=False)

    def forward(self, input_ids):
        x = self.embed_tokens(input_ids)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin, self.mask)
        return self.lm_head(self.norm(x)).float()


class T5(nn.Module):
    """Encoder and decoder with cross attention and one table of relative positions."""

    def __init__(self, width=16, heads=2, vocabulary=50):
        super().__init__()
        self.shared = nn.Embedding(vocabulary, width)
        self.encoder = nn.ModuleList(nn.ModuleList([RmsNorm(width), Attention(width, heads), RmsNorm(width)]) for _ in range(2))
        self.decoder = nn.ModuleList(nn.ModuleList([RmsNorm(width), Attention(width, heads), RmsNorm(width),
                                                    Attention(width, heads), RmsNorm(width)]) for _ in range(2))
        self.feed = nn.ModuleList(nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, width)) for _ in range(4))
        self.relative = nn.Embedding(32, heads)
        self.register_buffer("buckets", torch.arange(8)[None, :] - torch.arange(8)[:, None] + 8)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, input_ids, decoder_input_ids):
        bias = self.relative(self.buckets).permute([2, 0, 1]).unsqueeze(0)
        x = self.shared(input_ids)
        for (norm1, attention, norm2), feed in zip(self.encoder, self.feed[:2]):
            x = x + attention(norm1(x), bias)
            x = x + feed(norm2(x))
        y = self.shared(decoder_input_ids)
        for (norm1, attention, norm2, cross, norm3), feed in zip(self.decoder, self.feed[2:]):
            y = y + attention(norm1(y), bias)
            y = y + cross(norm2(y), None, x)
            y = y + feed(norm3(y))
        return self.lm_head(y * (16**-0.5)), x


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(50, 8), nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(12, 5)

    def forward(self, x):
        y, (hidden, cell) = self.lstm(self.embedding(x))
        return F.log_softmax(self.out(y), dim=-1), hidden[-1] + cell[0]


class LstmByHand(nn.Module):
    """Cells unrolled over five steps."""

    def __init__(self, width=6):
        super().__init__()
        self.ih, self.hh, self.h0 = nn.Linear(4, 4 * width), nn.Linear(width, 4 * width), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        h = self.h0.expand(x.size(0), -1)
        c = torch.zeros_like(h)
        outputs = []
        for t in range(5):
            i, f, g, o = (self.ih(x[:, t]) + self.hh(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = o.sigmoid() * c.tanh()
            outputs.append(h)
        return torch.stack(outputs, dim=1), (h, c)


class SeqToSeq(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.encoder, self.cell = nn.Embedding(20, 8), nn.GRU(8, 8, batch_first=True), nn.GRUCell(8, 8)
        self.out = nn.Linear(16, 20)

    def forward(self, source, target):
        memory, hidden = self.encoder(self.embedding(source))
        hidden, logits = hidden.squeeze(0), []
        for t in range(4):
            hidden = self.cell(self.embedding(target[:, t]), hidden)
            weights = torch.einsum("bth,bh->bt", memory, hidden).softmax(1)
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            logits.append(self.out(torch.cat([hidden, context], -1)))
        return torch.stack(logits, 1)


class TextCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.convs = nn.ModuleList(nn.Conv1d(8, 4, k) for k in (2, 3, 4))
        self.fc = nn.Linear(12, 3)

    def forward(self, x):
        x = self.embedding(x).transpose(1, 2)
        return self.fc(torch.cat([F.max_pool1d(F.relu(conv(x)), 5).amax(2) for conv in self.convs], 1))


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Conv1d(1, 8, 1)
        self.filters = nn.ModuleList(nn.Conv1d(8, 8, 2, dilation=2**i) for i in range(5))
        self.gates = nn.ModuleList(nn.Conv1d(8, 8, 2, dilation=2**i) for i in range(5))
        self.skips = nn.ModuleList(nn.Conv1d(8, 8, 1) for _ in range(5))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(8, 16, 1))

    def forward(self, x):
        x, skip = self.start(x), 0
        for i, (a, b, c) in enumerate(zip(self.filters, self.gates, self.skips)):
            y = F.pad(x, (2**i, 0))
            y = torch.tanh(a(y)) * torch.sigmoid(b(y))
            skip = c(y) + skip
            x = x + y
        return self.end(skip)


class Recommender(nn.Module):
    """Embeddings, pairwise products and a tower (DLRM)."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.EmbeddingBag(10, 4, mode="sum") for _ in range(3))
        self.bottom = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
        self.register_buffer("pairs", torch.tril_indices(4, 4, -1))

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        rows = torch.stack([x] + [table(sparse[:, i]) for i, table in enumerate(self.embeddings)], dim=1)
        products = torch.bmm(rows, rows.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat([x, products], dim=1)).squeeze(1)


class Experts(nn.Module):
    def __init__(self, experts=4):
        super().__init__()
        self.gate = nn.Linear(8, experts)
        self.w1, self.w2 = nn.Parameter(torch.randn(experts, 8, 16)), nn.Parameter(torch.randn(experts, 16, 8))

    def forward(self, x):
        weights, index = torch.topk(self.gate(x).softmax(-1), 2, dim=-1)
        y = torch.einsum("bd,edh->beh", x, self.w1).relu()
        y = torch.einsum("beh,ehd->bed", y, self.w2)
        chosen = torch.gather(y, 1, index.unsqueeze(-1).expand(-1, -1, 8))
        return (chosen * weights.unsqueeze(-1)).sum(dim=1), index


class Conformer(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.norm1, self.feed = nn.LayerNorm(width), nn.Sequential(nn.Linear(width, 16), nn.SiLU(), nn.Linear(16, width))
        self.norm2, self.attention = nn.LayerNorm(width), nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm3 = nn.LayerNorm(width)
        self.conv = nn.Sequential(nn.Conv1d(width, 2 * width, 1), nn.GLU(dim=1), nn.Conv1d(width, width, 3, padding=1, groups=width),
                                  nn.BatchNorm1d(width), nn.SiLU(), nn.Conv1d(width, width, 1))

    def forward(self, x):
        x = x + 0.5 * self.feed(self.norm1(x))
        y = self.norm2(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.conv(self.norm3(x).transpose(1, 2)).transpose(1, 2)


class LeafEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu")
        self.embedding, self.encoder = nn.Embedding(20, 8), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, ids):
        return self.encoder(self.embedding(ids)).mean(dim=1)


class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x, edges, weight):
        for layer in self.layers:
            messages = layer(x)[edges[0]] * weight[:, None]
            x = torch.zeros_like(x).index_add(0, edges[1], messages).relu() + x
        return x


class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.time, self.conv_in = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 8)), nn.Conv2d(3, 8, 3, padding=1)
        self.norm1, self.conv1 = nn.GroupNorm(2, 8), nn.Conv2d(8, 8, 3, padding=1)
        self.norm2, self.conv2, self.out = nn.GroupNorm(2, 8), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 3, 3, padding=1)
        self.register_buffer("frequencies", torch.exp(-math.log(10000.0) * torch.arange(4) / 4))

    def forward(self, x, step):
        angles = step[:, None].float() * self.frequencies[None]
        emb = self.time(torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1))
        h = self.conv_in(x)
        y = self.conv1(F.silu(self.norm1(h))) + emb[:, :, None, None]
        return self.out(self.conv2(F.silu(self.norm2(y))) + h)


class Scan(nn.Module):
    """A selective state space, six steps."""

    def __init__(self, width=4, states=3):
        super().__init__()
        self.a_log, self.d = nn.Parameter(torch.randn(width, states)), nn.Parameter(torch.ones(width))
        self.project, self.states = nn.Linear(width, width + 2 * states), states

    def forward(self, x):
        a = -torch.exp(self.a_log)
        delta, b, c = self.project(x).split([4, self.states, self.states], dim=-1)
        delta = F.softplus(delta)
        h, ys = torch.zeros(x.size(0), 4, self.states) if not isinstance(x, torch.fx.Proxy) else 0.0, []
        for t in range(6):
            h = torch.exp(delta[:, t, :, None] * a) * h + delta[:, t, :, None] * b[:, t, None] * x[:, t, :, None]
            ys.append((h * c[:, t, None]).sum(-1))
        return torch.stack(ys, 1) + x * self.d


def ids(*sizes, count=1):
    return lambda: tuple(torch.randint(20, sizes) for _ in range(count))


NETS = {
    "bert": (Bert, lambda: (torch.randint(20, (2, 8)), torch.ones(2, 8), torch.zeros(2, 8, dtype=torch.long))),
    "gpt2": (Gpt2, ids(2, 8)), "gpt2_fused": (lambda: Gpt2(fused=True), ids(2, 8)),
    "vit": (Vit, lambda: (torch.randn(2, 3, 32, 32),)), "llama": (Llama, ids(2, 8)), "t5": (T5, ids(2, 8, count=2)),
    "tagger": (Tagger, ids(2, 7)), "lstm_by_hand": (LstmByHand, lambda: (torch.randn(2, 5, 4),)),
    "seq_to_seq": (SeqToSeq, ids(2, 4, count=2)), "text_cnn": (TextCnn, ids(2, 12)),
    "wave_net": (WaveNet, lambda: (torch.randn(1, 1, 40),)),
    "recommender": (Recommender, lambda: (torch.randn(2, 6), torch.randint(10, (2, 3, 2)))),
    "experts": (Experts, lambda: (torch.randn(3, 8),)), "conformer": (Conformer, lambda: (torch.randn(2, 6, 8),)),
    "leaf_encoder": (LeafEncoder, ids(2, 6)),
    "graph_net": (GraphNet, lambda: (torch.randn(5, 4), torch.randint(5, (2, 7)), torch.rand(7))),
    "diffusion": (Diffusion, lambda: (torch.randn(2, 3, 8, 8), torch.tensor([3, 5]))),
    "scan": (Scan, lambda: (torch.randn(2, 6, 4),)),
}
