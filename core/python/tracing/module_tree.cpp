// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/module_tree.h"

#include "core/base/joined_path.h"
#include "core/ops/near_names.h"
#include "core/python/interpreter.h"

#include <algorithm>
#include <unordered_set>

namespace fx::python {

bool holdsItself(const Module& root) {
    std::unordered_set<const Module*> done, above;
    std::vector<std::pair<const Module*, std::size_t>> open{{&root, 0}};
    above.insert(&root);
    while (!open.empty()) {
        auto& [module, next] = open.back();
        if (next == module->children.size()) {
            above.erase(module), done.insert(module);
            open.pop_back();
            continue;
        }
        const Module* child = module->children[next++].module.get();
        if (above.contains(child)) return true;
        if (!child || done.contains(child)) continue;
        above.insert(child);
        open.emplace_back(child, 0);
    }
    return false;
}

void warnOfUnknownLeafs(Interpreter& in, const Module& root, Warnings& warnings) {
    if (in.leafTypes.empty()) return;
    std::vector<std::string> unknown = in.leafTypes, names;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        Instance* instance = path.empty() ? nullptr : in.instanceOf(&module);
        if (!instance) return;
        std::erase_if(unknown, [&](const std::string& name) { return Interpreter::isOfClass(*instance, name); });
        names.push_back(instance->type->name);
    });
    for (const std::string& name : unknown) {
        const std::string near(ops::nearestOf(std::string_view(name).substr(name.rfind('.') + 1), names));
        warnings.push_back({near.empty() ? Message("trace.unknown_leaf", {{"name", name}})
                                         : Message("trace.unknown_leaf_near", {{"name", name}, {"near", near}}),
                            {},
                            {},
                            {}});
    }
}

void warnOfWrites(const std::vector<TensorPtr>& written, const Module& root, Warnings& warnings) {
    if (written.empty()) return;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const Module::Slot& slot : *slots)
                if (slot.tensor && std::find(written.begin(), written.end(), slot.tensor) != written.end())
                    warnings.push_back(
                        {Message("trace.writes_while_traced", {{"path", joinedPath(path, slot.name)}}), {}, {}, {}});
    });
}

} // namespace fx::python
