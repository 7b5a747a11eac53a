// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/values/object.h"

namespace fx::python {

/// Returns true if `holds` is true for a value, or for one inside it: the items of lists and tuples, the values of
/// dicts, the parts of slices. Throws if values nest too deeply.
template<class Holds> bool anyInside(const Value& value, const Holds& holds) {
    const trace::Deeper deeper;
    const auto isInside = [&](const Value& each) { return anyInside(each, holds); };
    if (const auto* slice = value.as<SliceObject>())
        return isInside(slice->start) || isInside(slice->stop) || isInside(slice->step);
    if (const auto* dict = value.as<Dict>()) {
        std::size_t at = 0;
        trace::charge(dict->size());
        for (auto item = dict->nextItem(at); item.first.isSet(); item = dict->nextItem(at))
            if (isInside(item.second)) return true;
        return false;
    }
    const Values* items = itemsOf(value);
    if (!items) return holds(value);
    trace::charge(items->size());
    return std::any_of(items->begin(), items->end(), isInside);
}

} // namespace fx::python
