// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx::python {

/// How a built-in function, class or method of Python may be called.
struct CallShape {
    int least = 0, most = 0;   ///< arguments; `most` counts those by place, negative: any number
    std::string_view keywords; ///< names of keyword arguments between spaces; "*": any
    std::string_view types;    ///< of arguments by place, a letter each
    bool keepsUnknown = false; ///< only stores its arguments, so that they may be unknown objects
    std::string_view name;     ///< "len", "list.append"
};
/// Python's TypeError for a call with so many arguments by place and by name; empty if the shape takes them.
std::string countProblem(const CallShape& shape, std::size_t places, std::size_t names);
/// Python's TypeError for an argument of a type that a letter of `types` does not take.
std::string typeProblem(const CallShape& shape, std::size_t place, const std::string& given);

/// Returns the shape of a method of a type ("list", "append"), or of a function or class if `type` is empty; null for
/// others. The result has static lifetime.
const CallShape* callShape(std::string_view type, std::string_view name);

/// Returns true for the public names of Python's module builtins.
bool isPythonBuiltin(std::string_view name);

} // namespace fx::python
