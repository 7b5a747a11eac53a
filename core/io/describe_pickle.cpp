// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_kind.h"
#include "core/io/graphmodule/torch_file.h"

#include <algorithm>

namespace fx {

namespace {

constexpr const char* kTrace =
    "trace the model in Python and save that: torch.save(torch.fx.symbolic_trace(model), 'model.pt')";

/// The tensors directly in a dict, and whether there is anything else.
std::pair<std::size_t, bool> tensorsIn(const TorchFile& file, PickleRef dict) {
    std::size_t tensors = 0;
    const PickleEntries entries = textEntries(file.arena(), dict);
    for (const auto& [name, value] : entries) tensors += file.isTensor(value);
    return {tensors, tensors == entries.size()};
}

bool isDict(const PickleArena& arena, PickleRef ref) {
    return ref != kNoPickle && (arena.is(ref, PickleKind::Dict) || arena.isCallOf(ref, "collections.OrderedDict"));
}

Error isA(const TorchFile& file, const std::string& what, const char* hint = kTrace) {
    return Error(ErrorKind::File, "this is " + what)
        .in(file.path())
        .at(file.archive().root() + "data.pkl")
        .hinting(hint);
}

Error describeDict(const TorchFile& file, PickleRef dict) {
    const auto [tensors, only] = tensorsIn(file, dict);
    if (tensors > 0 && only) return isA(file, "a state dict: " + std::to_string(tensors) + " tensors without a model");
    for (const auto& [name, value] : textEntries(file.arena(), dict))
        if (isDict(file.arena(), value) && tensorsIn(file, value).first > 0)
            return isA(file, "a training checkpoint: a dict with the state dict '" + std::string(name.substr(0, 100)) +
                                 "', without a model");
    return isA(file, "a dict of " + std::to_string(file.arena().itemCount(dict)) + " entries, not a model");
}

} // namespace

Error describePickle(const TorchFile& file) {
    const PickleArena& arena = file.arena();
    const PickleRef root = arena.root();
    if (isDict(arena, root)) return describeDict(file, root);
    if (file.isTensor(root)) return isA(file, "a single tensor, not a model");
    switch (arena.kind(root)) {
    case PickleKind::Tuple:
    case PickleKind::List:
        return isA(file, "a list of " + std::to_string(arena.itemCount(root)) + " objects, not a model");
    case PickleKind::Reduce:
    case PickleKind::NewObj:
    case PickleKind::NewObjEx: break;
    default: return isA(file, "a plain value, not a model");
    }
    const std::string name = arena.qualifiedName(arena.callee(root));
    if (name == "torch.fx.graph_module.reduce_package_graph_module" ||
        name == "torch.fx.graph_module.reduce_deploy_graph_module")
        return isA(file, "a GraphModule whose code is in a torch.package archive and not in this file",
                   "load it in Python through torch.package and save it with torch.save");
    if (arena.state(root) != kNoPickle && arena.find(arena.state(root), "_modules") != kNoPickle)
        return isA(file, "a whole module of class " + name + ", pickled without a graph: its code is not in the file");
    return isA(file, "an object of class " + (name.empty() ? std::string("unknown") : name) + ", not a traced model");
}

} // namespace fx
