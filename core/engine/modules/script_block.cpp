// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/script_block.h"

#include "core/base/sha256.h"
#include "core/engine/ivalues.h"
#include "core/engine/modules/watched_script.h"
#include "core/engine/outside.h"
#include "core/module/module.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/torchscript.h"

#include <ATen/core/jit_type.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/passes/canonicalize.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <sstream>
#include <tuple>
#include <unordered_map>

namespace fx::engine {
namespace {

constexpr std::size_t kMostKept = 512;

struct Compiled {
    std::shared_ptr<torch::jit::Graph> graph;
    torch::jit::Code code;
};

/// Parsing takes longer than most blocks run; the text is the key, since models come and go.
const Compiled& compiled(const std::string& text) {
    static std::unordered_map<std::string, Compiled> known;
    if (const auto found = known.find(text); found != known.end()) return found->second;
    if (known.size() >= kMostKept) known.clear();
    auto graph = std::make_shared<torch::jit::Graph>();
    torch::jit::parseIR(text, graph.get());
    return known.emplace(text, Compiled{graph, torch::jit::Code(graph, "block")}).first->second;
}

c10::IValue tupleOf(const Items& items, const c10::TupleType& type) {
    if (items.items.size() != type.elements().size()) throw runError(Message("engine.script_tuple"));
    std::vector<c10::IValue> out;
    for (std::size_t i = 0; i < items.items.size(); ++i) out.push_back(toTyped(items.items[i], type.elements()[i]));
    return c10::ivalue::Tuple::create(std::move(out));
}

/// Whether a value is of the kind that a type names, without conversion of numbers.
bool isOfKind(const Value& value, const c10::Type& type) {
    switch (type.kind()) {
    case c10::TypeKind::TensorType: return value.isTensor();
    case c10::TypeKind::NoneType: return value.isNone();
    case c10::TypeKind::BoolType: return value.as<bool>();
    case c10::TypeKind::IntType: return value.as<std::int64_t>();
    case c10::TypeKind::FloatType: return value.as<double>();
    case c10::TypeKind::StringType: return value.text();
    case c10::TypeKind::DictType: return value.mapping();
    case c10::TypeKind::TupleType: return value.items() && value.items()->kind != Items::Kind::List;
    case c10::TypeKind::ListType: return value.items() && value.items()->kind != Items::Kind::Tuple;
    default: return false;
    }
}

/// The first type of a union that takes the value.
c10::IValue ofUnion(const Value& value, const c10::TypePtr& type) {
    for (const c10::TypePtr& each : type->expectRef<c10::UnionType>().containedTypes()) {
        if (!isOfKind(value, *each)) continue;
        try {
            return toTyped(value, each);
        } catch (const Error&) { continue; } // a list of others
    }
    return toIValue(value, c10::Argument("input", type));
}

/// A value that a script has not set: of a `return` that a loop did not reach. LibTorch has no other question for it.
bool isUnset(const c10::IValue& value) { return value.tagKind() == "Uninitialized"; }

constexpr std::size_t kMostFiles = 2; ///< which `verify` runs in turn

/// The last files that were asked for: they have many objects, and are run again and again. Nothing runs or changes
/// them.
const torch::jit::Module& loadedFile(const Module& module) {
    // Another program may replace one between runs, and another model may want what it was.
    using Key = std::tuple<std::string, std::filesystem::file_time_type, std::string>;
    static std::list<std::pair<Key, torch::jit::Module>> files; // the last one first
    const std::string path = script::scriptFilePath(module);
    const auto* digest = module.setting<std::string>(script::kDigest);
    std::error_code missing; // which loading tells
    const Key key(path, std::filesystem::last_write_time(path, missing), digest ? *digest : std::string());
    const auto known = std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.first == key; });
    if (known != files.end()) {
        files.splice(files.begin(), files, known);
        return files.front().second;
    }
    if (files.size() == kMostFiles) files.pop_back();
    script::requireCalledFile(module);
    try {
        files.emplace_front(key, withRefusals([&] { return torch::jit::load(path, c10::Device(c10::kCPU)); }));
    } catch (Error& refused) { throw refused.in(path); }
    return files.front().second;
}

std::string methodIn(const Module& module) {
    const auto* name = module.setting<std::string>("method");
    return name ? *name : "forward";
}

