// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/components.h"

#include <algorithm>

namespace fx {

std::vector<std::uint32_t> strongComponents(const std::vector<std::vector<std::uint32_t>>& out) {
    constexpr std::uint32_t unseen = 0xFFFFFFFFu;
    const auto size = static_cast<std::uint32_t>(out.size());
    std::vector<std::uint32_t> number(size, unseen), low(size, 0), component(size, unseen), open, next(size, 0), path;
    std::uint32_t counter = 0, components = 0;
    for (std::uint32_t start = 0; start < size; ++start) {
        if (number[start] != unseen) continue;
        path.push_back(start);
        while (!path.empty()) {
            const auto v = path.back();
            if (next[v] == 0 && number[v] == unseen) {
                number[v] = low[v] = counter++;
                open.push_back(v);
            }
            if (next[v] < out[v].size()) {
                const auto w = out[v][next[v]++];
                if (number[w] == unseen) path.push_back(w);
                else if (component[w] == unseen) low[v] = std::min(low[v], number[w]);
                continue;
            }
            path.pop_back();
            if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
            if (low[v] != number[v]) continue;
            for (std::uint32_t w = unseen; w != v;) {
                w = open.back();
                open.pop_back();
                component[w] = components;
            }
            ++components;
        }
    }
    return component;
}

} // namespace fx
