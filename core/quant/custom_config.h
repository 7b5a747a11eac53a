// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/qconfig_mapping.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx::quant {

class BackendConfig;
struct StandaloneModule;

/// Settings of a whole model, as in torch.ao's PrepareCustomConfig. Class names are full paths or last components.
struct CustomConfig {
    std::vector<std::int64_t> quantizedInputs;  ///< `input_quantized_indexes`: inputs that the caller quantises
    std::vector<std::int64_t> quantizedOutputs; ///< `output_quantized_indexes`: results that stay quantised
    std::vector<std::string> preserved;     ///< `preserved_attributes`: root attributes kept although no node uses them
    std::vector<std::string> untracedNames; ///< `non_traceable_module_names`: paths of modules that stay one node
    std::vector<std::string> untracedClasses; ///< `non_traceable_module_classes`
    std::vector<StandaloneModule> standalone; ///< modules that are quantised separately and stay one node

    /// Returns the entry for a module's path, else the one for its class, else null.
    const StandaloneModule* standaloneFor(std::string_view path, std::string_view type) const;
};

/// Settings of one standalone module. Mirrors torch.ao's StandaloneModuleConfigEntry without example inputs, which
/// prepare_fx does not run.
struct StandaloneModule {
    std::string name;                      ///< a path or a class
    bool isClass = false;                  ///< `name` is a class, not a path
    std::optional<QConfigMapping> mapping; ///< unset: the QConfig of the module's node applies to the whole module
    std::shared_ptr<const CustomConfig> custom = std::make_shared<const CustomConfig>(); ///< never null
    const BackendConfig* backend = nullptr; ///< null: the backend of the whole model
};

/// True if `path` is one of `classes`: "Block", "net.Block" or "torch.nn.Linear".
inline bool namesClass(const std::vector<std::string>& classes, std::string_view path) {
    const std::string_view name = path.substr(path.rfind('.') + 1);
    return std::any_of(classes.begin(), classes.end(), [&](const std::string& each) {
        const bool isPublic = each.starts_with("torch.nn.") && each.size() == 9 + name.size() && each.ends_with(name);
        return each == name || each == path || (isPublic && path.starts_with("torch.nn."));
    });
}

inline const StandaloneModule* CustomConfig::standaloneFor(std::string_view path, std::string_view type) const {
    const StandaloneModule* byClass = nullptr;
    for (const StandaloneModule& each : standalone) {
        if (!each.isClass && each.name == path) return &each;
        if (each.isClass && namesClass({each.name}, type)) byClass = &each;
    }
    return byClass;
}

} // namespace fx::quant
