# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that only Python can run, for lancet-worker: it sends one message for each, and gets one answer.
#
#     bytes u64   count u32   {number u64  size u64  has_bytes u8  bytes}...   value        (little-endian)
#
# A message is the number of its bytes, the storages that its tensors are in, and a value. Numbers of storages from
# FIRST_OWN are given here. An answer has the storages that the call has changed, and those that it has made.


FIRST_OWN = 1 << 32
REQUESTS = MODEL
DEEPEST = 100


class Reader:
    """A message of the worker."""

    def __init__(self, data, kept):
        self.data, self.at, self.bases, self.before = data, 0, {}, {}
        for _ in range(*self.numbers("<I")):
            number, size, has_bytes = self.numbers("<QQB")
            base, before = kept.get(number, (None, None))
            if has_bytes:
                before = torch.frombuffer(data, dtype=torch.uint8, count=size, offset=self.at) if size else \
                    torch.empty(0, dtype=torch.uint8)
                self.at += size
                base = before.clone() if base is None or base.numel() != size else base.copy_(before)
            self.bases[number], self.before[number] = base, before

    def numbers(self, form):
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def text(self):
        size, = self.numbers("<I")
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def values(self):
        return [self.value() for _ in range(*self.numbers("<I"))]

    def value(self):
        form = chr(self.data[self.at])
        self.at += 1
        if form in "NTFE":
            return {"N": None, "T": True, "F": False, "E": ...}[form]
        if form in "if":
            return self.numbers("<q" if form == "i" else "<d")[0]
        if form == "c":
            return complex(*self.numbers("<dd"))
        if form == "r":
            return range(*self.numbers("<qqq"))
        if form in "sIDvb":
            text = self.text()
            return {"s": str, "I": int, "D": lambda name: getattr(torch, name.removeprefix("torch.")),
                    "v": torch.device, "b": bytes.fromhex}[form](text)
        if form == "t":
            return tuple(self.values())
        if form == "l":
            return self.values()
        if form == "S":
            return torch.Size(self.values())
        if form == "z":
            return slice(*self.values())
        if form == "d":
            parts = self.values()
            return dict(zip(parts[::2], parts[1::2]))
        if form == "n":
            name, fields, *items = self.values()
            if name.startswith("torch.return_types."):
                return getattr(torch.return_types, name.rpartition(".")[2])(items)
            return collections.namedtuple(name.rpartition(".")[2], fields)(*items)
        dtype, (number, offset, dimensions) = self.text(), self.numbers("<QQI")
        sizes, strides = self.numbers(f"<{dimensions}q"), self.numbers(f"<{dimensions}q")
        return tensor_in(self.bases[number], getattr(torch, dtype.removeprefix("torch.")), offset, sizes, strides)


def tensor_in(base, dtype, offset, sizes, strides):
    return torch.empty(0, dtype=dtype).set_(base.untyped_storage(), offset, sizes, strides)


def bytes_of(tensor):
    """The whole storage of a tensor."""
    storage = tensor.untyped_storage()
    return torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))


