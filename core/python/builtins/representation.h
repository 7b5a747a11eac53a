// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// `str`, `repr` and `format`.
class Representation : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    std::string str(const Value& value);
    std::string repr(const Value& value);
    std::string format(const Value& value, std::string_view spec);
    std::string typeName(const Value& value);

    /// Appends `repr(value)` to `out`.
    void appendRepr(std::string& out, const Value& value);
    /// `text % given`.
    std::string percentFormat(const std::string& text, const Value& given);

private:
    void appendObjectRepr(std::string& out, const Value& value);
    void appendInstanceRepr(std::string& out, const Value& value);
    void appendDictRepr(std::string& out, const Dict& dict);
    void appendTracedRepr(std::string& out, const Traced& traced);
    std::string textOfResult(const Value& made, std::string_view method);
};

} // namespace fx::python
