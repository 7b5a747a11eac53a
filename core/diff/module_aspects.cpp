// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/module_aspects.h"

#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/module/script_object.h"

#include <algorithm>
#include <map>

namespace fx {
namespace {

/// Public attributes that no constructor setting tells: `self.scale = 2.0`. Tensors are compared apart.
bool sameAttributes(const Module& a, const Module& b) {
    const auto plainOf = [](const Module& module) {
        std::map<std::string, const Argument*> out;
        for (const auto& [name, value] : module.attributes)
            if (const auto* plain = std::get_if<Argument>(&value); plain && !name.starts_with('_'))
                out.emplace(name, plain);
        return out;
    };
    const auto ofA = plainOf(a), ofB = plainOf(b);
    return std::equal(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && *x.second == *y.second; });
}

/// By name; those of one model alone are orphans.
bool samePersistence(const std::vector<Held>& a, const std::vector<Held>& b) {
    std::map<std::string_view, bool> ofA;
    for (const Held& held : a) ofA.emplace(held.name, held.persistent);
    return std::all_of(b.begin(), b.end(), [&](const Held& held) {
        const auto same = ofA.find(held.name);
        return same == ofA.end() || same->second == held.persistent;
    });
}

/// All but the hooks of a traced source, which a .pt has beside the attributes.
std::vector<std::pair<std::string, const Argument*>> attributesInFile(const Module& module) {
    std::vector<std::pair<std::string, const Argument*>> out;
    for (const auto& [name, value] : module.attributes)
        if (name != "_forward_pre_hooks") out.emplace_back(name, std::get_if<Argument>(&value));
    return out;
}

/// The names of all members, of each kind in order.
std::vector<std::string> memberNames(const Module& module) {
    std::vector<std::string> out;
    for (const auto* slots : {&module.parameters, &module.buffers}) {
        for (const auto& slot : *slots) out.push_back(slot.name);
        out.emplace_back(); // the end of a kind
    }
    for (const auto& [name, value] : attributesInFile(module)) out.push_back(name);
    out.emplace_back();
    for (const auto& child : module.children) out.push_back(child.name);
    return out;
}

bool sameSettings(const Module& a, const Module& b) {
    const auto ofA = constructorSettings(a), ofB = constructorSettings(b);
    return std::equal(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(),
                      [](const Setting& x, const Setting& y) { return x.name == y.name && x.value == y.value; });
}

} // namespace

std::vector<Held> heldBy(const Module& module) {
    std::vector<Held> all;
    for (const auto& slot : module.parameters) all.push_back({"parameter", slot.name, slot.tensor});
    for (const auto& slot : module.buffers) all.push_back({"buffer", slot.name, slot.tensor, slot.persistent});
    for (const auto& [name, value] : module.attributes)
        if (const auto* tensor = std::get_if<TensorPtr>(&value)) all.push_back({"tensor", name, *tensor});
    std::erase_if(all, [](const Held& held) { return !held.tensor; });
    return all;
}

std::vector<Aspect> moduleAspects(const Module& a, const Module& b) {
    std::vector<Aspect> what;
    if (a.qualifiedType() != b.qualifiedType()) what.push_back(Aspect::Class);
    else if (!sameSettings(a, b)) what.push_back(Aspect::Settings);
    else if (!sameAttributes(a, b)) what.push_back(Aspect::Attributes);
    if (a.training != b.training) what.push_back(Aspect::Training);
    if (a.graphModule && b.graphModule && a.graphModule != b.graphModule &&
        graphText(a.graphModule->graph) != graphText(b.graphModule->graph))
        what.push_back(Aspect::Graph);
    if (!samePersistence(heldBy(a), heldBy(b))) what.push_back(Aspect::Persistence);
    return what;
}

std::vector<Aspect> moduleAspectsInFile(const Module& a, const Module& b) {
    const Graph none;
    std::vector<Aspect> what;
    const auto note = [&](Aspect aspect, bool differs) {
        if (differs) what.push_back(aspect);
    };
    const auto sameAttribute = [&](const auto& x, const auto& y) {
        return !x.second == !y.second && (!x.second || reprOf(none, *x.second) == reprOf(none, *y.second));
    };
    const auto ofA = attributesInFile(a), ofB = attributesInFile(b);
    note(Aspect::Class, a.qualifiedType() != b.qualifiedType());
    note(Aspect::Order, memberNames(a) != memberNames(b));
    note(Aspect::Attributes, !std::equal(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(), sameAttribute));
    note(Aspect::Training, !isScriptObject(a) && a.training != b.training);
    note(Aspect::Persistence, !samePersistence(heldBy(a), heldBy(b)));
    return what;
}

} // namespace fx
