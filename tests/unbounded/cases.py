# SPDX-License-Identifier: GPL-3.0-or-later
"""Python sources whose work has no end, or fills any memory: statements, by what they do too much of.

Each is put at the top of a file, into a constructor or into `forward`, in turn.
"""

BIG = 10**12

# Strings and bytes that grow.
TEXTS = {
    "join": "','.join(str(i) for i in range(10**12))",
    "join_list": "'x' .join(['y' * 10**6] * 10**6)",
    "join_doubling": "s = 'ab'\nfor i in range(200): s = s.join([s, s, s])",
    "replace": "s = 'a' * 10**6\ns = s.replace('a', 'b' * 10**6)",
    "replace_twice": "s = 'a' * 1000\nfor i in range(9): s = s.replace('a', 'aaaaaaaaaaaaaaaaaaaa')",
    "replace_empty": "s = 'x' * 10**7\nfor i in range(100): s = s.replace('', 'yy')",
    "translate": "s = 'a' * 10**6\ns = s.translate({97: 'b' * 10**6})",
    "translate_doubling": "s = 'a'\nfor i in range(100): s = s.translate({97: 'aa'})",
    "maketrans": "s = str.maketrans({chr(i % 1000): 'x' * 10**7 for i in range(10**7)})",
    "expandtabs": "s = ('\\t' * 10**5).expandtabs(10**7)",
    "expandtabs_one": "s = '\\t'.expandtabs(10**12)",
    "regex_sub": "import re\ns = re.sub('a', 'b' * 10**6, 'a' * 10**6)",
    "regex_sub_growing": "import re\ns = 'a'\nfor i in range(100): s = re.sub('a', 'aa', s)",
    "regex_backtracking": "import re\ns = re.match('(a+)+$', 'a' * 60 + 'b')",
    "regex_findall": "import re\ns = re.findall('', 'a' * 10**8)",
    "regex_split": "import re\ns = [re.split('a', 'a' * 10**7) for i in range(10**6)]",
    "text_doubling": "s = 'ab'\nfor i in range(100): s += s",
    "text_doubling_plus": "s = 'ab'\nfor i in range(100): s = s + s",
    "bytes_doubling": "s = b'ab'\nfor i in range(100): s += s",
    "bytearray_doubling": "s = bytearray(b'ab')\nfor i in range(100): s += s",
    "text_times": "s = 'ab' * 10**12",
    "text_times_often": "s = ['ab' * 10**8 + str(i) for i in range(10**6)]",
    "bytes_times": "s = b'ab' * 10**12",
    "bytes_of_size": "s = bytes(10**12)",
    "center": "s = 'a'.center(10**12)",
    "ljust": "s = 'a'.ljust(10**11)",
    "rjust": "s = 'a'.rjust(10**11, '-')",
    "zfill": "s = 'a'.zfill(10**12)",
    "percent_width": "s = '%1000000000000d' % 1",
    "percent_star": "s = '%*d' % (10**11, 1)",
    "percent_precision": "s = '%.1000000000f' % 1.5",
    "format_width": "s = '{:>1000000000000}'.format(1)",
    "format_nested_width": "s = '{:{}}'.format('a', 10**11)",
    "format_function": "s = format(1, '0100000000000d')",
    "format_precision": "s = format(1.5, '.2000000000f')",
    "fstring_width": "n = 10**11\ns = f'{1:{n}}'",
    "fstring_doubling": "s = 'ab'\nfor i in range(100): s = f'{s}{s}'",
    "repr_doubling": "s = '\\\\'\nfor i in range(100): s = repr(s)",
    "encode_doubling": "s = '\\u20ac'\nfor i in range(100): s = (s + s).encode().decode()",
    "splitlines": "s = ['\\n' * 10**7 for i in range(10)]\nt = [x.splitlines() for x in s for y in s]",
    "split": "s = ' a' * 10**7\nt = [s.split() for i in range(10**6)]",
    "textwrap": "import textwrap\ns = textwrap.fill('a b ' * 10**7, 10)\n"
    "t = textwrap.indent('a\\n' * 10**7, 'x' * 10**4)",
    "upper": "s = 'a' * 10**8\nfor i in range(10**6): s = s.upper().lower()",
    "count": "s = 'a' * 10**8\nn = sum(s.count('a') for i in range(10**6))",
    "find": "s = 'a' * 10**8\nn = sum(s.find('b') + i for i in range(10**6))",
    "comparison": "s = 'a' * 10**8\nt = 'a' * 10**8\nn = sum(s == t for i in range(10**7))",
}

