// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/anonymise/exported_program.h"

#include "core/base/one_of.h"
#include "core/diag/error.h"
#include "core/files/replaced_file.h"
#include "core/files/temporary_folder.h"
#include "core/io/pt2/pt2.h"
#include "core/io/pt2/pt2_json.h"
#include "core/io/pt2/pt2_writer.h"
#include "core/io/zip/zip_writer.h"
#include "core/json/json_writer.h"
#include "core/model_files/anonymise/argument_names.h"
#include "core/model_files/anonymise/other_weights.h"
#include "core/module/module_editor.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_set>

namespace fx::anonymise {
namespace {

constexpr std::uint64_t kMostJson = std::uint64_t{1} << 30;

/// Objects whose keys are names of the model.
constexpr std::string_view kNamed[] = {"config",           "custom_obj_values", "range_constraints", "sym_bool_values",
                                       "sym_float_values", "sym_int_values",    "tensor_values"};
/// Members that stay as they are.
constexpr std::string_view kKept[] = {"device",         "dialect",       "opset_version",    "path_name",
                                      "schema_version", "torch_version", "treespec_version", "verifiers"};

class DocumentRewriter {
public:
    explicit DocumentRewriter(Names& names) : m_names(names) {}

    std::string rewritten(const std::string& text) {
        const auto document = JsonDocument::parse(text);
        m_json = JsonWriter();
        value(document->root(), "", 0);
        return m_json.text();
    }

private:
    static constexpr int kDeepest = 1000;

    void value(JsonValue json, std::string_view member, int depth) {
        if (depth > kDeepest) throw Error(ErrorKind::Refused, Message("anonymise.too_deep"));
        switch (json.kind()) {
        case JsonValue::Kind::Object: return object(json, member, depth);
        case JsonValue::Kind::Array:
            m_json.beginArray();
            for (const JsonValue item : json) value(item, member, depth + 1);
            m_json.endArray();
            return;
        case JsonValue::Kind::String: m_json.string(text(json.asText(), member)); return;
        default: copyJson(m_json, json); return;
        }
    }

    void object(JsonValue json, std::string_view member, int depth) {
        const bool isNamed = isOneOf(member, kNamed);
        const JsonValue target = json.find("target");
        const bool wasEinsum = m_isEinsum;
        if (target.exists() && target.isString()) m_isEinsum = target.asText().find("einsum") != std::string::npos;
        m_json.beginObject();
        for (const JsonValue each : json) {
            const std::string_view key = each.key();
            if (isNamed) m_json.key(member == "range_constraints" ? m_names.size(key) : name(key));
            else m_json.key(key);
            if (key == "guards_code" && each.isArray()) m_json.beginArray().endArray();
            else if (key == "metadata" && each.isObject()) metadata(each);
            else if (key == "name" && json.find("arg").exists()) m_json.string(parameter(each)); // of an operator
            else if (key == "schema" || isOneOf(key, kKept)) copyJson(m_json, each);
            else value(each, isNamed ? std::string_view() : key, depth + 1);
        }
        m_json.endObject();
        m_isEinsum = wasEinsum;
    }

    std::string parameter(JsonValue json) {
        return json.isString() ? m_names.unlessPublic(json.asText(), NameKind::Input) : std::string();
    }

    /// "L__self__stem,stem,torch.nn.Conv2d;..." of nn_module_stack; nothing else stays.
    void metadata(JsonValue json) {
        m_json.beginObject();
        for (const JsonValue each : json) {
            if (!each.isString()) continue;
            if (each.key() == "nn_module_stack") m_json.key(each.key()).string(moduleStack(each.asText()));
            else m_names.lacks(each.asText());
        }
        m_json.endObject();
    }
    std::string moduleStack(std::string_view stack) {
        std::string out;
        for (std::size_t at = 0; at <= stack.size();) {
            const std::size_t end = std::min(stack.find(';', at), stack.size());
            const std::string_view frame = stack.substr(at, end - at);
            const std::size_t first = frame.find(','), last = frame.rfind(',');
            at = end + 1;
            if (first == frame.npos || last == first) continue;
            const std::string place = path(frame.substr(first + 1, last - first - 1));
            out += (out.empty() ? "" : ";") + ("L__self__" + place) + "," + place + "," +
                   m_names.type(frame.substr(last + 1));
        }
        return out;
    }

    std::string path(std::string_view dotted) {
        std::string out;
        for (std::size_t at = 0; at <= dotted.size() && !dotted.empty();) {
            const std::size_t dot = std::min(dotted.find('.', at), dotted.size());
            const std::string_view atom = dotted.substr(at, dot - at);
            out += (at > 0 ? "." : "") + (isNumber(atom) ? std::string(atom) : m_names.of(atom, NameKind::Module));
            at = dot + 1;
        }
        return out;
    }
    /// Of a value, a parameter or a constant. Names that follow from operators stay, with their numbers.
    std::string name(std::string_view text) {
        if (text.find('.') != text.npos) return path(text);
        const std::size_t end = text.find_last_not_of("0123456789_");
        const bool isDerived = text.empty() || (end != text.npos && isPublicWord(text.substr(0, end + 1)));
        return isDerived ? std::string(text) : m_names.of(text, NameKind::Node);
    }

