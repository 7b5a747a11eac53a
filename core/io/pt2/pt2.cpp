// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2.h"

#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/io/pt2/pt2_graph.h"
#include "core/io/pt2/pt2_payload.h"
#include "core/json/pytree_spec.h"

#include <algorithm>

namespace fx {
namespace {
constexpr std::string_view kModels = "models/", kJson = ".json", kCompiled = "data/aotinductor/";
constexpr std::uint64_t kMaxModel = 0xF0000000u;
constexpr std::int64_t kSchemaMajor = 8;

/// Reads one model of an archive, step by step, into a GraphModule.
class Pt2Reader {
public:
    Pt2Reader(const ZipArchive& archive, const OpenOptions& options, const Progress& progress)
        : m_archive(archive), m_options(options), m_progress(progress), m_origin(std::make_shared<Pt2Origin>(archive)),
          m_context(progress) {
        m_module->format = Format::Pt2;
        m_module->path = archive.file()->path();
    }

    std::shared_ptr<GraphModule> read() {
        checkArchive();
        chooseModel();
        m_progress.report("reading the graph", 0.1);
        const std::string record = std::string(kModels) + m_module->modelName + std::string(kJson);
        try {
            m_origin->document =
                JsonDocument::parse(m_archive.readText(*m_archive.findInRoot(record), kMaxModel), m_progress);
            checkSchema(m_origin->document->root());
            readProgram(m_origin->document->root());
        } catch (Error& error) {
            if (error.kind() == ErrorKind::File && error.where.find("models/") == std::string::npos)
                error.at(record + (error.where.empty() ? "" : ": " + error.where));
            throw;
        }
        m_progress.report("reading the weights", 0.9);
        readPayload();
        finish();
        return m_module;
    }

private:
    std::string text(std::string_view record) const {
        const ZipMember* member = m_archive.findInRoot(record);
        return member ? m_archive.readText(*member, 1 << 16) : std::string();
    }

    void checkArchive() const {
        if (m_archive.find("serialized_exported_program.json")) throw Error(ErrorKind::File, Message("pt2.old_layout"));
        const std::string version = text("archive_version");
        if (version.empty()) throw Error(ErrorKind::File, Message("pt2.no_version"));
        if (version != "0") throw Error(ErrorKind::File, Message("pt2.archive_version", {{"version", version}}));
        if (text("byteorder") == "big") throw Error(ErrorKind::File, Message("pt2.big_endian"));
    }

    void chooseModel() {
        std::vector<std::string> compiled;
        for (const ZipMember& member : m_archive.members()) {
            std::string_view name = member.name;
            if (!name.starts_with(m_archive.root())) continue;
            name.remove_prefix(m_archive.root().size());
            if (name.starts_with(kModels) && name.ends_with(kJson) && name.size() > kModels.size() + kJson.size()) {
                name.remove_prefix(kModels.size());
                m_module->modelNames.emplace_back(name.substr(0, name.size() - kJson.size()));
            } else if (name.starts_with(kCompiled)) {
                name.remove_prefix(kCompiled.size());
                std::string model(name.substr(0, name.find('/')));
                if (std::find(compiled.begin(), compiled.end(), model) == compiled.end())
                    compiled.push_back(std::move(model));
            }
        }
        const auto& names = m_module->modelNames;
        if (names.empty() && !compiled.empty())
            throw Error(ErrorKind::File, Message("pt2.compiled_only", {{"names", joined(compiled)}}));
        if (names.empty()) throw Error(ErrorKind::File, Message("pt2.no_model"));
        const std::string wanted = m_options.modelName.empty() ? "model" : m_options.modelName;
        const bool found = std::find(names.begin(), names.end(), wanted) != names.end();
        if (!found && !m_options.modelName.empty())
            throw Error(ErrorKind::File, Message("pt2.unknown_model", {{"name", wanted}, {"known", joined(names)}}));
        m_module->modelName = m_origin->modelName = found ? wanted : names.front();
        for (const std::string& model : compiled)
            m_module->warnings.push_back({Message("pt2.compiled_kept", {{"name", model}}), {}, {}, {}});
    }

    void checkSchema(JsonValue root) {
        const JsonValue version = root.at("schema_version");
        const std::int64_t major = version.at("major").asInt(), minor = version.at("minor").asInt();
        if (major != kSchemaMajor && (major != 0 || minor != 0))
            throw version.error(Message("pt2.schema_version", {{"major", major}, {"minor", minor}}));
        root.at("opset_version").needObject();
        if (const JsonValue producer = root.find("torch_version"); producer.exists() && producer.isString())
            m_module->producer = producer.asText();
    }