std::shared_ptr<torch::jit::Graph> graphOf(const torch::jit::Module& module, const std::string& method) {
    return torch::jit::toGraphFunction(module.get_method(method).function()).graph();
}

/// The node that calls a method of a child with all inputs and whose result is the graph's; null: there is more.
const torch::jit::Node* onlyCall(const torch::jit::Graph& graph) {
    const std::vector<const torch::jit::Node*> nodes(graph.nodes().begin(), graph.nodes().end());
    if (nodes.size() != 2 || nodes[0]->kind() != c10::prim::GetAttr || nodes[1]->kind() != c10::prim::CallMethod)
        return nullptr;
    const auto given = nodes[1]->inputs(), taken = graph.inputs();
    const bool isOfChild = nodes[0]->inputs()[0] == taken[0] && given[0] == nodes[0]->outputs()[0];
    return isOfChild && std::equal(given.begin() + 1, given.end(), taken.begin() + 1, taken.end()) &&
                   graph.outputs().size() == 1 && graph.outputs()[0] == nodes[1]->outputs()[0]
               ? nodes[1]
               : nullptr;
}

/// Without the parts that make names of classes unique in a file.
std::string withoutMangling(const std::string& code) {
    constexpr std::string_view kMangled = "___torch_mangle_";
    std::string out;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t next = std::min(code.find(kMangled, at), code.size());
        out.append(code, at, next - at);
        const std::size_t dot = code.find('.', next);
        at = next == code.size() || dot == code.npos ? code.size() : dot + 1;
    }
    return out;
}

void addContent(Sha256& content, const c10::IValue& value) {
    std::ostringstream text;
    if (!value.isTensor() || !value.toTensor().defined()) {
        text << value;
        content.add(text.str());
        return;
    }
    const at::Tensor& tensor = value.toTensor();
    text << tensor.scalar_type() << tensor.sizes() << tensor.layout();
    content.add(text.str());
    if (tensor.is_quantized() || tensor.layout() != at::kStrided || tensor.is_meta()) return; // runs compare them
    const at::Tensor whole = tensor.detach().contiguous();
    content.add({static_cast<const char*>(whole.data_ptr()), whole.nbytes()});
}

/// A copy to run: parameters and objects of C++ classes are shared, what a forward may change is its own.
TensorStore::ScriptCopy copyToRun(const torch::jit::Module& file) {
    const c10::InferenceMode ordinary(false);
    c10::IValue::HashIdentityIValueMap shared;
    for (const torch::jit::Module& module : file.modules()) {
        const c10::ivalue::Object& object = *module._ivalue();
        for (std::size_t i = 0; i < object.slots().size(); ++i) {
            const c10::IValue& value = object.slots()[i];
            const bool isShared = value.isCustomClass() || (value.isTensor() && object.type()->is_parameter(i));
            if (isShared || value.isComplexDouble()) shared[value] = value; // deepcopy knows no complex numbers
        }
    }
    return {file._ivalue(), file._ivalue()->deepcopy(shared)};
}

} // namespace

c10::IValue toTyped(const Value& value, const c10::TypePtr& type) {
    if (const auto optional = type->cast<c10::OptionalType>())
        return value.isNone() ? c10::IValue() : toTyped(value, optional->getElementType());
    if (type->kind() == c10::TypeKind::UnionType && !value.isNone()) return ofUnion(value, type);
    if (value.isNone()) {
        const bool takesNone = c10::NoneType::get()->isSubtypeOf(*type);
        return takesNone ? c10::IValue() : c10::IValue::uninitialized(); // a block gave it so, and nothing reads it
    }
    const auto tuple = type->cast<c10::TupleType>();
    if (tuple && value.items()) return tupleOf(*value.items(), *tuple);
    if (const auto list = type->cast<c10::ListType>(); list && value.items()) {
        c10::impl::GenericList out(list->getElementType());
        for (const Value& item : value.items()->items) out.push_back(toTyped(item, list->getElementType()));
        return out;
    }
    if (const auto dict = type->cast<c10::DictType>(); dict && value.mapping()) {
        c10::impl::GenericDict out(dict->getKeyType(), dict->getValueType());
        for (const auto& [key, item] : value.mapping()->items)
            out.insert(toTyped(key, dict->getKeyType()), toTyped(item, dict->getValueType()));
        return out;
    }
    return toIValue(value, c10::Argument("input", type));
}