# Lists, tuples, sets and dicts that grow.
CONTAINERS = {
    "list_doubling": "x = [1, 2]\nfor i in range(100): x += x",
    "list_doubling_plus": "x = [1, 2]\nfor i in range(100): x = x + x",
    "list_extending": "x = [1]\nfor i in range(100): x.extend(x)",
    "list_slice": "x = [1, 2]\nfor i in range(100): x[len(x):] = x",
    "list_times": "x = [0] * 10**12",
    "list_times_nested": "x = [[0] * 10**6 for i in range(10**6)]",
    "list_times_equal": "x = [0]\nx *= 10**11",
    "tuple_doubling": "x = (1, 2)\nfor i in range(100): x = x + x",
    "tuple_times": "x = (0,) * 10**12",
    "dict_growing": "x = {}\nfor i in range(10**12): x[i] = i",
    "dict_updating": "x = {0: 0}\nfor i in range(100): x.update({k + len(x): 0 for k in list(x)})",
    "dict_of_range": "x = dict.fromkeys(range(10**10))",
    "dict_comprehension": "x = {i: str(i) for i in range(10**11)}",
    "set_growing": "x = {0}\nfor i in range(100): x |= {k + len(x) for k in x}",
    "set_of_range": "x = set(range(10**10))",
    "frozenset_of_range": "x = frozenset(range(10**10))",
    "list_of_range": "x = list(range(10**11))",
    "tuple_of_range": "x = tuple(range(10**11))",
    "sorted_range": "x = sorted(range(10**10), reverse=True)",
    "reversed_range": "x = list(reversed(range(10**11)))",
    "starred_range": "x = [*range(10**11)]",
    "starred_call": "x = max(*range(10**10))",
    "unpacking": "a, *b = range(10**11)",
    "zip_star": "x = list(zip(*[range(10**7)] * 10**5))",
    "zip_ranges": "x = list(zip(range(10**11), range(10**11)))",
    "enumerate": "x = list(enumerate(range(10**11)))",
    "map": "x = list(map(str, range(10**11)))",
    "filter": "x = list(filter(None, range(10**11)))",
    "append_forever": "x = []\nwhile True: x.append(x)",
    "insert_front": "x = []\nfor i in range(10**7): x.insert(0, i)",
    "pop_front": "x = list(range(10**6)) * 10\nwhile x: x.pop(0)",
    "remove": "x = list(range(10**6))\nfor i in range(10**6): x.remove(10**6 - 1 - i)",
    "index": "x = [0] * 10**7\nfor i in range(10**6): x.count(1)",
    "in_list": "x = [0] * 10**6\nn = sum(1 in x for i in range(10**6))",
    "list_sort": "x = [str(i % 1000) * 100 for i in range(10**6)]\nfor i in range(10**5): x.sort(key=len)",
    "list_copies": "x = [0] * 10**6\ny = [x[:] for i in range(10**5)]",
    "slices": "x = list(range(10**6))\nfor i in range(10**6): y = x[::-1]",
    "comprehension_nest": "x = [a for a in range(10**4) for b in range(10**4) for c in range(10**4)]",
    "comprehension_square": "x = [[0 for i in range(10**5)] for j in range(10**5)]",
    "sum_of_lists": "x = sum([[0] * 1000] * 10**5, [])",
    "sum_of_tuples": "x = sum(((0,) * 1000 for i in range(10**6)), ())",
    "counter": "import collections\nx = collections.Counter(range(10**10))",
    "deque": "import collections\nx = collections.deque(range(10**11))",
    "defaultdict": "import collections\nx = collections.defaultdict(list)\nfor i in range(10**11): x[i].append(i)",
    "ordered_dict": "import collections\nx = collections.OrderedDict((i, i) for i in range(10**10))",
    "chain_map": "import collections\nx = collections.ChainMap()\n"
    "for i in range(10**7): x = x.new_child({i: i})\nlist(x)",
}

