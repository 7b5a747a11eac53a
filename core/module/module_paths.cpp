// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module_paths.h"

#include "core/diag/error.h"

#include <algorithm>
#include <unordered_map>

namespace fx {

std::size_t countPaths(const Module& root, std::size_t most) {
    std::unordered_map<const Module*, std::size_t> counts; // 0: its children are being counted
    std::vector<const Module*> open{&root};
    while (!open.empty()) {
        const Module* module = open.back();
        if (counts.emplace(module, 0).second) {
            for (const Module::Child& child : module->children)
                if (child.module && !counts.contains(child.module.get())) open.push_back(child.module.get());
            continue;
        }
        open.pop_back();
        std::size_t& count = counts.at(module);
        if (count > 0) continue; // it was open twice
        count = 1;
        for (const Module::Child& child : module->children)
            if (child.module) count = std::min(count + counts.at(child.module.get()), most + 1);
    }
    return counts.at(&root);
}

void requireFewPaths(const Module& root, std::size_t most) {
    if (countPaths(root, most) > most)
        throw Error(ErrorKind::Refused, Message("files.too_many_paths", {{"limit", most}}));
}

} // namespace fx