Value callScriptBlock(const Module& module, const Arguments& arguments) {
    const auto* text = module.setting<std::string>("graph");
    if (!text) throw runError(Message("engine.script_block"));
    InferenceOnly::refuse("TorchScript");
    disarmScriptOperators();
    const Compiled& block = compiled(*text);
    const auto& inputs = block.graph->inputs();
    if (arguments.positional.size() != inputs.size() || !arguments.named.empty())
        throw runError(
            Message("engine.script_inputs", {{"expected", inputs.size()}, {"got", arguments.positional.size()}}));
    torch::jit::Stack stack;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        stack.push_back(toTyped(arguments.positional[i], inputs[i]->type()));
    withRefusals([&] {
        if (BranchWatch* watch = BranchWatch::current()) {
            const WatchedRun noting(*watch, &module);
            torch::jit::InterpreterState(watchedCode(*watch, &module, block.graph, {})).run(stack);
        } else {
            torch::jit::InterpreterState(block.code).run(stack);
        }
    });
    Values results;
    for (c10::IValue& result : stack)
        results.push_back(isUnset(result) ? Value() : fromIValue(std::move(result), ResultStyle::Overload, nullptr));
    return results.size() == 1 ? results.front() : Value::tuple(std::move(results));
}

Value scriptFileObject(const Module& module) {
    InferenceOnly::refuse("TorchScript");
    const auto text = [&](const char* name) { return module.setting<std::string>(name); };
    const std::string* place = text("attribute");
    if (!place) throw runError(Message("engine.script_block"));
    c10::IValue found = loadedFile(module)._ivalue();
    std::string_view rest = *place;
    while (!rest.empty()) {
        const std::string name(rest.substr(0, rest.find('.')));
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        if (!found.isObject() || !found.toObjectRef().type()->hasAttribute(name))
            throw runError(Message("engine.missing_attribute", {{"path", *place}}));
        found = found.toObjectRef().getAttr(name);
    }
    return objectValue(found);
}

Value callScriptFile(const Module& module, const Arguments& arguments, TensorStore& tensors) {
    InferenceOnly::refuse("TorchScript");
    const std::string path = script::scriptFilePath(module);
    const auto& copy = tensors.script(path, [&] { return copyToRun(loadedFile(module)); });
    const torch::jit::Method forward = torch::jit::Module(copy.running.toObject()).get_method(methodIn(module));
    const auto& schema = forward.function().getSchema().arguments();
    if (arguments.positional.size() + 1 != schema.size())
        throw runError(
            Message("engine.script_inputs", {{"expected", schema.size() - 1}, {"got", arguments.positional.size()}}));
    std::vector<c10::IValue> stack;
    for (std::size_t i = 0; i < arguments.positional.size(); ++i)
        stack.push_back(toTyped(arguments.positional[i], schema[i + 1].type()));
    if (BranchWatch* watch = BranchWatch::current()) {
        stack.insert(stack.begin(), copy.running);
        const WatchedRun noting(*watch, &module);
        const auto& graph = torch::jit::toGraphFunction(forward.function()).graph();
        withRefusals(
            [&] { torch::jit::InterpreterState(watchedCode(*watch, &module, graph, copy.running)).run(stack); });
        return fromIValue(std::move(stack.front()), ResultStyle::Overload, nullptr);
    }
    return fromIValue(withRefusals([&] { return forward(std::move(stack)); }), ResultStyle::Overload, nullptr);
}

std::string scriptContent(const Module& module) {
    torch::jit::Module part = loadedFile(module);
    std::string method = methodIn(module);
    while (const torch::jit::Node* call = onlyCall(*graphOf(part, method))) {
        const torch::jit::Node& child = *call->inputs()[0]->node();
        method = call->s(c10::attr::name);
        part = torch::jit::Module(part.attr(child.s(c10::attr::name)).toObject());
    }
    const auto graph = graphOf(part, method)->copy();
    torch::jit::Inline(*graph);
    Sha256 values;
    for (const auto& each : part.named_attributes()) {
        values.add(each.name + '\n');
        if (!each.value.isObject()) addContent(values, each.value);
    }
    return withoutMangling(torch::jit::Canonicalize(graph, false)->toString(false)) + values.hex();
}

} // namespace fx::engine
