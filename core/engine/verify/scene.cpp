// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/scene.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fx::engine {

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
