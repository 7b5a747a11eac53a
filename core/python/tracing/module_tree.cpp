// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/module_tree.h"

#include "core/base/joined_path.h"
#include "core/ops/near_names.h"
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx::python {

bool isEndless(const Module& root) {
    constexpr std::size_t kMaxLevels = 900;
    struct Entry {
        const Module* module;
        std::size_t next = 0, below = 0; ///< children that were looked at, and the levels below them
    };
    std::unordered_map<const Module*, std::size_t> levels; // of the modules that are done
    std::unordered_set<const Module*> above{&root};
    std::vector<Entry> open{{&root}};
    while (!open.empty()) {
        Entry& at = open.back();
        if (at.next == at.module->children.size()) {
            const std::size_t all = at.below + 1;
            if (all > kMaxLevels) return true;
            levels.emplace(at.module, all);
            above.erase(at.module);
            open.pop_back();
            if (!open.empty()) open.back().below = std::max(open.back().below, all);
            continue;
        }
        const Module* child = at.module->children[at.next++].module.get();
        if (!child) continue;
        if (above.contains(child)) return true;
        if (const auto known = levels.find(child); known != levels.end()) {
            at.below = std::max(at.below, known->second);
            continue;
        }
        above.insert(child);
        open.push_back({child});
    }
    return false;
}

void letGo(std::shared_ptr<Module> root) {
    std::vector<std::shared_ptr<Module>> open;
    open.push_back(std::move(root));
    while (!open.empty()) {
        const std::shared_ptr<Module> module = std::move(open.back());
        open.pop_back();
        if (!module || module.use_count() != 1) continue;
        for (auto& child : module->children) open.push_back(std::move(child.module));
        module->children.clear();
    }
}

void warnOfUnknownLeafs(Interpreter& in, const Module& root, Warnings& warnings) {
    if (in.leafTypes.empty()) return;
    std::vector<std::string> unknown = in.leafTypes, names;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        Instance* instance = path.empty() ? nullptr : in.modules().instanceOf(&module);
        if (!instance) return;
        std::erase_if(unknown, [&](const std::string& name) { return Modules::isOfClass(*instance, name); });
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
