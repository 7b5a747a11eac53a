// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/input_guards.h"

#include "core/module/exported_signature.h"

#include <algorithm>
#include <unordered_map>

namespace app {
namespace {

using fx::ExportedSignature;
using fx::engine::Value;

const Value* valueOf(const fx::engine::RunInputs& inputs, std::size_t place, const std::string& name) {
    if (place < inputs.positional.size()) return &inputs.positional[place];
    const auto named =
        std::find_if(inputs.named.begin(), inputs.named.end(), [&](const auto& entry) { return entry.first == name; });
    return named == inputs.named.end() ? nullptr : &named->second;
}

std::string shapeText(const std::vector<std::string>& sizes) {
    std::string text;
    for (const std::string& size : sizes) text += (text.empty() ? "" : "x") + size;
    return text.empty() ? "scalar" : text;
}

/// Goes over the inputs in order; a symbol has the size that it was first met with.
class Guards {
public:
    explicit Guards(const ExportedSignature& signature) : m_signature(signature) {}

    void check(const fx::Node& node, const at::Tensor& tensor) {
        if (node.meta().values.size() != 1 || !node.meta().values.front().isTensor) return;
        const auto& wanted = node.meta().values.front().sizes;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (static_cast<std::int64_t>(i) >= tensor.dim())
                fail(node, tensor, fx::Message("worker.fewer_dimensions"));
            checkSize(node, tensor, i, wanted[i]);
        }
    }

private:
    void checkSize(const fx::Node& node, const at::Tensor& tensor, std::size_t dimension, const std::string& wanted) {
        const std::int64_t size = tensor.size(static_cast<std::int64_t>(dimension));
        if (std::all_of(wanted.begin(), wanted.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            if (std::to_string(size) != wanted)
                fail(node, tensor, fx::Message("worker.fixed_size", {{"dimension", dimension}}));
            return;
        }
        const auto range = std::find_if(m_signature.ranges.begin(), m_signature.ranges.end(),
                                        [&](const auto& other) { return other.symbol == wanted; });
        if (range == m_signature.ranges.end()) return; // made of other symbols: PyTorch asks nothing either
        const auto [first, isNew] = m_symbols.try_emplace(wanted, FirstUse{node.target(), dimension, size});
        if (isNew) checkRange(node, tensor, *range, size);
        else if (first->second.size != size)
            fail(node, tensor,
                 fx::Message("worker.other_size", {{"dimension", dimension},
                                                   {"size", first->second.size},
                                                   {"other", first->second.dimension},
                                                   {"input", first->second.input}}));
    }

    static void checkRange(const fx::Node& node, const at::Tensor& tensor, const ExportedSignature::Range& range,
                           std::int64_t size) {
        // PyTorch asks for a least size only above 2: 0 and 1 are what every export assumes against.
        if (range.min && *range.min > 2 && size < *range.min)
            fail(node, tensor, fx::Message("worker.least_size", {{"symbol", range.symbol}, {"size", *range.min}}));
        if (range.max && size > *range.max)
            fail(node, tensor, fx::Message("worker.greatest_size", {{"symbol", range.symbol}, {"size", *range.max}}));
    }

    [[noreturn]] static void fail(const fx::Node& node, const at::Tensor& tensor, const fx::Message& why) {
        std::vector<std::string> given;
        for (const std::int64_t size : tensor.sizes()) given.push_back(std::to_string(size));
        throw fx::Error(fx::ErrorKind::Run,
                        fx::Message("worker.input_shape", {{"name", node.target()},
                                                           {"given", shapeText(given)},
                                                           {"exported", shapeText(node.meta().values.front().sizes)},
                                                           {"reason", why.text()},
                                                           {"cause", why.code()}}))
            .onNode(node.name());
    }

    struct FirstUse {
        std::string input;
        std::size_t dimension;
        std::int64_t size;
    };
    const ExportedSignature& m_signature;
    std::unordered_map<std::string, FirstUse> m_symbols;
};

} // namespace

void checkExportedInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                         const fx::engine::RunInputs& inputs) {
    const auto signature = ExportedSignature::of(model);
    if (!signature) return;
    Guards guards(*signature);
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const fx::Node& node = model.graph.node(placeholders[i]);
        const Value* value = valueOf(inputs, i, node.target());
        if (value && value->isTensor()) guards.check(node, value->tensor());
    }
}

} // namespace app
