# SPDX-License-Identifier: GPL-3.0-or-later
_is = isinstance  # the builtin, not this module's
def is_scripting(): return False
def is_tracing(): return False
# What PyTorch compiles takes tensors only.
def _holds_proxy(value):
    return any([_holds_proxy(each) for each in value]) if _is(value, (list, tuple)) else __is_proxy__(value)
def script(value=None, **options):
    if not _is(value, type(script)):
        return value
    def compiled(*args, **kwargs):
        names = [row[0] for row in __parameters__(value)]
        for name, each in list(zip(names, args)) + list(kwargs.items()):
            if _holds_proxy(each):
                kind = 'Tensor' if name in value.__annotations__ else 'Tensor (inferred)'
                raise RuntimeError(f"{value.__name__}() Expected a value of type '{kind}' for argument '{name}' but "
                                   "instead found type 'Proxy'.")
        return value(*args, **kwargs)
    return __wraps__(compiled, value)
def ignore(function=None, **options): return function if function is not None else lambda each: each
unused = export = script_method = ignore
def script_if_tracing(function): return function
def interface(cls): return cls
def annotate(kind, value): return value
def isinstance(obj, target_type):
    kinds = target_type if _is(target_type, tuple) else (target_type,)
    for each in kinds:
        if each in (list, tuple, dict):
            raise RuntimeError(f'Attempted to use {each.__name__} without a contained type. Please add a contained '
                               f'type, e.g. {each.__name__}[int]')
    return False if __is_proxy__(obj) else _is(obj, kinds)
def _overload_method(function): return function
_overload = _overload_method
Final = __opaque__('torch.jit.Final')
class ScriptModule: pass
