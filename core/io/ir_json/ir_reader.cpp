// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/files/file_below.h"
#include "core/files/read_text.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/ir_json/ir_tensors.h"
#include "core/io/ir_json/kept_weights.h"
#include "core/ir/code_words.h"
#include "core/json/message_json.h"
#include "core/json/pytree_spec.h"
#include "core/module/exported_signature.h"
#include "core/module/module_fields.h"
#include "core/ops/nn_modules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace fx {
namespace {
constexpr std::array<std::string_view, 7> kInputKinds = {"parameter",      "buffer",        "constant", "user_input",
                                                         "constant_input", "custom_object", "token"};
constexpr std::uint64_t kMaxText = 0xF0000000u;

std::vector<std::string> texts(JsonValue list) { return list.exists() ? list.texts() : std::vector<std::string>(); }

/// The keys of a module, and of a module with a graph.
const std::initializer_list<std::string_view> kModuleKeys = {"type",       "training", "settings",
                                                             "parameters", "buffers",  "modules"};
const std::initializer_list<std::string_view> kGraphModuleKeys = {
    "lancet_ir", "class_name", "tracer_class", "producer",  "model_name", "model_names", "not_loadable",
    "warnings",  "nodes",      "names",        "signature", "exported",   "subgraphs",   "type",
    "training",  "settings",   "parameters",   "buffers",   "modules",    "tensors"};

/// Builds the graph of one graph module from its `nodes`.
class IrGraphReader {
public:
    IrGraphReader(GraphModule& module, const Progress& progress, std::shared_ptr<WarningPlaces> places)
        : m_graph(module.graph), m_progress(progress), m_values(m_graph, m_warnings, std::move(places)) {}

    /// Nodes first, arguments when all are there: an argument may name a later node, which lint reports.
    void read(const IrObject& object, Warnings& warnings) {
        for (const JsonValue value : object.need("nodes").needArray()) create(value);
        for (const auto& [id, value] : m_nodes) inputs(id, value);
        for (const auto& [id, value] : m_nodes) users(id, value);
        if (object.has("names")) names(object.get("names"));
        std::move(m_warnings.begin(), m_warnings.end(), std::back_inserter(warnings));
    }

private:
    void create(JsonValue value) {
        m_progress.check();
        if (value.isString()) { // a plain input
            unique(value);
            return place(m_graph.placeholder(std::string(value.asText())), value, value);
        }
        const IrObject object(value, {"name", "op", "target", "args", "kwargs", "type", "users", "meta"});
        const JsonValue word = object.need("op"), name = object.get("name");
        const auto op = opFromName(word.asText());
        if (!op) throw word.error(Message("ir.unknown_op", {{"op", word.asText()}}));
        if (name.exists()) unique(name);
        const std::string_view candidate = name.exists() ? name.asText() : std::string_view();
        TypePtr type = object.has("type") ? m_values.type(object.get("type")) : nullptr;
        NodeId id = kNoNode;
        if (*op == Op::CallFunction) {
            id = m_graph.callFunction(m_values.callable(object.need("target")), {}, {}, candidate, std::move(type));
        } else {
            std::string target(*op == Op::Output ? "output" : candidate);
            if (object.has("target")) target = object.get("target").asText();
            else if (*op != Op::Output && (*op != Op::Placeholder || !name.exists())) object.need("target");
            id = m_graph.createNode(*op, std::move(target), {}, {}, candidate, std::move(type));
        }
        place(id, value, name);
        if (object.has("meta")) meta(id, object.get("meta"));
    }

    void unique(JsonValue name) const {
        if (m_graph.find(name.asText()) != kNoNode)
            throw name.error(Message("ir.duplicate_node", {{"name", name.asText()}}));
    }

    /// Names stay as they are written, also those that torch.fx would not give, until all arguments are read.
    void place(NodeId id, JsonValue value, JsonValue name) {
        if (name.exists() && m_graph.node(id).name() != name.asText())
            m_graph.setNameUnchecked(id, std::string(name.asText()));
        m_nodes.emplace_back(id, value);
    }

    void inputs(NodeId id, JsonValue value) {
        if (value.isString()) return;
        std::vector<Argument> args;
        Kwargs kwargs;
        if (const JsonValue list = value.find("args"); list.exists())
            for (const JsonValue arg : list.needArray()) args.push_back(m_values.read(arg));
        if (const JsonValue object = value.find("kwargs"); object.exists()) {
            std::set<std::string_view> known;
            for (const JsonValue arg : object.needObject()) {
                if (!known.insert(arg.key()).second) throw arg.error(Message("ir.duplicate_keyword"));
                kwargs.emplace_back(std::string(arg.key()), m_values.read(arg));
            }
        }
        if (!args.empty() || !kwargs.empty()) m_graph.setArgsKwargs(id, std::move(args), std::move(kwargs));
    }

