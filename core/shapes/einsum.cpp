// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/einsum.h"

#include <algorithm>
#include <map>
#include <string>

namespace fx {
namespace {

using Labels = std::map<char, std::int64_t>;

/// The terms left of the arrow; what is right of it, or the labels that occur once.
std::vector<std::string> terms(std::string_view equation, std::string& result) {
    std::string text;
    for (const char c : equation)
        if (c != ' ') text += c;
    const auto arrow = text.find("->");
    std::vector<std::string> out(1);
    for (const char c : text.substr(0, arrow)) {
        if (c == ',') out.emplace_back();
        else out.back() += c;
    }
    if (arrow != text.npos) return result = text.substr(arrow + 2), out;
    for (const char c : text)
        if (c != ',' && c != '.' && std::count(text.begin(), text.end(), c) == 1) result += c;
    return out;
}

/// Labels of one operand; those that `...` stands for get signs of their own, counted from the right.
Labels labelsOf(const std::string& term, const std::vector<std::int64_t>& sizes) {
    Labels out;
    const auto dots = term.find("...");
    const std::size_t named = term.size() - (dots == term.npos ? 0 : 3),
                      hidden = sizes.size() >= named ? sizes.size() - named : 0;
    std::size_t dimension = 0;
    for (std::size_t i = 0; i < term.size() && dimension < sizes.size(); ++i) {
        if (i == dots) {
            for (std::size_t k = hidden; k-- > 0 && dimension < sizes.size();)
                out[static_cast<char>('0' + static_cast<int>(k))] = sizes[dimension++];
            i += 2;
        } else {
            out[term[i]] = sizes[dimension++];
        }
    }
    return out;
}

} // namespace

double einsumFlops(std::string_view equation, const std::vector<std::vector<std::int64_t>>& operands) {
    std::string result;
    const std::vector<std::string> parts = terms(equation, result);
    if (parts.size() != operands.size()) return 0;
    std::vector<Labels> labels;
    for (std::size_t i = 0; i < parts.size(); ++i) labels.push_back(labelsOf(parts[i], operands[i]));
    const auto neededAfter = [&](char label, std::size_t i) {
        const bool later = std::any_of(labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, labels.end(),
                                       [&](const Labels& each) { return each.contains(label); });
        return later || result.find(label) != result.npos || (label >= '0' && label <= '9');
    };
    double flops = 0;
    Labels left = labels.front();
    for (std::size_t i = 1; i < labels.size(); ++i) {
        Labels joined = left;
        for (const auto& [label, size] : labels[i]) joined[label] = std::max(joined[label], size);
        double all = 2;
        bool sums = false;
        for (auto entry = joined.begin(); entry != joined.end();) {
            const bool inBoth = left.contains(entry->first) && labels[i].contains(entry->first),
                       kept = neededAfter(entry->first, i);
            all *=
                inBoth || kept ? static_cast<double>(entry->second) : 1; // a label of one operand only is summed before
            sums = sums || (inBoth && !kept);
            entry = kept ? std::next(entry) : joined.erase(entry);
        }
        if (sums) flops += all;
        left = std::move(joined);
    }
    return flops;
}

} // namespace fx