class Writer:
    """An answer. Storages of the message keep their numbers."""

    next_own = FIRST_OWN

    def __init__(self, message):
        self.out, self.made, self.bases = bytearray(), {}, message.bases
        self.changed = [number for number, base in message.bases.items()
                        if not torch.equal(base, message.before[number])]
        self.numbers = {base.data_ptr(): number for number, base in message.bases.items() if base.numel()}

    def text(self, form, text):
        data = text.encode("utf-8", "replace")
        self.out += form + struct.pack("<I", len(data)) + data

    def values(self, form, values, depth):
        self.out += form + struct.pack("<I", len(values))
        for each in values:
            self.value(each, depth + 1)

    def value(self, value, depth=0):
        if depth > DEEPEST:
            raise ValueError("the result is nested too deeply")
        if type(value).__module__ == "numpy" and hasattr(value, "item") and not getattr(value, "ndim", 1):
            value = value.item()
        if value is None or isinstance(value, bool):
            self.out += b"N" if value is None else b"T" if value else b"F"
        elif isinstance(value, torch.Tensor):
            self.tensor(value)
        elif isinstance(value, int):
            if -(1 << 63) <= value < 1 << 63:
                self.out += b"i" + struct.pack("<q", value)
            else:
                self.text(b"I", str(int(value)))
        elif isinstance(value, float):
            self.out += b"f" + struct.pack("<d", value)
        elif isinstance(value, complex):
            self.out += b"c" + struct.pack("<dd", value.real, value.imag)
        elif isinstance(value, str):
            self.text(b"s", value)
        elif isinstance(value, torch.dtype):
            self.text(b"D", str(value))
        elif isinstance(value, torch.device):
            self.text(b"v", str(value))
        elif isinstance(value, torch.Size):
            self.values(b"S", list(value), depth)
        elif isinstance(value, tuple) and hasattr(type(value), "_fields"):
            self.values(b"n", [self.name_of(value), list(type(value)._fields), *value], depth)
        elif isinstance(value, tuple) and hasattr(type(value), "n_sequence_fields"):  # torch.return_types
            fields = [name for name, each in vars(type(value)).items() if inspect.ismemberdescriptor(each)]
            self.values(b"n", [self.name_of(value), fields[:len(value)], *value], depth)
        elif isinstance(value, (tuple, list)):
            self.values(b"t" if isinstance(value, tuple) else b"l", list(value), depth)
        elif isinstance(value, slice):
            self.values(b"z", [value.start, value.stop, value.step], depth)
        elif isinstance(value, dict):
            self.values(b"d", [part for item in value.items() for part in item], depth)
        else:
            raise TypeError(f"it returns a {self.name_of(value)}, which is not data")

    @staticmethod
    def name_of(value):
        return f"{type(value).__module__}.{type(value).__qualname__}"

    def tensor(self, tensor):
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type != "cpu":
            raise TypeError(f"it returns a tensor of {tensor.device}, {tensor.layout}, {tensor.dtype}")
        tensor = tensor.detach().resolve_conj().resolve_neg()
        self.out += b"a"
        self.text(b"", str(tensor.dtype))
        self.out += struct.pack("<QQI", self.number(tensor), tensor.storage_offset(), tensor.dim())
        self.out += struct.pack(f"<{tensor.dim()}q", *tensor.shape) + struct.pack(f"<{tensor.dim()}q", *tensor.stride())

    def number(self, tensor):
        base = bytes_of(tensor)
        number = self.numbers.get(base.data_ptr()) if base.numel() else None
        if number is None:
            number = Writer.next_own
            Writer.next_own += 1
            self.made[number] = base
            if base.numel():
                self.numbers[base.data_ptr()] = number
        return number

    def send(self):
        storages = [*self.made.items(), *((number, self.bases[number]) for number in self.changed)]
        total = 4 + sum(17 + base.numel() for _, base in storages) + len(self.out)
        write(struct.pack("<QI", total, len(storages)))
        for number, base in storages:
            write(struct.pack("<QQB", number, base.numel(), 1))
            if base.numel():
                write((ctypes.c_char * base.numel()).from_address(base.data_ptr()))
        write(self.out)


def write(data):
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(RESULT, view):]


def receive(count):
    data = bytearray(count)
    view = memoryview(data)
    while view:
        got = os.readv(REQUESTS, [view])
        if got == 0:
            os._exit(0)
        view = view[got:]
    return data


def defining(name, texts):
    """The member of the only file in the folders for imports that defines it: what a script defined for itself."""
    found = []
    for folder in request["paths"]:
        for file in sorted(os.listdir(folder)):
            if file.endswith(".py"):
                with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as source:
                    if any(text in source.read() for text in texts):
                        found.append(file[:-len(".py")])
    if len(set(found)) > 1:
        raise ImportError(f"{', '.join(found)} define {name}")
    return [importlib.import_module(each) for each in found[:1]]


NOT_YOURS = {"torch", "builtins", *sys.stdlib_module_names} - {"__main__"}


