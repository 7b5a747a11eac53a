// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/io/file_kind.h"
#include "core/io/graphmodule/torch_file.h"

#include <algorithm>
#include <unordered_set>

namespace fx {

namespace {

constexpr std::size_t kMostClasses = 1000, kClassesShown = 8;

/// The tensors directly in a dict, and whether there is anything else.
std::pair<std::size_t, bool> tensorsIn(const TorchFile& file, PickleRef dict) {
    std::size_t tensors = 0;
    const PickleEntries entries = textEntries(file.arena(), dict);
    for (const auto& [name, value] : entries) tensors += file.isTensor(value);
    return {tensors, tensors == entries.size()};
}

bool isModule(const PickleArena& arena, PickleRef ref) {
    const PickleRef state = isCall(arena.kind(ref)) ? arena.state(ref) : kNoPickle;
    return state != kNoPickle && arena.find(state, "_modules") != kNoPickle;
}

/// The classes of modules that the file names and that are not torch's, in order.
std::vector<std::string> ownClasses(const PickleArena& arena) {
    std::vector<std::string> out;
    std::unordered_set<PickleRef> met;
    for (PickleRef ref = 0; ref < arena.size(); ++ref) {
        if (!isModule(arena, ref)) continue;
        PickleRef cls = arena.callee(ref);
        if (arena.isCallOf(ref, "copyreg._reconstructor") && arena.itemCount(arena.args(ref)) == 3)
            cls = arena.items(arena.args(ref))[0];
        if (!met.insert(cls).second) continue;
        std::string name = arena.qualifiedName(cls);
        if (!name.empty() && !name.starts_with("torch.") && std::find(out.begin(), out.end(), name) == out.end())
            out.push_back(std::move(name));
        if (out.size() > kMostClasses) break;
    }
    return out;
}

/// What a message adds for a file with modules of such classes.
std::string classesText(const PickleArena& arena) {
    const std::vector<std::string> names = ownClasses(arena);
    return names.empty() ? std::string() : "; its classes outside torch are " + listed(names, kClassesShown);
}

bool isDict(const PickleArena& arena, PickleRef ref) {
    return ref != kNoPickle && (arena.is(ref, PickleKind::Dict) || arena.isCallOf(ref, "collections.OrderedDict"));
}

Error isA(const TorchFile& file, const Message& kind) { return notAModel(file.path(), kind).at(file.pickleName()); }

Error describeDict(const TorchFile& file, PickleRef dict) {
    const auto [tensors, only] = tensorsIn(file, dict);
    if (tensors > 0 && only)
        return isA(file, Message("io.kind.state_dict", {{"count", tensors}, {"file", file.path()}}));
    for (const auto& [name, value] : textEntries(file.arena(), dict))
        if (isDict(file.arena(), value) && tensorsIn(file, value).first > 0)
            return isA(file, Message("io.kind.checkpoint", {{"name", name.substr(0, 100)}, {"file", file.path()}}));
    for (const auto& [name, value] : textEntries(file.arena(), dict))
        if (isModule(file.arena(), value))
            return isA(file, Message("io.kind.checkpoint_of_module",
                                     {{"name", name.substr(0, 100)},
                                      {"class", file.arena().qualifiedName(file.arena().callee(value))},
                                      {"classes", classesText(file.arena())},
                                      {"file", file.path()}}));
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
    if (isModule(arena, root))
        return isA(file, Message("io.kind.module", {{"name", name},
                                                    {"class", lastAtom(name)},
                                                    {"classes", classesText(arena)},
                                                    {"file", file.path()}}));
    return isA(file, Message("io.kind.object", {{"name", name.empty() ? "unknown" : name}}));
}

} // namespace fx
