# SPDX-License-Identifier: GPL-3.0-or-later
_set = ['PATH', 'HOME', 'USER', 'LOGNAME', 'PWD', 'SHELL', 'LANG', 'TERM', 'HOSTNAME', 'TMPDIR']
class _Environment(dict):
    # Programs ask for variables that are seldom set; those of `_set` mostly are.
    def __contains__(self, key): return __opaque__('os.environ') if key in _set else super().__contains__(key)
    def __getitem__(self, key): return __opaque__('os.environ') if key in _set else super().__getitem__(key)
    def get(self, key, default=None): return __opaque__('os.environ') if key in _set else super().get(key, default)
environ = _Environment()
def getenv(key, default=None):
    return environ.get(key, default)
def _asked(name): return lambda *args, **kwargs: __opaque__(f'os.path.{name}()')
class _Path:
    sep = "/"
    def join(self, path, *parts):
        for part in parts:
            path = part if part.startswith('/') else path + ('' if not path or path.endswith('/') else '/') + part
        return path
    exists, isfile, isdir, islink = _asked('exists'), _asked('isfile'), _asked('isdir'), _asked('islink')
    exists, isfile, isdir, islink = [staticmethod(each) for each in (exists, isfile, isdir, islink)]
    def split(self, path):
        head, slash, tail = path.rpartition('/')
        head += slash
        return (head.rstrip('/') or head, tail)
    def dirname(self, path): return self.split(path)[0]
    def basename(self, path): return self.split(path)[1]
    def splitext(self, path):
        stem, dot, end = path.rpartition('.')
        name = stem.rpartition('/')[2]
        return (stem, dot + end) if name.strip('.') and '/' not in end else (path, '')
    def isabs(self, path): return path.startswith('/')
    def normpath(self, path):
        if not path:
            return '.'
        start = '/' if path.startswith('/') else ''
        start = '//' if path.startswith('//') and not path.startswith('///') else start
        parts = []
        for part in path.split('/'):
            if part in ('', '.'):
                continue
            if part != '..' or not start and not parts or parts and parts[-1] == '..':
                parts.append(part)
            elif parts:
                parts.pop()
        return start + '/'.join(parts) or '.'
    def expanduser(self, path): return __opaque__('os.path.expanduser()') if path.startswith('~') else path
    def abspath(self, path): return self.normpath(path) if self.isabs(path) else __opaque__('os.path.abspath()')
    def realpath(self, path): return __opaque__('os.path.realpath()')
    def relpath(self, path, start=None): return __opaque__('os.path.relpath()')
path = _Path()
sep = '/'
name = 'posix'
