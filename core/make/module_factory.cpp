// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/module_factory.h"

#include "core/make/module_maker.h"
#include "core/make/observer_spec.h"

#include <algorithm>
#include <map>

namespace fx {
namespace {

using Table = std::map<std::string, void (*)(make::ModuleMaker&), std::less<>>;

void add(Table& table, const make::Recipe& recipe) {
    std::string_view left = recipe.names;
    while (!left.empty()) {
        const auto end = std::min(left.find(' '), left.size());
        const std::string_view name = left.substr(0, end);
        left.remove_prefix(std::min(end + 1, left.size()));
        if (!name.ends_with('*')) table.emplace(name, recipe.make);
        else
            for (const char* dimensions : {"1d", "2d", "3d"})
                table.emplace(std::string(name.substr(0, name.size() - 1)) + dimensions, recipe.make);
    }
}

const Table& recipes() {
    static const Table kTable = [] {
        Table table;
        for (const auto* list :
             {&make::weightedRecipes(), &make::recurrentRecipes(), &make::transformerRecipes(), &make::plainRecipes()})
            for (const auto& recipe : *list) add(table, recipe);
        return table;
    }();
    return kTable;
}

/// Lazy modules, and classes of which no instance stands in a graph.
void refuseUnusable(const ops::NnModule& type) {
    static constexpr std::string_view kUnusable[] = {"Module",       "Container", "RNNBase",       "RNNCellBase",
                                                     "DataParallel", "NLLLoss2d", "ParameterList", "ParameterDict"};
    const std::string path(type.publicPath());
    if (type.name().starts_with("Lazy")) throw make::refused(Message("make.lazy", {{"type", path}}));
    if (std::find(std::begin(kUnusable), std::end(kUnusable), type.name()) != std::end(kUnusable))
        throw make::refused(Message("make.abstract", {{"type", path}}));
}

/// A class, as a value or by its name.
std::string classNamed(const Argument& value) {
    if (const auto* callable = value.as<CallableValue>()) return callable->callable->qualifiedName;
    const auto* text = value.as<std::string>();
    return text ? *text : std::string();
}

/// The class under the path that PyTorch gives it; PT2E of torchao has classes of its own.
std::string observerClass(const std::string& type) {
    return type.starts_with("torchao.") ? type : std::string(quant::observerType(*quant::observerKind(type)));
}

/// An observer or FakeQuantize of torch.ao. Its setting `observer` is a class.
std::shared_ptr<Module> makeObserver(std::string_view type, const ModuleSettings& settings) {
    quant::ObserverSpec spec{observerClass(std::string(type)), {}, {}};
    const auto setObserver = [&](const std::string& name, const std::string& inner) {
        if (name != "observer" || !quant::observerKind(inner))
            throw make::refused(Message("make.observer_class", {{"type", type}, {"name", name}}));
        spec.observer = std::make_shared<const quant::ObserverSpec>(quant::ObserverSpec{observerClass(inner), {}, {}});
    };
    for (const auto& [name, value] : settings.values) {
        if (name == "observer") setObserver(name, classNamed(value));
        else spec.settings.emplace_back(name, value);
    }
    for (const auto& [name, module] : settings.modules) setObserver(name, module->qualifiedType());
    return quant::makeObserver(spec);
}

} // namespace

std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, std::uint64_t seed) {
    TorchGenerator random(seed);
    return makeModule(type, settings, random);
}

std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, TorchGenerator& random) {
    if (quant::observerKind(type)) return makeObserver(type, settings);
    const auto known = ops::findModule(type);
    if (!known) throw make::refused(Message("make.unknown_type", {{"type", type}}));
    if (known->path().starts_with("torch.nn.modules.")) refuseUnusable(*known);
    make::ModuleMaker maker(*known, settings, random);
    const auto found = known->path().starts_with("torch.nn.modules.") ? recipes().find(known->name()) : recipes().end();
    if (found != recipes().end()) found->second(maker);
    else make::keepSettings(maker);
    return maker.done();
}

} // namespace fx