def member(space, name):
    """A class or function of a Python module, neither of PyTorch nor of the standard library, also by an import."""
    first = name.partition(".")[0]
    if space.partition(".")[0] in NOT_YOURS:
        raise ImportError(f"{space}.{name} is not yours")
    if space == "__main__":
        modules = [module] if hasattr(module, first) else defining(name, [f"class {first}", f"def {first}"])
    else:
        try:
            modules = [importlib.import_module(space)]
        except ImportError:
            if not hasattr(module, first):
                raise
            modules = [module]
    if not modules:
        raise ImportError(f"no file in the folders for imports defines {name}")
    found = modules[0]
    for step in name.split("."):
        if found is not modules[0] and not isinstance(found, type):
            raise ImportError(f"{space}.{name} is no member of a class")
        found = getattr(found, step)
    if isinstance(found, (type, types.FunctionType, types.BuiltinFunctionType)) and \
            str(found.__module__).partition(".")[0] in NOT_YOURS:
        raise ImportError(f"{space}.{name} is not yours")
    for each in (modules[0], module):  # a decorator may give its function the name of another
        for other in list(vars(each).values()) if each is not None else ():
            if isinstance(other, types.FunctionType) and other is not found and \
                    (other.__module__, other.__name__) == (modules[0].__name__, name):
                raise ImportError(f"{space} gives the name {name} to several functions")
    return found