# Values that hold themselves many times, and what walks over them.
NESTED = {
    name: "x = []\nfor i in range(60): x = [x, x]\n" + walk
    for name, walk in {
        "nested_str": "y = str(x)",
        "nested_repr": "y = repr(x)",
        "nested_fstring": "y = f'{x}'",
        "nested_percent": "y = '%s' % x",
        "nested_print": "print(x)",
        "nested_equal": "z = []\nfor i in range(60): z = [z, z]\ny = x == z",
        "nested_less": "z = []\nfor i in range(60): z = [z, z]\ny = x < z",
        "nested_in": "z = []\nfor i in range(60): z = [z, z]\ny = z in [x]",
        "nested_deepcopy": "import copy\ny = copy.deepcopy(x)\nz = y == x",
        "nested_json": "import json\ny = json.dumps(x)",
        "nested_sorted": "z = []\nfor i in range(60): z = [z, z]\ny = sorted([x, z])",
        "nested_raise": "raise ValueError(x)",
    }.items()
}
NESTED |= {
    "nested_hash": "x = ()\nfor i in range(60): x = (x, x)\ny = hash(x)",
    "nested_dict_key": "x = ()\nfor i in range(60): x = (x, x)\ny = {x: 1}",
    "nested_dict_repr": "x = {}\nfor i in range(60): x = {1: x, 2: x}\ny = repr(x)",
    "nested_frozenset": "x = frozenset()\nfor i in range(60): x = frozenset([(x, 1), (x, 2)])\ny = hash(x)",
    "nested_tuple_equal": "x = ()\ny = ()\nfor i in range(60): x, y = (x, x), (y, y)\nz = x == y",
    "deep_repr": "x = []\nfor i in range(10**6): x = [x]\ny = repr(x)",
    "deep_equal": "x = []\nz = []\nfor i in range(10**6): x, z = [x], [z]\ny = x == z",
    "deep_hash": "x = ()\nfor i in range(10**6): x = (x,)\ny = hash(x)",
    "deep_copy": "import copy\nx = []\nfor i in range(10**6): x = [x]\ny = copy.deepcopy(x)",
    "self_repr": "x = []\nx.append(x)\ny = [repr(x)]\nwhile True: y += y",
    "self_equal": "x = []\nx.append(x)\nz = []\nz.append(z)\ny = x == z",
}

# Numbers.
NUMBERS = {
    "power": "n = 10**10**10",
    "power_function": "n = pow(10, 10**10)",
    "power_tower": "n = 3\nfor i in range(10): n = n ** n",
    "shift": "n = 1 << 10**12",
    "shift_growing": "n = 1\nfor i in range(100): n <<= n.bit_length() * 10**6",
    "squares": "n = 3\nfor i in range(100): n = n * n",
    "factorial": "import math\nn = math.factorial(10**9)",
    "comb": "import math\nn = math.comb(10**9, 10**8)",
    "int_of_text": "n = int('9' * 10**8)",
    "int_of_hex": "n = int('f' * 10**9, 16)",
    "text_of_int": "n = str(7 ** 10**7)",
    "sum_range": "n = sum(range(10**12))",
    "sum_generator": "n = sum(i for i in range(10**12))",
    "min_range": "n = min(range(10**12))",
    "max_range": "n = max(range(10**12))",
    "max_key": "n = max(range(10**12), key=lambda i: -i)",
    "all_range": "n = all(range(1, 10**12))",
    "any_range": "n = any(x < 0 for x in range(10**12))",
    "in_range": "n = 1.5 in range(10**12)",
    "in_iterator": "n = -1 in iter(range(10**12))",
    "range_index": "n = range(10**12).index(10**12 - 1) + range(10**12).count('a')",
    "fibonacci": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nn = fib(60)",
    "ackermann": "def ack(m, n): return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))\n"
    "n = ack(4, 3)",
    "collatz": "n = 0\nfor i in range(1, 10**9):\n    while i != 1:\n"
    "        i = i // 2 if i % 2 == 0 else 3 * i + 1\n        n += 1",
}

