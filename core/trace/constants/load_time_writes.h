// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

#include <memory>
#include <unordered_map>

namespace fx::trace {

/// A call whose operands are constants, so that PyTorch executes it while tracing.
struct ConstantCall {
    enum class Kind : std::uint8_t { Function, Method, Operator, Attribute };
    std::string_view name;                   ///< name of the operation: "add_", for methods and operators
    const FunctionValue* function = nullptr; ///< null for a method of the first operand
    const Values& operands;
    const KeywordValues& kwargs;
    Kind kind = Kind::Method;
    std::string_view spelled = {}; ///< an operator or attribute as Python names it, "truediv", "mT"
};

/// The effects of a call on its operands.
struct ConstantEffect {
    bool writesFirst = false, writesElsewhere = false; ///< writes the first operand, or other ones
    bool draws = false;                                ///< draws random numbers
    bool givesFresh = false;   ///< no overload returns a view of an operand; unknown functions may
    bool changesSizes = false; ///< sizes or strides of the first operand
};
/// Returns the effects of a call.
ConstantEffect effectOf(const ConstantCall& call);

/// Performs `detach_` and `requires_grad_`, which change a flag of their first operand; nullopt for other calls.
std::optional<Value> changedFlag(const ConstantCall& call);

/// Receives calls that can be computed from constants, in order to compute them.
class ConstantWatch {
public:
    virtual ~ConstantWatch() = default;
    /// Returns the result of the call. `guess` returns what is known without computing: sizes, dtypes, answers.
    virtual Value computed(const ConstantCall& call, const std::function<Value()>& guess) = 0;
};

/// Tracks constant tensors that calls write to while tracing: `b.add_(1)`, `torch.relu_(b)`, `b += 1`. Python executes
/// such a call immediately, and all references to `b` see the new values.
class LoadTimeWrites {
public:
    /// Returns the result of the call. That is `computed` if the call writes nothing, else the written operand, whose
    /// expression becomes that of the call. Throws CannotFollow if other tensors, such as views of `b`, would change as
    /// well, and if the call reads a tensor of the model that was written to.
    Value follow(const ConstantCall& call, Value computed);
    /// The tensors of the model that were written to. Their values after loading differ from those in the file.
    const std::vector<TensorPtr>& ofModel() const { return m_ofModel; }
    /// Returns true if a call drew random numbers: each run of its expression draws others.
    bool draws() const { return m_draws; }

private:
    /// Tensors that may share memory.
    using Family = std::vector<std::weak_ptr<const TensorRef>>;
    void checkKnown(const Value& operand) const;
    std::shared_ptr<Family> familyOf(const TensorPtr& tensor) const;
    void join(const TensorPtr& view, const TensorPtr& base);
    void write(const TensorPtr& tensor, const TensorValue& computed, const ConstantCall& call);

    std::unordered_map<const TensorRef*, std::shared_ptr<Family>> m_families;
    std::vector<TensorPtr> m_ofModel;
    bool m_draws = false;
};

/// Returns true if the tensor is one of `written` or shares memory with one.
bool isOneOf(const std::vector<TensorPtr>& written, const TensorRef& tensor);

} // namespace fx::trace
