// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/pass_manager.h"

#include "core/ir/lint.h"
#include "core/passes/conv_bn_fuse.h"
#include "core/passes/cse.h"
#include "core/passes/dead_code.h"
#include "core/passes/normalize_args.h"
#include "core/passes/normalize_operators.h"
#include "core/passes/remove_dropout.h"
#include "core/passes/shape_prop.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace fx {
namespace {

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

constexpr std::string_view kNeedsValues = "it computes tensors, which this program does not";

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

bool isBroken(PathResolver& paths, const Node& node) {
    if (node.op() != Op::CallModule && node.op() != Op::GetAttr) return false;
    const auto kind = paths.resolve(node.target()).kind;
    return node.op() == Op::CallModule ? kind != PathTarget::Kind::Module : kind == PathTarget::Kind::Missing;
}

/// What torch.fx's lint checks; a node that referred to nothing before may go on doing so.
void lintAfter(const GraphModule& before, const GraphModule& model) {
    if (const auto problems = lint(model.graph); !problems.empty())
        throw refused(problems.front().message).onNode(model.graph.node(problems.front().node).name());
    PathResolver paths(*model.root), pathsBefore(*before.root);
    for (const Node& node : model.graph.nodes())
        if (isBroken(paths, node) && !isBroken(pathsBefore, node))
            throw refused(Message("passes.missing_attribute", {{"node", node.name()}, {"target", node.target()}}))
                .onNode(node.name());
}

const Pass& passNamed(const std::string& name) {
    if (const Pass* pass = findPass(name)) return *pass;
    std::string near;
    for (const auto each : passesLike(name)) near += (near.empty() ? "" : " or ") + std::string(each);
    throw refused(Message("passes.unknown", {{"name", name}, {"near", near}}));
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
        throw refused(Message("passes.unknown_setting", {{"name", setting.key()}, {"known", listed}}));
    }
}

PassReport runOne(GraphModule& model, const PassRequest& request, Warnings& warnings, const Progress& progress,
                  TensorEngine* engine) {
    const Pass& pass = passNamed(request.name);
    if (!pass.run) throw refused(Message("passes.unavailable", {{"reason", pass.reason}}));
    if (pass.needsEngine && !engine) throw refused(Message("passes.needs_worker"));
    checkSettings(pass, request.settings);
    const GraphModule before = model;
    const auto start = std::chrono::steady_clock::now();
    const bool changed = pass.run({model, PassSettings(pass.settings, request.settings), warnings, progress, engine});
    lintAfter(before, model);
    return {request.name, changed,
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()};
}

} // namespace

bool PassSettings::flag(std::string_view name) const {
    const JsonValue given = m_given.exists() ? m_given.find(name) : JsonValue();
    if (given.exists()) return given.asBool();
    return std::find_if(m_known.begin(), m_known.end(), [&](const PassSetting& each) {
               return each.name == name;
           })->byDefault == "true";
}

std::vector<std::string> PassSettings::texts(std::string_view name) const {
    std::vector<std::string> texts;
    if (const JsonValue given = m_given.exists() ? m_given.find(name) : JsonValue(); given.exists())
        for (const JsonValue text : given.needArray()) texts.emplace_back(text.asText());
    return texts;
}

const std::vector<Pass>& allPasses() {
    static const std::vector<Pass> kPasses = {
        {"dead_code",
         "erases what nothing uses and what has no effect",
         {},
         [](const PassRun& run) { return eliminateDeadCode(run.model) > 0; },
         {}},
        csePass(),
        normalizeArgsPass(),
        normalizeOperatorsPass(),
        removeDropoutPass(),
        convBnFusePass(),
        {"const_fold", "computes what depends on no input", {}, nullptr, kNeedsValues},
        {"split_const", "puts what depends on no input into a module that runs once", {}, nullptr, kNeedsValues},
        shapePropPass(),
        {"optimize_for_inference",
         "fuses, removes dropout and uses MKL-DNN where that is quicker",
         {},
         nullptr,
         "it times the model"},
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

std::vector<PassReport> runPasses(GraphModule& model, const std::vector<PassRequest>& requests, Warnings& warnings,
                                  const Progress& progress, TensorEngine* engine) {
    GraphModule changed = model;
    std::vector<PassReport> reports;
    for (const PassRequest& request : requests) {
        progress.check();
        progress.report(request.name, static_cast<double>(reports.size()) / static_cast<double>(requests.size()));
        try {
            reports.push_back(runOne(changed, request, warnings, progress, engine));
        } catch (const Error& error) {
            const bool fromRun = error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::Run ||
                                 error.kind() == ErrorKind::Usage;
            Error refusal(
                fromRun ? error.kind() : ErrorKind::Refused,
                Message("passes.failed",
                        {{"pass", request.name}, {"reason", error.what()}, {"cause", error.message().code()}}));
            refusal.where = error.where, refusal.node = error.node, refusal.modulePath = error.modulePath,
            refusal.hint = error.hint, refusal.commandLineHint = error.commandLineHint;
            throw refusal;
        }
    }
    model = std::move(changed);
    return reports;
}

} // namespace fx
