// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bound_call.h"
#include "core/engine/dispatch.h"
#include "core/engine/functional_forms.h"
#include "core/ops/compositions.h"

#include <cmath>

namespace fx::engine {

bool callFunctional(std::string_view qualifiedName, const Arguments& arguments, Value& result) {
    constexpr std::string_view kPrefix = "torch.nn.functional.";
    if (!qualifiedName.starts_with(kPrefix)) return false;
    const std::string_view name = qualifiedName.substr(kPrefix.size());
    if (const char* composition = ops::functionComposition(name)) {
        result = runComposition(composition, BoundCall(qualifiedName, arguments));
        return true;
    }
    const FunctionalForm form = functionalForm(name);
    if (!name.starts_with("max_pool")) dependsOnMore() = dependsOnMore() || form;
    if (form) result = form(BoundCall(qualifiedName, arguments));
    return form != nullptr;
}

} // namespace fx::engine
