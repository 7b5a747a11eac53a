// SPDX-License-Identifier: GPL-3.0-or-later
// The modules textwrap and json, as far as reports of passes use them, written in Python.
#include <string_view>

namespace fx::python {

extern const std::string_view kTextwrap, kJson;

const std::string_view kTextwrap = R"(
def dedent(text):
    lines = text.split('\n')
    widths = [len(each) - len(each.lstrip()) for each in lines if each.strip()]
    width = min(widths) if widths else 0
    return '\n'.join([each[width:] if each.strip() else '' for each in lines])
def indent(text, prefix, predicate=None):
    return '\n'.join([prefix + each if each.strip() else each for each in text.split('\n')])
def shorten(text, width, placeholder=' [...]'):
    words = text.split()
    whole = ' '.join(words)
    if len(whole) <= width:
        return whole
    kept = ''
    for word in words:
        longer = kept + ' ' + word if kept else word
        if len(longer) + len(placeholder) > width:
            break
        kept = longer
    return kept + placeholder if kept else placeholder.strip()
)";

const std::string_view kJson = R"py(
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
    def write(value, space):
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
)py";

} // namespace fx::python
