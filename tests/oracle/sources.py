"""Compares patterns and replacements that are general Python, or nn.Module classes, with torch.fx.

    sources.py --lancet BIN

Functions: `lancet replace` with each function as the replacement, beside torch.fx's replace_pattern_with_filters with the same
function. Classes: the same with classes on both sides, made after torch.manual_seed(0); the file that lancet writes is loaded by PyTorch,
and code, modules and all weights are compared bit by bit. Exit 1: a difference.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.subgraph_rewriter import replace_pattern_with_filters

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport operator\nimport math\n\n"

FUNCTIONS = '''
N = 3
SCALES = [0.5, 2, True]
NAMES = {"first": torch.relu, "second": torch.neg}

def scaled(x, k=2, *, shift=1):
    """A helper."""
    return x * k + shift

def twice(f, x):
    return f(f(x))

def gathered(*xs, **options):
    return torch.cat(xs, **options)

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def f_range(x, y):
    for i in range(N):
        x = x + i
    return torch.mul(x, y)

def f_range_step(x, y):
    for i in range(10, 0, -3):
        x = x - i * 2
    return x / y

def f_tuple(x, y):
    for name, k in (("relu", 1), ("neg", 2.5)):
        x = getattr(torch, name)(x) * k
    return x + y

def f_nested(x, y):
    for i in range(2):
        for j in range(i + 1):
            x = torch.relu(x) if (i + j) % 2 else torch.neg(x)
    return x, y

def f_if(x, y):
    mode = "b"
    if mode == "a":
        z = x
    elif mode in ("b", "c") and not None:
        z = y
    else:
        z = x + y
    return z.relu() + x

def f_break(x, y):
    for i in range(10):
        if i == 1:
            continue
        if i > 3:
            break
        x = x + i
    return x + y

def f_while(x, y):
    n = 5
    while n > 1:
        x, y = y, x
        n //= 2
    return x - y

def f_list(x, y):
    parts = [t * k for t in (x, y) for k in SCALES if k != 2]
    return torch.cat(parts, dim=-1)

def f_generator(x, y):
    return torch.stack(tuple(torch.relu(t) for t in (x, y)))

def f_dict(x, y):
    made = {k: v(x) for k, v in NAMES.items()}
    return made["first"] + made["second"] * y

def f_helper(x, y):
    return scaled(x) + scaled(y, 3, shift=0.5)

def f_higher(x, y):
    return twice(torch.relu, x) + twice(lambda t: t * 2 + 1, y)

def f_star(x, y):
    pair = (x, y)
    return gathered(*pair, dim=1) + gathered(y, x)

def f_recursion(x, y):
    return x * fib(7) + y

def f_closure(x, y):
    k = math.sqrt(16)
    def inner(t, n=N):
        return t * k + n
    return inner(x) + inner(y, n=0)

def f_enumerate(x, y):
    total = 0
    for i, t in enumerate([x, y, x]):
        total = total + t * i
    return total

def f_sum_zip(x, y):
    return sum(a * b for a, b in zip((x, y), (2, 3)))

def f_map(x, y):
    a, b = map(torch.neg, (x, y))
    return a @ b

def f_default(x, y, k=None):
    if k is None:
        k = 4
    return x + y

def f_slices(x, y):
    pieces = [x[:, i:i + 2] for i in range(0, 6, 2)]
    return pieces[-1] + y[..., None, 0]

def f_strings(x, y):
    kinds = "relu neg".split() if False else ["relu", "neg"]
    for kind in reversed(kinds):
        x = getattr(x, kind)()
    return x + len(kinds) + y

def f_unpack(x, y):
    (a, b), c = (x, y), 3
    a += c
    b *= a
    return a, b

def f_early(x, y):
    for i in range(4):
        x = torch.relu(x)
        if i == 1:
            return x, y
    return y, x

def f_setdefault(x, y):
    chosen = [f for f in (torch.sin, torch.cos, torch.tan) if f is not torch.cos]
    return chosen[0](x) + chosen[1](y)

def f_lazy(x, y):
    for i, t in enumerate(map(torch.relu, (x, y))):
        x = x + t * i
    return x + y

def f_zip_lazy(x, y):
    made = zip((t.neg() for t in (x, y)), map(lambda t: t.abs(), [y, x]))
    a, b = [p + q for p, q in made]
    return a / b

def f_any(x, y):
    if any(k > 2 for k in SCALES) or all(k for k in (1, 2)):
        return x + y
    return x - y

def f_next(x, y):
    rest = iter([x, y])
    first = next(rest)
    return first * 2 + next(rest)

def f_walk(x, y):
    layers = {"a": torch.relu, "b": torch.tanh}
    for key in sorted(layers):
        x = layers[key](x)
    return x * y

def f_text(x, y):
    name = "relu" + "" if "e" in "relu" else "neg"
    return getattr(torch, name)(x).view(-1, *[2, 2]) + y

def f_chain(x, y):
    if 1 < N <= 3 != 4:
        x = -x
    return x @ y if N else y

def f_nested_def(x, y):
    def outer(t, *rest, scale=1):
        def inner(u):
            return u * scale + len(rest)
        return inner(t)
    return outer(x, 1, 2, scale=3) + outer(y)

def f_max(x, y):
    return x * max(2, N) + y * min(SCALES[:2]) + abs(-2) ** 2
'''

CLASSES = {
    "linear for linear": ('''
class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return torch.relu(self.lin(x))
''', '''
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Linear(4, 2)
        self.up = nn.Linear(2, 4, bias=False)
    def forward(self, x):
        return self.up(F.gelu(self.down(x)))
'''),
    "parameters and buffers": ('''
class P(nn.Module):
    def forward(self, x):
        return torch.neg(x)
''', '''
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(4))
        self.table = nn.Parameter(torch.randn(4, 9), requires_grad=False)
        self.shift = nn.Parameter(torch.rand(4))
        self.register_buffer("steps", torch.arange(4))
        self.register_buffer("hidden", torch.full((4,), 0.25), persistent=False)
        self.plain = torch.ones(4)
    def forward(self, x):
        return x * self.scale + self.shift + self.steps + self.hidden + self.plain + self.table.sum()
'''),
    "nested classes and loops": ('''
class P(nn.Module):
    def forward(self, x):
        return torch.neg(x)
''', '''
WIDTH = 4

class Block(nn.Module):
    def __init__(self, width, act=F.relu, depth=1):
        super(Block, self).__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.act = act
    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return self.norm(x)

class Deep(Block):
    def __init__(self):
        super().__init__(WIDTH, depth=2)
    def forward(self, x):
        return super().forward(x) + x

class R(nn.Module):
    factor = 3
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(WIDTH), Deep(), nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()))
        self.shared = nn.Linear(WIDTH, WIDTH)
        self.named = nn.ModuleDict({"a": nn.Identity(), "b": self.shared})
    def twice(self, x):
        return self.shared(self.shared(x)) * self.factor
    def forward(self, x):
        return self.twice(self.blocks(x)) + self.named["b"](self.named["a"](x))
'''),
    "initialised": ('''
class P(nn.Module):
    def forward(self, x, y):
        return torch.add(x, y)
''', '''
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        nn.init.xavier_uniform_(self.lin.weight, gain=2.0)
        nn.init.zeros_(self.lin.bias)
        self.w = nn.Parameter(torch.empty(4, 4))
        nn.init.normal_(self.w, std=0.02)
        self.v = nn.Parameter(torch.zeros(4))
        self.reset_parameters()
        self.emb = nn.Embedding(7, 4)
    def reset_parameters(self):
        nn.init.uniform_(self.v, -1, 1)
        nn.init.kaiming_uniform_(self.w, a=math.sqrt(5))
    def forward(self, x, y):
        return self.lin(x) + F.linear(y, self.w, self.v) + self.emb(y)
'''),
    "conv": ('''
class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.bn = nn.BatchNorm2d(3)
    def forward(self, x):
        return self.bn(self.conv(x))
''', '''
class R(nn.Module):
    def __init__(self, kernel=3):
        super().__init__()
        self.depth = nn.Conv2d(3, 3, kernel_size=kernel, padding=kernel // 2, groups=3, bias=False)
        self.point = nn.Conv2d(3, 3, 1)
        self.norm = nn.GroupNorm(1, 3)
        self.drop = nn.Dropout(p=0.2)
    def forward(self, x):
        return self.drop(self.norm(self.point(self.depth(x))))
'''),
    "a parameter in the pattern": ('''
class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0, 1, 4))
    def forward(self, x):
        return x * self.weight
''', '''
def replacement(x):
    return torch.sigmoid(x)
'''),
    "a dotted parameter, which torch.fx refuses": ('''
class P(nn.Module):
    def forward(self, x):
        return torch.neg(x)
''', '''
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return F.linear(x, self.lin.weight)
'''),
    "ways of making": ('''
class P(nn.Module):
    def forward(self, x):
        return torch.neg(x)
''', '''
class Stack(nn.Sequential):
    def __init__(self, *sizes):
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        super().__init__(*layers)

class R(nn.Module):
    def __init__(self, sizes=(4, 8, 4), dropout=0.1):
        super().__init__()
        self.stack = Stack(*sizes)
        self.extra = nn.ModuleList()
        for i in range(2):
            self.extra.append(nn.Linear(4, 4, bias=i == 0))
        self.add_module("late", nn.LayerNorm(4, elementwise_affine=False))
        self.register_parameter("gain", nn.Parameter(torch.ones(4)))
        self.register_parameter("nothing", None)
        self.register_buffer("mask", torch.tensor([[1, 0, 1, 0]]) )
        self.inner = Stack(4, 4) if dropout > 0 else None
        self.eps = 1e-5
        self.sizes = list(sizes)
    def forward(self, x):
        x = self.stack(x) * self.gain * self.mask
        for layer in self.extra:
            x = layer(x)
        if self.inner is not None and self.nothing is None:
            x = self.inner(x)
        return self.late(x) + self.eps * len(self.sizes)
'''),
    "names that are taken": ('''
class P(nn.Module):
    def forward(self, x):
        return torch.neg(x)
''', '''
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.p = nn.Parameter(torch.zeros(4))
    def forward(self, x):
        return self.lin(x) + self.p
'''),
}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.lin = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3), nn.Linear(4, 4)
        self.unused = nn.Linear(2, 2)
        self.p = nn.Parameter(torch.rand(4))

    def forward(self, x, y):
        a = torch.relu(self.lin(x)) + torch.neg(y)
        b = torch.add(self.bn(self.conv(y)), torch.neg(a))
        return a * self.p, b


def run(lancet, *words):
    return subprocess.run([str(lancet), *map(str, words)], capture_output=True, text=True)


def names_of(source):
    scope = {}
    exec(HEAD + source, scope)  # noqa: S102
    return scope


def difference(expected, got, what):
    return f"{what}: torch.fx:\n{textwrap.indent(expected, '    ')}\nlancet:\n{textwrap.indent(got, '    ')}"


def subtracted(x, y):
    return torch.sub(torch.sin(x), y)


def check_function(lancet, folder, name, scope):
    model, source = folder / "model.pt", folder / "functions.py"
    torch.save(fx.symbolic_trace(subtracted), model)
    gm = torch.load(model, weights_only=False)
    pattern = folder / "pattern.py"
    results = len(next(n for n in fx.symbolic_trace(scope[name]).graph.nodes if n.op == "output").all_input_nodes)
    if results == 1:
        text = "def pattern(x, y):\n    return torch.sub(x, y)\n"
    else:
        text = "def pattern(x, y):\n    a = torch.sin(x)\n    return a, torch.sub(a, y)\n"
    pattern.write_text(HEAD + text)
    wanted = names_of(text)["pattern"]
    done = run(lancet, "replace", model, "--pattern", pattern, "--replacement", f"{source}:{name}", "--show", "graph")
    try:
        replace_pattern_with_filters(gm, wanted, scope[name])
    except Exception as error:
        return None if done.returncode == 4 else f"torch.fx raises {error!r}, lancet: exit {done.returncode}"
    if done.returncode or done.stdout != str(gm.graph) + "\n":
        return difference(str(gm.graph), done.stdout + done.stderr, f"exit {done.returncode}")
    # The same function as a pattern: of itself it finds one.
    torch.save(fx.symbolic_trace(scope[name]), model)
    done = run(lancet, "match", model, "--pattern", f"{source}:{name}", "--match-output")
    return None if done.returncode in (0, 4) else f"no match in itself: exit {done.returncode} {done.stdout}{done.stderr}"


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)) if a.dim() else torch.equal(a, b)


def check_class(lancet, folder, pattern_source, replacement_source):
    model, pattern, replacement, written = folder / "net.pt", folder / "p.py", folder / "r.py", folder / "out.pt"
    torch.manual_seed(5)
    torch.save(fx.symbolic_trace(Net()), model)
    pattern.write_text(HEAD + pattern_source)
    replacement.write_text(HEAD + replacement_source)
    gm = torch.load(model, weights_only=False)
    scope = names_of(replacement_source)
    is_class = "R" in scope
    torch.manual_seed(0)
    wanted = names_of(pattern_source)["P"]()
    torch.manual_seed(0)
    new = scope["R"]() if is_class else scope["replacement"]
    words = ("--pattern", f"{pattern}:P", "--replacement", f"{replacement}:{'R' if is_class else 'replacement'}")
    done = run(lancet, "replace", model, *words, "--show", "graph", "-o", written)
    try:
        replaced = replace_pattern_with_filters(gm, wanted, new)
    except Exception as error:
        return None if done.returncode == 4 else f"torch.fx raises {error!r}, lancet: exit {done.returncode}"
    if done.returncode != (0 if replaced else 1) or not replaced:
        return f"exit {done.returncode}, torch.fx replaces {len(replaced)}: {done.stderr}"
    if done.stdout != str(gm.graph) + "\n":
        return difference(str(gm.graph), done.stdout, "graph")
    again = torch.load(written, weights_only=False)
    fresh = folder / "fresh.pt"
    torch.save(gm, fresh)
    gm = torch.load(fresh, weights_only=False)
    if again.code != gm.code:
        return difference(gm.code, again.code, "code")
    if str(again) != str(gm):
        return difference(str(gm), str(again), "modules")
    expected, got = gm.state_dict(), again.state_dict()
    if list(expected) != list(got):
        return f"state: {list(expected)} {list(got)}"
    wrong = [key for key in expected if not same_bits(expected[key], got[key])]
    if wrong:
        return f"other values: {wrong}"
    flags = [(n, p.requires_grad) for n, p in gm.named_parameters()]
    if flags != [(n, p.requires_grad) for n, p in again.named_parameters()]:
        return "requires_grad differs"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True, type=pathlib.Path)
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "functions.py").write_text(HEAD + FUNCTIONS)
        scope = names_of(FUNCTIONS)
        checks = [(f, lambda f=f: check_function(options.lancet, folder, f, scope)) for f in scope if f.startswith("f_")]
        checks += [(title, lambda pair=pair: check_class(options.lancet, folder, *pair)) for title, pair in CLASSES.items()]
        for title, check in checks:
            found = check()
            if found:
                failures += 1
                print(f"FAIL {title}\n    {found}", flush=True)
        print(f"{len(checks)} sources compared, {failures} differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
