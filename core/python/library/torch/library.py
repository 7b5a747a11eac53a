# SPDX-License-Identifier: GPL-3.0-or-later
# Operators that a program registers. Calls on proxies are recorded; `_implementations` has what they compute on the CPU.
_implementations = {}
_order = ('', 'CompositeImplicitAutograd', 'CompositeExplicitAutograd', 'CPU', 'cpu', 'Autograd', 'AutogradCPU')
_keys = {}
_schemas = {} # texts of those that are defined by one
def _register(name, function, key):
    if name.startswith(('aten::', 'prims::')) and key in _order:
        raise NotImplementedError(f'Lancet runs {name} with the kernels of PyTorch, not with that of a program')
    if key in _order and _order.index(key) >= _order.index(_keys.get(name, '')):
        _implementations[name], _keys[name] = function, key
def _register_for(name, function, types):
    for key in ('',) if types is None else (types,) if isinstance(types, str) else types:
        _register(name, function, 'cpu' if key is None else key)
def _decorator(function, register):
    def decorated(each):
        register(each)
        return each
    return decorated if function is None else decorated(function)
def _nothing(function): pass
def _name_of(op):
    return op if isinstance(op, str) else op._qualname if isinstance(op, CustomOpDef) else op._schema.name
class CustomOpDef:
    def __init__(self, name, function, device_types):
        self._qualname, self._init_fn = name, function
        self._namespace, self._name = name.split('::')
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        _register_for(name, function, device_types)
    def __call__(self, *args, **kwargs):
        return __registered_op__(self._qualname, self._init_fn, args, kwargs)
    def register_kernel(self, device_types, func=None):
        return _decorator(func, lambda each: _register_for(self._qualname, each, device_types))
    def register_fake(self, fn): return fn
    def register_autograd(self, backward, *, setup_context=None): pass
    def register_vmap(self, func=None): return _decorator(func, _nothing)
    def register_torch_dispatch(self, torch_dispatch_class, fn=None): return _decorator(fn, _nothing)
    def register_autocast(self, device_type, cast_inputs): pass
def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    def made(function): return CustomOpDef(name, function, device_types)
    return made if fn is None else made(fn)
def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    return custom_op(name, fn, mutates_args=mutates_args)
class Library:
    def __init__(self, ns, kind, dispatch_key=''):
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
    def define(self, schema, alias_analysis='', *, tags=()):
        name = schema.split('(')[0]
        _schemas[name if '::' in name else self.ns + '::' + name] = schema
        return name
    def impl(self, op_name, fn, dispatch_key='', *, with_keyset=False, allow_override=False):
        name = op_name if isinstance(op_name, str) else op_name._schema.name
        _register(name if '::' in name else self.ns + '::' + name, fn, dispatch_key or self.dispatch_key)
def define(qualname, schema=None, *, lib=None, tags=()):
    if schema is not None:
        _schemas[qualname] = schema
    return None if schema is not None else (lambda function: function)
def impl(qualname, types, func=None, *, lib=None):
    if isinstance(qualname, Library): # the old form: impl(library, name, dispatch_key)
        return lambda function: (qualname.impl(types, function, func or ''), function)[1]
    return _decorator(func, lambda each: _register_for(_name_of(qualname), each, types))
def register_kernel(op, device_types, func=None, /, *, lib=None):
    return _decorator(func, lambda each: _register_for(_name_of(op), each, device_types))
def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False): return _decorator(func, _nothing)
impl_abstract = register_fake
def register_autograd(op, backward, /, *, setup_context=None, lib=None): pass
def register_autocast(op, device_type, cast_inputs, /, *, lib=None): pass
def register_vmap(op, func=None, /, *, lib=None): return _decorator(func, _nothing)
def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None): return _decorator(func, _nothing)
