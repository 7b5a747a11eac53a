// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/hooked_modules.h"

#include <algorithm>

namespace fx {

std::vector<std::string> hookedModules(const GraphModule& model) {
    std::vector<std::string> paths;
    for (const Warning& warning : model.warnings) {
        if (!warning.what.is("graphmodule.forward_hooks")) continue;
        const std::string path = warning.what.argument("module");
        paths.push_back(path == "the model" ? "" : path);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace fx
