import inspect
from collections import defaultdict, namedtuple, deque, Counter, ChainMap
from typing import Optional, Union
import torch
from torch import nn, Tensor
import torch.nn.functional as F

Aggregated = namedtuple("Aggregated", ["node", "edge"], defaults=[None])


class MessagePassing(nn.Module):
    special_args = {"edge_index", "edge_index_i", "size"}

    def __init__(self, aggr: str = "add", flow="source_to_target", node_dim=0):
        super().__init__()
        self.aggr, self.flow, self.node_dim = aggr, flow, node_dim
        params = inspect.signature(self.message).parameters
        self.__msg_params__ = [n for n in params if n not in self.special_args]
        self._hooks = defaultdict(list)

    def propagate(self, edge_index, size=None, **kwargs):
        i, j = (1, 0) if self.flow == "source_to_target" else (0, 1)
        coll = {}
        for arg in self.__msg_params__:
            if arg[-2:] in ("_i", "_j"):
                data = kwargs.get(arg[:-2])
                coll[arg] = data.index_select(self.node_dim, edge_index[i if arg.endswith("_i") else j])
            else:
                coll[arg] = kwargs.get(arg, None)
        msg = self.message(**coll)
        out = self.aggregate(msg, edge_index[i], kwargs["x"].size(0))
        return self.update(out)

    def message(self, x_j):
        return x_j

    def aggregate(self, m, index, n):
        out = torch.zeros(n, m.size(-1)) if False else m.new_zeros((n, m.size(-1)))
        index = index.unsqueeze(-1).expand_as(m)
        if self.aggr in {"add", "sum"}:
            return out.scatter_add(0, index, m)
        elif self.aggr == "max":
            return out.scatter_reduce(0, index, m, reduce="amax", include_self=False)
        raise ValueError(f"unknown {self.aggr!r}")

    def update(self, x):
        return x

    def __repr__(self):
        return "{}({}, {})".format(self.__class__.__name__, self.aggr, self.flow)


class GCNConv(MessagePassing):
    def __init__(self, cin, cout, *, bias=True, **kwargs):
        kwargs.setdefault("aggr", "add")
        super().__init__(**kwargs)
        self.lin = nn.Linear(cin, cout, bias=False)
        if bias:
            self.bias = nn.Parameter(torch.empty(cout))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.lin.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Optional[Tensor] = None) -> Tensor:
        x = self.lin(x)
        out = self.propagate(edge_index, x=x, edge_weight=edge_weight)
        if self.bias is not None:
            out += self.bias
        return out

    def message(self, x_j, edge_weight):
        return x_j if edge_weight is None else edge_weight.view(-1, 1) * x_j


class GATConv(MessagePassing):
    def __init__(self, cin, cout, heads=2, concat=True, negative_slope=0.2, dropout=0.0):
        super().__init__(aggr="add")
        self.h, self.c, self.concat = heads, cout, concat
        self.ns, self.p = negative_slope, dropout
        self.lin_l = self.lin_r = nn.Linear(cin, heads * cout)
        self.att_l, self.att_r = (nn.Parameter(torch.Tensor(1, heads, cout)) for _ in "lr")
        for p in (self.att_l, self.att_r):
            nn.init.xavier_uniform_(p)

    def forward(self, x, edge_index):
        h, c = self.h, self.c
        xl = self.lin_l(x).view(-1, h, c)
        xr = self.lin_r(x).view(-1, h, c)
        al, ar = (xl * self.att_l).sum(dim=-1), (xr * self.att_r).sum(dim=-1)
        src, dst = edge_index[0], edge_index[1]
        alpha = F.leaky_relu(al[src] + ar[dst], self.ns)
        alpha = alpha - alpha.max()
        alpha = alpha.exp()
        denom = torch.zeros_like(al).index_add(0, dst, alpha)
        alpha = alpha / (denom[dst] + 1e-16)
        alpha = F.dropout(alpha, p=self.p, training=self.training)
        out = torch.zeros_like(xl).index_add_(0, dst, xl[src] * alpha.unsqueeze(-1))
        return out.view(-1, h * c) if self.concat else out.mean(dim=1)


class GIN(MessagePassing):
    def __init__(self, mlp: nn.Module, eps: float = 0.0, train_eps: bool = False):
        super().__init__()
        self.nn = mlp
        if train_eps:
            self.eps = nn.Parameter(torch.tensor([float(eps)]))
        else:
            self.register_buffer("eps", torch.tensor([float(eps)]))

    def forward(self, x, edge_index):
        return self.nn((1 + self.eps) * x + self.propagate(edge_index, x=x))


class GraphNet(nn.Module):
    convs = {
        "gcn": GCNConv,
        "gat": lambda i, o: GATConv(i, o // 2),
        "gin": lambda i, o: GIN(nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o)), train_eps=True),
    }

    def __init__(self, kind="gcn", dims=(8, 16, 16), classes=4, residual=False, jk=None):
        super().__init__()
        make = type(self).convs[kind]
        self.layers = nn.ModuleDict({f"{kind}{i}": make(a, b) for i, (a, b) in enumerate(zip(dims, dims[1:]))})
        self.norms = nn.ModuleList(nn.LayerNorm(d) for d in dims[1:])
        self.residual, self.jk = residual, jk
        self.out = nn.Linear(sum(dims[1:]) if jk == "cat" else dims[-1], classes)

    def forward(self, x, edge_index, batch=None):
        xs = []
        for (name, layer), norm in zip(self.layers.items(), self.norms):
            h = F.relu(norm(layer(x, edge_index)))
            x = h + x if self.residual and xs else h
            xs.append(x)
        x = torch.cat(xs, dim=-1) if self.jk == "cat" else torch.stack(xs).max(0).values if self.jk == "max" else x
        if batch is None:
            pooled = x.mean(0, keepdim=True)
        else:
            size = int(batch.max()) + 1
            pooled = x
        return Aggregated(node=self.out(x), edge=pooled)._asdict()


TRACE = {
    f"GraphNet('{k}', jk={j!r})": {"concrete": {"batch": None}}
    for k in ("gcn", "gat", "gin")
    for j in (None, "cat", "max")
}
TRACE["GraphNet(residual=True)"] = {"concrete": {"batch": None}}
TRACE["GCNConv(4, 8, bias=False)"] = {"concrete": {"edge_weight": None}}
TRACE["GraphNet()"] = {}
