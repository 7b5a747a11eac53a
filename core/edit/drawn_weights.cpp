// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/drawn_weights.h"

#include "core/base/joined_path.h"
#include "core/make/initial_weights.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {

template<class Visit> void forEachParameter(const GraphModule& model, const Progress& progress, Visit visit) {
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        progress.check();
        for (const auto& slot : module.parameters)
            if (slot.tensor) visit(path, slot.tensor);
    });
}

/// Steps that compute or read weights; all others keep them or draw new ones.
bool hasOtherSources(const StepList& steps) {
    constexpr std::string_view kSteps[] = {"pass", "passes", "set_tensor", "load_weights", "insert_model", "quantize"};
    return std::any_of(std::begin(kSteps), std::end(kSteps), [&](std::string_view name) { return steps.has(name); });
}

/// Whether the first elements are one number, as those of ones or zeros.
bool startsWithOneNumber(const TensorRef& tensor) {
    constexpr std::size_t kElements = 16;
    const std::size_t size = elementSize(tensor.dtype);
    const auto count = std::min<std::size_t>(kElements, static_cast<std::size_t>(tensor.elementCount()));
    if (count < 2) return count == 0;
    std::vector<std::byte> bytes(count * size);
    tensor.storage->read(static_cast<std::uint64_t>(tensor.offset) * size, bytes);
    return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
}

/// Only what a generator makes: in memory, whole, of a type that it draws.
bool maybeDrawn(const TensorRef& tensor) {
    return tensor.storage && !tensor.storage->file() && !tensor.storage->isExpression() &&
           TorchGenerator::draws(tensor.dtype) && tensor.isContiguous() && !startsWithOneNumber(tensor);
}

} // namespace

DrawnWeights drawnWeights(const GraphModule& before, const History::Entry& version, const Progress& progress) {
    DrawnWeights drawn;
    if (before.root == version.model->root || hasOtherSources(version.steps)) return drawn;
    std::unordered_set<const TensorRef*> known;
    forEachParameter(before, progress, [&](auto&, const TensorPtr& tensor) { known.insert(tensor.get()); });
    forEachParameter(*version.model, progress, [&](const auto& path, const TensorPtr& tensor) {
        if (known.contains(tensor.get()) || !maybeDrawn(*tensor)) return;
        drawn.parameters.push_back(tensor);
        if (drawn.modules.empty() || drawn.modules.back() != path) drawn.modules.push_back(path);
    });
    return drawn;
}

std::vector<std::string> modulesWith(const GraphModule& model, std::span<const TensorPtr> parameters,
                                     const Progress& progress) {
    std::vector<std::string> modules;
    std::unordered_set<const TensorRef*> wanted;
    for (const TensorPtr& tensor : parameters) wanted.insert(tensor.get());
    if (wanted.empty()) return modules;
    forEachParameter(model, progress, [&](const auto& path, const TensorPtr& tensor) {
        if (wanted.contains(tensor.get()) && (modules.empty() || modules.back() != path)) modules.push_back(path);
    });
    return modules;
}

std::vector<std::string> modulesWithRandomWeights(std::span<const History::Entry> versions, const Progress& progress) {
    std::vector<TensorPtr> drawn;
    for (std::size_t i = 1; i < versions.size(); ++i) {
        const DrawnWeights own = drawnWeights(*versions[i - 1].model, versions[i], progress);
        drawn.insert(drawn.end(), own.parameters.begin(), own.parameters.end());
    }
    return modulesWith(*versions.back().model, drawn, progress);
}

} // namespace fx
