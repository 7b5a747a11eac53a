// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/float64_run.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/lockstep_run.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <array>
#include <set>

namespace fx::engine {
namespace {

/// The types that a model computes in, of those that float64 replaces. Converting to any other type is part of the
/// computation.
std::set<at::ScalarType> narrowTypesOf(const VerifySide& side) {
    std::set<at::ScalarType> types;
    const auto add = [&](const at::Tensor& tensor) {
        if (isNarrow(tensor.scalar_type())) types.insert({tensor.scalar_type(), at::kFloat});
    };
    forEachOwn(*side.model, *side.tensors, add);
    for (const Value& value : side.inputs.positional) forEachTensor(value, add);
    for (const auto& [name, value] : side.inputs.named) forEachTensor(value, add);
    return types;
}

at::Tensor widened(const at::Tensor& tensor) {
    return isNarrow(tensor.scalar_type()) ? tensor.to(at::kDouble) : tensor.clone();
}

} // namespace

std::shared_ptr<const GraphModule> namingDouble(const VerifySide& side) {
    const GraphModule& model = *side.model;
    const std::set<at::ScalarType> types = narrowTypesOf(side);
    constexpr std::array casts = {std::pair("float", at::kFloat), std::pair("half", at::kHalf),
                                  std::pair("bfloat16", at::kBFloat16)};
    auto out = std::make_shared<GraphModule>(model);
    const auto widerType = [&](const Argument& argument) {
        const auto* constant = argument.as<TorchConstant>();
        const auto type = constant ? scalarType(constant->name) : std::nullopt;
        return type && types.contains(*type) ? Argument::dtype("torch.float64") : argument;
    };
    for (const Node& node : model.graph.nodes()) {
        for (const auto& [name, type] : casts)
            if (node.op() == Op::CallMethod && node.target() == name && types.contains(type))
                out->graph.setTarget(node.id(), "double");
        std::vector<Argument> args = node.args();
        Kwargs kwargs = node.kwargs();
        for (Argument& argument : args) argument = widerType(argument);
        for (auto& [name, argument] : kwargs) argument = widerType(argument);
        if (args != node.args() || kwargs != node.kwargs())
            out->graph.setArgsKwargs(node.id(), std::move(args), std::move(kwargs));
    }
    return out;
}

bool isNarrow(at::ScalarType type) { return type == at::kFloat || type == at::kHalf || type == at::kBFloat16; }

void forEachOwn(const GraphModule& model, TensorStore& tensors, const std::function<void(at::Tensor)>& action) {
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        forEachOwnTensor(module, [&](const std::string&, const TensorPtr& ref) { action(tensors.tensor(ref)); });
    });
}

std::optional<Value> exactOutput(const VerifySide& side, const VerifyOptions& options,
                                 const std::function<bool(const at::Tensor&)>& moved) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    std::optional<Value> out;
    side.tensors->restore();
    try {
        Interpreter interpreter(namingDouble(side), side.tensors); // computes constants
        const InDouble exact(*side.model, *side.tensors, moved);
        RunHooks hooks;
        hooks.before = options.atNode;
        const Value returned = interpreter.run(inDouble(side.inputs), hooks);
        out = denseCopyOf(side.finish ? side.finish(returned) : returned);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw; // stopped
    }
    side.tensors->restore();
    generator.set_state(state);
    return out;
}

InDouble::InDouble(const GraphModule& model, TensorStore& tensors, const std::function<bool(const at::Tensor&)>& moved)
    : m_default(c10::get_default_dtype()) {
    forEachOwn(model, tensors, [&](at::Tensor tensor) {
        if (!isNarrow(tensor.scalar_type())) return;
        const at::Tensor data =
            moved && moved(tensor) ? nudged(Value(tensor.detach()), m_before.size(), 1).tensor() : tensor;
        m_before.emplace_back(tensor, tensor.detach());
        tensor.set_data(data.to(at::kDouble));
    });
    c10::set_default_dtype(caffe2::TypeMeta::fromScalarType(at::kDouble));
}

InDouble::~InDouble() {
    c10::set_default_dtype(m_default);
    for (auto& [tensor, data] : m_before) tensor.set_data(data);
}

Value inDouble(const Value& value) { return mapTensors(value, widened); }

RunInputs inDouble(const RunInputs& inputs) { return mapInputs(inputs, widened); }

} // namespace fx::engine
