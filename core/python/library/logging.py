# SPDX-License-Identifier: GPL-3.0-or-later
class Logger:
    def __init__(self, name, level=0):
        self.name, self.level, self.handlers, self.filters = name, level, [], []
        self.propagate, self.disabled = True, False
    def __getattr__(self, name):
        return __opaque__('logging.Logger.' + name)
    def debug(self, msg, *args, **kwargs): pass
    info = warning = warn = error = exception = critical = fatal = debug
    def log(self, level, msg, *args, **kwargs): pass
    def addHandler(self, hdlr): _add(self.handlers, hdlr)
    def removeHandler(self, hdlr): _remove(self.handlers, hdlr)
    def addFilter(self, filter): _add(self.filters, filter)
    def removeFilter(self, filter): _remove(self.filters, filter)
    def setLevel(self, level): self.level = _levels[level] if isinstance(level, str) else level
    def isEnabledFor(self, level): return level >= (self.level or 30)  # the level of the root logger
    def getEffectiveLevel(self): return __opaque__('logging.Logger.getEffectiveLevel()')
    def hasHandlers(self): return __opaque__('logging.Logger.hasHandlers()')
def _add(held, value):
    if value not in held:
        held.append(value)
def _remove(held, value):
    if value in held:
        held.remove(value)
_known = {}
def getLogger(name=None):
    name = name or 'root'
    if name not in _known:
        _known[name] = Logger(name)
    return _known[name]
NOTSET, FATAL = 0, 50
def captureWarnings(capture): pass
class StreamHandler:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None
DEBUG, INFO, WARNING, WARN, ERROR, CRITICAL = 10, 20, 30, 30, 40, 50
_levels = {'NOTSET': 0, 'DEBUG': 10, 'INFO': 20, 'WARNING': 30, 'WARN': 30, 'ERROR': 40, 'FATAL': 50, 'CRITICAL': 50}
class Handler: pass
class Filter: pass
def info(*args, **kwargs): pass
def warning(*args, **kwargs): pass
def debug(*args, **kwargs): pass
def error(*args, **kwargs): pass
def basicConfig(*args, **kwargs): pass
