// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/edit/steps/load_weights_step.h"
#include "core/edit/steps/step.h"
#include "core/io/tensors/tensor_file.h"
#include "core/make/module_factory.h"
#include "core/match/node_comparison.h"
#include "core/module/constructor_settings.h"
#include "core/module/module_editor.h"
#include "core/module/script_object.h"
#include "core/ops/nn_modules.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace fx {
namespace {

Module& moduleAt(ModuleEditor& editor, const Step& step, const std::string& path) {
    Module* module = editor.writable(path);
    if (!module) throw step.refused(Message("edit.unknown_module", {{"path", path}})).onModule(path);
    return *module;
}

/// `keep`: the settings that both types have, unless the step gives them.
std::vector<std::pair<std::string, Argument>> keptSettings(const Module& old, std::string_view type) {
    std::vector<std::pair<std::string, Argument>> kept;
    const auto known = ops::findModule(type);
    if (!known) return kept;
    const auto parameters = known->parameters();
    for (const Setting& setting : constructorSettings(old))
        if (std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == setting.name; }))
            kept.emplace_back(setting.name, setting.value);
    return kept;
}

std::string shapeText(const std::vector<std::int64_t>& sizes) { return "[" + joined(sizes) + "]"; }

/// "[2, 4]", or where the shape is the same "torch.float16".
std::string formOf(const TensorRef& tensor, bool isType) {
    return isType ? std::string(dtypeName(tensor.dtype)) : shapeText(tensor.sizes);
}

bool sameForm(const TensorPtr& a, const TensorPtr& b) { return a && b && a->sizes == b->sizes && a->dtype == b->dtype; }

/// Tensors that both modules have, in forms that differ.
struct NotKept {
    std::vector<std::string> names;
    std::string old, fresh; ///< what differs of the first one
};

NotKept keepTensors(const Module& old, Module& fresh) {
    NotKept lost;
    const auto keep = [&](Module::Slot& slot, const Module::Slot* before) {
        if (!before || !before->tensor || !slot.tensor) return;
        if (sameForm(before->tensor, slot.tensor)) {
            slot.tensor = before->tensor;
            return;
        }
        const bool isType = before->tensor->sizes == slot.tensor->sizes;
        if (lost.names.empty()) lost.old = formOf(*before->tensor, isType), lost.fresh = formOf(*slot.tensor, isType);
        lost.names.push_back(slot.name);
    };
    for (auto& slot : fresh.parameters) keep(slot, old.parameter(slot.name));
    for (auto& slot : fresh.buffers) keep(slot, old.buffer(slot.name));
    return lost;
}

/// `others`: how many more modules of the step could not keep theirs.
void warnNotKept(const Step& step, const std::string& path, const NotKept& lost, std::size_t others) {
    if (lost.names.empty()) return;
    const std::string names = joined(lost.names);
    const std::string where = others == 0 ? path : path + " and " + std::to_string(others) + " more";
    const Message what(
        "edit.not_kept",
        {{"path", where}, {"names", names}, {"first", lost.names.front()}, {"old", lost.old}, {"new", lost.fresh}});
    step.warnings.push_back({what, {}, path, {}});
}

void checkDescription(const JsonValue& json) {
    for (const JsonValue member : json.needObject())
        if (member.key() != "type" && member.key() != "settings" && member.key() != "seed")
            throw Error(ErrorKind::Refused, Message("edit.module_key", {{"key", member.key()}}));
}

constexpr int kMaxNestedModules = 20;

