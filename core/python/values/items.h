// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// `object[key]`: reads, writes and deletes items and slices.
class Items : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Value item(const Value& object, const Value& key);
    void setItem(const Value& object, const Value& key, const Value& value);
    void deleteItem(const Value& object, const Value& key);

    /// `list[slice] = value`.
    void setSlice(List& list, const SliceObject& slice, const Value& value);

private:
    Value tensorKey(const Value& key);
    void requireIndices(const Value& key);
};

} // namespace fx::python
