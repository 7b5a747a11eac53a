// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_schedule.h"
#include "core/passes/pass_list.h"

namespace fx {

/// What a check of a model says: throws Error if the model is not as it should be.
using ModelCheck = std::function<void(const GraphModule& model)>;

/// Runs passes in an order that constraints allow, again and again until nothing changes: torch.fx
/// `torch.fx.passes.infra.pass_manager.PassManager`. Lints after each pass, whatever is asked.
///
///     PassManager manager({{{"conv_bn_fuse", {}}, {"dead_code", {}}}, {thisBeforeThat("conv_bn_fuse", "dead_code")}});
///     manager.steps = 3;
///     if (manager.run(model, warnings)) ...
///
/// Not thread-safe.
class PassManager {
public:
    explicit PassManager(PassSchedule schedule = {}) : m_schedule(std::move(schedule)) {}

    std::size_t steps = 1;               ///< how often all passes run at most
    bool runChecksAfterEachPass = false; ///< otherwise checks run once, before the first pass
    bool suppressCheckFailures = false;  ///< what a check says is a warning (torch.fx ignores this setting)
    PassInstruments instruments;         ///< not owned
    TensorEngine* engine = nullptr;      ///< passes that need one are refused without
    /// The names of the nodes that passes may rewrite, beside those that they create; nullopt: all.
    std::optional<std::vector<std::string>> selection;

    void addPass(PassRequest pass) { m_schedule.passes.push_back(std::move(pass)), m_isValid = false; }
    void addConstraint(PassConstraint constraint) {
        m_schedule.constraints.push_back(std::move(constraint)), m_isValid = false;
    }
    /// torch.fx `add_checks`; unlike there, all that were added run.
    void addCheck(ModelCheck check) { m_checks.push_back(std::move(check)); }
    /// As of `PassSchedule`.
    void validateConstraints();
    void solveConstraints();
    const std::vector<PassRequest>& passes() const { return m_schedule.passes; }

    /// Runs the passes, solving the constraints first. Changes nothing on failure. Throws Error{Refused} with the name
    /// of the pass for unknown names and settings, unsupported passes, and results that fail lint or a check;
    /// Error{Run} if the model fails in a pass that runs it; Error{Cancelled}. Reports all that ran.
    std::vector<PassReport> run(GraphModule& model, Warnings& warnings, const Progress& progress = {});

private:
    struct Run;
    void check(const GraphModule& model, Warnings& warnings) const;

    PassSchedule m_schedule;
    std::vector<ModelCheck> m_checks;
    bool m_isValid = false;
};

/// Whether any of the passes changed the model.
bool anyChanged(const std::vector<PassReport>& reports);

/// Runs passes in the given order; as PassManager.
std::vector<PassReport> runPasses(GraphModule& model, const std::vector<PassRequest>& requests, Warnings& warnings,
                                  const Progress& progress = {}, TensorEngine* engine = nullptr);

} // namespace fx