/// A setting that is an object with a type is a module, made by the same generator before the one that takes it.
ModuleSettings settingsFrom(const JsonValue& json, const Graph& graph, TorchGenerator& random, int depth = 0) {
    if (depth > kMaxNestedModules) throw json.error(Message("edit.modules_too_deep"));
    checkDescription(json);
    const std::string_view type = json.at("type").asText();
    if (type.starts_with(std::string(kScriptParts) + ".") || type.starts_with(kScriptClasses))
        throw Error(ErrorKind::Refused, Message("edit.script_part"));
    ModuleSettings settings;
    const JsonValue given = json.find("settings");
    if (!given.exists()) return settings;
    for (const JsonValue value : given.needObject()) {
        const std::string name(value.key());
        if (!value.isObject() || !value.find("type").exists())
            settings.values.emplace_back(name, argumentFromJson(value, graph));
        else
            settings.modules.emplace_back(
                name, makeModule(value.at("type").asText(), settingsFrom(value, graph, random, depth + 1), random));
    }
    return settings;
}

std::uint64_t seedOf(const JsonValue& json) {
    const JsonValue seed = json.find("seed");
    return seed.exists() ? static_cast<std::uint64_t>(seed.asInt()) : 0;
}

/// The module that takes the place of `old`: `description` says what, `keep` that it takes over settings and weights.
std::shared_ptr<Module> successorOf(const Module& old, const JsonValue& description, const Step& step,
                                    TorchGenerator& random, NotKept& lost) {
    const bool keep = step.flag("keep");
    const std::string type(description.at("type").asText());
    ModuleSettings settings = settingsFrom(description, step.graph(), random);
    if (keep)
        for (auto& kept : keptSettings(old, type))
            if (std::none_of(settings.values.begin(), settings.values.end(),
                             [&](const auto& item) { return item.first == kept.first; }))
                settings.values.push_back(std::move(kept));
    auto fresh = makeModule(type, settings, random);
    if (keep) lost = keepTensors(old, *fresh);
    fresh->training = old.training;
    return fresh;
}

void replaceModule(const Step& step) {
    const std::string path = step.text("path");
    const auto target = resolvePath(*step.model.root, path, step.memory.children);
    if (target.kind != PathTarget::Kind::Module || path.empty())
        throw step.refused(Message("edit.unknown_module", {{"path", path}})).onModule(path);
    const JsonValue description = step.at("module");
    TorchGenerator random(seedOf(description), step.weights, step.progress);
    const Module old = *target.module;
    NotKept lost;
    ModuleEditor(step.model, step.memory.children).add(path, successorOf(old, description, step, random, lost));
    warnNotKept(step, path, lost, 0);
}

/// Replaces every module of a class where it stands; one with several paths once, for all of them.
void replaceModuleClass(const Step& step) {
    const auto places = modulesOfClass(*step.model.root, step.text("from"));
    if (places.empty()) {
        step.warnings.push_back({Message("edit.no_module_of_class", {{"type", step.text("from")}}), {}, {}, {}});
        return;
    }
    const JsonValue description = step.at("to");
    TorchGenerator random(seedOf(description), step.weights, step.progress);
    const std::shared_ptr<const Module> before = step.model.root; // keeps the old modules
    ModuleEditor editor(step.model);
    NotKept first;
    std::string where;
    std::size_t count = 0; // of modules that could not keep all
    for (const auto& [module, paths] : places) {
        step.progress.check();
        NotKept lost;
        const std::shared_ptr<Module> fresh = successorOf(*module, description, step, random, lost);
        if (!lost.names.empty() && ++count == 1) first = lost, where = paths.front();
        for (const std::string& path : paths)
            if (!editor.add(path, fresh))
                throw step.refused(Message("edit.path_taken", {{"path", path}})).onModule(path);
    }
    if (count > 0) warnNotKept(step, where, first, count - 1);
}

void addModule(const Step& step) {
    const std::string path = step.text("path");
    if (path.empty()) throw step.refused(Message("edit.add_root"));
    if (!ModuleEditor(step.model, step.memory.children).add(path, moduleFromJson(step.at("module"), step)))
        throw step.refused(Message("edit.path_taken", {{"path", path}})).onModule(path);
}

