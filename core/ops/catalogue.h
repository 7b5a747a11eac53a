// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/operator_row.h"

#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The operator catalogue: every schema that PyTorch 2.13.0 registers (`torch.ops.aten.add.Tensor`, ...), as static
/// data generated at build time. Program start builds and parses nothing. All texts have static lifetime.
///
///     if (auto op = fx::ops::findOperator("aten::add.Tensor"))
///         for (const fx::ops::Argument argument : op->arguments()) use(argument.name(), argument.defaultValue());
namespace fx::ops {

/// The tags of PyTorch's operators, with the names and the order of torch.Tag.
enum class Tag {
    core,
    cudagraphUnsafe,
    dataDependentOutput,
    dynamicOutputShape,
    flexibleLayout,
    generated,
    inplace,
    inplaceView,
    maybeAliasingOrMutating,
    needsContiguousStrides,
    needsExactStrides,
    needsFixedStrideOrder,
    nondeterministicBitwise,
    nondeterministicSeeded,
    out,
    outVariant,
    pointwise,
    pt2CompliantTag,
    reduction,
    viewCopy
};

/// An argument or return value of a schema: a handle, cheap to copy.
class Argument {
public:
    explicit Argument(const ArgumentRow& row) : m_row(&row) {}

    /// The name; empty for most returns.
    std::string_view name() const;
    /// The type as in a schema, including alias annotations: `Tensor`, `Tensor(a!)`, `SymInt[2]`, `ScalarType?`.
    std::string_view type() const;
    bool hasDefault() const { return m_row->defaultValue.size != 0; } ///< the argument may be omitted
    /// The default as Python prints it: `1`, `None`, `[0, 0]`, `'mean'`; empty if none exists.
    std::string_view defaultValue() const;
    bool isKeywordOnly() const { return m_row->keywordOnly; } ///< follows `*` in the schema
    /// True if the operator writes to this argument (`alias_info.is_write`).
    bool isWritten() const { return m_row->written; }

private:
    const ArgumentRow* m_row;
};

/// A range of consecutive arguments of the table.
class ArgumentRange {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Argument;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Argument;
        explicit Iterator(const ArgumentRow* row) : m_row(row) {}
        Argument operator*() const { return Argument(*m_row); }
        Iterator& operator++() { return ++m_row, *this; }
        bool operator==(const Iterator&) const = default;

    private:
        const ArgumentRow* m_row;
    };

    ArgumentRange(const ArgumentRow* first, std::size_t size) : m_first(first), m_size(size) {}
    std::size_t size() const { return m_size; } ///< number of arguments
    bool empty() const { return m_size == 0; }
    Argument operator[](std::size_t index) const { return Argument(m_first[index]); }
    Iterator begin() const { return Iterator(m_first); }
    Iterator end() const { return Iterator(m_first + m_size); }

private:
    const ArgumentRow* m_first;
    std::size_t m_size;
};

/// An overload of an operator: a handle, cheap to copy. Mirrors torch._ops.OpOverload and its `_schema`.
class Operator {
public:
    explicit Operator(const OperatorRow& row) : m_row(&row) {}

    /// The name with its namespace: `aten::add`.
    std::string_view name() const;
    /// The overload name: `Tensor`; empty for the overload that Python calls `default`.
    std::string_view overload() const;
    /// The namespace: `aten`.
    std::string_view nameSpace() const { return name().substr(0, name().find("::")); }
    /// The name without the namespace: `add`.
    std::string_view baseName() const { return name().substr(name().find("::") + 2); }
    /// The arguments in schema order.
    ArgumentRange arguments() const;
    /// The return values.
    ArgumentRange returns() const;
    /// Returns true if the operator has the tag.
    bool hasTag(Tag tag) const { return m_row->tags >> static_cast<unsigned>(tag) & 1u; }
    /// True if the operator writes to an argument (`_schema.is_mutable`).
    bool isMutable() const;
    /// True if the result depends on the random generator (torch.Tag.nondeterministic_seeded).
    bool isNondeterministicSeeded() const { return hasTag(Tag::nondeterministicSeeded); }
    /// True if only TorchScript knows the operator, so that `torch.ops` does not dispatch it.
    bool isScriptOnly() const { return m_row->scriptOnly; }
    /// The index among the overloads of this name in registration order, which is the order of
    /// `torch._C._jit_get_schemas_for_operator`.
    std::size_t registered() const { return m_row->registered; }
    /// True if the operator accepts further arguments.
    bool isVariadic() const { return m_row->variadic; }
    /// The name as torch.fx prints it: `aten.add.Tensor`; the empty overload is `default`.
    std::string qualifiedName() const;
    /// The whole schema: `aten::relu(Tensor self) -> Tensor`. Defaults print as in Python.
    std::string schema() const;
    bool operator==(const Operator&) const = default;

private:
    const OperatorRow* m_row;
};

/// Finds an operator by any spelling: `aten::add.Tensor`, `aten.add.Tensor`, `torch.ops.aten.add.Tensor`. Without an
/// overload, or with `default`, it finds the empty overload name. O(log n).
std::optional<Operator> findOperator(std::string_view name);

/// Returns all overloads of `aten::add`, `aten.add` or `torch.ops.aten.add`, sorted by overload name.
std::vector<Operator> overloads(std::string_view name);

/// Returns at most `limit` operators whose name or overload contains every word of the text, ignoring case. Exact base
/// names come first, then base names with this prefix, then the others; each group is sorted.
std::vector<Operator> searchOperators(std::string_view text, std::size_t limit = 100);

/// The number of operators.
std::size_t operatorCount();

/// Returns the operator at an index below operatorCount(); operators are sorted by (name, overload).
Operator operatorAt(std::size_t index);

} // namespace fx::ops
