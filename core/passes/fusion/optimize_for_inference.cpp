// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/optimize_for_inference.h"

#include "core/passes/fusion/conv_bn_fuse.h"
#include "core/passes/remove_dropout.h"

namespace fx {
namespace {

/// Runs another pass as a part of this one: its rewrites count here.
bool runPart(const PassRun& run, const Pass& pass, const std::string& settings) {
    const auto document = JsonDocument::parse(settings);
    return pass.run(
        {run.model, PassSettings(pass.settings, document->root()), run.warnings, run.progress, run.engine, run.watch});
}

bool optimize(const PassRun& run) {
    if (run.settings.flag("mkldnn_layout_optimize")) throw Error(ErrorKind::Refused, Message("passes.mkldnn"));
    bool changed = false;
    if (run.settings.flag("conv_bn_fuse")) changed |= runPart(run, convBnFusePass(), R"({"as_torch_fx": true})");
    if (run.settings.flag("remove_dropout")) changed |= runPart(run, removeDropoutPass(), "{}");
    return changed;
}

} // namespace

Pass optimizeForInferencePass() {
    return {"optimize_for_inference",
            "folds batch normalisation and removes dropout, as torch.fx's pass of this name without MKL-DNN tensors",
            {{"conv_bn_fuse", "fold batch normalisation", "true"},
             {"remove_dropout", "remove dropout", "true"},
             {"mkldnn_layout_optimize", "not supported: true is refused", "false"}},
            optimize,
            {}};
}

} // namespace fx
