// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/ir_json/ir_tensors.h"
#include "core/io/ir_json/kept_weights.h"
#include "core/json/message_json.h"
#include "core/module/exported_signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

namespace fx {
namespace {
using Layout = JsonWriter::Layout;
constexpr int kMaxModuleDepth = 300;
constexpr std::array<std::string_view, 7> kInputKinds = {"parameter",      "buffer",        "constant", "user_input",
                                                         "constant_input", "custom_object", "token"};

/// A size as a number where the number prints as the same text.
void writeSize(JsonWriter& json, const std::string& size) {
    std::int64_t number = 0;
    std::from_chars(size.data(), size.data() + size.size(), number);
    if (std::to_string(number) == size) json.integer(number);
    else json.string(size);
}

/// Writes one model as JSON text and collects its tensors.
class IrWriter {
public:
    explicit IrWriter(const Progress& progress) : m_progress(progress) {}

    std::string write(const GraphModule& module) {
        m_json.beginObject(Layout::Lines).key("lancet_ir").integer(1);
        graphModule(module, {});
        if (m_tensors.needsTable()) {
            m_json.key("tensors");
            m_tensors.writeTable(m_json);
        }
        m_json.endObject();
        return m_json.text() + "\n";
    }
    const SafetensorsFile& weights() const { return m_tensors.weights(); }

private:
    // ── graph ────────────────────────────────────────────────────────────────────────────────────────────────────
    void graphModule(const GraphModule& module, const std::string& path, const Module* asMember = nullptr) {
        const auto textMember = [&](std::string_view key, const std::string& text) {
            if (!text.empty()) m_json.key(key).string(text);
        };
        if (module.className != "GraphModule") m_json.key("class_name").string(module.className);
        textMember("tracer_class", module.tracerClass);
        textMember("producer", module.producer);
        textMember("model_name", module.modelName);
        if (!module.modelNames.empty()) { m_json.key("model_names").strings(module.modelNames); }
        if (module.notLoadable) m_json.key("not_loadable").boolean(true);
        warnings(module.warnings);
        m_json.key("nodes").beginArray(Layout::Lines);
        for (const Node& node : module.graph.nodes()) writeNode(module.graph, node);
        m_json.endArray();
        names(module.graph);
        signature(module);
        if (const auto exported = ExportedSignature::of(module)) writeExported(module, *exported);
        if (!module.subgraphs.empty()) m_json.key("subgraphs").beginObject(Layout::Lines);
        for (const auto& [name, child] : module.subgraphs) {
            m_json.key(name).beginObject(Layout::Lines);
            graphModule(*child, joinedPath(path, name));
            m_json.endObject();
        }
        if (!module.subgraphs.empty()) m_json.endObject();
        if (!asMember) moduleMembers(*module.root, path, 0);
    }

    /// A message as it is in a file, which does not say where it comes from.
    static Message unmarked(const Message& message) {
        MessageArguments arguments = message.arguments();
        std::erase_if(arguments, [](const MessageArgument& each) { return each.name == kSaidBy; });
        return Message::received(message.code(), std::move(arguments), message.text());
    }

    void warnings(const Warnings& warnings) {
        if (warnings.empty()) return;
        m_json.key("warnings").beginArray(Layout::Lines);
        for (const Warning& warning : warnings) {
            m_json.beginObject().key("what").string(warning.what.text());
            if (!warning.what.code().empty()) writeMessageData(m_json, unmarked(warning.what));
            if (!warning.node.empty()) m_json.key("node").string(warning.node);
            if (!warning.modulePath.empty()) m_json.key("module_path").string(warning.modulePath);
            if (!warning.where.empty()) m_json.key("where").string(warning.where);
            m_json.endObject();
        }
        m_json.endArray();
    }

    void writeNode(const Graph& graph, const Node& node) {
        m_progress.check();
        IrValueWriter values(m_json, graph);
        m_json.beginObject().key("name").string(node.name()).key("op").string(opName(node.op())).key("target");
        if (node.callable()) values.callable(*node.callable(), true);
        else m_json.string(node.target());
        if (!node.args().empty()) {
            m_json.key("args").beginArray();
            for (const Argument& arg : node.args()) values.write(arg);
            m_json.endArray();
        }
        if (!node.kwargs().empty()) {
            m_json.key("kwargs").beginObject();
            for (const auto& [key, value] : node.kwargs()) {
                m_json.key(key);
                values.write(value);
            }
            m_json.endObject();
        }
        if (node.type()) {
            m_json.key("type");
            values.type(*node.type());
        }
        users(graph, node);
        meta(node.meta());
        m_json.endObject();
    }

    /// Only an order that differs from that of the graph, which the reader takes otherwise.
    void users(const Graph& graph, const Node& node) {
        const std::vector<NodeId> users(node.users().begin(), node.users().end());
        if (std::is_sorted(users.begin(), users.end(), [&](NodeId a, NodeId b) { return graph.isBefore(a, b); }))
            return;
        m_json.key("users").beginArray();
        for (const NodeId user : users) m_json.string(graph.node(user).name());
        m_json.endArray();
    }