    void readProgram(JsonValue root) {
        const JsonValue module = root.at("graph_module");
        const JsonValue signature = module.at("signature");
        for (const JsonValue spec : signature.at("input_specs").needArray())
            m_context.inputNames.push_back(specName(spec));
        Pt2GraphBuilder builder(*m_module, m_context);
        builder.build(module.at("graph"));
        readInputSpecs(signature, builder);
        readOutputSpecs(signature);
        readRanges(root);
        m_origin->inputNames = m_context.inputNames;
        for (const JsonValue entry : module.at("module_call_graph").needArray()) {
            m_tree.at(entry.at("fqn").asText());
            if (entry.at("fqn").asText().empty()) readCall(entry.find("signature"));
        }
        readModuleTypes();
    }

    /// The name of a value, in an Argument of the schema or in one of its TensorArguments; empty for literals.
    static std::string argumentName(JsonValue argument) {
        JsonValue inside = argument;
        if (!inside.find("name").exists()) inside = unionOf(argument).value;
        if (!inside.isObject()) return {};
        const JsonValue name = inside.find("name").exists() ? inside.find("name") : inside.find("as_name");
        return name.exists() ? std::string(name.asText()) : std::string();
    }

    /// The name that a spec gives to its input.
    static std::string specName(JsonValue spec) {
        const auto [tag, value] = unionOf(spec);
        return tag == "constant_input" ? std::string(value.at("name").asText()) : argumentName(value.at("arg"));
    }

    void readInputSpecs(JsonValue signature, const Pt2GraphBuilder& builder) {
        using Kind = LiftedInput::Kind;
        struct Row {
            std::string_view tag;
            Kind kind;
            std::string_view path;
        };
        static constexpr Row kRows[] = {{"parameter", Kind::Parameter, "parameter_name"},
                                        {"buffer", Kind::Buffer, "buffer_name"},
                                        {"tensor_constant", Kind::Constant, "tensor_constant_name"},
                                        {"custom_obj", Kind::CustomObject, "custom_obj_name"},
                                        {"token", Kind::Token, ""},
                                        {"user_input", Kind::UserInput, ""},
                                        {"constant_input", Kind::ConstantInput, ""}};
        const auto& nodes = builder.inputs();
        std::size_t place = 0;
        for (const JsonValue spec : signature.at("input_specs")) {
            if (place >= nodes.size()) throw spec.error(Message("pt2.more_inputs"));
            const auto [tag, value] = unionOf(spec);
            const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                          [&, tag = tag](const Row& known) { return known.tag == tag; });
            if (row == std::end(kRows)) throw spec.error(Message("pt2.input_kind", {{"kind", tag}}));
            LiftedInput input{nodes[place], row->kind,
                              row->path.empty() ? std::string() : std::string(value.at(row->path).asText())};
            const std::string& name = m_module->graph.node(input.node).name();
            if (!m_context.inputNames[place].empty() && input.kind != Kind::ConstantInput &&
                m_context.inputNames[place] != name)
                m_context.warnings.push_back(
                    {Message("pt2.input_name", {{"name", m_context.inputNames[place]}}), name, {}, spec.path()});
            if (input.kind == Kind::Buffer) m_persistent[input.path] = value.at("persistent").asBool();
            m_module->lifted.push_back(std::move(input));
            ++place;
        }
        if (place < nodes.size()) throw signature.at("input_specs").error(Message("pt2.fewer_inputs"));
    }

    void readOutputSpecs(JsonValue signature) {
        for (const JsonValue spec : signature.at("output_specs").needArray()) {
            const auto [tag, value] = unionOf(spec);
            ExportedSignature::Output output{std::string(tag), {}};
            value.at("arg"); // throws when it is missing
            for (const JsonValue member : value)
                if (member.key() != "arg" && member.isString()) output.target = member.asText();
            m_origin->outputs.push_back(std::move(output));
        }
    }

    void readRanges(JsonValue root) {
        const auto bound = [](JsonValue value) {
            return value.exists() && value.kind() == JsonValue::Kind::Int ? std::optional(value.asInt()) : std::nullopt;
        };
        for (const JsonValue range : root.at("range_constraints").needObject())
            m_origin->ranges.push_back(
                {std::string(range.key()), bound(range.find("min_val")), bound(range.find("max_val"))});
    }

