// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

#include <memory>
#include <unordered_map>

namespace fx::trace {

/// A call whose operands are constants: PyTorch runs it while it traces.
struct ConstantCall {
    std::string_view name;                   ///< of the operation: "add_", whether it is a method or an operator
    const FunctionValue* function = nullptr; ///< null: a method of the first operand
    const Values& operands;
    const KeywordValues& kwargs;
};

/// Constant tensors that calls write into while code is traced: `b.add_(1)`, `torch.relu_(b)`, `b += 1`. Python runs
/// such a call at once, and whoever holds `b` sees its new values.
class LoadTimeWrites {
public:
    /// What the call gives, of which `computed` is what it would give if it wrote nothing: the operand that it writes
    /// to, whose text is from now on that of the call. Throws CannotFollow where other tensors, such as views of `b`,
    /// would change as well, and for reads of the model's tensors that were written to.
    Value follow(const ConstantCall& call, Value computed);
    /// Tensors of the model that were written to: their values in the file are not those that they have once it is
    /// loaded.
    const std::vector<TensorPtr>& ofModel() const { return m_ofModel; }

private:
    /// Tensors that may lie in the same memory.
    using Family = std::vector<std::weak_ptr<const TensorRef>>;
    void checkKnown(const Value& operand) const;
    std::shared_ptr<Family> familyOf(const TensorPtr& tensor) const;
    void join(const TensorPtr& view, const TensorPtr& base);
    void write(const TensorPtr& tensor, const TensorValue& computed, const ConstantCall& call);

    std::unordered_map<const TensorRef*, std::shared_ptr<Family>> m_families;
    std::vector<TensorPtr> m_ofModel;
};

/// Whether the tensor is one of these or lies in the memory of one.
bool isOneOf(const std::vector<TensorPtr>& written, const TensorRef& tensor);

} // namespace fx::trace
