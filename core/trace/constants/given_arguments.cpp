// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/given_arguments.h"

#include "core/module/call_semantics.h"

namespace fx::trace {

ops::GivenArguments givenArguments(const Values& args, const KeywordValues& kwargs) {
    ops::GivenArguments out;
    const auto given = [](const Value& value) {
        const auto* argument = value.as<Argument>();
        return argument ? givenAs(*argument) : ops::Given::Other;
    };
    for (const Value& value : args) out.positional.push_back(given(value));
    for (const auto& [name, value] : kwargs) out.named.emplace_back(name, given(value));
    return out;
}

} // namespace fx::trace
