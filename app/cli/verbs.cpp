// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs.h"

#include "core/ops/near_names.h"

#include <algorithm>
#include <array>

namespace app {

namespace {
constexpr std::array kVerbs = {&kInfoVerb,    &kGraphVerb,     &kCodeVerb,     &kTabularVerb,     &kModulesVerb,
                               &kDrawVerb,    &kMatchVerb,     &kReplaceVerb,  &kPartitionVerb,   &kEditVerb,
                               &kApplyVerb,   &kPassesVerb,    &kPassVerb,     &kDiffVerb,        &kExtractVerb,
                               &kConvertVerb, &kAnonymizeVerb, &kTraceVerb,    &kCompilationVerb, &kRunVerb,
                               &kBenchVerb,   &kVerifyVerb,    &kQuantizeVerb, &kReportVerb,      &kWorkerVerb};
}

CLI::Option* oneOf(CLI::Option* option, const std::vector<std::string>& words) {
    const auto check = [words](std::string& value) {
        if (std::find(words.begin(), words.end(), value) != words.end()) return std::string();
        const std::string near(fx::ops::nearestOf(value, words));
        return value + " not in {" + CLI::detail::join(words, ",") + "}" +
               (near.empty() ? std::string() : "; did you mean '" + near + "'?");
    };
    return option->check(CLI::Validator(check, ""))->type_name(CLI::detail::join(words, "|"));
}

std::span<const Verb* const> allVerbs() { return kVerbs; }

const Verb* findVerb(std::string_view name) {
    if (name == "anonymise") name = kAnonymizeVerb.name;
    for (const Verb* verb : kVerbs)
        if (name == verb->name) return verb;
    return nullptr;
}

} // namespace app
