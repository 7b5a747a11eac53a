// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

#include <functional>
#include <vector>

/// Classes of followed programs whose members are written in C++.
namespace fx::python {

/// A method in C++. A missing argument (`std::out_of_range`) raises a Python TypeError, and a refusal a RuntimeError.
using NativeBody = std::function<Value(Values& args, Keywords& kwargs)>;

/// Creates a class with these bases; without bases it derives from `object`.
Class* makeClass(Interpreter& in, const char* name, std::vector<Class*> bases = {});
/// Adds a method, whose first argument is the object.
void addMethod(Interpreter& in, Class* type, const char* name, NativeBody body);
/// Adds a property; without `set` it is read-only.
void addProperty(Interpreter& in, Class* type, const char* name, std::function<Value(const Value& self)> get,
                 std::function<void(const Value& self, const Value& value)> set = {});
/// Creates an object of a new class that only has these attributes, such as torch.fx's `Match`.
Value makeRecord(Interpreter& in, const char* className, const Keywords& attributes);

/// Returns an argument by position or name; unset if it is not given.
Value argumentAt(const Values& args, const Keywords& kwargs, std::size_t at, std::string_view name);

} // namespace fx::python