# Loops, calls and generators.
LOOPS = {
    "while_true": "while True: pass",
    "for_range": "for i in range(10**12): pass",
    "nested_loops": "for i in range(10**6):\n    for j in range(10**6): pass",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "mutual_recursion": "def f(n): return g(n)\ndef g(n): return f(n)\nf(0)",
    "generator": "def g():\n    while True: yield 1\nn = list(g())",
    "generator_loop": "def g():\n    while True: yield 1\nfor i in g(): pass",
    "generator_chain": "g = iter(range(10**9))\nfor i in range(1000): g = (x for x in g)\nn = sum(g)",
    "yield_from": "def g(n):\n    yield n\n    yield from g(n + 1)\nn = list(g(0))",
    "iter_sentinel": "n = list(iter(int, 1))",
    "product": "import itertools\nx = list(itertools.product(range(100), repeat=10))",
    "permutations": "import itertools\nx = list(itertools.permutations(range(30)))",
    "combinations": "import itertools\nx = list(itertools.combinations(range(100), 50))",
    "itertools_count": "import itertools\nx = list(itertools.count())",
    "itertools_cycle": "import itertools\nx = list(itertools.cycle([1]))",
    "itertools_repeat": "import itertools\nx = list(itertools.repeat(1))",
    "itertools_chain": "import itertools\nx = list(itertools.chain(*[range(10**8)] * 100))",
    "itertools_islice": "import itertools\nx = next(itertools.islice(itertools.count(), 10**12, None))",
    "accumulate": "import itertools\nx = list(itertools.accumulate(itertools.repeat([1])))",
    "reduce": "import functools\nx = functools.reduce(lambda a, b: a + a, range(100), [1])",
    "lambda_recursion": "f = lambda g: g(g)\nf(f)",
    "exception_loop": "while True:\n    try: raise ValueError('x')\n    except ValueError: pass",
    "exception_chain": "def f(n):\n    try: raise ValueError(n)\n    except ValueError as e: f(n + 1)\nf(0)",
    "with_loop": "import contextlib\nwhile True:\n    with contextlib.nullcontext(): pass",
    "match_loop": "x = 0\nwhile True:\n    match x:\n        case 0: x = 1\n        case _: x = 0",
    "printing": "while True: print('x' * 10**6)",
}

