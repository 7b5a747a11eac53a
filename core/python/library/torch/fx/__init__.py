# SPDX-License-Identifier: GPL-3.0-or-later
import operator
import torch.nn as nn
from torch.fx._symbolic_trace import PH
def wrap(what): return __wrap__(what)
class Proxy:
    __module__ = 'torch.fx.proxy'
class Attribute(Proxy):
    __module__ = 'torch.fx.proxy'
passes = __space__('torch.fx.passes')
operator_schemas = __space__('torch.fx.operator_schemas')
node = __space__('torch.fx.node')
_compatibility = __space__('torch.fx._compatibility')
graph = __space__('torch.fx.graph')
graph_module = __space__('torch.fx.graph_module')
proxy = __space__('torch.fx.proxy')
subgraph_rewriter = __space__('torch.fx.subgraph_rewriter')
interpreter = __space__('torch.fx.interpreter')
class GraphAppendingTracer:
    __module__ = 'torch.fx.proxy'
    def __init__(self, graph):
        self.graph, self.root, self._paths = graph, None, {}
    def create_arg(self, value):
        return value
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        return Proxy(self.create_node(kind, target, args, kwargs, name, type_expr), self)
    def proxy(self, node):
        return Proxy(node, self)
    def path_of_module(self, module):
        if module not in self._paths:
            self._paths = {}
            for name, each in self.root.named_modules():
                self._paths[each] = name
        if module not in self._paths:
            raise NameError('module is not installed as a submodule')
        return self._paths[module]
    def call_module(self, module, forward, args, kwargs):
        return self.create_proxy('call_module', self.path_of_module(module), args, kwargs)
def _decompose(gm, rules):
    modules = dict(gm.named_modules())
    def plain(each): return each.node if isinstance(each, Proxy) else each
    for node in list(gm.graph.nodes):
        if node.op not in ('call_function', 'call_method', 'call_module'):
            continue
        rule = rules.get(type(modules[node.target]) if node.op == 'call_module' else node.target)
        if rule is None:
            continue
        tracer = GraphAppendingTracer(gm.graph)
        def opened(each): return Proxy(each, tracer)
        with gm.graph.inserting_before(node):
            made = map_aggregate(rule(*map_arg(node.args, opened), **map_arg(node.kwargs, opened)), plain)
        if isinstance(made, Node):
            node.replace_all_uses_with(made)
        else:
            for user in list(node.users):
                if not isinstance(made, (tuple, list)) or user.target is not operator.getitem:
                    raise TypeError(f'the rule for {node.name} returned {made}, which {user.name} cannot use')
                user.replace_all_uses_with(made[user.args[1]])
                gm.graph.erase_node(user)
        gm.graph.erase_node(node)
    return gm
class Scope:
    def __init__(self, module_path, module_type):
        self.module_path, self.module_type = module_path, module_type
TraceError = TraceError
class TracerBase:
    __module__ = 'torch.fx.proxy'
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = 'forward'
    def create_arg(self, a):
        return __tracer_argument__(self.graph, a)
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)
    def proxy(self, node):
        return Proxy(node, self)
    def to_bool(self, obj):
        raise TraceError('symbolically traced variables cannot be used as inputs to control flow')
    def iter(self, obj):
        raise TraceError('Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or '
                         'as a *args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more '
                         'detailed explanation of what types of control flow can be traced, and check out the Proxy '
                         'docstring for help troubleshooting Proxy iteration errors')
class Tracer(TracerBase):
    __module__ = 'torch.fx._symbolic_trace'
    def __init__(self, autowrap_modules=(), autowrap_functions=(), param_shapes_constant=False):
        self._autowrap_modules, self._autowrap_functions = autowrap_modules, autowrap_functions
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths, self.root_module_name = None, ''
        self.scope, self.module_stack, self.num_calls = Scope('', None), {}, {}
        self.node_name_to_scope = {}
    def is_leaf_module(self, m, module_qualified_name):
        return m.__module__.startswith(('torch.nn', 'torch.ao.nn')) and not isinstance(m, nn.Sequential)
    def path_of_module(self, mod):
        return __tracer_path__(mod)
    def call_module(self, m, forward, args, kwargs):
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy('call_module', path, args, kwargs)
        return forward(*args, **kwargs)
    def getattr(self, attr, attr_val, parameter_proxy_cache):
        return __tracer_read__(attr, attr_val)
    def trace(self, root, concrete_args=None):
        return __tracer_trace__(self, root, concrete_args)
class Interpreter:
    __module__ = 'torch.fx.interpreter'
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.graph = module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.env = {}
        self.name = 'Interpreter'
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
    def fetch_attr(self, target):
        value = self.module
        for name in target.split('.'):
            value = getattr(value, name)
        return value
    def placeholder(self, target, args, kwargs):
        if target.startswith('*'):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f'Expected positional argument for parameter {target}, but one was not passed in!')
    def get_attr(self, target, args, kwargs):
        return self.fetch_attr(target)
    def call_function(self, target, args, kwargs):
        return target(*args, **kwargs)
    def call_method(self, target, args, kwargs):
        return getattr(args[0], target)(*args[1:], **kwargs)
    def call_module(self, target, args, kwargs):
        return self.fetch_attr(target)(*args, **kwargs)
    def output(self, target, args, kwargs):
        return args[0]
class Transformer(Interpreter):
    __module__ = 'torch.fx.interpreter'
    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = GraphAppendingTracer(self.new_graph)
        self.tracer.root = module
    def placeholder(self, target, args, kwargs):
        return Proxy(self.new_graph.placeholder(target, None, *args), self.tracer)
    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy('get_attr', target, args, kwargs)
    def call_module(self, target, args, kwargs):
        return self.tracer.call_module(self.fetch_attr(target), None, args, kwargs)
    def transform(self):
        result = self.run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(result)
        return GraphModule(self.module, self.new_graph)
