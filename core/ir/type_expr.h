// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace fx {

/// A Python type annotation, as data.
///
/// | kind    | Python                     | fields                                  |
/// |---------|----------------------------|-----------------------------------------|
/// | Class   | `torch.Tensor`, `int`      | module, name                            |
/// | Generic | `typing.List[int]`, `list[int]`, bare `typing.List` | module, name of the origin; args |
/// | Union   | `int \| None`              | args                                    |
/// | Text    | `...`, forward references, anything else | name: the printed form     |
struct TypeExpr {
    enum class Kind : std::uint8_t { Class, Generic, Union, Text };
    Kind kind = Kind::Class;
    std::string module;                                ///< `__module__`
    std::string name;                                  ///< `__qualname__`
    std::vector<std::shared_ptr<const TypeExpr>> args; ///< of a Generic or Union
    bool fromTorch = false;                            ///< torch.fx `_is_from_torch` of the class

    /// torch.fx `_type_repr`: `typing.List[torch.Tensor]`, `int | None`, `torch.Tensor`.
    std::string repr() const;
};
/// A type, shared by nodes; null without annotation.
using TypePtr = std::shared_ptr<const TypeExpr>;

} // namespace fx
