# SPDX-License-Identifier: GPL-3.0-or-later
_escapes = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f'}
def _unicode(code):
    return '\\u' + f'{code:04x}'
def _character(c, ascii):
    if c in _escapes:
        return _escapes[c]
    code = ord(c)
    if code < 32 or (ascii and 127 <= code <= 0xFFFF and code != 127):
        return _unicode(code)
    if ascii and code > 0xFFFF:
        return _unicode(0xD800 + ((code - 0x10000) >> 10)) + _unicode(0xDC00 + ((code - 0x10000) & 0x3FF))
    return c
def _quoted(text, ascii):
    return '"' + ''.join([_character(c, ascii) for c in text]) + '"'
def _real(value):
    if value != value:
        return 'NaN'
    return repr(value) if abs(value) != float('inf') else 'Infinity' if value > 0 else '-Infinity'
def dumps(obj, *, ensure_ascii=True, indent=None, separators=None, default=None, sort_keys=False, **options):
    between, pair = separators or (', ' if indent is None else ',', ': ')
    step = ' ' * indent if isinstance(indent, int) else indent
    def wrapped(parts, ends, space):
        if not parts:
            return ends
        if step is None:
            return ends[0] + between.join(parts) + ends[1]
        line = '\n' + space + step
        return ends[0] + line + (between + line).join(parts) + '\n' + space + ends[1]
    def key_of(key):
        if isinstance(key, str):
            return key
        if key is None or isinstance(key, (bool, int, float)):
            return write(key, '')
        raise TypeError(f'keys must be str, int, float, bool or None, not {type(key).__name__}')
    held = {}
    def write(value, space):
        if not isinstance(value, (dict, list, tuple)):
            return written(value, space)
        if id(value) in held:
            raise ValueError('Circular reference detected')
        held[id(value)] = True
        out = written(value, space)
        del held[id(value)]
        return out
    def written(value, space):
        deeper = space + (step or '')
        if value is None or value is True or value is False:
            return 'null' if value is None else 'true' if value else 'false'
        if isinstance(value, str):
            return _quoted(value, ensure_ascii)
        if isinstance(value, int):
            return repr(int(value))
        if isinstance(value, float):
            return _real(value)
        if isinstance(value, dict):
            pairs = sorted(value.items()) if sort_keys else list(value.items())
            rows = [_quoted(key_of(key), ensure_ascii) + pair + write(each, deeper) for key, each in pairs]
            return wrapped(rows, '{}', space)
        if isinstance(value, (list, tuple)):
            return wrapped([write(each, deeper) for each in value], '[]', space)
        if default is None:
            raise TypeError(f'Object of type {type(value).__name__} is not JSON serializable')
        return write(default(value), space)
    return write(obj, '')
class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        line = doc.count('\n', 0, pos) + 1
        column = pos - doc.rfind('\n', 0, pos)
        super().__init__(f'{msg}: line {line} column {column} (char {pos})')
        self.msg, self.doc, self.pos, self.lineno, self.colno = msg, doc, pos, line, column
_words = {'null': None, 'true': True, 'false': False, 'NaN': float('nan'), 'Infinity': float('inf'),
          '-Infinity': -float('inf')}
_marks = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
class _Reader:
    def __init__(self, text): self.text, self.at = text, 0
    def fail(self, message, at=None): raise JSONDecodeError(message, self.text, self.at if at is None else at)
    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in ' \t\n\r':
            self.at += 1
    def takes(self, word):
        found = self.text[self.at:self.at + len(word)] == word
        self.at += len(word) if found else 0
        return found
    def string(self):
        start = self.at
        self.at += 1
        out = []
        while True:
            if self.at >= len(self.text):
                self.fail('Unterminated string starting at', start)
            c = self.text[self.at]
            self.at += 1
            if c == '"':
                return ''.join(out)
            if c < ' ':
                self.fail('Invalid control character at', self.at - 1)
            if c == '\\':
                c = self.text[self.at:self.at + 1]
                self.at += 1
                if c == 'u':
                    out.append(self.unicode())
                elif c in _marks and c:
                    out.append(_marks[c])
                else:
                    self.fail('Invalid \\escape', self.at - 2)
            else:
                out.append(c)
    def digits(self):
        word = self.text[self.at:self.at + 4]
        if len(word) != 4 or any(each not in '0123456789abcdefABCDEF' for each in word):
            self.fail('Invalid \\uXXXX escape')
        self.at += 4
        return int(word, 16)
    def unicode(self):
        code = self.digits()
        if 0xD800 <= code < 0xDC00 and self.text[self.at:self.at + 2] == '\\u':
            self.at += 2
            low = self.digits()
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        return chr(code)
    def number(self):
        start = self.at
        self.takes('-')
        first = self.at
        while self.at < len(self.text) and self.text[self.at] in '0123456789':
            self.at += 1
        if self.at == first:
            self.fail('Expecting value', start)
        if self.text[first] == '0':
            self.at = first + 1
        whole = self.at
        if self.text[self.at:self.at + 1] == '.' and self.text[self.at + 1:self.at + 2].isdigit():
            self.at += 1
            while self.text[self.at:self.at + 1].isdigit():
                self.at += 1
        if self.text[self.at:self.at + 1] in ('e', 'E'):
            after = self.at + (2 if self.text[self.at + 1:self.at + 2] in ('+', '-') else 1)
            if self.text[after:after + 1].isdigit():
                self.at = after
                while self.text[self.at:self.at + 1].isdigit():
                    self.at += 1
        text = self.text[start:self.at]
        return int(text) if self.at == whole else float(text)
    def value(self):
        if self.at >= len(self.text):
            self.fail('Expecting value')
        if self.text[self.at] == '"':
            return self.string()
        if self.takes('{'):
            return self.object()
        if self.takes('['):
            return self.array()
        for word in _words:
            if self.takes(word):
                return _words[word]
        return self.number()
    def array(self):
        out = []
        self.skip()
        if self.takes(']'):
            return out
        while True:
            self.skip()
            out.append(self.value())
            self.skip()
            if self.takes(']'):
                return out
            if not self.takes(','):
                self.fail("Expecting ',' delimiter")
    def object(self):
        out = {}
        self.skip()
        if self.takes('}'):
            return out
        while True:
            self.skip()
            if self.text[self.at:self.at + 1] != '"':
                self.fail('Expecting property name enclosed in double quotes')
            key = self.string()
            self.skip()
            if not self.takes(':'):
                self.fail("Expecting ':' delimiter")
            self.skip()
            out[key] = self.value()
            self.skip()
            if self.takes('}'):
                return out
            if not self.takes(','):
                self.fail("Expecting ',' delimiter")
def loads(s, **options):
    if options:
        return __opaque__('json.loads()')
    if not isinstance(s, str):
        raise TypeError(f'the JSON object must be str, bytes or bytearray, not {type(s).__name__}')
    reader = _Reader(s)
    reader.skip()
    value = reader.value()
    reader.skip()
    if reader.at < len(s):
        reader.fail('Extra data')
    return value
