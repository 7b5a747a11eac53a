// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

#include <memory>
#include <unordered_map>

namespace fx::trace {

/// A call whose operands are constants, which PyTorch executes while tracing.
struct ConstantCall {
    enum class Kind : std::uint8_t { Function, Method, Operator, Attribute };
    std::string_view name;                   ///< of the operation: "add_", for methods and operators
    const FunctionValue* function = nullptr; ///< null for a method of the first operand
    const Values& operands;
    const KeywordValues& kwargs;
    Kind kind = Kind::Method;
    std::string_view spelled = {}; ///< of an operator or attribute: as Python calls it, "truediv", "mT"
};

/// What a call does to its operands.
struct ConstantEffect {
    bool writesFirst = false, writesElsewhere = false;
    bool draws = false;      ///< random numbers
    bool givesFresh = false; ///< no form of it gives a view of what it gets; unknown functions may
};
ConstantEffect effectOf(const ConstantCall& call);

/// Takes over what would be computed with constants, to have it computed.
class ConstantWatch {
public:
    virtual ~ConstantWatch() = default;
    /// What the call gives; `guess` tells what is known of it without computing: sizes, types, answers.
    virtual Value computed(const ConstantCall& call, const std::function<Value()>& guess) = 0;
};

/// Constant tensors that calls write to while tracing: `b.add_(1)`, `torch.relu_(b)`, `b += 1`. Python executes such a
/// call immediately, and all references to `b` see the new values.
class LoadTimeWrites {
public:
    /// The result of the call: `computed` if it writes nothing, else the operand that it writes to, whose expression
    /// then becomes that of the call. Throws CannotFollow if other tensors, such as views of `b`, would change as well,
    /// and for reads of the model's tensors that were written to.
    Value follow(const ConstantCall& call, Value computed);
    /// Tensors of the model that were written to: their values after loading differ from those in the file.
    const std::vector<TensorPtr>& ofModel() const { return m_ofModel; }

private:
    /// Tensors that may share memory.
    using Family = std::vector<std::weak_ptr<const TensorRef>>;
    void checkKnown(const Value& operand) const;
    std::shared_ptr<Family> familyOf(const TensorPtr& tensor) const;
    void join(const TensorPtr& view, const TensorPtr& base);
    void write(const TensorPtr& tensor, const TensorValue& computed, const ConstantCall& call);

    std::unordered_map<const TensorRef*, std::shared_ptr<Family>> m_families;
    std::vector<TensorPtr> m_ofModel;
};

/// Whether the tensor is one of these or shares memory with one.
bool isOneOf(const std::vector<TensorPtr>& written, const TensorRef& tensor);

} // namespace fx::trace
