// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Unary and binary operators, comparisons, hashes and truth.
class Operators : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value binary(std::string_view op, const Value& left, const Value& right, bool isInPlace = false);
    Value unary(std::string_view op, const Value& operand);
    Value compare(std::string_view sign, const Value& left, const Value& right);
    bool equal(const Value& left, const Value& right);
    std::int64_t hash(const Value& value);
    bool isItem(const Value& value, const Value& wanted);
    bool contains(const Value& container, const Value& item);
    bool truth(const Value& value);
    Value length(const Value& value);

    /// Records a binary operator with the tracer.
    Value recordBinary(std::string_view op, const Value& left, const Value& right);
    /// Applies a binary operator ("add", "divmod") with the methods of the operands; unset if neither defines it.
    Value combinedByMethod(std::string_view op, const Value& left, const Value& right);
    /// Compares with the methods of the operands ("eq", "lt"); unset if neither operand defines the comparison.
    Value comparedByMethod(std::string_view op, const Value& left, const Value& right);
    /// `left is right`. Throws CannotFollow for equal numbers, texts and tuples of which only Python knows.
    bool isIdentical(const Value& left, const Value& right);
    /// Makes dicts use `__eq__` and `__hash__` of the program's classes for their keys.
    void giveKeyMethods();

private:
    std::shared_ptr<const bool> m_alive = std::make_shared<bool>(true); ///< expires with the interpreter
};

} // namespace fx::python
