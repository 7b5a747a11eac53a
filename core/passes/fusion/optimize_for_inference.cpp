// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/optimize_for_inference.h"

#include "core/passes/fusion/conv_bn_fuse.h"
#include "core/passes/fusion/mkldnn_layout.h"
#include "core/passes/remove_dropout.h"

#include <optional>

namespace fx {
namespace {

/// nullopt: nothing is put into MKL-DNN layout. The words of torch.fx's errors.
std::optional<MklHeuristic> heuristicOf(const PassSettings& settings) {
    const JsonValue given = settings.given("mkldnn_layout_optimize");
    if (!given.exists()) return MklHeuristic::Length;
    if (given.kind() == JsonValue::Kind::Bool && !given.asBool()) return std::nullopt;
    if (!given.isObject()) throw Error(ErrorKind::Refused, Message("passes.mkldnn_config"));
    const JsonValue heuristic = given.find("heuristic");
    if (!heuristic.exists()) throw Error(ErrorKind::Refused, Message("passes.mkldnn_heuristic"));
    if (heuristic.asText() == "use_mkl_length") return MklHeuristic::Length;
    if (heuristic.asText() == "gen_mkl_autotuner") return MklHeuristic::Autotuner;
    throw Error(ErrorKind::Refused, Message("passes.mkldnn_unknown", {{"name", heuristic.asText()}}));
}

bool optimize(const PassRun& run) {
    const auto heuristic = heuristicOf(run.settings);
    bool changed = false;
    if (run.settings.flag("conv_bn_fuse")) changed |= foldNorms(run, FoldedPairs::TorchFx);
    if (run.settings.flag("remove_dropout")) changed |= runPart(run, removeDropoutPass(), "{}");
    if (heuristic) changed |= mkldnnLayout(run, *heuristic);
    return changed;
}

} // namespace

Pass optimizeForInferencePass() {
    return {"optimize_for_inference",
            "folds batch normalisation, removes dropout and runs what it can in MKL-DNN layout, as torch.fx's pass",
            {{"conv_bn_fuse", "fold batch normalisation", "true"},
             {"remove_dropout", "remove dropout", "true"},
             {"mkldnn_layout_optimize",
              "false, or which subgraphs stay in MKL-DNN layout: use_mkl_length keeps those of more than two nodes, "
              "gen_mkl_autotuner those that make the model faster here",
              R"({"heuristic": "use_mkl_length"})"}},
            optimize,
            {}};
}

} // namespace fx