void deleteModule(const Step& step) {
    const std::string path = step.text("path");
    if (!ModuleEditor(step.model, step.memory.children).remove(path))
        throw step.refused(Message("edit.unknown_module", {{"path", path}})).onModule(path);
}

/// train() or eval() of the module and all below it.
void setTraining(const Step& step) {
    const std::string path = step.has("path") ? step.text("path") : std::string();
    const bool training = step.at("value").asBool();
    const auto target = resolvePath(*step.model.root, path, step.memory.children);
    if (target.kind != PathTarget::Kind::Module)
        throw step.refused(Message("edit.unknown_module", {{"path", path}})).onModule(path);
    if (!step.model.lifted.empty()) throw step.refused(Message("edit.exported_mode")).onModule(path);
    std::vector<std::string> paths;
    forEachModule(*target.module, [&](const std::string& inner, const Module&) {
        paths.push_back(inner.empty() ? path : joinedPath(path, inner));
    });
    ModuleEditor editor(step.model, step.memory.children);
    for (const std::string& each : paths) moduleAt(editor, step, each).training = training;
}

/// Nested lists of numbers, as far as they have a shape.
void flatten(const JsonValue& json, std::size_t depth, std::vector<std::int64_t>& sizes, std::vector<double>& values) {
    if (!json.isArray()) {
        if (depth != sizes.size()) throw json.error(Message("edit.ragged"));
        values.push_back(json.kind() == JsonValue::Kind::Bool ? (json.asBool() ? 1.0 : 0.0) : json.asDouble());
        return;
    }
    if (depth > 64) throw json.error(Message("edit.dimensions"));
    if (depth == sizes.size()) {
        if (!values.empty()) throw json.error(Message("edit.ragged"));
        sizes.push_back(static_cast<std::int64_t>(json.size()));
    }
    if (sizes[depth] != static_cast<std::int64_t>(json.size())) throw json.error(Message("edit.ragged"));
    for (const JsonValue item : json) flatten(item, depth + 1, sizes, values);
}