def operator_of(name):
    space, rest = name.removeprefix("torch.ops.").split(".", 1)
    packet = rest.partition(".")[0]
    if not hasattr(getattr(torch.ops, space), packet):
        defining(name, [f"{space}::{packet}", f'"{space}"', f"'{space}'"])
    found = operator.attrgetter(f"{space}.{rest}")(torch.ops)
    if not isinstance(found, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        raise ImportError(f"{name} is no operator")
    return found


def live_module(path):
    """The module of the model that the source has made; None without one."""
    try:
        return model.get_submodule(path) if isinstance(model, torch.nn.Module) else None
    except AttributeError:
        return None


OF_EVERY_MODULE = {name for name in vars(torch.nn.Module()) if "_hooks" not in name}


class CalledObject:
    """The callee of a call: a module, made of its class and of the state that the model has, or a function."""

    def __init__(self, described, state):
        self.tensors, self.places = list(state), {}
        if described["kind"] == "module":
            self.target = self.made(described["modules"])
        elif described["kind"] == "operator":
            self.target = operator_of(described["name"])
        else:
            self.target = member(described["module"], described["name"])

    def made(self, modules):
        lives = [live_module(each["path"]) for each in modules]
        types = [self.type_of(each, live) for each, live in zip(modules, lives)]
        lives = [live if type(live) is kind else None for live, kind in zip(lives, types)]
        made = [kind.__new__(kind) for kind in types]
        memo = {id(live): new for live, new in zip(lives, made) if live is not None}
        states = []
        for each, new in zip(modules, made):
            torch.nn.Module.__init__(new)
            states.append(self.state_of(each, new))
        for each, live, state in zip(modules, lives, states):
            for kind in ("_parameters", "_buffers") if live is not None else ():
                memo |= {id(old): state[kind][name] for name, old in getattr(live, kind).items()
                         if old is not None and state[kind].get(name) is not None}
        for each, new, live, state in zip(modules, made, lives, states):
            state["_modules"] = {name: None if at is None else made[at] for name, at in each["children"]}
            restore = type(new).__setstate__
            if live is not None and not restore.__module__.startswith("torch."):  # which is for states of files
                restore = torch.nn.Module.__setstate__
            restore(new, {**self.left_of(live, memo), **state})
        return made[0]

    @staticmethod
    def type_of(described, live):
        space, name = described["module"], described["class"]
        if live is not None and name in (type(live).__qualname__, type(live).__name__):
            return type(live)
        found = operator.attrgetter(name)(importlib.import_module(space)) if space.startswith("torch.") else \
            member(space, name)
        if not isinstance(found, type) or not issubclass(found, torch.nn.Module):
            raise TypeError(f"{space}.{name} is no class of modules")
        return found

    def state_of(self, described, new):
        state = dict(described["attributes"])
        state |= {name: self.tensors[at] for name, at in described["tensors"]}
        state["training"] = described["training"]
        state["_parameters"], state["_buffers"] = {}, {}
        for name, at in described["parameters"]:
            if at is not None and not isinstance(self.tensors[at], torch.nn.Parameter):
                given = self.tensors[at]
                self.tensors[at] = torch.nn.Parameter(given, given.is_floating_point() or given.is_complex())
            state["_parameters"][name] = None if at is None else self.tensors[at]
            self.places.setdefault(at, []).append((new, "_parameters", name))
        for name, at, _ in described["buffers"]:
            state["_buffers"][name] = None if at is None else self.tensors[at]
            self.places.setdefault(at, []).append((new, "_buffers", name))
        if isinstance(new, torch.nn.RNNBase):  # its list of tensors is no attribute of the model
            state["_flat_weights"] = [state["_parameters"].get(name) for name in state.get("_flat_weights_names", ())]
        state["_non_persistent_buffers_set"] = {name for name, _, persistent in described["buffers"] if not persistent}
        self.places.pop(None, None)
        return state

    @staticmethod
    def left_of(live, memo):
        """What the model does not hold: objects, functions, hooks."""
        left = {}
        for name, value in vars(live).items() if live is not None else ():
            if "_hooks" in name:
                left[name] = copy.copy(value)
            elif name not in OF_EVERY_MODULE:
                try:
                    left[name] = copy.deepcopy(value, memo)
                except Exception:
                    left[name] = value
        return left

    def take(self, state):
        """Takes the state that the model has now, where it is not in the tensors already."""
        for at, given in enumerate(state):
            if at in self.places and geometry(given) != geometry(self.tensors[at]):
                if isinstance(self.tensors[at], torch.nn.Parameter):
                    given = torch.nn.Parameter(given, self.tensors[at].requires_grad)
                self.tensors[at] = given
                for owner, _, name in self.places[at]:
                    setattr(owner, name, given)

    def replaced(self, before):
        """Numbers and values of the tensors that the call has put into the place of others."""
        out = []
        for at, places in self.places.items():
            now = [getattr(owner, kind).get(name) for owner, kind, name in places]
            if now[0] is None or any(each is not now[0] for each in now):
                raise ValueError(f"it removes {places[0][2]}, or replaces it in one of several modules")
            if now[0] is not self.tensors[at] or geometry(now[0]) != before[at]:
                out.append((at, now[0]))
                self.tensors[at] = now[0]
        return out


def geometry(tensor):
    return tensor.dtype, tensor.untyped_storage().data_ptr(), tensor.storage_offset(), tensor.shape, tensor.stride()


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_of(each)
    elif isinstance(value, dict):
        yield from tensors_of(list(value.values()))


def answer(message, objects, kept):
    place, described, state, args, kwargs, generator, threads, dropped = message.value()
    for each in dropped:
        for storage in objects.pop(each)[1] if each in objects else ():
            kept.pop(storage, None)
    if broken:
        raise broken
    if described is not None:
        objects[place] = CalledObject(described, state), set()
    called, storages = objects[place]
    if described is None:
        called.take(state)
    given = [(each, geometry(each)) for each in tensors_of([args, list(kwargs.values())])]
    before = [geometry(each) for each in called.tensors]
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    torch.set_rng_state(generator)
    with torch.no_grad():
        result = called.target(*args, **kwargs)
    if any(geometry(each) != shape for each, shape in given):
        raise ValueError("it gives an input another size, or other memory")
    writer = Writer(message)
    replaced = called.replaced(before)
    writer.value(("ok", result, replaced, torch.get_rng_state()))
    for each in called.tensors:  # later messages leave out what is unchanged
        number = writer.number(each)
        base = message.bases.get(number, writer.made.get(number))
        is_same = number in message.bases and number not in writer.changed
        kept[number] = base, message.before[number] if is_same else base.clone()
        storages.add(number)
    return writer


def serve():
    objects, kept = {}, {}
    while True:
        message = Reader(receive(*struct.unpack("<Q", receive(8))), kept)
        try:
            writer = answer(message, objects, kept)
        except BaseException as error:
            writer = Writer(message)
            writer.value(("error", type(error).__name__, str(error)[:2000], user_frame(error)))
        writer.send()


if request["serves"]:
    serve()
