# SPDX-License-Identifier: GPL-3.0-or-later
# Saving what torch.save refuses. Lancet reads a pickle as a description, and imports nothing of it.


class Pickler(pickle._Pickler):
    """Also writes modules whose classes are made as they run (parametrised ones), functions and classes of functions,
    and for locks, weak references and the like an empty object of their class."""

    def save_global(self, obj, name=None):
        try:
            super().save_global(obj, name)
        except Exception:
            module = getattr(obj, "__module__", None) or "builtins"
            self.write(pickle.GLOBAL + f"{module}\n{obj.__qualname__}\n".encode())
            self.memoize(obj)

    dispatch = {**pickle._Pickler.dispatch, types.FunctionType: save_global}

    def reducer_override(self, obj):
        if type(obj) in self.dispatch or type(obj) in copyreg.dispatch_table or isinstance(obj, type):
            return NotImplemented
        try:
            return obj.__reduce_ex__(2)
        except Exception:
            if isinstance(obj, torch.Tensor):  # an empty one would be another tensor
                raise
            return copyreg.__newobj__, (type(obj),), obj.__dict__ if isinstance(obj, torch.nn.Module) else None


class Importer(torch.package.importer._SysImporter):
    """Names what the code of a model imports."""

    def get_name(self, obj, name=None):
        try:
            return super().get_name(obj, name)
        except Exception:  # made by a function
            return getattr(obj, "__module__", None) or "builtins", re.sub(r"\W", "_", obj.__name__)


def save(made, file):
    try:
        torch.save(made, file)
    except Exception:
        file.seek(0)  # nothing was written but the end of an archive, over which the whole one goes
        torch.fx.graph_module.sys_importer = Importer()
        torch.save(made, file, pickle_module=types.SimpleNamespace(__name__="", Pickler=Pickler))
