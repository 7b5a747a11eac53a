// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/ir/callable.h"
#include "core/ir/type_expr.h"
#include "core/model_files/anonymise/names.h"

namespace fx::anonymise {

/// Returns a function, class or operator under a new name, unless it is PyTorch's or Python's.
CallablePtr withoutName(const CallablePtr& callable, Names& names);
/// Returns true for those that keep their names.
bool isPublic(const Callable& callable);

/// Returns an annotation without classes that a user wrote; null if nothing of it may be kept.
TypePtr withoutNames(const TypePtr& type, Names& names);

/// Returns a value with other texts and names; `map` gives the new nodes. Objects that Lancet does not know become
/// None. `isEquation` is for the first argument of einsum, whose letters are renamed in order.
Argument withoutNames(const Argument& argument, Names& names, const std::function<NodeId(NodeId)>& map,
                      bool isEquation = false);

} // namespace fx::anonymise
