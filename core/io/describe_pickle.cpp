// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_kind.h"
#include "core/io/graphmodule/torch_file.h"

#include <algorithm>

namespace fx {

namespace {

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

Error isA(const TorchFile& file, const Message& kind) {
    return notAModel(file.path(), kind).at(file.archive().root() + "data.pkl");
}

Error describeDict(const TorchFile& file, PickleRef dict) {
    const auto [tensors, only] = tensorsIn(file, dict);
    if (tensors > 0 && only) return isA(file, Message("io.kind.state_dict", {{"count", tensors}}));
    for (const auto& [name, value] : textEntries(file.arena(), dict))
        if (isDict(file.arena(), value) && tensorsIn(file, value).first > 0)
            return isA(file, Message("io.kind.checkpoint", {{"name", name.substr(0, 100)}}));
    return isA(file, Message("io.kind.dict", {{"count", file.arena().itemCount(dict)}}));
}

} // namespace

Error describePickle(const TorchFile& file) {
    const PickleArena& arena = file.arena();
    const PickleRef root = arena.root();
    if (isDict(arena, root)) return describeDict(file, root);
    if (file.isTensor(root)) return isA(file, Message("io.kind.tensor"));
    switch (arena.kind(root)) {
    case PickleKind::Tuple:
    case PickleKind::List: return isA(file, Message("io.kind.list", {{"count", arena.itemCount(root)}}));
    case PickleKind::Reduce:
    case PickleKind::NewObj:
    case PickleKind::NewObjEx: break;
    default: return isA(file, Message("io.kind.value"));
    }
    const std::string name = arena.qualifiedName(arena.callee(root));
    if (name == "torch.fx.graph_module.reduce_package_graph_module" ||
        name == "torch.fx.graph_module.reduce_deploy_graph_module")
        return isA(file, Message("io.kind.packaged_graph_module"));
    if (arena.state(root) != kNoPickle && arena.find(arena.state(root), "_modules") != kNoPickle)
        return isA(file, Message("io.kind.module", {{"name", name}}));
    return isA(file, Message("io.kind.object", {{"name", name.empty() ? "unknown" : name}}));
}

} // namespace fx
