// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/call_check.h"
#include "core/trace/evaluator.h"

namespace fx {

/// Follows code that a user wrote: a call that PyTorch would refuse is an error where it stands.
class CheckedEvaluator final : public trace::Evaluator {
public:
    /// `isKnown`: as in `ops::callProblem`.
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
