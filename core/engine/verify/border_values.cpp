// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/border_values.h"

#include "core/engine/verify/layer.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fx::engine {
namespace {

constexpr std::size_t kWords = 4093; ///< that are drawn; a prime, so that rows are not alike

} // namespace

std::int64_t rowsOfTables(const GraphModule& model) {
    std::int64_t rows = 0;
    for (const Node& node : model.graph.nodes()) {
        const TensorPtr table = tableOf(node, model);
        const bool isLookUp = table && !table->sizes.empty() &&
                              std::any_of(node.inputs().begin(), node.inputs().end(),
                                          [&](NodeId id) { return isUserInput(model, model.graph.node(id)); });
        if (isLookUp) rows = rows == 0 ? table->sizes[0] : std::min(rows, table->sizes[0]);
    }
    return rows;
}

Exits BorderValues::where(const std::vector<bool>& holds) const {
    Exits out;
    for (std::size_t i = 0; i < region.exits.size(); ++i)
        if (holds[i]) out.push_back(region.exits[i]);
    return out;
}

bool BorderValues::has(bool (*what)(const Value&)) const { return std::any_of(values.begin(), values.end(), what); }

bool isDiscrete(const Outcome& outcome) {
    return std::any_of(outcome.leaves.begin(), outcome.leaves.end(), [](const Outcome::Leaf& leaf) {
        const std::vector<double>& sample = leaf.ofA;
        const auto type = scalarType(leaf.difference.dtype); // none: a size, which is no data
        if (!type || sample.empty()) return false;
        if (at::isIntegralType(*type, true)) return true;
        const auto isWhole = [](double each) { return each == std::floor(each); };
        const bool varies = std::any_of(sample.begin(), sample.end(), [&](double each) { return each != sample[0]; });
        return varies && std::all_of(sample.begin(), sample.end(), isWhole);
    });
}

bool CheckContext::inputsHave(bool (*what)(const Value&)) const {
    return std::any_of(inputs.positional.begin(), inputs.positional.end(), what) ||
           std::any_of(inputs.named.begin(), inputs.named.end(), [&](const auto& named) { return what(named.second); });
}

RunInputs CheckContext::moreInputs() const {
    const std::int64_t rows = inputsHave(hasFloats) ? 0 : rowsOfTables(*a.model);
    if (rows == 0) return otherInputs(inputs, random());
    std::vector<std::int64_t> numbers(kWords);
    for (std::int64_t& number : numbers)
        number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
    return altered(inputs, renumbered(numbers));
}

Contrast CheckContext::contrastFor(const BorderValues& border, const RunInputs& given, Count count,
                                   const Alter& alter) const {
    std::optional<std::vector<Value>> values = regionRun.tryValuesOfA(border.region.producers(), given);
    if (!values) return {false, std::vector<bool>(border.region.exits.size())};
    if (alter) *values = alter(*values);
    Contrast seen = regionRun.contrast(border.region, *values, count, random);
    if (seen.any() && !alter) shownBy = copyOf(given);
    return seen;
}

BorderValues restricted(const CheckContext& context, const BorderValues& border, const std::vector<bool>& exits) {
    if (std::find(exits.begin(), exits.end(), false) == exits.end()) return border;
    std::map<NodeId, Value> known;
    for (std::size_t i = 0; i < border.values.size(); ++i)
        known.emplace(border.region.entries[i].producer, border.values[i]);
    BorderValues out;
    out.region = context.part.regionOf(border.where(exits));
    bool allKnown = true; // an exit that is left out may lead to one that is not
    for (const auto& entry : out.region.entries) {
        allKnown = allKnown && known.contains(entry.producer);
        out.values.push_back(known[entry.producer]);
    }
    if (!allKnown)
        if (auto own = context.regionRun.tryValuesOfA(out.region.producers(), context.inputs))
            out.values = std::move(*own);
    for (std::size_t i = 0; i < exits.size(); ++i)
        if (exits[i]) out.discrete.push_back(border.discrete[i]);
    return out;
}

} // namespace fx::engine
