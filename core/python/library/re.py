# SPDX-License-Identifier: GPL-3.0-or-later
# re, on the matcher in regular.cpp.
class error(Exception):
    @property
    def msg(self): return __opaque__('re.error.msg')
    pattern = pos = lineno = colno = msg
A = ASCII = 256
I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
X = VERBOSE = 64
U = UNICODE = 32
L = LOCALE = 4
NOFLAG = 0
_names = [(2, 'IGNORECASE'), (4, 'LOCALE'), (8, 'MULTILINE'), (16, 'DOTALL'), (64, 'VERBOSE'), (128, 'DEBUG'),
          (256, 'ASCII')]
_ANYWHERE, _AT, _WHOLE = 0, 1, 2
def _template(text):
    """The parts of a replacement: texts, and groups as numbers or names in tuples."""
    out, at, escapes = [], 0, {'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', 'a': '\a', 'f': '\f', 'v': '\v'}
    while at < len(text):
        if text[at] != '\\' or at + 1 == len(text):
            out.append(text[at])
            at += 1
            continue
        letter = text[at + 1]
        if letter == 'g' and text[at + 2:at + 3] == '<':
            end = text.index('>', at)
            name = text[at + 3:end]
            out.append((int(name) if name.isdigit() else name,))
            at = end + 1
        elif letter.isdigit():
            end = at + 3 if text[at + 2:at + 3].isdigit() else at + 2
            out.append((int(text[at + 1:end]),))
            at = end
        elif letter in escapes:
            out.append(escapes[letter])
            at += 2
        else:
            raise error(f'bad escape \\{letter} at position {at}')
    return out
def _index(group):
    try:
        return group.__index__()
    except AttributeError:
        raise IndexError('no such group') from None
class Match:
    def __init__(self, pattern, text, spans):
        self.re, self.string, self._spans, self.pos, self.endpos = pattern, text, spans, 0, len(text)
    def span(self, group=0):
        if not isinstance(group, (int, str)):
            group = _index(group)
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError('no such group')
            group = self.re.groupindex[group]
        if not 0 <= group <= self.re.groups:
            raise IndexError('no such group')
        return self._spans[group]
    def start(self, group=0):
        return self.span(group)[0]
    def end(self, group=0):
        return self.span(group)[1]
    def _text(self, group, default=None):
        start, end = self.span(group)
        return default if start < 0 else self.string[start:end]
    def __getitem__(self, group):
        return self._text(group)
    def __copy__(self): return self
    def __deepcopy__(self, memo): return self
    def group(self, *groups):
        if len(groups) < 2:
            return self._text(*groups) if groups else self._text(0)
        return tuple([self._text(each) for each in groups])
    def groups(self, default=None):
        return tuple([self._text(at, default) for at in range(1, self.re.groups + 1)])
    def groupdict(self, default=None):
        return {name: self._text(at, default) for name, at in self.re.groupindex.items()}
    def expand(self, template):
        return ''.join([self._text(part[0], '') if isinstance(part, tuple) else part for part in _template(template)])
    def _shown(self):
        """What findall tells of it."""
        if self.re.groups == 0:
            return self._text(0)
        return self._text(1, '') if self.re.groups == 1 else self.groups('')
    def __repr__(self):
        return f"<re.Match object; span={self.span()}, match={self.group()!r}>"
class Pattern:
    def __init__(self, pattern, flags):
        self.pattern, self.flags = pattern, flags | UNICODE
        about = __re_compile__(pattern, flags)
        if isinstance(about, str):
            raise error(about)
        self.groups, self.groupindex = about
    def _find(self, text, pos, how, moves=False):
        if not isinstance(text, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(text).__name__}'")
        spans = __re_find__(self.pattern, self.flags, text, pos, how, moves)
        return Match(self, text, spans) if spans else None
    def search(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, _ANYWHERE)
    def match(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, _AT)
    def fullmatch(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, _WHOLE)
    def finditer(self, string, pos=0, endpos=None):
        text, out, moves = string[:endpos], [], False
        while pos <= len(text):
            found = self._find(text, pos, _ANYWHERE, moves)
            if found is None:
                break
            out.append(found)
            pos = found.end()
            moves = found.start() == pos
        return iter(out)
    def findall(self, string, pos=0, endpos=None):
        return [found._shown() for found in self.finditer(string, pos, endpos)]
    def subn(self, repl, string, count=0):
        parts, at, done = [], 0, 0
        for found in self.finditer(string):
            if count and done == count:
                break
            parts.append(string[at:found.start()])
            parts.append(repl(found) if callable(repl) else found.expand(repl))
            at = found.end()
            done += 1
        return ''.join(parts + [string[at:]]), done
    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]
    def split(self, string, maxsplit=0):
        parts, at = [], 0
        for number, found in enumerate(self.finditer(string)):
            if maxsplit and number == maxsplit:
                break
            parts.append(string[at:found.start()])
            parts.extend(found.groups())
            at = found.end()
        return parts + [string[at:]]
    def __eq__(self, other):
        return isinstance(other, Pattern) and self.pattern == other.pattern and self.flags == other.flags
    def __hash__(self):
        return hash((self.pattern, self.flags))
    def __copy__(self): return self
    def __deepcopy__(self, memo): return self
    def __repr__(self):
        if '(?' in self.pattern and '(?:' not in self.pattern:
            return __opaque__('re.Pattern.__repr__()')  # of flags in the text
        names = [f're.{name}' for flag, name in _names if self.flags & flag]
        rest = self.flags & ~sum([flag for flag, name in _names]) & ~UNICODE
        names += [f'0x{rest:x}'] if rest else []
        text = f'{self.pattern!r:.200}'
        return f're.compile({text}, {"|".join(names)})' if names else f're.compile({text})'
def compile(pattern, flags=0):
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)
def search(pattern, string, flags=0): return compile(pattern, flags).search(string)
def match(pattern, string, flags=0): return compile(pattern, flags).match(string)
def fullmatch(pattern, string, flags=0): return compile(pattern, flags).fullmatch(string)
def findall(pattern, string, flags=0): return compile(pattern, flags).findall(string)
def finditer(pattern, string, flags=0): return compile(pattern, flags).finditer(string)
def sub(pattern, repl, string, count=0, flags=0): return compile(pattern, flags).sub(repl, string, count)
def subn(pattern, repl, string, count=0, flags=0): return compile(pattern, flags).subn(repl, string, count)
def split(pattern, string, maxsplit=0, flags=0): return compile(pattern, flags).split(string, maxsplit)
def purge(): return None
def escape(pattern):
    return ''.join(['\\' + each if each in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f' else each for each in pattern])
