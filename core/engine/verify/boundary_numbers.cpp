// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/boundary_numbers.h"

#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/layer.h"
#include "core/module/call_semantics.h"
#include "core/module/constructor_settings.h"
#include "core/ops/family.h"
#include "core/ops/semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

namespace fx::engine {
namespace {

constexpr double kNear = 1e-3;            ///< relative distance of what is next to a constant
constexpr double kLargest = 1e6;          ///< what is larger stands for infinity: -1e9 of a mask
constexpr double kAlike = 1e3;            ///< factor between the numbers of a group
constexpr std::size_t kConstants = 32;    ///< that are looked at; those of one model alone come first
constexpr std::size_t kGroups = 2;        ///< each costs a run
constexpr std::int64_t kFewValues = 16;   ///< of a tensor that stands for constants
constexpr std::array kBends = {1.0, 2.5}; ///< where smooth activations bend
constexpr double kSmallest = 1e-16;       ///< float32 cannot square what is much smaller
constexpr double kSmallConstant = 1e-2;   ///< one that small counts only for small values
constexpr double kBelow = 1e-2;           ///< well below a constant, as a part of it
constexpr std::size_t kMagnitudes = 4;    ///< each costs a run
constexpr double kApart = 0.1;            ///< factor between these

using Visit = std::function<void(const Node& node, const GraphModule& model)>;

void forCallsOfBoth(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region, const Visit& visit) {
    forEachCall(*a.model, region.a, visit);
    forEachCall(*b.model, region.b, visit);
}

/// The numbers in an argument, except for True and False.
void addNumbers(const Argument& argument, std::vector<double>& numbers) {
    std::vector<const Argument*> open = {&argument};
    while (!open.empty()) {
        const Argument& each = *open.back();
        open.pop_back();
        if (const auto* integer = each.as<std::int64_t>()) numbers.push_back(static_cast<double>(*integer));
        if (const auto* real = each.as<double>()) numbers.push_back(*real);
        if (const auto* slice = each.as<Slice>()) open.insert(open.end(), {&slice->start, &slice->stop, &slice->step});
        if (const auto* sequence = each.as<Sequence>())
            for (const Argument& item : sequence->items) open.push_back(&item);
        if (const auto* dict = each.as<Dict>())
            for (const auto& [key, item] : dict->items) open.push_back(&item);
    }
}

void addArguments(const Node& node, std::vector<double>& numbers) {
    for (const Argument& argument : node.args()) addNumbers(argument, numbers);
    for (const auto& [name, argument] : node.kwargs()) addNumbers(argument, numbers);
}

/// Its arguments, and the settings of the module that it calls, unless its own calls are visited.
void addGiven(const Node& node, const GraphModule& model, std::vector<double>& numbers) {
    addArguments(node, numbers);
    const Module* module = calledModule(node, model);
    if (!module || module->graphModule) return;
    for (const Setting& setting : constructorSettings(*module)) addNumbers(setting.value, numbers);
}

/// The values of small tensors that a call reads as arguments of its own.
void addTensors(const Node& node, const GraphModule& model, TensorStore& tensors, std::vector<double>& numbers) {
    for (const NodeId id : node.inputs()) {
        const TensorPtr ref = tensorRead(model.graph.node(id), model);
        if (!ref || ref->elementCount() > kFewValues || ref->elementCount() == 0) continue;
        const at::Tensor& tensor = tensors.tensor(ref);
        if (!isFloatTensor(tensor) && !at::isIntegralType(tensor.scalar_type(), false)) continue;
        const std::vector<double> values = elementsOf(tensor);
        numbers.insert(numbers.end(), values.begin(), values.end());
    }
}

/// A normalisation by the statistics of the batch. That in eval mode is a product and a sum.
bool usesBatchStatistics(const Node& node, const GraphModule& model) {
    constexpr std::size_t kTraining = 5; ///< where functions have it, those of torch.nn.functional and aten alike
    if (const Module* module = calledModule(node, model))
        return module->training && module->className.find("BatchNorm") != std::string::npos;
    if (node.target().find("batch_norm") == std::string::npos) return false;
    const Argument* training = node.argument(kTraining, "training");
    return training && *training == Argument(true);
}

/// Whether the numbers of a call are ends of ranges; `small`: or count for small values, as one that is added.
bool hasConstants(const Node& node, const GraphModule& model, bool small) {
    if (usesBatchStatistics(node, model)) return true;
    const bool adds = small && node.op() != Op::CallModule && node.target().find("batch_norm") == std::string::npos;
    const bool hasSizes = node.op() == Op::CallModule && familyOf(node, model) == ops::Family::Lookup; // of its table
    return (adds || !isScaleFree(node, model)) && !hasSizes;
}

/// Smooth activations have no ends, but bend where values are about one.
bool bends(const Node& node, const GraphModule& model) {
    if (familyOf(node, model) != ops::Family::Activation) return false;
    const Module* module = calledModule(node, model);
    const std::string name = module ? module->className : canonicalName(node);
    return name.find("relu") == name.npos && name.find("ReLU") == name.npos && name.find("oftma") == name.npos;
}

/// Constants of the calls that have ranges, without the sizes of tables: what is beyond them cannot be looked up.
std::vector<double> constantsOf(const VerifySide& side, const std::vector<NodeId>& nodes, bool small = false) {
    std::vector<double> numbers;
    forEachCall(*side.model, nodes, [&](const Node& node, const GraphModule& model) {
        if (!hasConstants(node, model, small)) return;
        addArguments(node, numbers);
        if (bends(node, model)) numbers.insert(numbers.end(), kBends.begin(), kBends.end());
        if (node.op() != Op::CallModule) addTensors(node, model, *side.tensors, numbers);
        const Module* module = calledModule(node, model);
        if (!module || module->graphModule) return; // its own calls are visited
        forEachModule(*module, [&](const std::string&, const Module& inner) {
            if (isScaleFree(inner) && !usesBatchStatistics(node, model)) return;
            for (const Setting& setting : constructorSettings(inner)) addNumbers(setting.value, numbers);
        });
    });
    std::erase_if(numbers, [](double each) { return !std::isfinite(each) || std::abs(each) > kLargest; });
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

/// Those of both models, sorted; where there are too many, those that only one of them has.
std::vector<double> together(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all, common;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    all.insert(all.end(), common.begin(), common.end());
    all.resize(std::min(all.size(), kConstants));
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<double> around(const std::vector<double>& constants) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        const double each = constants[i], near = each == 0 ? kNear : kNear * each;
        numbers.insert(numbers.end(), {each, each + near, each - near, 2 * each, -each});
        if (i > 0) numbers.push_back((each + constants[i - 1]) / 2);
    }
    return numbers;
}

std::vector<std::vector<double>> grouped(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end(),
              [](double x, double y) { return std::abs(x) != std::abs(y) ? std::abs(x) > std::abs(y) : x > y; });
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<std::vector<double>> groups;
    for (const double number : numbers) {
        const bool alike =
            !groups.empty() && (number == 0 || std::abs(number) * kAlike >= std::abs(groups.back().front()));
        if (!alike && groups.size() == kGroups) break;
        if (!alike) groups.emplace_back();
        groups.back().push_back(number);
    }
    return groups;
}

std::vector<std::int64_t> wholeNumbers(const std::vector<double>& constants) {
    std::set<std::int64_t> numbers;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        const auto each = static_cast<std::int64_t>(std::floor(constants[i]));
        numbers.insert({each - 1, each, each + 1, 2 * each, -each, -each - 1}); // no multiple: division rounds there
        if (i > 0) numbers.insert(static_cast<std::int64_t>(std::floor((constants[i] + constants[i - 1]) / 2)));
    }
    return {numbers.begin(), numbers.end()};
}

