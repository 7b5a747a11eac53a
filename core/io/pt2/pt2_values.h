// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/json/json_document.h"

#include <optional>
#include <unordered_map>

namespace fx {

/// A union, given as a JSON object with one member: its tag and value. Throws unless there is exactly one member.
struct Pt2Union {
    std::string_view tag;
    JsonValue value;
};
Pt2Union unionOf(JsonValue object);

/// The numbers that .pt2 files use for constants of torch (they differ from c10's): null for unknown numbers.
const char* pt2DtypeName(std::int64_t number);        ///< 7 -> "torch.float32"
const char* pt2LayoutName(std::int64_t number);       ///< 7 -> "torch.strided"
const char* pt2MemoryFormatName(std::int64_t number); ///< 2 -> "torch.channels_last"

/// The numbers of these names; 0 if unknown.
std::int64_t pt2DtypeNumber(std::string_view name);
std::int64_t pt2LayoutNumber(std::string_view name);
std::int64_t pt2MemoryFormatNumber(std::string_view name);

/// "cuda:0" of `{"type": "cuda", "index": 0}`.
Device pt2Device(JsonValue device);

/// A float, which the format may write as a string: "Infinity", "-Infinity", "NaN".
double pt2Float(JsonValue value);

/// Looks up names in the value tables of one graph: dtype, sizes and device of a tensor, or a symbolic number.
class Pt2ValueTable {
public:
    Pt2ValueTable() = default;
    explicit Pt2ValueTable(JsonValue graph);

    bool contains(std::string_view name) const { return m_values.contains(name); }
    std::optional<ValueInfo> find(std::string_view name) const;

private:
    enum class Kind : std::uint8_t { Tensor, Int, Float, Bool, Object };
    struct Row {
        Kind kind = Kind::Tensor;
        JsonValue value;
    };
    std::unordered_map<std::string_view, Row> m_values;
};

} // namespace fx
