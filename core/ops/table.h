// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/operator_row.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace fx::ops {

/// A key of a packed table and its row. Keys are sorted.
struct TableKey {
    Text key;
    std::uint32_t row;
};

/// A table that tools/tables packed from tab-separated text: one pool of text, cells by row, and sorted keys. It
/// contains no pointers, so it needs no relocation at program start.
class Table {
public:
    constexpr Table(const char* text, std::span<const Text> cells, std::size_t columns, std::span<const TableKey> keys)
        : m_text(text), m_cells(cells), m_columns(columns), m_keys(keys) {}

    /// Returns the row of a key. O(log n).
    std::optional<std::uint32_t> find(std::string_view key) const {
        const auto textOf = [this](const TableKey& entry) { return text(entry.key); };
        const auto found = std::ranges::lower_bound(m_keys, key, {}, textOf);
        if (found == m_keys.end() || textOf(*found) != key) return std::nullopt;
        return found->row;
    }
    /// Returns the text of a cell.
    std::string_view cell(std::uint32_t row, std::size_t column) const {
        return text(m_cells[row * m_columns + column]);
    }
    /// The number of rows.
    std::uint32_t rows() const { return static_cast<std::uint32_t>(m_cells.size() / m_columns); }

private:
    std::string_view text(Text place) const { return {m_text + place.offset, place.size}; }

    const char* m_text;
    std::span<const Text> m_cells;
    std::size_t m_columns;
    std::span<const TableKey> m_keys;
};

} // namespace fx::ops