    void users(NodeId id, JsonValue value) {
        const JsonValue list = value.isString() ? JsonValue() : value.find("users");
        if (!list.exists()) return;
        std::vector<NodeId> order;
        for (const std::string& name : texts(list)) order.push_back(m_graph.find(name));
        if (!m_graph.setUsersOrder(id, order))
            throw list.error(Message("ir.wrong_users", {{"name", m_graph.node(id).name()}}));
    }

    void meta(NodeId id, JsonValue value) {
        const IrObject object(value, {"module_stack", "stack_trace", "values", "wrapped", "other"});
        NodeMeta meta;
        if (object.has("module_stack"))
            for (const JsonValue frame : object.get("module_stack").needArray()) {
                const auto parts = texts(frame);
                if (parts.size() != 3) throw frame.error(Message("ir.expected_module"));
                meta.moduleStack.push_back({parts[0], parts[1], parts[2]});
            }
        meta.stackTrace = object.text("stack_trace");
        meta.wrapped = object.flag("wrapped");
        if (object.has("values"))
            for (const JsonValue info : object.get("values").needArray()) meta.values.push_back(valueInfo(info));
        if (object.has("other"))
            for (const JsonValue pair : object.get("other").needArray()) {
                const auto parts = texts(pair);
                if (parts.size() != 2) throw pair.error(Message("ir.expected_attribute"));
                meta.other.emplace_back(parts[0], parts[1]);
            }
        m_graph.setMeta(id, std::make_shared<const NodeMeta>(std::move(meta)));
    }

    static std::vector<std::string> sizes(JsonValue list) {
        std::vector<std::string> out;
        if (list.exists())
            for (const JsonValue size : list.needArray())
                out.push_back(size.isString() ? std::string(size.asText()) : std::to_string(size.asInt()));
        return out;
    }

    static ValueInfo valueInfo(JsonValue value) {
        const IrObject object(value, {"dtype", "sizes", "strides", "device", "tensor", "requires_grad"});
        ValueInfo info;
        info.dtype = object.text("dtype");
        info.sizes = sizes(object.get("sizes"));
        info.strides = sizes(object.get("strides"));
        info.device = object.text("device");
        info.isTensor = object.flag("tensor", true);
        info.requiresGrad = object.flag("requires_grad");
        return info;
    }

    void names(JsonValue value) {
        const IrObject object(value, {"used", "free", "numbers"});
        Namespace names;
        for (const Node& node : m_graph.nodes()) names.create(node.name());
        for (const std::string& name : texts(object.get("used"))) names.set(name, {true, names.at(name).lastNumber});
        for (const std::string& name : texts(object.get("free"))) names.set(name, {false, names.at(name).lastNumber});
        if (object.has("numbers"))
            for (const JsonValue number : object.get("numbers").needObject()) {
                const std::string base(number.key());
                const std::string digits(number.isNull() ? std::string_view() : number.asText());
                if (digits.find_first_not_of("0123456789") != std::string::npos || (digits.empty() && !number.isNull()))
                    throw number.error(Message("ir.expected_digits"));
                names.set(base, {names.isUsed(base), digits});
            }
        m_graph.names() = std::move(names);
    }

    Graph& m_graph;
    const Progress& m_progress;
    Warnings m_warnings;
    IrValueReader m_values;
    std::vector<std::pair<NodeId, JsonValue>> m_nodes;
};

/// Builds the module tree and the graphs in it.
class IrReader {
public:
    IrReader(IrTensorReader& tensors, const Progress& progress) : m_tensors(tensors), m_progress(progress) {}

    std::shared_ptr<GraphModule> read(JsonValue root) {
        auto module = graphModule(root, {});
        moduleMembers(*module->root, root, {});
        if (!root.find("type").exists()) setGraphModuleType(*module->root, *module);
        std::move(m_warnings.begin(), m_warnings.end(), std::back_inserter(module->warnings));
        return module;
    }

private:
    std::shared_ptr<GraphModule> graphModule(JsonValue value, const std::string& path) {
        const IrObject object(value, kGraphModuleKeys);
        auto module = std::make_shared<GraphModule>();
        module->format = Format::Ir;
        module->className = object.text("class_name", "GraphModule");
        module->tracerClass = object.text("tracer_class");
        module->producer = object.text("producer");
        module->modelName = object.text("model_name");
        module->modelNames = texts(object.get("model_names"));
        module->notLoadable = object.flag("not_loadable");
        if (object.has("warnings")) readWarnings(object.get("warnings"), module->warnings);
        IrGraphReader(*module, m_progress, m_places).read(object, module->warnings);
        if (object.has("signature")) signature(object.get("signature"), *module);
        legaliseNames(module->graph, module->warnings);
        if (object.has("exported")) module->origin = exported(object.get("exported"), *module);
        if (object.has("subgraphs"))
            for (const JsonValue child : object.get("subgraphs").needObject()) {
                auto nested = graphModule(child, joinedPath(path, child.key()));
                moduleMembers(*nested->root, child, joinedPath(path, child.key()));
                if (!child.find("type").exists()) setGraphModuleType(*nested->root, *nested);
                module->subgraphs.emplace_back(std::string(child.key()), std::move(nested));
            }
        return module;
    }