# Classes and attributes.
CLASSES = {
    "getattr_loop": "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().y",
    "getattr_growing": "class A:\n    def __getattr__(self, name): return getattr(self, name + name)\nA().y",
    "property_loop": "class A:\n    @property\n    def x(self): return self.x\nA().x",
    "setattr_loop": "class A:\n    def __setattr__(self, name, value): setattr(self, name, value)\nA().y = 1",
    "metaclass": "class M(type):\n    def __new__(cls, name, bases, body):\n        while True: body[len(body)] = 1\n"
    "class A(metaclass=M): pass",
    "class_body": "class A:\n    x = 0\n    while True: x += 1",
    "class_chain": "A = object\nfor i in range(10**6): A = type('A', (A,), {})",
    "classes": "x = [type('A' + str(i), (), {'x': 'y' * 10**5 + str(i)}) for i in range(10**7)]",
    "decorator": "def d(f):\n    while True: f = (lambda g: g)(f)\n@d\ndef f(): pass",
    "decorator_chain": "def d(f): return lambda: f()\ndef f(): pass\nfor i in range(10**5): f = d(f)\nf()",
    "iter_method": "class A:\n    def __iter__(self): return self\n    def __next__(self): return 1\nx = list(A())",
    "getitem_method": "class A:\n    def __getitem__(self, i): return i\nx = list(A())",
    "len_method": "class A:\n    def __len__(self): return len(self)\nlen(A())",
    "repr_method": "class A:\n    def __repr__(self): return repr(self)\nrepr(A())",
    "eq_method": "class A:\n    def __eq__(self, other): return self == other\nA() == A()",
    "hash_method": "class A:\n    def __hash__(self): return hash(self)\nhash(A())",
    "add_method": "class A:\n    def __add__(self, other): return self + other\nA() + 1",
    "call_method": "class A:\n    def __call__(self): return self()\nA()()",
    "dataclass": "import dataclasses\nA = dataclasses.make_dataclass('A', ['f' + str(i) for i in range(10**7)])",
    "namedtuple": "import collections\nA = collections.namedtuple('A', ['f' + str(i) for i in range(10**7)])",
    "enum": "import enum\nA = enum.Enum('A', {'f' + str(i): i for i in range(10**7)})",
    "instances": "class A: pass\nx = []\nwhile True:\n    a = A()\n    a.x = 'y' * 10**4\n    x.append(a)",
}

# torch.
TORCH = {
    "tensor_of_list": "import torch\nx = torch.tensor([0.5] * 10**9)",
    "tensor_of_lists": "import torch\nx = torch.tensor([[0.5] * 10**5] * 10**5)",
    "tensor_of_range": "import torch\nx = torch.tensor(list(range(10**10)))",
    "tensors_in_list": "import torch\nx = [torch.zeros(10**5) + i for i in range(10**7)]",
    "tensor_nested": "import torch\nx = 1.0\nfor i in range(60): x = [x, x]\ny = torch.tensor(x)",
    "zeros": "import torch\nx = torch.zeros(10**6, 10**6)",
    "ones_often": "import torch\nx = [torch.ones(1000, 1000) for i in range(10**6)]",
    "arange": "import torch\nx = torch.arange(10**12)",
    "eye": "import torch\nx = torch.eye(10**6)",
    "linspace": "import torch\nx = torch.linspace(0, 1, 10**11)",
    "cat": "import torch\nx = torch.ones(2)\nfor i in range(100): x = torch.cat([x, x])",
    "tolist": "import torch\nx = [torch.zeros(10**7).tolist() for i in range(10**4)]",
    "module_list": "from torch import nn\nx = nn.ModuleList([nn.ReLU()] * 10**9)",
    "module_list_many": "from torch import nn\nx = nn.ModuleList(nn.ReLU() for i in range(10**9))",
    "sequential_many": "from torch import nn\nx = nn.Sequential(*[nn.Tanh() for i in range(10**8)])",
    "linears": "from torch import nn\nx = [nn.Linear(1000, 1000) for i in range(10**7)]",
    "linear_large": "from torch import nn\nx = nn.Linear(10**6, 10**6)",
    "embedding_large": "from torch import nn\nx = nn.Embedding(10**9, 10**3)",
    "module_chain": "from torch import nn\nx = nn.Module()\nwhile True:\n"
    "    y = nn.Module()\n    y.add_module('m', x)\n    x = y",
    "module_names": "from torch import nn\nx = nn.Module()\n"
    "for i in range(10**7): x.add_module('m' * 10**5 + str(i), None)",
    "module_attributes": "from torch import nn\nx = nn.Module()\n"
    "for i in range(10**8): setattr(x, 'a' + str(i), [i] * 1000)",
    "numpy_zeros": "import numpy as np\nx = np.zeros((10**6, 10**6))",
    "numpy_growing": "import numpy as np\nx = np.ones(2)\nfor i in range(100): x = np.concatenate([x, x])",
    "numpy_arange": "import numpy as np\nx = np.arange(10**12)",
}

