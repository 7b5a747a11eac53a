// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preserved.h"

#include "core/module/module_editor.h"

#include <algorithm>

namespace fx::quant {
namespace {

/// Sets the entry of this name, or adds one.
template<class Entries, class Name> void put(Entries& entries, const typename Entries::value_type& entry, Name nameOf) {
    const auto there =
        std::find_if(entries.begin(), entries.end(), [&](const auto& each) { return nameOf(each) == nameOf(entry); });
    if (there != entries.end()) *there = entry;
    else entries.push_back(entry);
}

} // namespace

void preserveAttributes(const Module& from, const std::vector<std::string>& names, GraphModule& model) {
    if (names.empty()) return;
    ModuleEditor editor(model);
    Module& root = *editor.writable("");
    const auto slotName = [](const auto& slot) -> const std::string& { return slot.name; };
    for (const std::string& name : names) {
        if (const auto child = from.childIndex(name); child < from.children.size())
            put(root.children, from.children[child], slotName);
        else if (const auto* parameter = from.parameter(name)) put(root.parameters, *parameter, slotName);
        else if (const auto* buffer = from.buffer(name)) put(root.buffers, *buffer, slotName);
        else if (const auto* value = from.attribute(name))
            put(root.attributes, {name, *value}, [](const auto& each) -> const std::string& { return each.first; });
    }
}

} // namespace fx::quant