    /// A message of the file, marked as such.
    static Message saidByFile(const Message& message) {
        MessageArguments arguments = message.arguments();
        arguments.emplace_back(kSaidBy, "file");
        return Message::received(message.code(), std::move(arguments), message.text());
    }

    static void readWarnings(JsonValue list, Warnings& warnings) {
        for (const JsonValue value : list.needArray()) {
            const IrObject warning(value, {"what", "code", "arguments", "node", "module_path", "where"});
            warning.need("what");
            warnings.push_back({saidByFile(readMessage(value, "what")), warning.text("node"),
                                warning.text("module_path"), warning.text("where")});
        }
    }

    static void signature(JsonValue list, GraphModule& module) {
        for (const JsonValue value : list.needArray()) {
            const IrObject input(value, {"node", "kind", "path"});
            const JsonValue name = input.need("node"), kind = input.need("kind");
            const NodeId node = module.graph.find(name.asText());
            if (node == kNoNode) throw name.error(Message("ir.unknown_node", {{"name", name.asText()}}));
            const auto found = std::find(kInputKinds.begin(), kInputKinds.end(), kind.asText());
            if (found == kInputKinds.end()) throw kind.error(Message("ir.expected_input_kind"));
            module.lifted.push_back(
                {node, static_cast<LiftedInput::Kind>(found - kInputKinds.begin()), input.text("path")});
        }
    }

    static std::shared_ptr<const ExportedSignature> exported(JsonValue value, const GraphModule& module) {
        const IrObject object(value, {"outputs", "ranges", "argument_names", "in_spec", "out_spec"});
        auto out = std::make_shared<ExportedSignature>();
        for (const LiftedInput& input : module.lifted) out->inputNames.push_back(module.graph.node(input.node).name());
        for (const JsonValue each : object.need("outputs").needArray()) {
            const IrObject output(each, {"kind", "target"});
            out->outputs.push_back({std::string(output.need("kind").asText()), output.text("target")});
        }
        if (object.has("ranges"))
            for (const JsonValue range : object.get("ranges").needObject()) {
                std::vector<std::optional<std::int64_t>> bounds;
                for (const JsonValue bound : range.needArray())
                    bounds.push_back(bound.isNull() ? std::nullopt : std::optional(bound.asInt()));
                if (bounds.size() != 2) throw range.error(Message("ir.expected_range"));
                out->ranges.push_back({std::string(range.key()), bounds[0], bounds[1]});
            }
        out->argumentNames = texts(object.get("argument_names"));
        out->inputSpecification = specification(object, "in_spec");
        out->outputSpecification = specification(object, "out_spec");
        return out;
    }

    static std::string specification(const IrObject& object, std::string_view key) {
        std::string text = object.text(key);
        if (text.empty()) return text;
        try {
            checkPytreeSpec(text);
        } catch (const Error& error) { // its place is one inside the text
            throw object.get(key).error(
                Message("ir.expected_pytree", {{"detail", error.what()}, {"place", error.where}}));
        }
        return text;
    }

    static void setGraphModuleType(Module& module, const GraphModule& graphModule) {
        module.className = graphModule.className;
        module.classModule = "torch.fx.graph_module";
    }

    void setType(Module& module, JsonValue type) {
        if (type.isArray()) {
            const auto parts = texts(type);
            if (parts.size() != 2) throw type.error(Message("ir.expected_class"));
            module.classModule = parts[0];
            module.className = parts[1];
            return;
        }
        std::string_view path = type.asText();
        if (const auto known = ops::findModule(path)) path = known->path();
        module.setType(path);
    }

    void moduleMembers(Module& module, JsonValue value, const std::string& path) {
        module.setType("torch.nn.modules.module.Module");
        static const Graph kNone;
        IrValueReader values(kNone, m_warnings, m_places);
        for (const JsonValue member : value) { // the keys are checked by now
            const std::string_view key = member.key();
            if (key == "type") setType(module, member);
            if (key == "training") module.training = member.asBool();
            if (key == "settings") settings(module, member, values, value.find("nodes").exists());
            if (key == "parameters") slots(module.parameters, member, true);
            if (key == "buffers") slots(module.buffers, member, false);
            if (key == "modules")
                for (const JsonValue childValue : member.needObject())
                    module.children.push_back(
                        {std::string(childValue.key()), child(childValue, joinedPath(path, childValue.key()))});
        }
    }

