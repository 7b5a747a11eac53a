// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/elsewhere.h"

#include "core/engine/for_each_tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

namespace fx::engine {
namespace {

constexpr double kHalf = 0.5;        ///< part of the floats that are numbers near constants
constexpr double kFew = 0.1;         ///< part of them that are NaN or infinite
constexpr std::int64_t kAtLeast = 3; ///< of these in a tensor
constexpr std::int64_t kRounds = 3;  ///< trials of a group whose numbers do not fit into one
constexpr std::int64_t kManyRounds = 8, kFewElementsOfScene = 64; ///< those of entries that have no more than that
constexpr int kRuns = 24;             ///< of integers, most of which end at once since a table is too small
constexpr int kGoodRuns = 3;          ///< of these, those that do not fail
constexpr int kWordRuns = 24;         ///< of other words, on models of
constexpr std::size_t kFewCalls = 64; ///< no more nodes than that
constexpr std::size_t kSingles = 12;  ///< integers that are tried one by one
/// What the numbers in the inputs are multiplied by: layers before what changed make them larger or smaller.
constexpr std::array kScales = {1.0, 10.0, 0.1};

std::vector<bool> both(const std::vector<bool>& x, const std::vector<bool>& y) {
    std::vector<bool> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] && y[i];
    return out;
}

/// The numbers of a group in parts that fit into half of the largest entry.
std::vector<std::vector<double>> parted(const std::vector<double>& group, const Scene& scene) {
    std::int64_t most = 2;
    for (const Value& value : scene.values)
        if (hasFloats(value)) most = std::max(most, elementCount(value, {}));
    const std::int64_t room = most / 2, numbers = static_cast<std::int64_t>(group.size());
    const std::int64_t rounds = most <= kFewElementsOfScene ? kManyRounds : kRounds;
    const std::int64_t count = std::clamp<std::int64_t>((numbers + room - 1) / room, 1, rounds);
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < group.size(); ++i) parts[i * parts.size() / group.size()].push_back(group[i]);
    return parts;
}

/// The root mean square of the floats.
double rmsOf(const std::vector<Value>& values) {
    double squares = 0, count = 0;
    for (const Value& value : values)
        forEachTensor(value, [&](const at::Tensor& tensor) {
            if (!isFloatTensor(tensor)) return;
            for (const double each : elementsOf(tensor))
                if (std::isfinite(each)) squares += each * each, ++count;
        });
    return count > 0 ? std::sqrt(squares / count) : 0;
}

/// What inputs are multiplied by so that numbers in them are about as large when they come to the scene.
std::vector<double> scalesFor(const Stage& stage, const Scene& scene) {
    std::vector<double> scales(kScales.begin(), kScales.end());
    std::vector<Value> inputs = stage.inputs.positional;
    for (const auto& [name, value] : stage.inputs.named) inputs.push_back(value);
    const double there = rmsOf(scene.values), here = rmsOf(inputs);
    const bool isFar = there > 0 && here > 0 && std::abs(std::log10(here / there)) > 1;
    if (isFar) scales.push_back(here / there);
    return scales;
}

Exits differNear(const Stage& stage, const Scene& scene, const std::vector<double>& group) {
    for (const std::vector<double>& part : parted(group, scene)) {
        std::vector<Value> values;
        for (const Value& value : scene.values) values.push_back(sprinkled(value, part, kHalf, 1, stage.random));
        const Contrast suspects = stage.trial.contrast(scene.region, values, Count::Finite, stage.random);
        if (!suspects.any()) continue;
        for (const double scale : scalesFor(stage, scene)) {
            const RunInputs given = scaled(sprinkled(stage.inputs, part, kHalf, 1, stage.random), scale);
            const Contrast seen = stage.contrastFor(scene, given, Count::Finite);
            if (Exits where = scene.where(both(suspects.differs, seen.differs)); !where.empty()) return where;
        }
    }
    return {};
}

Exits differForFlags(const Stage& stage, const Scene& scene) {
    const Stage::Alter flip = [&](const Value& value, const Value& usual) {
        return flipped(value, usual, stage.random);
    };
    std::vector<Value> values;
    for (const Value& value : scene.values) values.push_back(flip(value, value));
    const Contrast suspects = stage.trial.contrast(scene.region, values, Count::Finite, stage.random);
    if (!suspects.any()) return {};
    const RunInputs given = otherInputs(stage.inputs, 1, stage.random());
    const Contrast seen = stage.contrastFor(scene, given, Count::Finite, flip);
    return scene.where(both(suspects.differs, seen.differs));
}

/// How many elements the smallest of the tensors of integers has.
std::size_t leastIntegers(const std::vector<Value>& values) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Value& value : values)
        if (hasIntegers(value)) least = std::min(least, elementCount(value, {}));
    return static_cast<std::size_t>(least);
}

/// Numbers in parts that fit into a tensor, so that none is left out.
std::deque<std::vector<std::int64_t>> inParts(const std::vector<std::int64_t>& numbers, std::size_t room) {
    std::deque<std::vector<std::int64_t>> parts;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (parts.empty() || parts.back().size() >= room) parts.emplace_back();
        parts.back().push_back(numbers[i]);
    }
    return parts;
}

