// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/qconfig.h"

#include "core/ops/near_names.h"
#include "core/ops/table.h"
#include "core/quant/qconfig_json.h"
#include "core/quant/qconfig_table.h"

#include <algorithm>

namespace fx::quant {
namespace {

using ops::TableKey;
using ops::Text;
#include "core/quant/qconfigs.inc"

/// A key is `qconfig/NAME`, `observer/NAME` or `mapping/BACKEND/ptq|qat/NUMBER`; Second is the weight's observer,
/// ObjectType what a rule of a mapping is about, empty for all. Observers are written as for --qconfig.
enum Column : std::size_t { Key, First, Second, ObjectType, kColumns };

constexpr ops::Table kTable(kQuantDefaultsText, kQuantDefaultsCells, kColumns, kQuantDefaultsKeys);

ObserverPtr observerOf(std::string_view text) {
    if (text.empty()) return {};
    return observerFromJson(JsonDocument::parse(std::string(text))->root());
}

std::vector<std::string_view> namesOf(std::string_view kind) {
    std::vector<std::string_view> names;
    for (std::uint32_t row = 0; row < kTable.rows(); ++row)
        if (const auto key = kTable.cell(row, Key); key.starts_with(kind)) names.push_back(key.substr(kind.size()));
    std::sort(names.begin(), names.end());
    return names;
}

bool equal(const ObserverPtr& a, const ObserverPtr& b) { return a == b || (a && b && *a == *b); }

} // namespace

bool QConfig::operator==(const QConfig& other) const {
    return equal(activation, other.activation) && equal(weight, other.weight);
}

bool equalQConfigs(const QConfigPtr& a, const QConfigPtr& b) { return a == b || (a && b && *a == *b); }

QConfigPtr namedQConfig(std::string_view name) {
    const auto row = kTable.find("qconfig/" + std::string(name));
    if (!row) return {};
    return std::make_shared<QConfig>(
        QConfig{observerOf(kTable.cell(*row, First)), observerOf(kTable.cell(*row, Second))});
}

ObserverPtr namedObserver(std::string_view name) {
    const auto row = kTable.find("observer/" + std::string(name));
    return row ? observerOf(kTable.cell(*row, First)) : ObserverPtr();
}

std::vector<std::string_view> qconfigNames() { return namesOf("qconfig/"); }

std::string nearestQConfig(std::string_view name) { return std::string(ops::nearestOf(name, qconfigNames())); }

std::vector<DefaultRule> defaultRules(std::string_view mapping) {
    std::vector<DefaultRule> rules;
    const auto first = kTable.find(mapping);
    if (!first) return rules;
    const std::string prefix = std::string(mapping) + "/";
    std::vector<std::pair<std::pair<std::string_view, std::string_view>, QConfigPtr>> made; // equal rules share one
    for (std::uint32_t row = *first; row < kTable.rows() && kTable.cell(row, Key).starts_with(prefix); ++row) {
        const std::pair cells(kTable.cell(row, First), kTable.cell(row, Second));
        auto known = std::find_if(made.begin(), made.end(), [&](const auto& each) { return each.first == cells; });
        if (known == made.end()) {
            made.emplace_back(cells,
                              std::make_shared<QConfig>(QConfig{observerOf(cells.first), observerOf(cells.second)}));
            known = std::prev(made.end());
        }
        rules.push_back({std::string(kTable.cell(row, ObjectType)), known->second});
    }
    return rules;
}

} // namespace fx::quant
