// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/scene.h"

#include "core/engine/verify/layer.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fx::engine {
namespace {

constexpr std::size_t kWords = 4093; ///< that are drawn; a prime, so that rows are not alike

/// The rows of the smallest table that inputs are looked up in; 0 for none.
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

} // namespace

Exits Scene::where(const std::vector<bool>& holds) const {
    Exits out;
    for (std::size_t i = 0; i < region.exits.size(); ++i)
        if (holds[i]) out.push_back(region.exits[i]);
    return out;
}

bool Scene::has(bool (*what)(const Value&)) const { return std::any_of(values.begin(), values.end(), what); }

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

bool Stage::inputsHave(bool (*what)(const Value&)) const {
    return std::any_of(inputs.positional.begin(), inputs.positional.end(), what) ||
           std::any_of(inputs.named.begin(), inputs.named.end(), [&](const auto& named) { return what(named.second); });
}

RunInputs Stage::moreInputs() const {
    const std::int64_t rows = inputsHave(hasFloats) ? 0 : rowsOfTables(*a.model);
    if (rows == 0) return otherInputs(inputs, 1, random());
    std::vector<std::int64_t> numbers(kWords);
    for (std::int64_t& number : numbers)
        number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
    return renumbered(inputs, numbers);
}

Contrast Stage::contrastFor(const Scene& scene, const RunInputs& given, Count count, const Alter& alter) const {
    std::optional<std::vector<Value>> values = trial.tryValuesOfA(scene.region.producers(), given);
    if (!values) return {false, std::vector<bool>(scene.region.exits.size())};
    if (alter)
        for (std::size_t i = 0; i < values->size(); ++i) (*values)[i] = alter((*values)[i], scene.values[i]);
    return trial.contrast(scene.region, *values, count, random);
}

Scene restricted(const Stage& stage, const Scene& scene, const std::vector<bool>& exits) {
    if (std::find(exits.begin(), exits.end(), false) == exits.end()) return scene;
    std::map<NodeId, Value> known;
    for (std::size_t i = 0; i < scene.values.size(); ++i)
        known.emplace(scene.region.entries[i].producer, scene.values[i]);
    Scene out;
    out.region = stage.part.regionOf(scene.where(exits));
    bool allKnown = true; // an exit that is left out may lead to one that is not
    for (const auto& entry : out.region.entries) {
        allKnown = allKnown && known.contains(entry.producer);
        out.values.push_back(known[entry.producer]);
    }
    if (!allKnown)
        if (auto own = stage.trial.tryValuesOfA(out.region.producers(), stage.inputs)) out.values = std::move(*own);
    for (std::size_t i = 0; i < exits.size(); ++i)
        if (exits[i]) out.discrete.push_back(scene.discrete[i]);
    return out;
}

} // namespace fx::engine