TensorPtr tensorFrom(const Step& step, const TensorRef& old) {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;
    flatten(step.at("value"), 0, sizes, values);
    if (old.dtype != DType::Float32 && old.dtype != DType::Float64 && old.dtype != DType::Int64)
        throw step.refused(Message("edit.value_dtype", {{"dtype", dtypeName(old.dtype)}})).onModule(step.text("path"));
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = old.dtype;
    tensor->sizes = sizes;
    tensor->strides.assign(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        tensor->strides[i - 1] = tensor->strides[i] * std::max<std::int64_t>(sizes[i], 1);
    tensor->isParameter = old.isParameter;
    tensor->requiresGrad = old.requiresGrad;
    constexpr double kInt64End = 9223372036854775808.0;
    if (old.dtype == DType::Int64 && std::any_of(values.begin(), values.end(), [](double value) {
            return !(value >= -kInt64End && value < kInt64End);
        }))
        throw step.refused(Message("edit.value_range")).onModule(step.text("path"));
    std::vector<std::byte> bytes(values.size() * elementSize(old.dtype));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::byte* at = bytes.data() + i * elementSize(old.dtype);
        const float single = static_cast<float>(values[i]);
        const auto whole = static_cast<std::int64_t>(values[i]);
        if (old.dtype == DType::Float32) std::memcpy(at, &single, sizeof single);
        else if (old.dtype == DType::Float64) std::memcpy(at, &values[i], sizeof(double));
        else std::memcpy(at, &whole, sizeof whole);
    }
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

/// A tensor of a file in the place of `old`: the same type and shape, and as much of a parameter.
TensorPtr tensorFromFile(const Step& step, const TensorRef& old) {
    const std::string path = step.text("path");
    const TensorPtr read =
        readTensorFile(step.text("file"), step.has("key") ? step.text("key") : std::string(), path, step.progress)
            .tensor;
    const auto differ = [&](MessageCode code, const std::string& theirs, const std::string& ours) {
        return step
            .refused(Message(code, {{"file", step.text("file")}, {"got", theirs}, {"path", path}, {"expected", ours}}))
            .onModule(path);
    };
    if (read->sizes != old.sizes) throw differ("edit.tensor_shape", shapeText(read->sizes), shapeText(old.sizes));
    if (read->dtype != old.dtype)
        throw differ("edit.tensor_dtype", std::string(dtypeName(read->dtype)), std::string(dtypeName(old.dtype)));
    if (!read->storage)
        throw step.refused(Message("edit.tensor_without_values", {{"file", step.text("file")}})).onModule(path);
    auto tensor = std::make_shared<TensorRef>(*read);
    tensor->isParameter = old.isParameter;
    tensor->requiresGrad = old.requiresGrad;
    tensor->device = old.device;
    tensor->origin = {};
    return tensor;
}

void setTensor(const Step& step) {
    const std::string path = step.text("path");
    if (step.has("file") == step.has("value")) throw step.refused(Message("edit.needs_file_or_value"));
    const auto target = resolvePath(*step.model.root, path, step.memory.children);
    if (!target.tensor || (target.kind != PathTarget::Kind::Parameter && target.kind != PathTarget::Kind::Buffer))
        throw step.refused(Message("edit.unknown_tensor", {{"path", path}})).onModule(path);
    const TensorPtr fresh = step.has("file") ? tensorFromFile(step, *target.tensor) : tensorFrom(step, *target.tensor);
    if (fresh->sizes != target.tensor->sizes)
        step.warnings.push_back(
            {Message("edit.shape_changed",
                     {{"path", path}, {"old", shapeText(target.tensor->sizes)}, {"new", shapeText(fresh->sizes)}}),
             {},
             path,
             {}});
    ModuleEditor editor(step.model, step.memory.children);
    Module& holder = moduleAt(editor, step, std::string(parentPath(path)));
    for (auto* slots : {&holder.parameters, &holder.buffers})
        for (auto& slot : *slots)
            if (slot.name == lastAtom(path)) slot.tensor = fresh;
}

} // namespace

std::vector<ModulePlaces> modulesOfClass(const Module& root, std::string_view type) {
    std::vector<ModulePlaces> places;
    std::unordered_map<const Module*, std::size_t> known;
    std::string above; // what is below a module of the class goes with it
    forEachModule(root, [&](const std::string& path, const Module& each) {
        const bool isBelow = !above.empty() && path.starts_with(above);
        if (path.empty() || isBelow || each.graphModule || !sameModuleType(each.qualifiedType(), type)) return;
        above = path + ".";
        known.emplace(&each, places.size());
        places.push_back({&each, {}});
    });
    forEachModule(root, [&](const std::string& path, const Module& each) {
        for (const Module::Child& child : each.children)
            if (const auto found = known.find(child.module.get()); found != known.end())
                places[found->second].paths.push_back(joinedPath(path, child.name));
    });
    return places;
}

std::shared_ptr<Module> moduleFromJson(const JsonValue& json, const Step& step) {
    TorchGenerator random(seedOf(json), step.weights, step.progress);
    const ModuleSettings settings = settingsFrom(json, step.graph(), random);
    return makeModule(json.at("type").asText(), settings, random);
}

const std::vector<StepKind>& moduleSteps() {
    static const std::vector<StepKind> kSteps = {
        {"replace_module", {"path", "module", "keep?"}, replaceModule},
        {"replace_module_class", {"from", "to", "keep?"}, replaceModuleClass},
        {"add_module", {"path", "module"}, addModule},
        {"delete_module", {"path"}, deleteModule},
        {"load_weights", {"file", "key?", "strict?"}, loadWeightsStep},
        {"set_tensor", {"path", "file?", "key?", "value?"}, setTensor},
        {"set_training", {"path?", "value"}, setTraining},
    };
    return kSteps;
}

} // namespace fx
