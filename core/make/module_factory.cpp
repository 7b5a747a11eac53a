// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/module_factory.h"

#include "core/make/module_maker.h"

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

} // namespace

std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, std::uint64_t seed) {
    TorchGenerator random(seed);
    return makeModule(type, settings, random);
}

std::shared_ptr<Module> makeModule(std::string_view type, const ModuleSettings& settings, TorchGenerator& random) {
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
