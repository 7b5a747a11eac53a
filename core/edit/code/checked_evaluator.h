// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/call_check.h"
#include "core/trace/evaluator.h"

namespace fx {

/// Traces code edited by a user, and reports calls that PyTorch would refuse at their position.
class CheckedEvaluator final : public trace::Evaluator {
public:
    /// `isKnown` is passed to `ops::callProblem`.
    CheckedEvaluator(trace::Tracer& tracer, ops::KnownFunction isKnown)
        : Evaluator(tracer), m_isKnown(std::move(isKnown)) {}

protected:
    trace::Value callValue(const trace::Value& callee, trace::Values args, trace::KeywordValues kwargs) override;
    trace::Value callMethod(std::string_view name, const trace::Values& args,
                            const trace::KeywordValues& kwargs) override;

private:
    void check(std::size_t from) const;

    ops::KnownFunction m_isKnown;
};

} // namespace fx