    void meta(const NodeMeta& meta) {
        if (meta.moduleStack.empty() && meta.stackTrace.empty() && meta.values.empty() && !meta.wrapped &&
            meta.other.empty())
            return;
        m_json.key("meta").beginObject();
        if (!meta.moduleStack.empty()) {
            m_json.key("module_stack").beginArray();
            for (const ModuleFrame& frame : meta.moduleStack)
                m_json.beginArray().string(frame.key).string(frame.path).string(frame.type).endArray();
            m_json.endArray();
        }
        if (!meta.stackTrace.empty()) m_json.key("stack_trace").string(meta.stackTrace);
        if (!meta.values.empty()) {
            m_json.key("values").beginArray();
            for (const ValueInfo& info : meta.values) valueInfo(info);
            m_json.endArray();
        }
        if (meta.wrapped) m_json.key("wrapped").boolean(true);
        if (!meta.other.empty()) {
            m_json.key("other").beginArray();
            for (const auto& [key, text] : meta.other) m_json.beginArray().string(key).string(text).endArray();
            m_json.endArray();
        }
        m_json.endObject();
    }

    void valueInfo(const ValueInfo& info) {
        m_json.beginObject().key("dtype").string(info.dtype).key("sizes").beginArray();
        for (const std::string& size : info.sizes) writeSize(m_json, size);
        m_json.endArray();
        if (!info.strides.empty()) {
            m_json.key("strides").beginArray();
            for (const std::string& stride : info.strides) writeSize(m_json, stride);
            m_json.endArray();
        }
        if (!info.device.empty()) m_json.key("device").string(info.device);
        if (!info.isTensor) m_json.key("tensor").boolean(false);
        if (info.requiresGrad) m_json.key("requires_grad").boolean(true);
        m_json.endObject();
    }

    /// How the namespace differs from one that gave each node its name, in graph order.
    void names(const Graph& graph) {
        Namespace natural;
        for (const Node& node : graph.nodes()) natural.create(node.name());
        const Namespace& names = graph.names();
        const std::vector<std::string> different = names.differences(natural);
        if (different.empty()) return;
        const auto list = [&](std::string_view key, bool used) {
            bool open = false;
            for (const std::string& name : different) {
                if (names.at(name).used != used || natural.at(name).used == used) continue;
                if (!std::exchange(open, true)) m_json.key(key).beginArray();
                m_json.string(name);
            }
            if (open) m_json.endArray();
        };
        m_json.key("names").beginObject();
        list("used", true);
        list("free", false);
        bool open = false;
        for (const std::string& base : different) {
            const std::string& number = names.at(base).lastNumber;
            if (number == natural.at(base).lastNumber) continue;
            if (!std::exchange(open, true)) m_json.key("numbers").beginObject();
            m_json.key(base);
            number.empty() ? m_json.null() : m_json.string(number);
        }
        if (open) m_json.endObject();
        m_json.endObject();
    }

    void signature(const GraphModule& module) {
        if (module.lifted.empty()) return;
        m_json.key("signature").beginArray(Layout::Lines);
        for (const LiftedInput& input : module.lifted) {
            if (input.node == kNoNode || module.graph.node(input.node).erased()) continue;
            m_json.beginObject()
                .key("node")
                .string(module.graph.node(input.node).name())
                .key("kind")
                .string(kInputKinds[static_cast<std::size_t>(input.kind)]);
            if (!input.path.empty()) m_json.key("path").string(input.path);
            m_json.endObject();
        }
        m_json.endArray();
    }

    void writeExported(const GraphModule& module, const ExportedSignature& exported) {
        m_json.key("exported").beginObject(Layout::Lines).key("outputs").beginArray();
        for (const ExportedSignature::Output& output : exported.outputs) {
            m_json.beginObject().key("kind").string(output.kind);
            if (!output.target.empty()) m_json.key("target").string(nameNow(module, exported, output));
            m_json.endObject();
        }
        m_json.endArray().key("ranges").beginObject();
        for (const auto& [symbol, min, max] : exported.ranges) {
            m_json.key(symbol).beginArray();
            for (const auto& bound : {min, max}) bound ? m_json.integer(*bound) : m_json.null();
            m_json.endArray();
        }
        m_json.endObject().key("argument_names").strings(exported.argumentNames);
        if (!exported.inputSpecification.empty()) m_json.key("in_spec").string(exported.inputSpecification);
        if (!exported.outputSpecification.empty()) m_json.key("out_spec").string(exported.outputSpecification);
        m_json.endObject();
    }

    /// What an output changes; of an input the name that it has by now.
    static const std::string& nameNow(const GraphModule& module, const ExportedSignature& exported,
                                      const ExportedSignature::Output& output) {
        if (output.kind.find("user_input") == std::string::npos) return output.target;
        const NodeId input = exported.inputCalled(module, output.target);
        return input == kNoNode ? output.target : module.graph.node(input).name();
    }

