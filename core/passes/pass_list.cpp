// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/pass_list.h"

#include "core/base/listed.h"
#include "core/passes/annotate_types.h"
#include "core/passes/clean_views.h"
#include "core/passes/const_fold.h"
#include "core/passes/cse.h"
#include "core/passes/dead_code.h"
#include "core/passes/deduplicate.h"
#include "core/passes/fusion/conv_bn_fuse.h"
#include "core/passes/fusion/fuse_patterns.h"
#include "core/passes/fusion/merge_matmul.h"
#include "core/passes/fusion/onednn.h"
#include "core/passes/fusion/optimize_for_inference.h"
#include "core/passes/inplace_methods.h"
#include "core/passes/normalize_args.h"
#include "core/passes/normalize_operators.h"
#include "core/passes/reinplace.h"
#include "core/passes/remove_dropout.h"
#include "core/passes/remove_identities.h"
#include "core/passes/retrace_pass.h"
#include "core/passes/shape_prop.h"

#include <algorithm>
#include <numeric>

namespace fx {
namespace {

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

void checkSettings(const Pass& pass, const JsonValue& given) {
    if (!given.exists()) return;
    for (const JsonValue setting : given.needObject()) {
        if (std::any_of(pass.settings.begin(), pass.settings.end(),
                        [&](const PassSetting& each) { return each.name == setting.key(); }))
            continue;
        std::string listed;
        for (const PassSetting& each : pass.settings)
            listed += (listed.empty() ? "it has " : ", ") + std::string(each.name);
        throw Error(ErrorKind::Refused,
                    Message("passes.unknown_setting", {{"name", setting.key()}, {"known", listed}}));
    }
}

} // namespace

JsonValue PassSettings::given(std::string_view name) const {
    return m_given.exists() ? m_given.find(name) : JsonValue();
}

bool PassSettings::flag(std::string_view name) const {
    if (const JsonValue value = given(name); value.exists()) return value.asBool();
    return std::find_if(m_known.begin(), m_known.end(), [&](const PassSetting& each) {
               return each.name == name;
           })->byDefault == "true";
}

std::vector<std::string> PassSettings::texts(std::string_view name) const {
    const JsonValue list = given(name);
    return list.exists() ? list.texts() : std::vector<std::string>();
}

bool runPart(const PassRun& run, const Pass& pass, const std::string& settings) {
    const auto document = JsonDocument::parse(settings);
    return pass.run(
        {run.model, PassSettings(pass.settings, document->root()), run.warnings, run.progress, run.engine, run.watch});
}

const std::vector<Pass>& allPasses() {
    static const std::vector<Pass> kPasses = {
        deadCodePass(),         csePass(),
        normalizeArgsPass(),    normalizeOperatorsPass(),
        removeDropoutPass(),    convBnFusePass(),
        constFoldPass(),        splitConstPass(),
        shapePropPass(),        optimizeForInferencePass(),
        annotateTypesPass(),    mergeMatmulPass(),
        reinplacePass(),        cleanViewsPass(),
        removeIdentitiesPass(), deduplicatePass(),
        fusePatternsPass(),     onednnPass(),
        retracePass(),          inplaceMethodsPass(),
    };
    return kPasses;
}

const Pass* findPass(std::string_view name) {
    const auto& passes = allPasses();
    const auto found = std::find_if(passes.begin(), passes.end(), [&](const Pass& pass) { return pass.name == name; });
    return found == passes.end() ? nullptr : &*found;
}

std::vector<std::string_view> passesLike(std::string_view name) {
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const Pass& pass : allPasses()) {
        const std::size_t steps = distance(name, pass.name);
        const bool part = name.size() >= 3 && pass.name.find(name) != std::string_view::npos;
        if (part || steps * 3 <= std::max(name.size(), pass.name.size())) near.emplace_back(steps, pass.name);
    }
    std::sort(near.begin(), near.end());
    std::vector<std::string_view> names;
    for (const auto& [steps, each] : near) names.push_back(each);
    return names;
}

const Pass& passFor(const std::string& name, const JsonValue& settings) {
    const Pass* pass = findPass(name);
    if (!pass) {
        const std::string near = joined(passesLike(name), " or ");
        throw Error(ErrorKind::Refused, Message("passes.unknown", {{"name", name}, {"near", near}}));
    }
    checkSettings(*pass, settings);
    return *pass;
}

} // namespace fx
