# SPDX-License-Identifier: GPL-3.0-or-later
# Tracing, and graphs as text.


notes = {}  # the lines of the user's source that made each node
leaf_paths = set()
outermost = None  # the frame of the function that is traced
torch_folder, own_file = os.path.dirname(torch.__file__) + os.sep, os.path.abspath(target)


def note(file, line, name):
    if file == own_file:
        file = target  # as the user wrote it
    return f'  File "{file}", line {line}, in {name}\n    {linecache.getline(file, line).strip()}\n'


def note_of(frame):
    return note(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def notes_of_stack():
    global outermost
    found, frame = [], sys._getframe(2)
    while frame:
        if not frame.f_code.co_filename.startswith((torch_folder, "<")):
            found.append(note_of(frame))
            outermost = frame
        frame = frame.f_back
    return "".join(reversed(found))


def is_wrapped(function):
    """Whether torch.fx.wrap registered the function."""
    return any(scope.get(name) is function for (_, name), scope in torch.fx._symbolic_trace._wrapped_fns_to_patch.items())


def note_of_definition(function):
    code = getattr(inspect.unwrap(function), "__code__", None)
    if not code:
        return None
    line = code.co_firstlineno  # of the first decorator
    while linecache.getline(code.co_filename, line).strip().startswith("@"):
        line += 1
    return note(code.co_filename, line, code.co_name)


def note_of_return():
    """Where the function that was traced returned: a frame keeps its last line."""
    return note_of(outermost) if outermost else None


class Tracer(torch.fx.Tracer):
    """torch.fx's own, with the leaf classes that were asked for."""

    def create_node(self, *args, **kwargs):
        node = super().create_node(*args, **kwargs)
        if lines := notes_of_stack():
            notes[node] = lines
        return node

    def __init__(self):
        modules = [importlib.import_module(each) for each in request["wrapped"] if importlib.util.find_spec(each)]
        super().__init__(autowrap_modules=(math, *modules), param_shapes_constant=request["shapes_constant"])
        self.proxy_buffer_attributes = request["proxy_buffers"]

    def is_leaf_module(self, m, module_qualified_name):
        names = {type(m).__name__, f"{type(m).__module__}.{type(m).__qualname__}"}
        is_leaf = bool(names & set(request["leafs"])) or super().is_leaf_module(m, module_qualified_name)
        if is_leaf:
            leaf_paths.add(module_qualified_name)
        return is_leaf


class Description:
    """A graph as docs/ir-format.md writes it."""

    def __init__(self, graph):
        self.places = {node: place for place, node in enumerate(graph.nodes)}
        space = graph._graph_namespace
        names = {node.name for node in graph.nodes}
        self.text = json.dumps({
            "lancet_ir": 1, "nodes": [self.node(each) for each in graph.nodes],
            "names": {"used": sorted(space._used_names - names),
                      "numbers": {name: str(count) for name, count in sorted(space._base_count.items())}}})

    def node(self, node):
        out = {"name": node.name, "op": node.op,
               "target": self.function(node.target) if node.op == "call_function" else str(node.target),
               "args": [self.value(each) for each in node.args],
               "kwargs": {key: self.value(each) for key, each in node.kwargs.items()}}
        if node.type is not None:
            out["type"] = self.annotation(node.type)
        users = list(node.users)
        if users != sorted(users, key=self.places.get):
            out["users"] = [each.name for each in users]
        meta = {}
        if node in notes:
            meta["stack_trace"] = notes[node]
        stack = [[key, path, kind if isinstance(kind, str) else self.name(kind)]
                 for key, (path, kind) in (node.meta.get("nn_module_stack") or {}).items() if path not in leaf_paths]
        if node.op == "call_function" and is_wrapped(node.target):
            meta["wrapped"] = True
        if stack:
            meta["module_stack"] = stack
        if meta:
            out["meta"] = meta
        return out

    @staticmethod
    def name(thing):
        return f"{thing.__module__}.{thing.__qualname__}"

    def function(self, target):
        if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            return f"torch.ops.{target}"
        name = torch.fx.node._get_qualified_name(target)
        if name.startswith("_operator."):
            name = name[1:]
        module = getattr(target, "__module__", None) or ""
        if module.partition(".")[0] in ("torch", "operator", "_operator", "builtins", "math"):
            return name
        out = {"callable": name}
        if f"{module}.{target.__name__}" != name:
            out |= {"module": module, "name": target.__name__, "qualified_name": name,
                    "repr": re.sub("0x[0-9a-f]+", "0x0", repr(target))}
        return out | {"kind": "class"} if isinstance(target, type) else out

    def annotation(self, kind):
        if isinstance(kind, str):
            return {"text": repr(kind)}
        if isinstance(kind, getattr(types, "UnionType", ())):
            return {"union": [self.annotation(each) for each in kind.__args__]}
        if hasattr(kind, "__origin__") and getattr(kind, "__args__", None):
            origin = getattr(kind, "_name", None) or getattr(kind.__origin__, "_name", None)
            name = ["typing", origin] if origin and kind.__module__ == "typing" else \
                [kind.__origin__.__module__, kind.__origin__.__qualname__]
            if name[1] == "Optional":
                name[1] = "Union"
            if all(isinstance(each, type) or hasattr(each, "__origin__") for each in kind.__args__):
                return {"generic": name, "args": [self.annotation(each) for each in kind.__args__]}
        elif isinstance(kind, type):
            return {"class": [kind.__module__, kind.__qualname__], "from_torch": kind.__module__.startswith("torch")}
        return {"text": torch.fx.graph._type_repr(kind)}

    def value(self, value):
        if value is None or type(value) in (bool, str):
            return value
        if isinstance(value, torch.fx.Node):
            return {"node": value.name}
        if isinstance(value, enum.Enum):
            out = {"enum": self.function(type(value)), "member": value.name, "repr": repr(value)}
            return out if str(value) == f"{type(value).__name__}.{value.name}" else out | {"str": str(value)}
        if type(value) is int:
            return value
        if type(value) is float:
            if math.isfinite(value):
                return value
            return {"float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
        if type(value) is complex:
            return {"complex": [value.real, value.imag]}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if value is Ellipsis:
            return {"ellipsis": True}
        if isinstance(value, tuple):
            items = {"tuple": [self.value(each) for each in value]}
            if hasattr(type(value), "_fields"):
                items["type"] = self.function(type(value))
            return items
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if isinstance(value, dict):
            return {"dict": [[self.value(key), self.value(each)] for key, each in value.items()]}
        if isinstance(value, slice):
            return {"slice": [self.value(each) for each in (value.start, value.stop, value.step)]}
        if isinstance(value, range):
            return {"range": [value.start, value.stop, value.step]}
        for kind, form in ((torch.dtype, "dtype"), (torch.layout, "layout"), (torch.memory_format, "memory_format"),
                           (torch.qscheme, "qscheme")):
            if isinstance(value, kind):
                return {form: str(value)}
        if isinstance(value, torch.device):
            return {"device": value.type} if value.index is None else {"device": value.type, "index": value.index}
        if isinstance(value, type) or callable(value) and hasattr(value, "__name__"):
            function = self.function(value)
            return {"callable": function} if isinstance(function, str) else function
        return {"opaque": self.name(type(value)), "repr": repr(value)}