    // ── modules ──────────────────────────────────────────────────────────────────────────────────────────────────
    void moduleMembers(const Module& module, const std::string& path, int depth) {
        if (depth > kMaxModuleDepth)
            throw Error(ErrorKind::Refused, Message("ir.modules_too_deep", {{"limit", kMaxModuleDepth}}))
                .onModule(path);
        m_paths.emplace(&module, path);
        m_json.key("type");
        const std::string type = module.qualifiedType();
        if (type.rfind('.') == module.classModule.size() ||
            (module.classModule.empty() && type.find('.') == std::string::npos))
            m_json.string(type);
        else m_json.beginArray().string(module.classModule).string(module.className).endArray();
        if (!module.training) m_json.key("training").boolean(false);
        settings(module, path);
        slots("parameters", module.parameters, path, true);
        slots("buffers", module.buffers, path, false);
        if (module.children.empty()) return;
        m_json.key("modules").beginObject(Layout::Lines);
        for (const Module::Child& child : module.children) {
            m_json.key(child.name);
            writeChild(child.module.get(), joinedPath(path, child.name), depth + 1);
        }
        m_json.endObject();
    }

    void writeChild(const Module* module, const std::string& path, int depth) {
        if (!module) {
            m_json.null();
            return;
        }
        const auto known = m_paths.find(module);
        if (known != m_paths.end()) {
            m_json.beginObject().key("same_as").string(known->second).endObject();
            return;
        }
        m_json.beginObject(module->graphModule || !module->children.empty() ? Layout::Lines : Layout::Inline);
        if (module->graphModule) graphModule(*module->graphModule, path, module);
        moduleMembers(*module, path, depth);
        m_json.endObject();
    }

    void settings(const Module& module, const std::string& path) {
        if (module.attributes.empty()) return;
        static const Graph kNone;
        IrValueWriter values(m_json, kNone);
        m_json.key("settings").beginObject();
        for (const auto& [name, value] : module.attributes) {
            m_json.key(name);
            if (const auto* argument = std::get_if<Argument>(&value)) {
                values.write(*argument);
                continue;
            }
            m_json.beginObject().key("tensor");
            reference(std::get<TensorPtr>(value), joinedPath(path, name), false);
            m_json.endObject();
        }
        m_json.endObject();
    }

    void slots(std::string_view key, const std::vector<Module::Slot>& slots, const std::string& path,
               bool asParameter) {
        if (slots.empty()) return;
        m_json.key(key).beginObject();
        for (const Module::Slot& slot : slots) {
            m_json.key(slot.name);
            if (slot.persistent) {
                reference(slot.tensor, joinedPath(path, slot.name), asParameter);
            } else {
                m_json.beginObject().key("tensor");
                reference(slot.tensor, joinedPath(path, slot.name), asParameter);
                m_json.key("persistent").boolean(false).endObject();
            }
        }
        m_json.endObject();
    }

    void reference(const TensorPtr& tensor, const std::string& path, bool asParameter) {
        tensor ? m_json.string(m_tensors.id(tensor, path, asParameter)) : m_json.null();
    }

    const Progress& m_progress;
    JsonWriter m_json;
    IrTensorWriter m_tensors;
    std::unordered_map<const Module*, std::string> m_paths;
};
} // namespace

IrDescription describeAsIr(const GraphModule& module, const Progress& progress) {
    IrWriter writer(progress);
    std::string text = writer.write(module);
    return {std::move(text), writer.weights()};
}

std::string weightsBeside(const std::string& path) {
    return (path.ends_with(".json") ? path.substr(0, path.size() - 5) : path) + ".safetensors";
}

namespace {

/// In the metadata of weights that a description brought.
const std::pair<std::string, std::string> kWrittenBy = {"written_by", "lancet"};

/// Whether the weights are those of a description: it uses all of their tensors, or Lancet wrote them for one.
bool areOfADescription(const std::string& description, const std::string& weights, const Progress& progress) {
    try {
        const SafetensorsFile file = readSafetensors(DataFile::open(weights), progress);
        if (std::find(file.metadata.begin(), file.metadata.end(), kWrittenBy) != file.metadata.end()) return true;
        return describeAsIr(*readIrJson(description, progress), progress).weights.entries.size() == file.entries.size();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return false;
    }
}

} // namespace

std::string foreignWeights(const std::string& path, const Progress& progress) {
    const std::string beside = weightsBeside(path);
    std::error_code ignored;
    return std::filesystem::exists(beside, ignored) && !areOfADescription(path, beside, progress) ? beside
                                                                                                  : std::string();
}

void writeIrJson(const GraphModule& module, const std::string& path, const Progress& progress) {
    IrDescription ir = describeAsIr(module, progress);
    ir.weights.metadata.push_back(kWrittenBy);
    ir.weights.metadata.push_back(describedBy(ir.text));
    ReplacedFile description(path);
    description.write(ir.text);
    if (ir.weights.entries.empty()) return description.commit();
    ReplacedFile weights(weightsBeside(path));
    writeSafetensors(weights, ir.weights, progress);
    description.prepare(), weights.prepare(); // so that little is left between the two
    weights.commit();
    description.commit();
}

} // namespace fx
