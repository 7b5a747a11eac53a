// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/operator_row.h"

#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The operator catalogue: every schema that PyTorch 2.13.0 registers (`torch.ops.aten.add.Tensor`, ...), as data that
/// was generated at build time. Nothing is built or parsed at start; every text lives as long as the program.
///
///     if (auto op = fx::ops::findOperator("aten::add.Tensor"))
///         for (const fx::ops::Argument argument : op->arguments()) use(argument.name(), argument.defaultValue());
namespace fx::ops {

/// Properties that PyTorch's operators are tagged with; same names and order as torch.Tag.
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

/// One argument or return value of a schema.
class Argument {
public:
    explicit Argument(const ArgumentRow& row) : m_row(&row) {}

    /// Empty for most returns.
    std::string_view name() const;
    /// As schemas write it, alias included: `Tensor`, `Tensor(a!)`, `SymInt[2]`, `ScalarType?`.
    std::string_view type() const;
    bool hasDefault() const { return m_row->defaultValue.size != 0; }
    /// The default as Python prints it: `1`, `None`, `[0, 0]`, `'mean'`; empty when there is none.
    std::string_view defaultValue() const;
    bool isKeywordOnly() const { return m_row->keywordOnly; }
    /// The operator writes to this argument (`alias_info.is_write`).
    bool isWritten() const { return m_row->written; }

private:
    const ArgumentRow* m_row;
};

/// A stretch of the table, iterated as Arguments.
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
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    Argument operator[](std::size_t index) const { return Argument(m_first[index]); }
    Iterator begin() const { return Iterator(m_first); }
    Iterator end() const { return Iterator(m_first + m_size); }

private:
    const ArgumentRow* m_first;
    std::size_t m_size;
};

/// One overload of an operator; a handle, cheap to copy. Mirrors torch._ops.OpOverload and its `_schema`.
class Operator {
public:
    explicit Operator(const OperatorRow& row) : m_row(&row) {}

    /// `aten::add`
    std::string_view name() const;
    /// `Tensor`; empty for the overload that Python calls `default`.
    std::string_view overload() const;
    /// `aten`
    std::string_view nameSpace() const { return name().substr(0, name().find("::")); }
    /// `add`
    std::string_view baseName() const { return name().substr(name().find("::") + 2); }
    ArgumentRange arguments() const;
    ArgumentRange returns() const;
    bool hasTag(Tag tag) const { return m_row->tags >> static_cast<unsigned>(tag) & 1u; }
    /// Some argument is written to (`_schema.is_mutable`).
    bool isMutable() const;
    /// Its result depends on the random generator (torch.Tag.nondeterministic_seeded).
    bool isNondeterministicSeeded() const { return hasTag(Tag::nondeterministicSeeded); }
    /// TorchScript knows it, `torch.ops` does not dispatch it.
    bool isScriptOnly() const { return m_row->scriptOnly; }
    /// Its place among the overloads of its name as PyTorch registers them: the order in which
    /// `torch._C._jit_get_schemas_for_operator` gives them.
    std::size_t registered() const { return m_row->registered; }
    /// Takes any number of further arguments.
    bool isVariadic() const { return m_row->variadic; }
    /// `aten.add.Tensor`, as torch.fx prints an operator; the empty overload reads `default`.
    std::string qualifiedName() const;
    /// The whole schema: `aten::relu(Tensor self) -> Tensor`. Defaults are Python's.
    std::string schema() const;
    bool operator==(const Operator&) const = default;

private:
    const OperatorRow* m_row;
};

/// The operator of that name in any of its spellings: `aten::add.Tensor`, `aten.add.Tensor`,
/// `torch.ops.aten.add.Tensor`; without an overload, or with `default`, the one with the empty overload name.
/// O(log n).
std::optional<Operator> findOperator(std::string_view name);

/// All overloads of `aten::add`, `aten.add` or `torch.ops.aten.add`, sorted by overload name.
std::vector<Operator> overloads(std::string_view name);

/// Operators whose name or overload contains every word of the text, whatever the case; those whose base name is
/// the text come first, then those that start with it, then the others, each sorted. At most `limit`.
std::vector<Operator> searchOperators(std::string_view text, std::size_t limit = 100);

/// How many operators there are.
std::size_t operatorCount();

/// The operator at an index below operatorCount(), in the order of (name, overload).
Operator operatorAt(std::size_t index);

} // namespace fx::ops
