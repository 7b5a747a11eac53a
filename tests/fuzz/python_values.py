#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs random programs whose containers hold themselves and each other with lancet and with this Python.

    tests/fuzz/python_values.py --lancet build/dev/bin/lancet --seconds 600

A program makes values, links them at random, and calls built-in functions, methods and operators on them; each result
is shown or its exception. lancet must neither crash nor hang. What both show is compared: differences are counted by
the operation and printed with --differences. Exit 1 after a crash or a hang, whose program is kept in --keep."""
import argparse, ast, collections, os, random, re, subprocess, sys, tempfile, time

HEAD = '''
import collections, copy, dataclasses, functools, itertools, json
@dataclasses.dataclass
class Record:
    a: object = None
    b: object = 1
class Plain:
    def __init__(self, a=None): self.a = a
class Keyed:
    def __init__(self, a=None): self.a = a
    def __eq__(self, other): return isinstance(other, Keyed) and self.a == other.a
    def __hash__(self): return hash(self.a)
    def __lt__(self, other): return self.a < other.a
    def __repr__(self): return f'Keyed({self.a!r})'
class Liar:
    def __init__(self, act): self.act = act
    def __eq__(self, other):
        self.act()
        return False
    def __lt__(self, other):
        self.act()
        return True
    def __hash__(self): return 3
    def __repr__(self):
        self.act()
        return 'Liar'
class Mine(list): pass
class Named(dict): pass
def show(f):
    try:
        out = repr(f())
    except RecursionError:
        return 'RecursionError'
    except Exception as e:
        return type(e).__name__ + ': ' + str(e)[:300]
    return out[:300]
def deep(n, make):
    out = make(None)
    for _ in range(n): out = make(out)
    return out
'''
ATOMS = ['0', '1', '-1', '2', 'True', 'None', '1.5', "'a'", "'b\\u00e9c'", "''", '()', '(1, 2)', 'float("nan")', '2 ** 70',
         'range(5)', 'range(6, 0, -2)', 'slice(None, None, -1)', 'slice(1, 4)', 'slice(None, None, 2)', 'slice(5, None, -2)',
         'slice(0, 2)', 'int', 'len', 'print', '[]', '{}', 'set()', 'frozenset((1,))', '[3, 1, 2]', '{1: 2}', '{1, 2}',
         'Record()', 'Plain()', 'Keyed(1)', 'Mine([1])', 'Named(a=1)', 'collections.deque([1, 2], 3)', 'ValueError(1)',
         'collections.OrderedDict(a=1)', 'collections.defaultdict(list)', 'collections.Counter("aab")', 'iter([1, 2])',
         'deep(3, lambda v: [v])', 'deep(2000, lambda v: [v])', 'deep(2000, lambda v: (v,))', 'deep(2000, lambda v: {1: v})',
         'deep(5000, lambda v: map(str, v or []))', 'deep(2000, Keyed)', 'deep(2000, Record)', '(i for i in range(3))']
LINKS = ['{a}.append({b})', '{a}.insert(0, {b})', '{a}[{k}] = {b}', '{a}.add({b})', '{a}.a = {b}', '{a}.extend({b})',
         '{a}.update({b})', '{a} += {b}', '{a}.args = ({b},)', '{a}.__dict__ = {b}', '{a}.__dict__[{k}] = {b}', 'del {a}[{k}]',
         '{a}.setdefault({k}, {b})', '{a}[:] = {b}', '{a}[::-1] = {b}', '{a}[1:3] = {b}', '{a}[::2] = {b}', '{a} = ({a}, {b})',
         '{a} = [{a}, {b}]', '{a} = {{1: {a}, 2: {b}}}', '{a} = Keyed({a})', '{a} = Record({a}, {b})', '{a} = {a}.values()',
         '{a} = {a}.items()', '{a} = copy.copy({b})', '{a} = functools.partial({b}, {a})', '{a} = iter({a})',
         '{a} = Liar(lambda: {b}.clear())', '{a} = Liar(lambda: {b}.append({b}))', '{a} = {b}.__dict__', '{a} = Mine({b})',
         '{a} = type({b})', '{a} = ValueError({b})', '{a} = {a}.keys()', '{a} = collections.deque([{b}])', '{a} |= {b}']
ASKS = ['{a}', 'str({a})', 'f"{{{a}}}"', '"%s" % ({a},)', '"%r|%5s" % ({a}, {b})', '"{{}} {{0!r}}".format({a})', 'repr([{a}, {b}])',
        '{a} == {b}', '{a} != {b}', '{a} < {b}', '{a} <= {b}', '{a} > {b}', '{a} is {b}', '{a} in {b}', '{a} not in {b}',
        'hash({a})', 'len({a})', 'bool({a})', 'list({a})', 'tuple({a})', 'set({a})', 'dict({a})', 'frozenset({a})', 'sorted({a})',
        'sorted([{a}, {b}])', 'min({a})', 'max({a}, {b})', 'sum({a})', 'sum([{a}], {b})', 'any({a})', 'all({a})', 'list(zip({a}, {b}))',
        'list(map(str, {a}))', 'list(enumerate({a}))', 'list(reversed({a}))', 'list(filter(None, {a}))', 'isinstance({a}, {b})',
        'copy.deepcopy({a})', 'copy.copy({a})', 'copy.deepcopy({a}) == {a}', 'json.dumps({a})', '{a} + {b}', '{a} * 2', '{a} * {b}',
        '{a} - {b}', '{a} | {b}', '{a} & {b}', '{a} ^ {b}', '-{a}', '{a}[{b}]', '{a}[::-1]', '{a}[1:]', '{a}[{k}]', '{a}.get({b})',
        '{a}.pop()', '{a}.pop({b})', '{a}.pop(0)', '{a}.remove({b})', '{a}.index({b})', '{a}.count({b})', '{a}.copy()', '{a}.sort()',
        '{a}.reverse()', '{a}.clear()', '{a}.popitem()', '{a}.union({b})', '{a}.issubset({b})', '{a}.difference({b})', '{a}.join({b})',
        '{a}.replace({b}, {c})', '{a}.split({b})', '{a}.format({b})', '{a}.center(9)', '{a}.startswith({b})', 'next(iter({a}))',
        'type({a}) is type({b})', '[*{a}]', '{{**{a}}}', '(lambda *args: args)(*{a})', '(lambda **kw: kw)(**{a})', 'int({a})', 'float({a})',
        'abs({a})', 'round({a})', 'divmod({a}, {b})', 'pow({a}, {b})', 'list(itertools.chain({a}, {b}))', 'list(range({a}))[:5]',
        'functools.reduce(lambda p, q: [p, q], {a})', 'getattr({a}, {b})', 'callable({a})', 'str({a}) == repr({a})', 'vars({a})',
        '{a}({b})', 'slice({a}, {b})', 'range({a}, {b})', '{a}.append', 'next({a})', '{a}.rotate(1)', '{a}.most_common()', '{a}.__dict__',
        'ValueError.__init__({a})', 'ValueError({a}, {b})', '[v for v in {a}]', '{{v: 1 for v in {a}}}', 'str.join({a}, {b})',
        'list.append({a}, {b})', 'dict.get({a}, {b})', 'list.__len__({a})', 'print({a})', 'set.add({a}, {b})', 'bytes({a})',
        'dict.fromkeys({a}, {b})', 'format({a}, {b})', 'ord({a})', 'chr({a})', 'hex({a})', 'ascii({a})', 'iter({a}, {b})', 'id({a}) > 0']
NAMES = 'abcdefg'


def program(rng):
    lines = [f'    {n} = {rng.choice(ATOMS)}' for n in NAMES]
    def name(): return rng.choice(NAMES)
    def fill(form): return form.format(a=name(), b=name(), c=name(), k=rng.choice(["0", "1", "-1", "'a'", name()]))
    asks = []
    for _ in range(rng.randrange(5, 25)):
        if rng.random() < 0.5:
            lines.append('    try: ' + fill(rng.choice(LINKS)) + '\n    except Exception: pass')
        else:
            asks.append(fill(rng.choice(ASKS)))
            lines.append(f'    out.append(show(lambda: {asks[-1]}))')
    return HEAD + 'def f(x):\n    out = []\n' + '\n'.join(lines) + '\n    return [x] + out\n', asks


def shown(text):
    found = re.search(r'    return (\[x.*\])\n', text, re.S)
    if not found: return None
    try:
        return [ast.literal_eval(each) if isinstance(each, ast.expr) else each
                for each in ast.parse(found[1], mode='eval').body.elts[1:]]
    except (ValueError, SyntaxError): return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--lancet', required=True)
    options.add_argument('--seconds', type=float, default=60)
    options.add_argument('--seed', type=int, default=None)
    options.add_argument('--keep', default='.')
    options.add_argument('--differences', type=int, default=0, help='print so many of them')
    args = options.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(10 ** 6)
    end, count, asked, bad, refused = time.monotonic() + args.seconds, 0, 0, 0, collections.Counter()
    differs = collections.Counter()
    printed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'net.py')
        while time.monotonic() < end:
            rng = random.Random(seed + count)
            text, asks = program(rng)
            count += 1
            with open(path, 'w') as file: file.write(text)
            try:
                done = subprocess.run([args.lancet, 'code', path + ':f'], capture_output=True, text=True, timeout=20,
                                      errors='replace')
                failed = done.returncode < 0 or done.returncode > 100 or 'internal' in done.stderr
                why = f'exit {done.returncode}: {done.stderr[-300:]}'
            except subprocess.TimeoutExpired: failed, why = True, 'no end'
            if failed:
                bad += 1
                kept = os.path.join(args.keep, f'crash-{seed + count - 1}.py')
                with open(kept, 'w') as file: file.write(text)
                print(kept, why, flush=True)
                continue
            ours = shown(done.stdout)
            if ours is None:
                refused[done.stderr.strip().split('\n')[0].replace(path, '')[:150]] += 1
                continue
            reader = subprocess.run([sys.executable, '-c', 'import sys; sys.path.insert(0, sys.argv[1])\nimport net, ast\n'
                                     'print(ascii(net.f(None)[1:]))', folder], capture_output=True, text=True, timeout=60)
            theirs = ast.literal_eval(reader.stdout.split('\n')[-2]) if reader.returncode == 0 else None
            if theirs is None: continue
            for ask, one, other in zip(asks, ours, theirs):
                asked += 1
                if one == other or ' at 0x' in str(other) or 'object>' in str(one): continue
                differs[re.sub(r'\b[a-g]\b', '_', ask)] += 1
                if printed < args.differences:
                    printed += 1
                    print(f'{seed + count - 1}: {ask}\n    lancet {str(one)[:200]}\n    python {str(other)[:200]}', flush=True)
    print(f'{count} programs from seed {seed}, {asked} results compared, {sum(differs.values())} differ, {bad} crashes')
    for text, number in refused.most_common(8): print(f'  refused {number} times: {text}')
    for text, number in differs.most_common(15): print(f'  differs {number} times: {text}')
    return 1 if bad else 0


if __name__ == '__main__': sys.exit(main())
