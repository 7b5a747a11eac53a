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
/// A tensor that is computed stays the expression that it is, so that PyTorch's own kernels give its bits when it is a
/// weight; here are numbers to decide by, computed in the precision of its dtype. What is written to in place gets
/// another storage and with that is forgotten.
class KnownNumbers {
public:
    static constexpr std::int64_t kMost = 1 << 16;

    /// The elements in the order of the storage; nullptr when they are not known.
    const std::vector<double>* find(const Storage& storage) const;
    /// All elements of a tensor without gaps, from memory or learnt; empty when they are not known.
    std::vector<double> elements(const TensorRef& tensor) const;
    /// Something is written in place: what shares memory with what is not known here.
    void forget() {
        m_entries.clear();
        m_isStale |= !bytesAreCurrent;
    }
    /// Whether what is written in place changes the bytes at once; else no bytes are read after the first write.
    bool bytesAreCurrent = true;
    /// `part` is the element, or row, of `whole` at an index: its numbers are those of it.
    void learnPart(const TensorRef& whole, std::int64_t index, const trace::Value& part);
    /// Computes what `operation`, such as "mul", "log" or "linspace", made of its arguments, if that is known here.
    void learn(std::string_view operation, const trace::Values& args, const trace::Value& made);

private:
    void learnParts(const trace::Values& args, const trace::ValueSequence& parts);
    struct Entry {
        std::shared_ptr<const Storage> storage; ///< kept, so that its address stays its own
        std::vector<double> numbers;
    };
    bool m_isStale = false;
    std::unordered_map<const Storage*, Entry> m_entries;
};

/// One element of a tensor from bytes in memory or in a file; NaN-free dtypes of programs only: floats, int32, int64,
/// bool. nullopt for others.
std::optional<double> elementFromBytes(const TensorRef& tensor, std::int64_t at);

} // namespace fx::python
