// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/new_module.h"

#include "core/make/module_factory.h"
#include "core/ops/nn_modules.h"

#include <cctype>

namespace fx {

bool NewModule::isContainer() const {
    const auto known = ops::findModule(type);
    if (!known || !known->path().starts_with("torch.nn.modules.container.")) return false;
    return known->name() == "Sequential" || known->name() == "ModuleList" || known->name() == "ModuleDict";
}

/// As deep as the expression nests, which its parser bounds.
std::shared_ptr<Module> NewModule::make(TorchGenerator& random) const {
    ModuleSettings settings{values, {}};
    for (const auto& [name, module] : modules) settings.modules.emplace_back(name, module.make(random));
    if (!isContainer()) return makeModule(type, settings, random);
    auto container = makeModule(type, {}, random);
    for (auto& [name, child] : settings.modules) container->children.push_back({name, std::move(child)});
    return container;
}

std::string attributeName(std::string_view type) {
    const std::string_view name = type.substr(type.rfind('.') + 1);
    const auto is = [name](std::size_t i, int (*test)(int)) {
        return i < name.size() && test(static_cast<unsigned char>(name[i]));
    };
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (i > 0 && is(i, std::isupper) && is(i - 1, std::islower) && is(i + 1, std::islower)) out += '_';
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return out;
}

} // namespace fx
