# SPDX-License-Identifier: GPL-3.0-or-later
from os import path as _path
class Path:
    def __init__(self, *parts):
        text = _path.join('', *[str(each) for each in parts]) if parts else ''
        names = [each for each in text.split('/') if each not in ('', '.')]
        self._text = ('/' if text.startswith('/') else '') + '/'.join(names) or '.'
    @property
    def parent(self): return Path(self._text.rpartition('/')[0] or ('/' if self._text.startswith('/') else '.'))
    @property
    def parents(self):
        out, each = [], self
        while each.parent != each:
            each = each.parent
            out.append(each)
        return tuple(out)
    @property
    def name(self): return '' if self._text == '.' else self._text.rpartition('/')[2]
    @property
    def stem(self): return self.name if self.name.endswith('.') else _path.splitext(self.name)[0]
    @property
    def suffix(self): return _path.splitext(self.name)[1] if not self.name.endswith('.') else ''
    @property
    def parts(self):
        names = tuple([each for each in self._text.split('/') if each not in ('', '.')])
        return ('/',) + names if self._text.startswith('/') else names
    def __truediv__(self, other): return Path(self._text, other)
    def joinpath(self, *others): return Path(self._text, *others)
    def __str__(self): return self._text
    def __fspath__(self): return self._text
    def __repr__(self): return 'PosixPath(' + repr(self._text) + ')'
    def __eq__(self, other): return isinstance(other, Path) and self._text == other._text
    def __hash__(self): return hash(self._text)
    def is_absolute(self): return self._text.startswith('/')
    def absolute(self): return self if self.is_absolute() else __opaque__('pathlib.Path.absolute()')
    def resolve(self, strict=False): return __opaque__('pathlib.Path.resolve()')
    def expanduser(self): return __opaque__('pathlib.Path.expanduser()') if self._text.startswith('~') else self
    def exists(self): return __opaque__('pathlib.Path.exists()')
    def is_file(self): return __opaque__('pathlib.Path.is_file()')
    def is_dir(self): return __opaque__('pathlib.Path.is_dir()')
    def as_posix(self): return self._text
    def with_suffix(self, suffix): return Path(self._text[:len(self._text) - len(self.suffix)] + suffix)
    @classmethod
    def home(cls): return __opaque__('pathlib.Path.home()')
    @classmethod
    def cwd(cls): return __opaque__('pathlib.Path.cwd()')
PurePath = PosixPath = PurePosixPath = Path
