// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx::python {

/// Elements of small tensors, for constructors that compute settings with them:
/// `(torch.arange(4) * 24.5).round().int().tolist()`.
///
/// A computed tensor remains an expression, so that PyTorch's kernels produce its bits if it becomes a weight. The
/// numbers here serve for decisions; they are computed in the precision of the dtype. A tensor written in place gets a
/// new storage, so its numbers are dropped.
class KnownNumbers {
public:
    /// Maximum number of elements.
    static constexpr std::int64_t kMost = 1 << 16;

    /// Returns the elements in storage order; null if unknown.
    const std::vector<double>* find(const Storage& storage) const;
    /// Returns all elements of a contiguous tensor, from memory or learnt; empty if unknown.
    std::vector<double> elements(const TensorRef& tensor) const;
    /// Drops all numbers after a write in place, because other tensors may share the memory.
    void forget() {
        m_entries.clear();
        m_isStale |= !bytesAreCurrent;
    }
    /// True if a write in place changes the bytes at once. Otherwise no bytes are read after the first write.
    bool bytesAreCurrent = true;
    /// Derives the numbers of `part`, which is the element or row of `whole` at `index`.
    void learnPart(const TensorRef& whole, std::int64_t index, const trace::Value& part);
    /// Computes the numbers of `made`, the result of `operation` ("mul", "log", "linspace"), if those of `args` are
    /// known.
    void learn(std::string_view operation, const trace::Values& args, const trace::Value& made);

private:
    void learnParts(const trace::Values& args, const trace::ValueSequence& parts);
    struct Entry {
        std::shared_ptr<const Storage> storage; ///< kept alive, so that the address stays unique
        std::vector<double> numbers;
    };
    bool m_isStale = false;
    std::unordered_map<const Storage*, Entry> m_entries;
};

/// Reads one element of a tensor from memory or a file. Supports floats, int32, int64 and bool; nullopt for other
/// dtypes.
std::optional<double> elementFromBytes(const TensorRef& tensor, std::int64_t at);

} // namespace fx::python
