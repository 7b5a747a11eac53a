// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {
namespace {

constexpr MessageText kTexts[] = {
    {"folder.bad_name", "'{name}' cannot be a file name"},
    {"folder.bad_size", "a size of a tensor is not a number"},
    {"folder.bare_word",
     "module.py has a bare word as a setting, so Python cannot import the folder; Lancet reads it as a string"},
    {"folder.becomes_persistent", "buffer {name} becomes persistent in a folder"},
    {"folder.cannot_create", "cannot create a folder beside it: {detail}"},
    {"folder.child_file", "unexpected file name of a child module; to_folder does not write this"},
    {"folder.file_in_the_way", "a file of that name exists"},
    {"folder.left_wrong", "cannot undo a wrong save: {detail}", "the old folder, if there was one, is now {old}"},
    {"folder.no_forward", "missing function forward"},
    {"folder.no_sizes", "a tensor has no sizes"},
    {"folder.no_values",
     "missing '{name}' in state_dict.pt: its values are unknown (non-persistent buffers are not saved)"},
    {"folder.not_a_model_folder", "the folder has other content and no module.py", "name a new folder"},
    {"folder.not_torch_save", "not a file of torch.save"},
    {"folder.size_mismatch", "module.py and state_dict.pt give '{name}' different sizes"},
    {"folder.too_large", "module.py is larger than 256 MB"},
    {"folder.truncated", "module.py ends early"},
    {"folder.two_names", "module '{name}' has two names; a folder keeps only one", "save the model as .pt"},
    {"folder.unexpected_class", "unexpected class; to_folder does not write this"},
    {"folder.unexpected_line", "unexpected line; to_folder does not write this"},
    {"folder.unexpected_value", "unexpected value; to_folder does not write this"},
    {"folder.unknown_class", "unexpected class {name}; to_folder does not write this"},
    {"folder.unknown_setting", "unknown setting of a torch.nn module"},
    {"folder.would_lose", "the folder also holds {name}, which would be lost", "name a new folder"},
    {"graphmodule.attribute", "cannot write the value of a module attribute"},
    {"graphmodule.bad_storage", "invalid storage of a tensor"},
    {"graphmodule.big_endian", "the file was written on a big-endian machine",
     "load it in Python on a little-endian machine and save it again"},
    {"graphmodule.checksum", "wrong checksum of {name}: the file may be damaged"},
    {"graphmodule.children_not_dict", "a module's children (_modules) are not a dict"},
    {"graphmodule.custom_tracer", "saved with tracer {tracer}; PyTorch uses it again when it loads the file, Lancet "
                                  "uses the standard one: names may differ"},
    {"graphmodule.cycle", "child '{name}' is one of its own ancestors and is left out"},
    {"graphmodule.expected_integer", "expected an integer in the description of a tensor"},
    {"graphmodule.expected_sizes", "expected a tuple as sizes of a tensor"},
    {"graphmodule.forward_hooks",
     "{module} has forward hooks, which Lancet does not run: PyTorch may compute something else"},
    {"graphmodule.hooks_kept", "the module has hooks ({field}), which Lancet keeps in the file but does not run"},
    {"graphmodule.modules_too_deep", "modules are nested more than 1000 deep, which PyTorch cannot walk"},
    {"graphmodule.more_warnings", "{count} more {count|warning|warnings} of this kind"},
    {"graphmodule.names_too_long", "the names in the module tree take more than 64 MB"},
    {"graphmodule.needs_class", "PyTorch needs the class {type} to load the file"},
    {"graphmodule.nested_untraceable", "cannot trace the code of a nested GraphModule: {reason}"},
    {"graphmodule.new_tensor", "cannot write a new tensor of this kind ({dtype}, {layout})"},
    {"graphmodule.no_code", "the saved GraphModule has no code"},
    {"graphmodule.no_data_pkl", "missing data.pkl in the archive; torch.save did not write it"},
    {"graphmodule.no_scale", "a quantized tensor has no scale"},
    {"graphmodule.no_values", "missing values of a tensor in the file"},
    {"graphmodule.not_a_module", "this child is not an nn.Module"},
    {"graphmodule.not_a_tensor", "'{name}' is registered as a parameter or buffer but is not a tensor"},
    {"graphmodule.object_cycle", "cannot write an object that contains itself"},
    {"graphmodule.own_state", "the module keeps its state in a form of its own, which is not shown"},
    {"graphmodule.sparse_layout", "a sparse tensor has no layout"},
    {"graphmodule.sparse_values", "a sparse tensor has no values"},
    {"graphmodule.storage_length", "invalid length of a storage"},
    {"graphmodule.subclass", "a tensor of class {type} is read as a plain tensor"},
    {"graphmodule.tensor_geometry", "a tensor has {problem}"},
    {"graphmodule.tensor_kind", "tensor '{name}' is kept but not read: unsupported kind {kind}"},
    {"graphmodule.tracer_arguments", "saved with extra tracer arguments, which Lancet keeps but does not use"},
    {"graphmodule.unknown_scheme", "unknown scheme {scheme} of a quantized tensor"},
    {"graphmodule.unknown_storage", "unknown storage type {type} of a tensor"},
    {"graphmodule.unreadable_class", "cannot read the values of a tensor of class {type}"},
    {"graphmodule.values_cut", "the values of a tensor are cut off: expected {expected} bytes, got {got}"},
    {"graphmodule.wrapped_in_itself", "a tensor is wrapped in itself"},
};

} // namespace

MessageTexts graphmodule() { return kTexts; }

} // namespace fx::texts
