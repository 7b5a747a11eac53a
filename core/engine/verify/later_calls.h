// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/comparison.h"
#include "core/engine/verify/turns.h"

#include <array>
#include <optional>

namespace fx::engine {

/// Predicts the state after many calls on the same inputs. Continues the values that the first calls leave in a buffer,
/// element by element, if they follow a line (`n + 1`), a factor (`0.99 · n`) or both (`0.9 · m + 0.1 · x`):
///
///     after k calls    s + d · (1 + r + r² + .. + r^(k-1))
///                      s the initial value, d the first step, r the factor from each step to the next
///
/// Runs of both models can then start as if after thousands of calls, until `leave` or destruction. Requires
/// `TensorStore::keepState` on the tensors of both sides.
class LaterCalls {
public:
    /// Runs A three times to find the buffers that it can continue. All arguments must outlive this.
    LaterCalls(const VerifySide& a, const VerifySide& b, Comparison& comparison);
    ~LaterCalls() { leave(); }
    LaterCalls(const LaterCalls&) = delete;
    LaterCalls& operator=(const LaterCalls&) = delete;

    /// True if at least one buffer is continued.
    bool any() const { return !m_buffers.empty(); }
    /// True if this buffer is continued.
    bool continues(const SharedTensor& buffer) const;
    /// Returns numbers of calls after which a model may behave differently; sorted. These are 1, 10, 100, …, 1,000,000;
    /// those around which a number that follows from the buffers passes a constant that it is used with, or another
    /// number, as `n * 0.01` passes the 1 of its clamp; and those after which an integer reaches the end of its type.
    /// Probes both models.
    std::vector<std::int64_t> turns(const std::function<bool()>& isOver);
    /// Sets both models to the state after `calls` calls. Returns false and keeps the initial state if a value is not
    /// finite.
    bool enter(std::int64_t calls);
    /// Runs A once from the entered state. True if it leads to the predicted next state; false, for example, if a
    /// counter starts again.
    bool goesOn();
    /// Restores the initial state of both models.
    void leave();

private:
    /// A buffer that is continued.
    struct Buffer {
        SharedTensor tensors;
        at::Tensor first;                       ///< the initial value
        std::vector<double> start, step, ratio; ///< by element
    };
    static bool continueElement(const std::array<double, 4>& states, double rounding, Buffer& buffer);
    Turns::ByNode numbersAfter(bool inB, std::int64_t calls);
    at::Tensor after(const Buffer& buffer, std::int64_t calls) const;
    void put(const std::vector<at::Tensor>& states);

    const VerifySide& m_a;
    const VerifySide& m_b;
    Comparison& m_comparison;
    std::vector<Buffer> m_buffers;
    std::optional<std::int64_t> m_entered; ///< number of calls, between `enter` and `leave`
};

} // namespace fx::engine
