// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/near_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace fx::ops {

namespace {

/// "relu6" and "relu7": the same letters, digits in the same places.
bool differsInDigitsOnly(std::string_view a, std::string_view b) {
    const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y) || (isDigit(x) && isDigit(y)); });
}

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t longer = std::max(a.size(), b.size());
    if (longer - std::min(a.size(), b.size()) > limit) return limit + 1;
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    // Three rows of the table: the one being filled and the two before it.
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same(a[i - 1], b[j - 1])});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        if (*std::min_element(row.begin(), row.end()) > limit) return limit + 1;
        before.swap(last);
        last.swap(row);
    }
    return std::min(last[b.size()], limit + 1);
}

std::string comparableName(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c != '_') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

bool NearestName::offer(std::string_view candidate) {
    const bool alike = differsInDigitsOnly(m_wanted, candidate);
    const std::size_t limit = m_best + (m_hasOther && alike ? 1 : 0); // exclusive
    if (limit == 0) return false;
    const std::size_t distance = editDistance(m_wanted, candidate, limit - 1);
    if (distance >= limit) return false;
    m_best = distance;
    m_hasOther = !alike && distance > 0;
    return true;
}

} // namespace fx::ops
