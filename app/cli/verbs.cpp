// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs.h"

#include <array>

namespace app {

namespace {
constexpr std::array kVerbs = {&kInfoVerb, &kGraphVerb, &kCodeVerb, &kTabularVerb, &kModulesVerb, &kDrawVerb, &kMatchVerb, &kReplaceVerb, &kPartitionVerb, &kEditVerb, &kApplyVerb, &kPassesVerb, &kPassVerb, &kDiffVerb, &kExtractVerb, &kConvertVerb, &kRunVerb, &kWorkerVerb};
}

std::span<const Verb* const> allVerbs() { return kVerbs; }

const Verb* findVerb(std::string_view name) {
    for (const Verb* verb : kVerbs)
        if (name == verb->name) return verb;
    return nullptr;
}

} // namespace app
