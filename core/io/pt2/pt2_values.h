// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/json/json_document.h"

#include <optional>
#include <unordered_map>

namespace fx {

/// A union: a JSON object with one member, its tag and value.
struct Pt2Union {
    std::string_view tag;
    JsonValue value;
};
/// Reads a union. Throws Error{File} unless the object has exactly one member.
Pt2Union unionOf(JsonValue object);

/// Convert the numbers of torch constants in .pt2 files, which differ from c10's, to names; null for unknown numbers.
const char* pt2DtypeName(std::int64_t number);        ///< 7 -> "torch.float32"
const char* pt2LayoutName(std::int64_t number);       ///< 7 -> "torch.strided"
const char* pt2MemoryFormatName(std::int64_t number); ///< 2 -> "torch.channels_last"

/// Returns the number of a dtype; 0 if unknown.
std::int64_t pt2DtypeNumber(std::string_view name);
/// Returns the number of a layout; 0 if unknown.
std::int64_t pt2LayoutNumber(std::string_view name);
/// Returns the number of a memory format; 0 if unknown.
std::int64_t pt2MemoryFormatNumber(std::string_view name);

/// Reads a device: "cuda:0" from `{"type": "cuda", "index": 0}`.
Device pt2Device(JsonValue device);

/// Reads a float, which may be a string: "Infinity", "-Infinity", "NaN".
double pt2Float(JsonValue value);

/// The value tables of one graph: dtype, sizes and device of a tensor, or a symbolic number, by name.
class Pt2ValueTable {
public:
    Pt2ValueTable() = default;
    /// Reads the tables of a `schema.Graph`, which must outlive this object.
    explicit Pt2ValueTable(JsonValue graph);

    bool contains(std::string_view name) const { return m_values.contains(name); }
    /// Returns the type and size of a value; nullopt for unknown names.
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
