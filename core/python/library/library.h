// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Functions in C++ for the modules in this folder, which are written in Python.
class Library : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Evaluates an expression with the globals of a file; returns an unknown object on failure.
    Value evaluatedText(const std::string& text, SourceFile& file);
    /// Returns the rows of `__parameters__` for a class of torch.nn: its own or those of its `__init__`.
    List* tableParameters(const Class& type, bool isBound);
    /// Adds functions that Lancet's own modules need of the interpreter.
    void addHelpers();
    /// Adds functions that the module `copy` uses.
    void addCopies();
    /// Adds functions that the Python text of numpy uses.
    void addArrays();
    /// Returns true for torch.tensor and the like, which read lists and arrays by themselves.
    static bool takesArrays(std::string_view function);
    /// Replaces the array in `torch.tensor(array)` and such by its numbers and dtype.
    void unwrapArray(std::string_view function, Values& args, Keywords& kwargs);
    /// Returns the key of a tensor with numbers of Python in place of numpy's, and tensors in place of arrays.
    Value tensorKey(const Value& key);
    /// Adds functions that `re` uses.
    void addRegularExpressions();

private:
    Value tableDefault(std::string_view text);
    void addRandomNumbers();
};

} // namespace fx::python
