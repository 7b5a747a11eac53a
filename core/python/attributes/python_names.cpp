// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/attributes/python_names.h"

#include <unordered_map>
#include <unordered_set>

namespace fx::python {
namespace {

#include "core/python/attributes/python_names.inc"

using NamesByType = std::unordered_map<std::string_view, std::unordered_set<std::string_view>>;

NamesByType namesByType() {
    NamesByType out;
    std::unordered_set<std::string_view>* names = nullptr;
    for (std::size_t at = 0; at < kNames.size();) {
        const std::size_t end = kNames.find_first_of(" \n", at);
        const std::string_view word = kNames.substr(at, end - at);
        const bool begins = !word.empty() && (at == 0 || kNames[at - 1] == '\n');
        if (begins) names = &out[word];
        else if (!word.empty()) names->insert(word);
        at = end + 1;
    }
    return out;
}

const NamesByType& allNames() {
    static const NamesByType kAll = namesByType();
    return kAll;
}

} // namespace

bool hasPythonAttribute(std::string_view type, std::string_view name) {
    const auto own = allNames().find(type);
    return allNames().at("object").contains(name) || (own != allNames().end() && own->second.contains(name));
}

bool isListedType(std::string_view type) { return allNames().contains(type); }

} // namespace fx::python
