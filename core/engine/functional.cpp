// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bound_call.h"
#include "core/engine/dispatch.h"
#include "core/engine/function_forms.h"
#include "core/ops/compositions.h"
#include "core/ops/python_functions.h"

namespace fx::engine {

bool callFunctional(std::string_view qualifiedName, const Arguments& arguments, Value& result) {
    constexpr std::string_view kPrefix = "torch.nn.functional.";
    if (!qualifiedName.starts_with(kPrefix)) return false;
    const std::string_view name = qualifiedName.substr(kPrefix.size());
    if (const char* composition = ops::functionComposition(name)) {
        result = runComposition(composition, BoundCall(qualifiedName, arguments));
        return true;
    }
    if (const FunctionalForm form = functionalForm(name)) {
        dependsOnMore() = true;
        result = form(BoundCall(qualifiedName, arguments));
        return true;
    }
    const auto function = ops::findFunction(qualifiedName);
    if (!function || function->behaviour() != ops::PythonFunction::Behaviour::Select) return false;
    const auto branches = function->branches(); // `return_indices`
    const Value* flag = arguments.at(branches.index, branches.name);
    return callFunctional((flag ? truthOf(*flag) : branches.defaultValue) ? branches.ifTrue : branches.ifFalse,
                          arguments, result);
}

} // namespace fx::engine