# The text itself: whole files.
MODEL = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x): return x + n\n"
FILES = {
    "deep_brackets": "n = " + "[" * 10**6 + "]" * 10**6 + "\n" + MODEL,
    "deep_parentheses": "n = " + "(" * 10**5 + "1" + ")" * 10**5 + "\n" + MODEL,
    "deep_unary": "n = " + "-" * 10**6 + "1\n" + MODEL,
    "deep_not": "n = " + "not " * 10**5 + "1\n" + MODEL,
    "deep_attribute": "n = x" + ".y" * 10**6 + "\n" + MODEL,
    "deep_call": "n = x" + "()" * 10**6 + "\n" + MODEL,
    "deep_lambda": "n = " + "lambda: " * 10**5 + "1\n" + MODEL,
    "deep_conditional": "n = " + "1 if 0 else " * 10**5 + "1\n" + MODEL,
    "deep_indent": "".join(" " * i + "if 1:\n" for i in range(1500)) + " " * 1500 + "pass\n" + MODEL,
    "deep_functions": "".join(" " * i + f"def f{i}():\n" for i in range(1500)) + " " * 1500 + "pass\n" + MODEL,
    "long_sum": "n = " + "1 + " * 10**6 + "1\n" + MODEL,
    "long_chain": "n = " + "1 < " * 10**6 + "2\n" + MODEL,
    "long_list": "n = [" + "1, " * 10**6 + "]\n" + MODEL,
    "long_text": "n = '" + "a" * 4_000_000 + "'\n" + MODEL,
    "long_number": "n = " + "9" * 4_000_000 + "\n" + MODEL,
    "long_fstring": "n = f'" + "{1}" * 10**6 + "'\n" + MODEL,
    "many_lines": "n = 1\n" * 10**6 + MODEL,
    "many_decorators": "def d(f): return f\n" + "@d\n" * 10**5 + "def f(): pass\nn = 1\n" + MODEL,
    "forward_forever": MODEL + "    def forward(self, x):\n        while True: x = x + 1\n",
    "forward_doubling": MODEL + "    def forward(self, x):\n        for i in range(100): x = torch.cat([x] * 10**5)\n",
    "forward_list": MODEL + "    def forward(self, x):\n        y = [x]\n"
    "        for i in range(100): y += y\n        return y\n",
    "forward_nested": MODEL + "    def forward(self, x):\n        for i in range(60): x = [x, x]\n        return x\n",
    "forward_recursion": MODEL + "    def forward(self, x): return self.forward(x + 1)\n",
    "add_module_path": MODEL + "    def __init__(self):\n        super().__init__()\n        m = self\n"
    "        for i in range(20000):\n            m.add_module('a', nn.Module())\n            m = m.a\n",
    "annotations": "n: " + "list[" * 10**5 + "int" + "]" * 10**5 + " = 1\n" + MODEL,
}

# What these may do anywhere: end well, as in Python. At the top of a file all may: what fails there, and that the model
# does not need, is left out.
MAY_SUCCEED = {
    "percent_width", "percent_star", "comb", "arange", "linspace", "long_text", "many_decorators",
}


def statements():
    for group in (TEXTS, CONTAINERS, NESTED, NUMBERS, LOOPS, CLASSES, TORCH):
        yield from group.items()


def indented(text, by):
    return "".join(" " * by + line + "\n" for line in text.split("\n"))


def source(number, text):
    """A file with the statements at one of three places."""
    head = "import torch\nfrom torch import nn\n\n"
    if number % 3 == 0:
        return head + text + "\n\nclass Net(nn.Module):\n    def forward(self, x): return x + 1\n"
    if number % 3 == 1:
        start = head + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        return start + indented(text, 8) + "    def forward(self, x): return x + 1\n"
    return head + "class Net(nn.Module):\n    def forward(self, x):\n" + indented(text, 8) + "        return x + 1\n"


def all_cases():
    """Names and texts of files, and whether they may end well."""
    for number, (name, text) in enumerate(statements()):
        yield name, source(number, text), number % 3 == 0 or name in MAY_SUCCEED
    for name, text in FILES.items():
        yield name, text, name in MAY_SUCCEED