    std::shared_ptr<Module> child(JsonValue value, const std::string& path) {
        if (value.isNull()) return nullptr;
        if (const JsonValue other = value.find("same_as"); other.exists()) {
            const IrObject only(value, {"same_as"});
            const auto known = m_modules.find(std::string(other.asText()));
            if (known == m_modules.end()) throw other.error(Message("ir.unknown_module", {{"path", other.asText()}}));
            return known->second;
        }
        auto module = std::make_shared<Module>();
        if (!value.find("nodes").exists()) {
            const IrObject checked(value, kModuleKeys);
            moduleMembers(*module, value, path);
        } else {
            auto nested = graphModule(value, path);
            moduleMembers(*module, value, path);
            if (!value.find("type").exists()) setGraphModuleType(*module, *nested);
            *nested->root = *module;
            module->graphModule = std::move(nested);
        }
        m_modules.emplace(path, module);
        return module;
    }

    void settings(Module& module, JsonValue object, IrValueReader& values, bool ofGraphModule) {
        for (const JsonValue value : object.needObject()) {
            const std::string name(value.key());
            if (isOwnField(name, ofGraphModule))
                m_warnings.push_back({Message("ir.own_field", {{"name", name}}), {}, {}, m_places->of(value)});
            else if (value.isObject() && value.find("tensor").exists())
                module.attributes.emplace_back(name,
                                               m_tensors.tensor(IrObject(value, {"tensor"}).need("tensor"), false));
            else module.attributes.emplace_back(name, values.read(value));
        }
    }

    void slots(std::vector<Module::Slot>& slots, JsonValue object, bool asParameter) {
        for (const JsonValue value : object.needObject()) {
            Module::Slot slot{std::string(value.key()), nullptr, true};
            if (value.isObject()) {
                const IrObject described(value, {"tensor", "persistent"});
                slot.tensor = m_tensors.tensor(described.need("tensor"), asParameter);
                slot.persistent = described.flag("persistent", true);
            } else {
                slot.tensor = m_tensors.tensor(value, asParameter);
            }
            slots.push_back(std::move(slot));
        }
    }

    IrTensorReader& m_tensors;
    std::shared_ptr<WarningPlaces> m_places = std::make_shared<WarningPlaces>();
    const Progress& m_progress;
    Warnings m_warnings; ///< about settings
    std::unordered_map<std::string, std::shared_ptr<Module>> m_modules;
};

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// The weights are named by the place of the description, which may come with a link there.
std::shared_ptr<const DataFile> openWeights(const std::string& path) {
    const std::filesystem::path whole(path);
    const std::string folder = whole.parent_path().string();
    return openBelow(folder.empty() ? "." : folder, whole.filename().string());
}
} // namespace

namespace {

std::shared_ptr<GraphModule> readText(const std::string& text, const SafetensorsFile& weights,
                                      const std::string& weightsPath, const Progress& progress) {
    const auto document = JsonDocument::parse(text, progress, JsonDocument::Positions::Keep);
    const JsonValue root = document->root(), version = root.find("lancet_ir");
    if (!version.exists()) throw Error(ErrorKind::File, Message("ir.not_ir"));
    if (version.kind() != JsonValue::Kind::Int || version.asInt() != 1)
        throw version.error(Message("ir.unknown_version"));
    IrTensorReader tensors(root.find("tensors"), weights, weightsPath);
    return IrReader(tensors, progress).read(root);
}

} // namespace

std::shared_ptr<GraphModule> readIrDescription(const IrDescription& description, const std::string& path,
                                               const Progress& progress) {
    auto module = readText(description.text, description.weights, path, progress);
    module->path = path;
    return module;
}

std::shared_ptr<GraphModule> readIrJson(const std::string& path, const Progress& progress, bool keepsContent) {
    std::string weightsPath = weightsBeside(path);
    try {
        const std::string text = readTextFile(path, kMaxText);
        weightsPath = weightsOf(path, text);
        SafetensorsFile weights;
        if (exists(weightsPath)) {
            const auto file = openWeights(weightsPath);
            if (keepsContent) file->keepContent();
            weights = readSafetensors(file, progress);
        }
        auto module = readText(text, weights, weightsPath, progress);
        module->path = path;
        return module;
    } catch (Error& error) {
        if (error.message().is("ir.missing_tensor") && !exists(weightsPath))
            throw Error(ErrorKind::File, Message("ir.no_weights_file",
                                                 {{"name", error.message().argument("name")}, {"file", weightsPath}}))
                .at(error.where)
                .in(path);
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace fx
