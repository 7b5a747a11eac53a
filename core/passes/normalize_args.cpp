// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/normalize_args.h"

#include "core/passes/call_signature.h"
#include "core/passes/sort_users.h"

#include <algorithm>

namespace fx {
namespace {

/// `normalize_to_only_use_kwargs=False`: what is given by place stays there.
std::size_t keptArguments(const PassRun& run, const Node& node) {
    return run.settings.flag("only_kwargs") ? 0 : node.args().size();
}

bool nameArguments(const PassRun& run) {
    PathResolver paths(*run.model.root);
    bool changed = false;
    for (const NodeId id : run.graph().order()) {
        run.progress.check();
        const Node& node = run.graph().node(id);
        const auto signature = callSignature(paths, node);
        if (!signature) continue;
        auto bound = bindArguments(*signature, node);
        if (!bound) {
            run.warnings.push_back({Message("passes.arguments_mismatch"), node.name(), {}, {}});
            continue;
        }
        const auto kept = static_cast<std::ptrdiff_t>(keptArguments(run, node));
        std::vector<Argument> args(node.args().begin(), node.args().begin() + kept);
        Kwargs kwargs(std::make_move_iterator(bound->begin() + kept), std::make_move_iterator(bound->end()));
        if (args == node.args() && kwargs == node.kwargs()) continue;
        changed |= run.rewrite(id, [&] {
            run.graph().setArgsKwargs(id, std::move(args), std::move(kwargs));
            for (const NodeId input : run.graph().node(id).inputs()) sortUsers(run.graph(), input);
        });
    }
    return changed;
}

} // namespace

Pass normalizeArgsPass() {
    return {"normalize_args",
            "passes arguments by keyword, including defaults",
            {{"only_kwargs", "pass all by keyword (normalize_to_only_use_kwargs); false: keep positional arguments",
              "true"}},
            nameArguments,
            {}};
}

} // namespace fx
