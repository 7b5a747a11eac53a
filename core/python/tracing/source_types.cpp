// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/source_types.h"

#include "core/python/python_interpreter.h"

#include <algorithm>
#include <unordered_set>

namespace fx::python {
namespace {

void addType(Interpreter& in, Instance& instance, std::vector<SourceType>& types) {
    Class& type = *instance.type;
    static constexpr std::string_view kContainers[] = {"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"};
    if (std::find(std::begin(kContainers), std::end(kContainers), type.name) != std::end(kContainers)) return;
    const std::string path =
        type.torchPath.empty() ? (type.file ? type.file->name + "." : "") + type.name : type.torchPath;
    auto known = std::find_if(types.begin(), types.end(), [&](const SourceType& each) { return each.path == path; });
    if (known == types.end()) {
        const bool isLeaf = in.modules().isLeaf(instance);
        types.push_back(
            {type.name, path, 0, isLeaf, isLeaf == Modules::isUsualLeaf(instance), Modules::canFollow(type)});
        known = types.end() - 1;
    }
    ++known->count;
}

} // namespace

void describe(Interpreter& in, const Value& target, SourceTrace& out) {
    const auto list = [&](const Value* member, bool isMethod, std::vector<std::string>& into) {
        const auto* function = member ? member->as<Function>() : nullptr;
        if (!function || function->file->path.empty()) return;
        for (std::size_t i = isMethod ? 1 : 0; i < function->parameters.size(); ++i) {
            const Value& given = function->defaults[i];
            into.push_back(std::string(function->parameters[i].name) + (given.isSet() ? "=" + in.repr(given) : ""));
        }
    };
    auto* type = target.as<Class>();
    if (auto* instance = target.as<Instance>()) type = instance->type;
    if (!type) return list(&target, false, out.inputs);
    list(type->find("__init__"), true, out.settings);
    list(type->find("forward"), true, out.inputs);
}

void addTypes(Interpreter& in, const Module& root, std::vector<SourceType>& types) {
    std::vector<const Module*> open{&root};
    std::unordered_set<const Module*> met;
    while (!open.empty()) {
        const Module* module = open.back();
        open.pop_back();
        if (!met.insert(module).second) continue;
        for (auto child = module->children.rbegin(); child != module->children.rend(); ++child)
            if (child->module) open.push_back(child->module.get());
        Instance* instance = module == &root ? nullptr : in.modules().instanceOf(module);
        if (instance) addType(in, *instance, types);
    }
}

} // namespace fx::python