    /// Empty for one that PyTorch does not write.
    std::string specification(JsonValue value) {
        std::string text(value.asText());
        try {
            if (!text.empty()) checkPytreeSpec(text);
            return text;
        } catch (const Error& error) {
            m_context.warnings.push_back(
                {Message("pt2.unreadable_specification", {{"reason", error.what()}, {"cause", error.message().code()}}),
                 {},
                 {},
                 value.path()});
            return {};
        }
    }

    /// How the module itself is called; null when the file does not tell.
    void readCall(JsonValue signature) {
        if (!signature.exists() || !signature.isObject() || !m_origin->outputSpecification.empty()) return;
        const auto text = [&](const char* key) {
            const JsonValue value = signature.find(key);
            return value.exists() && value.isString() ? specification(value) : std::string();
        };
        m_origin->inputSpecification = text("in_spec"), m_origin->outputSpecification = text("out_spec");
        if (const JsonValue names = signature.find("forward_arg_names"); names.exists() && names.isArray())
            m_origin->argumentNames = names.texts();
    }

    void readModuleTypes() {
        m_module->root->setType("torch.nn.modules.module.Module");
        std::unordered_map<std::string_view, bool> seen;
        for (const Node& node : m_module->graph.nodes())
            for (const ModuleFrame& frame : node.meta().moduleStack)
                if (seen.emplace(frame.path, true).second) m_tree.setType(frame.path, frame.type);
    }

    void readPayload() {
        const Pt2Payload weights(m_archive, "data/weights/", m_module->modelName + "_weights_config.json",
                                 m_module->warnings);
        const Pt2Payload constants(m_archive, "data/constants/", m_module->modelName + "_constants_config.json",
                                   m_module->warnings);
        for (const Pt2Payload::Item& item : weights.items()) place(item, true);
        for (const Pt2Payload::Item& item : constants.items()) place(item, false);
        if (!m_archive.findInRoot("data/sample_inputs/" + m_module->modelName + ".pt"))
            m_context.warnings.push_back({Message("pt2.no_samples"), {}, {}, "data/sample_inputs/"});
    }

    void place(const Pt2Payload::Item& item, bool isWeight) {
        Module& holder = m_tree.at(parentPath(item.path));
        const std::string name(lastAtom(item.path));
        const auto persistent = m_persistent.find(item.path);
        if (item.isParameter) holder.parameters.push_back({name, item.tensor});
        else if (isWeight || persistent != m_persistent.end())
            holder.buffers.push_back({name, item.tensor, persistent == m_persistent.end() || persistent->second});
        else if (item.tensor) holder.attributes.emplace_back(name, item.tensor);
        else
            holder.attributes.emplace_back(
                name, Argument(OpaqueObject{"torch.ScriptObject", "<torch.ScriptObject object at 0x0>", {}}));
    }

    void finish() {
        PathResolver paths(*m_module->root);
        for (const LiftedInput& input : m_module->lifted)
            if (input.kind == LiftedInput::Kind::Parameter || input.kind == LiftedInput::Kind::Buffer)
                if (!paths.resolve(input.path).tensor)
                    m_context.warnings.push_back({Message("pt2.missing_tensor", {{"path", input.path}}),
                                                  m_module->graph.node(input.node).name(),
                                                  input.path,
                                                  {}});
        m_module->notLoadable = !m_context.warnings.empty();
        auto& warnings = m_module->warnings;
        std::move(m_context.warnings.begin(), m_context.warnings.end(), std::back_inserter(warnings));
        m_module->origin = m_origin;
    }

    const ZipArchive& m_archive;
    const OpenOptions& m_options;
    const Progress& m_progress;
    std::shared_ptr<GraphModule> m_module = std::make_shared<GraphModule>();
    std::shared_ptr<Pt2Origin> m_origin;
    Pt2Context m_context;
    Pt2ModuleTree m_tree{m_module->root};
    std::unordered_map<std::string, bool> m_persistent; ///< buffers of the signature
};
} // namespace

std::shared_ptr<GraphModule> readPt2(const ZipArchive& archive, const OpenOptions& options, const Progress& progress) {
    try {
        return Pt2Reader(archive, options, progress).read();
    } catch (Error& error) {
        if (error.file.empty()) error.in(archive.file()->path());
        throw;
    }
}

} // namespace fx
