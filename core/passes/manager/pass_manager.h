// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_schedule.h"
#include "core/passes/pass_list.h"

namespace fx {

/// A check of a model; throws Error if the model is invalid.
using ModelCheck = std::function<void(const GraphModule& model)>;

/// Runs passes in an order that satisfies constraints, repeatedly until nothing changes. Mirrors torch.fx's
/// `torch.fx.passes.infra.pass_manager.PassManager`. Always lints after each pass.
///
///     PassManager manager({{{"conv_bn_fuse", {}}, {"dead_code", {}}}, {thisBeforeThat("conv_bn_fuse", "dead_code")}});
///     manager.steps = 3;
///     if (manager.run(model, warnings)) ...
///
/// Not thread-safe.
class PassManager {
public:
    /// `run` validates and solves the constraints.
    explicit PassManager(PassSchedule schedule = {}) : m_schedule(std::move(schedule)) {}

    std::size_t steps = 1;               ///< maximum number of runs of the whole list
    bool runChecksAfterEachPass = false; ///< false: checks run once, before the first pass
    bool suppressCheckFailures = false;  ///< turn failed checks into warnings (torch.fx ignores this setting)
    PassInstruments instruments;         ///< not owned
    TensorEngine* engine = nullptr;      ///< not owned; null: passes that need an engine are refused
    /// Names of the nodes that passes may rewrite, in addition to nodes that they create; nullopt: all.
    std::optional<std::vector<std::string>> selection;

    /// Appends a pass.
    void addPass(PassRequest pass) { m_schedule.passes.push_back(std::move(pass)), m_isValid = false; }
    /// Appends a constraint.
    void addConstraint(PassConstraint constraint) {
        m_schedule.constraints.push_back(std::move(constraint)), m_isValid = false;
    }
    /// Mirrors torch.fx's `add_checks`; all added checks run, whereas torch.fx keeps only the last.
    void addCheck(ModelCheck check) { m_checks.push_back(std::move(check)); }
    /// As `PassSchedule::solve`.
    void solveConstraints();
    /// The passes, in execution order after `solveConstraints`.
    const std::vector<PassRequest>& passes() const { return m_schedule.passes; }

    /// Solves the constraints and runs the passes. Leaves `model` unchanged on failure. Throws Error{Refused} with the
    /// name of the pass for unknown names and settings, unsupported passes, and results that fail lint or a check;
    /// Error{Run} if the model fails in a pass that runs it; Error{Cancelled}. Returns a report for each pass that
    /// ran.
    std::vector<PassReport> run(GraphModule& model, Warnings& warnings, const Progress& progress = {});

private:
    struct Run;
    void check(const GraphModule& model, Warnings& warnings) const;

    PassSchedule m_schedule;
    std::vector<ModelCheck> m_checks;
    bool m_isValid = false;
};

/// True if any of the passes changed the model.
bool anyChanged(const std::vector<PassReport>& reports);

/// Runs passes in the given order, once; otherwise as `PassManager::run`.
std::vector<PassReport> runPasses(GraphModule& model, const std::vector<PassRequest>& requests, Warnings& warnings,
                                  const Progress& progress = {}, TensorEngine* engine = nullptr);

} // namespace fx
