// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string_view>

namespace fx::script {

/// How the forward of a module of torch.nn looks once it was traced, and what that says of its settings.
///
/// `body` is what it returns:
///     aten::op(a, b)    an operator with these arguments, in the order of its schema; also in place, which sets
///                       `inplace`
///     (a; b)            the outputs of the module, of which a trace returns some, in any order
///     a#1               the second item of a list that is unpacked
///     @name             a pattern of `leafPart`
///     $0                an input
///     weight            a tensor of the module, or None if it has none; also of a child: out_proj.weight
///     {eps}             a setting
///     training          the module's flag
///     [a, b]            a list
///     <a|b>             the first of these that it is
///     weights           the list of all parameters
///     _                 anything
///     ...               any further arguments
struct LeafPattern {
    std::string_view classes; ///< separated by blanks; a final `*` stands for 1d, 2d and 3d
    std::string_view body;
    std::string_view settings =
        {}; ///< `groups=weight.0 bias=?bias mode='nearest'`: a size, whether it is there, a literal; `a.1|b.0`
    std::string_view outputs = {}; ///< of the operator, by `;`: where each is in the module's result
    /// Inputs of the module, by `;`: a group by `,` is a tuple, of `1|0` the first that was matched. After these,
    /// inputs by name: `mask=4` if it was matched, `flag=False`, `flag={flag}` a setting.
    std::string_view call = {};
};
std::span<const LeafPattern> leafPatterns();
/// What stands in several patterns, or several times in one.
std::string_view leafPart(std::string_view name);

} // namespace fx::script
