// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/exported.h"

#include "core/engine/calls.h"
#include "core/json/json_document.h"
#include "core/module/exported_signature.h"
#include "core/torchscript/torchscript.h"

namespace app {
namespace {

using namespace fx::engine;
using fx::ExportedSignature;

void flatten(const Value& value, Values& out, int depth) {
    if (depth > fx::kMaxArgumentDepth) throw fx::Error(fx::ErrorKind::Usage, fx::Message("worker.inputs_too_deep"));
    if (const Items* items = value.items()) {
        for (const Value& item : items->items) flatten(item, out, depth + 1);
    } else if (const Mapping* mapping = value.mapping()) {
        for (const auto& [key, item] : mapping->items) flatten(item, out, depth + 1);
    } else {
        out.push_back(value);
    }
}

/// Leaves by the names that torch.export gives them: those of the way to them, joined by underscores.
void flattenNamed(const Value& value, const std::string& name, std::vector<std::pair<std::string, Value>>& out,
                  int depth) {
    if (depth > fx::kMaxArgumentDepth) throw fx::Error(fx::ErrorKind::Usage, fx::Message("worker.inputs_too_deep"));
    std::size_t place = 0;
    if (const Items* items = value.items()) {
        for (const Value& item : items->items) flattenNamed(item, name + "_" + std::to_string(place++), out, depth + 1);
    } else if (const Mapping* mapping = value.mapping()) {
        for (const auto& [key, item] : mapping->items)
            flattenNamed(item, name + "_" + (key.text() ? *key.text() : std::to_string(place)), out, depth + 1),
                ++place;
    } else {
        out.emplace_back(name, value);
    }
}

/// Null for texts that are no JSON: contexts of other classes.
std::shared_ptr<const fx::JsonDocument> parsed(std::string_view text) {
    try {
        return fx::JsonDocument::parse(std::string(text));
    } catch (const fx::Error&) { return nullptr; }
}

/// The leaves put together as a pytree specification says: {"type", "context", "children_spec"}.
Value unflatten(fx::JsonValue spec, const Values& leaves, std::size_t& next, int depth) {
    if (depth > fx::kMaxArgumentDepth) throw spec.error(fx::Message("worker.output_too_deep"));
    if (spec.at("type").isNull()) return next < leaves.size() ? leaves[next++] : Value();
    Values children;
    for (const fx::JsonValue child : spec.at("children_spec").needArray())
        children.push_back(unflatten(child, leaves, next, depth + 1));
    const std::string_view type = spec.at("type").asText();
    if (type == "builtins.list") return Value::list(std::move(children));
    if (type == "builtins.tuple") return Value::tuple(std::move(children));
    // dict, OrderedDict and classes of mappings have their keys as context.
    const fx::JsonValue context = spec.at("context");
    const auto keys = context.isString() ? parsed(context.asText()) : nullptr;
    if (!keys || !keys->root().isArray() || keys->root().size() != children.size())
        return Value::tuple(std::move(children));
    auto out = std::make_shared<Mapping>();
    if (type == "collections.OrderedDict") out->typeName = type;
    std::size_t i = 0;
    for (const fx::JsonValue key : keys->root()) {
        Value name = key.isString()                           ? Value(std::string(key.asText()))
                     : key.kind() == fx::JsonValue::Kind::Int ? Value(key.asInt())
                                                              : Value(std::to_string(i));
        out->items.emplace_back(std::move(name), children[i]);
        ++i;
    }
    return out;
}

void writeBack(const fx::GraphModule& model, const ExportedSignature::Output& output, const Value& value,
               TensorStore& tensors) {
    if (output.kind != "buffer_mutation" || !value.isTensor()) return;
    const fx::PathTarget target = fx::resolvePath(*model.root, output.target);
    if (target.tensor) callMethod("copy_", {tensors.value(target.tensor), value});
}

/// TorchScript has no torch.Size: `x.shape` is a list of int.
Value sizesAsLists(const Value& value, int depth) {
    const Items* items = value.items();
    if (!items || depth > fx::kMaxArgumentDepth) return value;
    auto out = std::make_shared<Items>(*items);
    if (out->kind == Items::Kind::Size) out->kind = Items::Kind::List;
    for (Value& item : out->items) item = sizesAsLists(item, depth + 1);
    return out;
}

} // namespace

void flattenInputs(const fx::GraphModule& model, RunInputs& inputs) {
    if (model.lifted.empty()) return;
    Values flat;
    for (const Value& value : inputs.positional) flatten(value, flat, 0);
    inputs.positional = std::move(flat);
    // `batch` of a call is the inputs batch_ids and batch_mask of the graph.
    std::vector<std::pair<std::string, Value>> named;
    for (auto& [name, value] : inputs.named) {
        const std::string& key = name;
        const bool isInput = std::any_of(model.lifted.begin(), model.lifted.end(), [&](const fx::LiftedInput& input) {
            return model.graph.node(input.node).target() == key;
        });
        if (isInput || (!value.items() && !value.mapping())) named.emplace_back(name, std::move(value));
        else flattenNamed(value, name, named, 0);
    }
    inputs.named = std::move(named);
}

Value moduleOutput(const fx::GraphModule& model, const Value& output, TensorStore& tensors) {
    if (dynamic_cast<const fx::script::ScriptOrigin*>(model.origin.get())) return sizesAsLists(output, 0);
    const auto signature = ExportedSignature::of(model);
    if (!signature || !output.items() || output.items()->items.size() != signature->outputs.size()) return output;
    Values leaves;
    for (std::size_t i = 0; i < signature->outputs.size(); ++i) {
        const std::string& kind = signature->outputs[i].kind;
        if (kind == "user_output" || kind == "loss_output") leaves.push_back(output.items()->items[i]);
        else writeBack(model, signature->outputs[i], output.items()->items[i], tensors);
    }
    if (signature->outputSpecification.empty())
        return leaves.size() == 1 ? leaves.front() : Value::tuple(std::move(leaves));
    // [version, specification]
    const auto document = fx::JsonDocument::parse(signature->outputSpecification);
    std::size_t next = 0, place = 0;
    for (const fx::JsonValue part : document->root().needArray())
        if (place++ == 1) return unflatten(part, leaves, next, 0);
    return Value::tuple(std::move(leaves));
}

} // namespace app