/// Whether what a call does may depend on the sizes of what it gets: not of what works element by element or has
/// weights for each size.
bool sensesSizes(const Node& node, const GraphModule& model) {
    using ops::Family;
    const Module* module = calledModule(node, model);
    if (!module && ops::isPointwise(canonicalName(node))) return false;
    switch (familyOf(node, model)) {
    case Family::Convolution:
    case Family::Matrix:
    case Family::Normalization:
    case Family::Dropout:
    case Family::Lookup: return false;
    case Family::Activation: {
        if (!module) return true;
        const std::vector<Setting> settings = constructorSettings(*module); // softmax and its like work along one
        return std::any_of(settings.begin(), settings.end(), [](const Setting& each) { return each.name == "dim"; });
    }
    default: return true;
    }
}

} // namespace

ops::Family familyOf(const Node& node, const GraphModule& model) {
    if (const Module* module = calledModule(node, model)) return ops::familyOfModule(module->qualifiedType());
    return ops::familyOfFunction(canonicalName(node));
}

void forEachCall(const GraphModule& model, const std::vector<NodeId>& nodes,
                 const std::function<void(const Node& node, const GraphModule& model)>& visit) {
    struct Part {
        const GraphModule* model;
        std::vector<NodeId> nodes;
    };
    std::set<const GraphModule*> seen;
    std::vector<Part> open = {{&model, nodes}};
    const auto enter = [&](const GraphModule* inner) {
        if (!inner || !seen.insert(inner).second) return;
        Part part{inner, {}};
        for (const Node& node : inner->graph.nodes()) part.nodes.push_back(node.id());
        open.push_back(std::move(part));
    };
    while (!open.empty()) {
        const Part part = std::move(open.back());
        open.pop_back();
        for (const NodeId id : part.nodes) {
            const Node& node = part.model->graph.node(id);
            if (node.isCall()) visit(node, *part.model);
            if (node.op() == Op::CallModule)
                if (const Module* module = resolvePath(*part.model->root, node.target()).module)
                    enter(module->graphModule.get());
            if (node.op() == Op::GetAttr)
                for (const auto& [name, graph] : part.model->subgraphs)
                    if (name == node.target()) enter(graph.get());
        }
    }
}

