// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>
#include <vector>

namespace fx::script {

/// The traced form of the forward of a torch.nn module, and how to derive the module's settings from it.
///
/// `body` is the returned value:
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
    std::string_view classes; ///< separated by spaces; a final `*` stands for 1d, 2d and 3d
    std::string_view body;
    /// `groups=weight.0 bias=?bias mode='nearest'`: a size, the presence of a tensor, a literal; `a.1|b.0` takes the
    /// first that exists.
    std::string_view settings = {};
    /// Outputs of the operator, separated by `;`: the position of each in the module's result.
    std::string_view outputs = {};
    /// Inputs of the module, separated by `;`. A group separated by `,` is a tuple; `1|0` is the first matched input.
    /// Then keyword inputs: `mask=4` if it was matched, `flag=False`, `flag={flag}` from a setting.
    std::string_view call = {};
};
/// Returns the patterns of a class, in the order in which they are tried.
std::vector<LeafPattern> leafPatterns(std::string_view className);
/// Returns a pattern shared by several patterns, or used several times in one.
std::string_view leafPart(std::string_view name);

} // namespace fx::script