/// Whether the models' inputs can be integers that show a difference.
Exits shownByInputs(const Stage& stage, const Scene& scene, const std::vector<std::int64_t>& numbers,
                    const std::vector<bool>& suspects) {
    std::vector<std::vector<std::int64_t>> trials = {numbers};
    for (std::size_t i = 0; i < std::min(numbers.size(), kSingles); ++i) trials.push_back({numbers[i]});
    for (const auto& trial : trials) {
        const Contrast seen = stage.contrastFor(scene, renumbered(stage.inputs, trial), Count::Finite);
        if (Exits where = scene.where(both(suspects, seen.differs)); !where.empty()) return where;
    }
    return {};
}

/// Whether numbers that are not finite, here and there among the others, show a difference.
Exits differAmong(const Stage& stage, const Scene& scene, const std::vector<double>& numbers) {
    std::vector<Value> values;
    for (const Value& value : scene.values) values.push_back(sprinkled(value, numbers, kFew, kAtLeast, stage.random));
    const Contrast suspects = stage.trial.contrast(scene.region, values, Count::All, stage.random);
    if (!suspects.any() || !stage.inputsHave(hasFloats)) return scene.where(suspects.differs);
    const RunInputs given = sprinkled(stage.inputs, numbers, kFew, kAtLeast, stage.random);
    const Contrast seen = stage.contrastFor(scene, given, Count::All);
    return scene.where(both(suspects.differs, seen.differs));
}

/// Whether rows of zeros, among others, show a difference: where one model divides zero by zero.
Exits differForZeros(const Stage& stage, const Scene& scene) {
    std::vector<Value> values;
    for (const Value& value : scene.values) values.push_back(withZeroRows(value, stage.random));
    const Contrast suspects = stage.trial.contrast(scene.region, values, Count::All, stage.random);
    if (!suspects.any()) return {};
    const Contrast seen = stage.contrastFor(scene, withZeroRows(stage.inputs, stage.random), Count::All);
    return scene.where(both(suspects.differs, seen.differs));
}

} // namespace

Exits differNearConstants(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    if (scene.has(hasFloats) && stage.inputsHave(hasFloats))
        for (const std::vector<double>& group : landmarks.floats)
            if (Exits where = differNear(stage, scene, group); !where.empty()) return where;
    return scene.has(hasIdleFlags) ? differForFlags(stage, scene) : Exits();
}

/// A run ends at once where a number is beyond a table, so those that fail are halved until they do not.
Exits differForIntegers(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    if (landmarks.integers.empty() || !scene.has(hasIntegers) || !stage.inputsHave(hasIntegers)) return {};
    std::deque<std::vector<std::int64_t>> open = inParts(landmarks.integers, leastIntegers(scene.values));
    const int enough = std::max(kGoodRuns, static_cast<int>(open.size()));
    for (int runs = 0, good = 0; !open.empty() && runs < kRuns && good < enough; ++runs) {
        const std::vector<std::int64_t> numbers = std::move(open.front());
        open.pop_front();
        std::vector<Value> values;
        for (const Value& value : scene.values) values.push_back(renumbered(value, numbers));
        const Contrast suspects = stage.trial.contrast(scene.region, values, Count::Finite, stage.random);
        good += suspects.ran;
        if (suspects.any())
            if (Exits where = shownByInputs(stage, scene, numbers, suspects.differs); !where.empty()) return where;
        if (suspects.ran || numbers.size() < 2) continue;
        const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
        open.emplace_back(numbers.begin(), middle);
        open.emplace_back(middle, numbers.end());
    }
    return {};
}

Exits differForSmall(const Stage& stage, const Scene& scene) {
    if (!scene.has(hasFloats) || !stage.inputsHave(hasFloats)) return {};
    const std::vector<double> magnitudes = smallMagnitudes(stage.a, stage.b, stage.part, scene.region);
    for (const double magnitude : magnitudes) {
        std::vector<Value> values;
        for (const Value& value : scene.values) values.push_back(scaledTo(value, magnitude));
        const Contrast suspects = stage.trial.contrast(scene.region, values, Count::Finite, stage.random);
        if (!suspects.any()) continue;
        for (const double scale : scalesFor(stage, scene)) {
            const Contrast seen = stage.contrastFor(scene, scaledTo(stage.inputs, scale * magnitude), Count::Finite);
            if (Exits where = scene.where(both(suspects.differs, seen.differs)); !where.empty()) return where;
        }
    }
    return magnitudes.empty() ? Exits() : differForZeros(stage, scene);
}

Exits differForWords(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    const bool onlyIntegers = stage.inputsHave(hasIntegers) && !stage.inputsHave(hasFloats);
    const bool isDiscrete = std::find(scene.discrete.begin(), scene.discrete.end(), true) != scene.discrete.end();
    if (!onlyIntegers || !scene.has(hasFloats) || (landmarks.floats.empty() && !isDiscrete)) return {};
    for (int runs = stage.a.model->graph.size() <= kFewCalls ? kWordRuns : kGoodRuns; runs > 0; --runs) {
        const Contrast seen = stage.contrastFor(scene, stage.moreInputs(), Count::Finite);
        if (seen.any()) return scene.where(seen.differs);
    }
    return {};
}

/// NaN and infinity are tried apart: what stands for infinity is so large that nothing beside it counts.
Exits differForNonFinite(const Stage& stage, const Scene& scene) {
    if (!scene.has(hasFloats) || !tellsNonFinite(stage.a, stage.b, scene.region)) return {};
    constexpr double endless = std::numeric_limits<double>::infinity();
    Exits where = differAmong(stage, scene, {std::numeric_limits<double>::quiet_NaN()});
    return where.empty() ? differAmong(stage, scene, {endless, -endless}) : where;
}

} // namespace fx::engine
