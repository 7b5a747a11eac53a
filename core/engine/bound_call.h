// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/calls.h"

namespace fx::engine {

/// Named values for a composition: the parameters of a function, or a module's attributes and inputs. The accessors
/// throw Error{Run} for values of another type.
class Names {
public:
    virtual ~Names() = default;
    /// Throws Error{Run} for an unknown name.
    virtual Value operator[](std::string_view name) const = 0;

    /// True if the value is not None.
    bool given(std::string_view name) const { return !(*this)[name].isNone(); }
    /// The truth value, as Python's `bool()`.
    bool flag(std::string_view name) const { return truthOf((*this)[name]); }
    /// A string.
    std::string text(std::string_view name) const;
    /// A tensor.
    at::Tensor tensor(std::string_view name) const;
    /// An int.
    std::int64_t integer(std::string_view name) const;
    /// An int or float.
    double real(std::string_view name) const;
    /// The integers of a tuple or list; a single integer is repeated `times` times.
    std::vector<std::int64_t> integers(std::string_view name, std::size_t times) const;
};

/// The values of a Python function's parameters, with defaults applied.
class BoundCall : public Names {
public:
    /// Throws Error{Run} if the arguments do not match the function.
    BoundCall(std::string_view qualifiedName, const Arguments& arguments);
    Value operator[](std::string_view name) const override;

private:
    std::vector<std::pair<std::string_view, Value>> m_values;
    std::string_view m_function;
};

/// Runs a composition, a call in terms of names given as text: `torch.batch_norm(input, weight, bias, training,
/// True)`. Words are names in `names` or literals. `name!(...)` calls the in-place form `name_` when `inplace` is
/// true; `@reduction` is the number of the named reduction; `*name` unpacks a sequence; `[0]`
/// after the call takes the first result.
Value runComposition(std::string_view text, const Names& names);
/// Returns 0 (none), 1 (mean) or 2 (sum) from `reduction` and the deprecated flags `size_average` and `reduce`, if the
/// function has them.
std::int64_t reductionOf(const Names& names);

} // namespace fx::engine
