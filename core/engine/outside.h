// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <exception>
#include <optional>
#include <string_view>
#include <utility>

/// The functions and operators that no model may call (core/ops/reach.h), and those that shape inference may call
/// directly. Only one thread runs models.
namespace fx::engine {

/// Throws Error{Refused} for a function or operator that reaches beyond its tensors.
void refuseOutside(std::string_view qualifiedName);

/// Makes TorchScript's operators that reach outside fail in this process: in blocks and methods, in code that LibTorch
/// runs while loading a file (`__setstate__`, defaults of arguments), and in values that it computes while compiling.
/// C++ classes that reach outside lose their methods. Call it before loading the user's libraries, whose classes stay
/// usable, and before reading any TorchScript. Repeated calls cost nothing.
void disarmScriptOperators();

/// Returns the reason of the last failure of such an operator, once. Any thread.
std::optional<fx::Error> takeRefusal();

/// Calls `work`, which runs or loads TorchScript. Throws Error{Refused} if an operator reaches outside; other
/// exceptions pass through.
template<class Work> auto withRefusals(Work&& work) {
    disarmScriptOperators();
    takeRefusal();
    try {
        return std::forward<Work>(work)();
    } catch (const std::exception&) {
        if (auto refusal = takeRefusal()) throw *std::move(refusal);
        throw;
    }
}

/// During its lifetime, this thread only calls functions that infer shapes: pure operators of PyTorch (`ops::isPure`)
/// on tensors without values. TorchScript, operators of libraries and constants given as expressions fail with
/// "engine.not_inferred".
class InferenceOnly {
public:
    /// Nests: stays active inside an active scope even if `active` is false.
    explicit InferenceOnly(bool active);
    ~InferenceOnly();
    InferenceOnly(const InferenceOnly&) = delete;
    InferenceOnly& operator=(const InferenceOnly&) = delete;

    /// True while this thread only infers shapes.
    static bool active();
    /// Throws Error{Run} "engine.not_inferred" while active; `what` is the refused call.
    static void refuse(std::string_view what);
    /// As `refuse`, for an operator that is not pure.
    static void refuseImpure(std::string_view name);

private:
    const bool m_outer;
};

} // namespace fx::engine