    std::string text(std::string_view text, std::string_view member) {
        if (member == "expr_str" || member == "as_expr") return m_names.size(text);
        if (member == "target") return target(text);
        if (member == "in_spec" || member == "out_spec") return specification(text);
        if (member == "context" || member == "type" || member == "class_fqn") return word(text, member);
        if (member == "as_string") {
            const Argument argument{std::string(text)};
            return *withoutNames(
                        argument, m_names, [](NodeId id) { return id; }, m_isEinsum)
                        .as<std::string>();
        }
        return name(text);
    }
    std::string target(std::string_view text) {
        Callable callable;
        callable.qualifiedName = text;
        callable.name = callable.module = std::string(text);
        const bool isOperator = text.starts_with("torch.ops.");
        callable.kind = text.starts_with("torch.ops.higher_order.") ? Callable::Kind::HigherOrderOp
                        : isOperator                                ? Callable::Kind::OpOverload
                                                                    : Callable::Kind::Function;
        callable.fromTorch = text.starts_with("torch.") || text.starts_with("_operator.") || text.starts_with("math.");
        if (text.starts_with("_operator.")) callable.module = "_operator";
        return withoutName(std::make_shared<Callable>(callable), m_names)->qualifiedName;
    }
    /// A tree specification is JSON in a text, and so are contexts in it.
    std::string specification(std::string_view text) {
        if (text.empty()) return {};
        DocumentRewriter inner(m_names);
        return inner.rewritten(std::string(text));
    }
    std::string word(std::string_view text, std::string_view member) {
        try {
            if (member == "context") return specification(text);
        } catch (const Error&) {} // not JSON, but a text
        return text.find('.') != text.npos ? m_names.type(text) : m_names.unlessPublic(text, NameKind::Text);
    }

    Names& m_names;
    JsonWriter m_json;
    bool m_isEinsum = false;
};

/// The model with other weights, which the writer of exported programs puts into a file like the original.
GraphModule withOtherWeights(const GraphModule& model, const Progress& progress) {
    GraphModule out = model;
    out.root = deepCopy(*model.root);
    OtherWeights weights(progress);
    std::vector<Module*> open{out.root.get()};
    std::unordered_set<const Module*> met; // a shared module is drawn once
    while (!open.empty()) {
        Module& module = *open.back();
        open.pop_back();
        if (!met.insert(&module).second) continue;
        forEachOwnTensor(module, [&](const std::string&, TensorPtr& tensor) { tensor = weights.of(tensor); });
        for (const Module::Child& child : module.children)
            if (child.module) open.push_back(child.module.get());
    }
    return out;
}

bool isArchive(const Storage& storage) {
    std::array<char, 4> head{};
    if (storage.byteCount() < head.size()) return false;
    storage.read(0, std::as_writable_bytes(std::span(head)));
    return std::string_view(head.data(), head.size()) == std::string_view("PK\3\4", 4);
}

void copyRewritten(const ZipArchive& from, ZipWriter& to, const std::string& root, Names& names,
                   const Progress& progress) {
    DocumentRewriter rewriter(names);
    if (std::count_if(from.members().begin(), from.members().end(), [&](const ZipMember& member) {
            return member.name.starts_with(from.root() + "models/") && member.name.ends_with(".json");
        }) > 1)
        throw Error(ErrorKind::Refused, Message("anonymise.several_models"));
    for (const ZipMember& member : from.members()) {
        progress.check();
        const std::string name = member.name.substr(from.root().size());
        if (name.ends_with('/')) continue;
        if (name.starts_with("models/") && name.ends_with(".json")) {
            to.add(root + "models/model.json", rewriter.rewritten(from.readText(member, kMostJson)));
        } else if (name.starts_with("data/") && name.ends_with("_config.json")) {
            const std::string folder = name.substr(0, name.rfind('/') + 1);
            const bool isWeights = folder == "data/weights/";
            to.add(root + folder + (isWeights ? "model_weights_config.json" : "model_constants_config.json"),
                   rewriter.rewritten(from.readText(member, kMostJson)));
        } else if (name.starts_with("data/sample_inputs/")) {
            to.add(root + "data/sample_inputs/model.pt", ""); // as of a program without any
        } else if (name.starts_with("data/weights/") || name.starts_with("data/constants/")) {
            const auto storage = from.storage(member);
            if (isArchive(*storage)) throw Error(ErrorKind::Refused, Message("anonymise.pickled"));
            to.add(root + name, *storage, storage->byteCount());
        } else if (isOneOf(name, {"archive_format", "archive_version", "byteorder", ".data/version"})) {
            to.add(root + name, from.readText(member, 1000));
        }
    }
}

} // namespace

bool isProgram(const GraphModule& model) { return dynamic_cast<const Pt2Origin*>(model.origin.get()) != nullptr; }

void writeProgram(const GraphModule& model, const std::string& path, Names& names, const Progress& progress) {
    const TemporaryFolder folder;
    const std::string whole = folder.path() + "/model.pt2";
    writePt2(withOtherWeights(model, progress), whole, progress);
    ReplacedFile file(path);
    ZipWriter zip([&file](std::string_view bytes) { file.write(bytes); });
    copyRewritten(ZipArchive::open(DataFile::open(whole)), zip, std::filesystem::path(path).stem().string() + "/",
                  names, progress);
    zip.finish();
    file.commit();
}

} // namespace fx::anonymise