std::vector<double> argumentsOf(const GraphModule& of, const std::vector<NodeId>& nodes) {
    std::vector<double> numbers;
    forEachCall(of, nodes, [&](const Node& node, const GraphModule& model) { addGiven(node, model, numbers); });
    return numbers;
}

BoundaryNumbers boundaryNumbersOf(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region) {
    const std::vector<double> constants = together(constantsOf(a, region.a), constantsOf(b, region.b));
    return {grouped(around(constants)), wholeNumbers(constants)};
}

std::vector<double> smallMagnitudes(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                    const ChangedPart::Region& region) {
    std::vector<NodeId> changedA = region.a, changedB = region.b;
    std::erase_if(changedA, [&](NodeId id) { return !part.isChangedA(id); });
    std::erase_if(changedB, [&](NodeId id) { return !part.isChangedB(id); });
    std::set<double, std::greater<>> found;
    for (const std::vector<double>& constants : {constantsOf(a, changedA, true), constantsOf(b, changedB, true)})
        for (const double each : constants)
            if (each > 0 && each <= kSmallConstant)
                found.insert({std::max(kSmallest, kBelow * each), std::sqrt(kBelow * each)});
    std::vector<double> out;
    for (const double magnitude : found)
        if (out.size() < kMagnitudes && (out.empty() || magnitude < kApart * out.back())) out.push_back(magnitude);
    if (found.size() > 1 && out.back() != *found.rbegin()) out.push_back(*found.rbegin());
    return out;
}

SizeSense sizeSenseOf(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region) {
    SizeSense out;
    std::vector<double> numbers;
    forCallsOfBoth(a, b, region, [&](const Node& node, const GraphModule& model) {
        if (!sensesSizes(node, model)) return;
        out.any = true;
        addGiven(node, model, numbers);
    });
    for (const double number : numbers)
        if (number == std::floor(number) && std::abs(number) <= kLargest)
            out.literals.push_back(static_cast<std::int64_t>(number));
    return out;
}

bool tellsNonFinite(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region) {
    bool found = false;
    forCallsOfBoth(a, b, region, [&](const Node& node, const GraphModule&) {
        found = found || (node.op() != Op::CallModule && ops::traitsOf(canonicalName(node)).tellsNonFinite);
    });
    return found;
}

} // namespace fx::engine
