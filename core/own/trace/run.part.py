# SPDX-License-Identifier: GPL-3.0-or-later
# The trace, else the export.


def save_traced(made):
    """Python would trace a saved module again: the graphs go beside it, as they are."""
    made.__dict__["_graphmodule_cls_name"] = type(made).__name__  # PyTorch forgets it otherwise
    graph = Description(made.graph).text
    for node in made.graph.nodes:
        node.type = None  # PyTorch saves none that is a text, as all are after `from __future__ import annotations`
    made.recompile()
    with os.fdopen(MODEL, "wb") as file:
        save(made, file)
    finish(graph=graph)


def concrete_args():
    """Values of `concrete_args`, with `PH` for what stays open."""
    text = request["concrete"]
    return eval(f"dict({text})", scope) if text else None


def traced():
    if isinstance(model, torch.fx.GraphModule):
        return model
    tracer = Tracer()
    graph = tracer.trace(model, concrete_args())
    definition = note_of_definition(type(model).forward if isinstance(model, torch.nn.Module) else model)
    returned = note_of_return()
    for node in graph.nodes:
        line = definition if node.op == "placeholder" else returned
        if line:
            notes.setdefault(node, line)
    graph._tracer_cls = torch.fx.Tracer  # what a saved module is traced with again
    kind = model.__class__.__name__ if isinstance(model, torch.nn.Module) else model.__name__
    return torch.fx.GraphModule(tracer.root, graph, kind)


refused = ""
try:
    made = traced()
except Exception as error:
    refused = f"{type(error).__name__}: {error}"
    print(f"torch.fx.symbolic_trace refused: {refused}", flush=True)
    trace_error = error
else:
    try:
        save_traced(made)
    except Exception as error:
        fail("save", error)


class Called(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def example(spec):
    dtype = getattr(torch, spec["dtype"])
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(spec["sizes"], dtype=dtype)
    if dtype == torch.bool:
        return torch.ones(spec["sizes"], dtype=dtype)
    return torch.zeros(spec["sizes"], dtype=dtype)


try:
    forward = model.forward if isinstance(model, torch.nn.Module) else model
    given = {spec["name"]: example(spec) for spec in request["inputs"]}
    try:
        bound = inspect.signature(forward).bind(**given)
    except TypeError as error:
        fail("trace", trace_error, needs_inputs=str(error))
    print("exporting with torch.export", flush=True)
    exported = torch.export.export(model if isinstance(model, torch.nn.Module) else Called(model), bound.args,
                                   bound.kwargs)
    with os.fdopen(MODEL, "wb") as file:
        torch.export.save(exported, file)
except Exception as error:
    fail("export", error, refused=refused)
finish()
