// SPDX-License-Identifier: GPL-3.0-or-later
// Lines that are there once in both texts and stand in the same order (the longest rising run of them) hold the texts
// together; from them the match grows over equal neighbours. What lies between lines that all three have is a place: it
// is taken from the side that changed it.
#include "core/edit/code/merge_code.h"

#include "core/edit/code/code_lines.h"

#include <algorithm>
#include <vector>

namespace fx {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Lines {
    explicit Lines(std::string_view text) {
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            whole.push_back(text.substr(start, std::min(end + 1, text.size()) - start));
            statements.push_back(statementOf(text.substr(start, end - start)));
            start = end + 1;
        }
    }
    std::size_t size() const { return whole.size(); }
    std::vector<std::string_view> whole, statements;
};

/// For every line of `a` its place in `b` when it is there once in both, else kNone.
std::vector<std::size_t> uniquePlaces(const Lines& a, const Lines& b) {
    struct Count {
        int inA = 0, inB = 0;
        std::size_t place = 0;
    };
    std::unordered_map<std::string_view, Count> counts;
    for (const auto line : a.statements) ++counts[line].inA;
    for (std::size_t i = 0; i < b.size(); ++i) {
        Count& count = counts[b.statements[i]];
        ++count.inB;
        count.place = i;
    }
    std::vector<std::size_t> places(a.size(), kNone);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const Count& count = counts[a.statements[i]]; count.inA == 1 && count.inB == 1) places[i] = count.place;
    return places;
}

/// Keeps the longest rising run of places.
void keepRising(std::vector<std::size_t>& places) {
    std::vector<std::size_t> tails, before(places.size(), kNone); // indexes into places
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == kNone) continue;
        const auto at = std::lower_bound(tails.begin(), tails.end(), places[i],
                                         [&](std::size_t tail, std::size_t place) { return places[tail] < place; });
        if (at != tails.begin()) before[i] = *(at - 1);
        if (at == tails.end()) tails.push_back(i);
        else *at = i;
    }
    std::vector<std::size_t> kept(places.size(), kNone);
    for (std::size_t i = tails.empty() ? kNone : tails.back(); i != kNone; i = before[i]) kept[i] = places[i];
    places = std::move(kept);
}

/// For every line of `a` the line of `b` that it is, or kNone; rising.
std::vector<std::size_t> match(const Lines& a, const Lines& b) {
    std::vector<std::size_t> places = uniquePlaces(a, b);
    keepRising(places);
    for (std::size_t i = 0, j = 0; i <= a.size();) {
        const auto anchor = std::find_if(places.begin() + static_cast<std::ptrdiff_t>(i), places.end(),
                                         [](std::size_t place) { return place != kNone; });
        const auto nextA = static_cast<std::size_t>(anchor - places.begin());
        const std::size_t nextB = anchor == places.end() ? b.size() : *anchor;
        for (; i < nextA && j < nextB && a.statements[i] == b.statements[j]; ++i, ++j) places[i] = j;
        for (std::size_t endA = nextA, endB = nextB;
             endA > i && endB > j && a.statements[endA - 1] == b.statements[endB - 1];)
            places[--endA] = --endB;
        i = nextA + 1;
        j = nextB + 1;
    }
    return places;
}

bool same(const Lines& a, std::size_t fromA, std::size_t toA, const Lines& b, std::size_t fromB, std::size_t toB) {
    return std::equal(a.statements.begin() + static_cast<std::ptrdiff_t>(fromA),
                      a.statements.begin() + static_cast<std::ptrdiff_t>(toA),
                      b.statements.begin() + static_cast<std::ptrdiff_t>(fromB),
                      b.statements.begin() + static_cast<std::ptrdiff_t>(toB));
}

void append(std::string& out, const Lines& lines, std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
        if (!out.empty() && out.back() != '\n') out += '\n';
        out += lines.whole[from];
    }
}

} // namespace

MergedCode mergeCode(std::string_view base, std::string_view mine, std::string_view theirs) {
    const Lines origin(base), left(mine), right(theirs);
    const auto inLeft = match(origin, left), inRight = match(origin, right);
    MergedCode merged;
    std::size_t o = 0, l = 0, r = 0;
    for (std::size_t i = 0; i <= origin.size(); ++i) {
        const bool end = i == origin.size();
        if (!end && (inLeft[i] == kNone || inRight[i] == kNone)) continue;
        const std::size_t toLeft = end ? left.size() : inLeft[i], toRight = end ? right.size() : inRight[i];
        const bool leftSame = same(origin, o, i, left, l, toLeft), rightSame = same(origin, o, i, right, r, toRight);
        if (leftSame) {
            append(merged.text, right, r, toRight);
        } else {
            append(merged.text, left, l, toLeft);
            merged.conflicts += !rightSame && !same(left, l, toLeft, right, r, toRight);
        }
        if (!end) append(merged.text, right, toRight, toRight + 1);
        o = i + 1, l = toLeft + 1, r = toRight + 1;
    }
    return merged;
}

} // namespace fx
