// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/program_reader.h"

#include "core/diag/error.h"
#include "core/ir/graph.h"
#include "core/ir/print.h"
#include "core/json/json_document.h"

#include <cstdlib>

namespace fx::script {

const Method* Class::method(std::string_view wanted) const {
    for (const Method& method : methods)
        if (method.name == wanted) return &method;
    return nullptr;
}

const Class::Attribute* Class::attribute(std::string_view wanted) const {
    for (const Attribute& attribute : attributes)
        if (attribute.name == wanted) return &attribute;
    return nullptr;
}

std::string attributeName(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c == '.') out += "__";
        else out += c;
    return out;
}

const Class* Program::findClass(const std::string& name) const {
    if (m_byName.empty())
        for (const Class& type : classes) m_byName.emplace(type.name, &type);
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : found->second;
}

Argument enumMember(const std::string& className, const Argument& value) {
    std::string text = className + "(";
    appendRepr(text, Graph(), value);
    return Argument(OpaqueObject{std::string(kEnum), text + ")", {}});
}

std::string plainClassName(std::string_view name) {
    std::string out;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('.'), name.size());
        const std::string_view atom = name.substr(0, end);
        if (atom != "__torch__" && !atom.starts_with("___torch_mangle_")) {
            if (!out.empty()) out += '.';
            out += atom;
        }
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return out;
}

namespace {

constexpr int kMostBlocks = 200; ///< nested in each other

/// Throws Error{Refused} if branches are nested more deeply than the description can be read.
std::shared_ptr<const JsonDocument> parsed(const std::string& json) {
    try {
        return JsonDocument::parse(json);
    } catch (const Error& error) {
        if (error.message().argument("cause") != "json.too_deep") throw;
        const Message reason("script.too_deep");
        throw Error(ErrorKind::Refused,
                    Message("script.no_graph", {{"reason", reason.text()}, {"cause", reason.code()}}));
    }
}

class Reader {
public:
    explicit Reader(const ProgramText& text) : m_text(text), m_document(parsed(text.json)) {}

    Program read() {
        const JsonValue root = m_document->root();
        for (const JsonValue kind : root.at("kinds").needArray()) {
            const std::string name(kind.asText());
            const std::size_t dot = name.find('.');
            m_program.kinds.push_back({name.substr(0, dot), dot == name.npos ? std::string() : name.substr(dot + 1)});
        }
        m_program.sources = root.at("sources").texts();
        for (const JsonValue constant : root.at("constants").needArray())
            m_program.constants.push_back(this->constant(constant, 0));
        readTypes(root.at("types"), root.at("classes").size(), root.at("functions").size());
        for (const JsonValue type : root.at("classes").needArray()) m_program.classes.push_back(classOf(type));
        for (const JsonValue function : root.at("functions").needArray())
            m_program.functions.push_back(method(function));
        m_program.missing = root.at("missing").texts();
        m_program.root = static_cast<std::int32_t>(index(root.at("root"), m_program.classes.size()));
        return std::move(m_program);
    }

private:
    static std::uint32_t index(JsonValue value, std::size_t limit) {
        const std::int64_t number = value.asInt();
        if (number < 0 || static_cast<std::uint64_t>(number) >= limit) throw value.error(Message("script.index"));
        return static_cast<std::uint32_t>(number);
    }
    std::int32_t optionalIndex(JsonValue value, std::size_t limit) const {
        return value.asInt() < 0 ? -1 : static_cast<std::int32_t>(index(value, limit));
    }

    void readTypes(JsonValue types, std::size_t classes, std::size_t functions) {
        for (const JsonValue row : types.needArray()) {
            Type type;
            type.text = row.at("text").asText();
            if (const JsonValue at = row.find("class"); at.exists())
                type.classIndex = static_cast<int>(index(at, classes));
            if (const JsonValue at = row.find("function"); at.exists())
                type.functionIndex = static_cast<int>(index(at, functions));
            m_program.types.push_back(std::move(type));
        }
    }

    // ── constants ──

    std::vector<Argument> items(JsonValue array, int depth) {
        std::vector<Argument> out;
        for (const JsonValue item : array.needArray()) out.push_back(literal(item, depth + 1));
        return out;
    }

    Argument literal(JsonValue value, int depth) {
        if (depth > kMaxArgumentDepth) throw value.error(Message("script.too_deep"));
        switch (value.kind()) {
        case JsonValue::Kind::Null: return {};
        case JsonValue::Kind::Bool: return value.asBool();
        case JsonValue::Kind::Int: return value.asInt();
        case JsonValue::Kind::String: return Argument(value.asText());
        case JsonValue::Kind::Array: return Argument::list(items(value, depth));
        default: break;
        }
        const JsonValue first = *value.needObject().begin();
        const std::string_view key = first.key();
        if (key == "float") return std::strtod(std::string(first.asText()).c_str(), nullptr);
        if (key == "tuple") return Argument::tuple(items(first, depth));
        if (key == "device") {
            const std::string text(first.asText());
            const std::size_t colon = text.find(':');
            Device device{text.substr(0, colon)};
            if (colon != text.npos) device.index = std::atoi(text.c_str() + colon + 1);
            return Argument(device);
        }
        if (key == "complex") {
            const std::vector<Argument> parts = items(first, depth);
            if (parts.size() == 2 && parts[0].as<double>() && parts[1].as<double>())
                return Argument(Complex{*parts[0].as<double>(), *parts[1].as<double>()});
        }
        if (key == "enum") {
            const std::vector<Argument> parts = items(first, depth);
            if (parts.size() == 2 && parts[0].as<std::string>())
                return enumMember(*parts[0].as<std::string>(), parts[1]);
        }
        if (key == "dict") {
            std::vector<std::pair<Argument, Argument>> entries;
            for (const JsonValue pair : first.needArray()) {
                std::vector<Argument> both = items(pair, depth);
                if (both.size() != 2) throw pair.error(Message("script.index"));
                entries.emplace_back(std::move(both[0]), std::move(both[1]));
            }
            return Argument::dict(std::move(entries));
        }
        return Argument(OpaqueObject{std::string(key == "other" ? first.asText() : key), "<object>", {}});
    }

    Program::Constant constant(JsonValue value, int depth) {
        if (const JsonValue tensor = value.isObject() ? value.find("tensor") : JsonValue(); tensor.exists())
            return this->tensor(tensor);
        return literal(value, depth);
    }

    TensorPtr tensor(JsonValue row) {
        TensorRef out;
        const auto dtype = dtypeFromName(row.at("dtype").asText());
        if (!dtype) throw row.error(Message("script.index"));
        out.dtype = *dtype;
        out.sizes = row.at("sizes").integers();
        out.strides.assign(out.sizes.size(), 1);
        for (std::size_t i = out.sizes.size(); i-- > 1;)
            out.strides[i - 1] = out.strides[i] * std::max<std::int64_t>(1, out.sizes[i]);
        const auto at = static_cast<std::uint64_t>(row.at("at").asInt());
        const auto bytes = static_cast<std::uint64_t>(out.byteCount());
        const std::uint64_t all = m_text.bytes ? m_text.bytes->size() : 0;
        if (at > all || bytes > all - at) throw row.error(Message("remote.tensor_outside"));
        std::vector<std::byte> content(bytes);
        if (bytes > 0) std::copy_n(m_text.bytes->data() + at, bytes, content.data());
        out.storage = Storage::inMemory(std::move(content));
        if (const JsonValue quantizer = row.find("quantizer"); quantizer.exists())
            out.quantizer = this->quantizer(quantizer);
        return std::make_shared<const TensorRef>(std::move(out));
    }

    Quantizer quantizer(JsonValue row) {
        Quantizer out;
        out.perChannel = row.find("axis").exists();
        if (out.perChannel) {
            out.axis = row.at("axis").asInt();
            out.scales = tensor(row.at("scales").at("tensor"));
            out.zeroPoints = tensor(row.at("zero_points").at("tensor"));
        } else {
            const Argument scale = literal(row.at("scale"), 0);
            if (!scale.as<double>()) throw row.error(Message("script.index"));
            out.scale = *scale.as<double>();
            out.zeroPoint = row.at("zero_point").asInt();
        }
        return out;
    }

    // ── classes and graphs ──

    Class classOf(JsonValue value) {
        Class out;
        out.name = value.at("name").asText();
        out.isModule = value.at("module").asBool();
        for (const JsonValue row : value.at("attributes").needArray()) {
            const std::int64_t kind = row.at("kind").asInt();
            out.attributes.push_back({attributeName(row.at("name").asText()),
                                      index(row.at("type"), m_program.types.size()),
                                      kind == 1   ? Class::Attribute::Kind::Parameter
                                      : kind == 2 ? Class::Attribute::Kind::Buffer
                                                  : Class::Attribute::Kind::Plain});
        }
        for (const JsonValue row : value.at("constants").needArray())
            out.constants.emplace_back(row.at("name").asText(),
                                       static_cast<std::int32_t>(index(row.at("value"), m_program.constants.size())));
        for (const JsonValue row : value.at("methods").needArray()) out.methods.push_back(method(row));
        return out;
    }

    Method method(JsonValue value) {
        Method out;
        out.name = value.at("name").asText();
        for (const JsonValue row : value.at("parameters").needArray())
            out.parameters.push_back({std::string(row.at("name").asText()), std::string(row.at("type").asText()),
                                      optionalIndex(row.at("default"), m_program.constants.size())});
        for (const JsonValue row : value.at("values").needArray()) {
            JsonValue::Iterator member = row.needArray().begin();
            Value made;
            if (row.size() != 2) throw row.error(Message("script.index"));
            made.name = (*member).asText();
            made.type = index(*++member, m_program.types.size());
            out.values.push_back(std::move(made));
        }
        out.body = block(value.at("body"), out.values.size(), 0);
        return out;
    }

    Block block(JsonValue value, std::size_t values, int depth) {
        if (depth > kMostBlocks) throw value.error(Message("script.too_deep"));
        Block out;
        out.inputs = ids(value.at("in"), values), out.outputs = ids(value.at("out"), values);
        for (const JsonValue row : value.at("nodes").needArray()) out.nodes.push_back(node(row, values, depth));
        return out;
    }

    static std::vector<std::uint32_t> ids(JsonValue array, std::size_t values) {
        std::vector<std::uint32_t> out;
        for (const JsonValue id : array.needArray()) out.push_back(index(id, values));
        return out;
    }

    /// [kind, inputs, outputs, source], then a constant's index, a name, bounds or types, `true` for more attributes,
    /// or blocks
    Node node(JsonValue row, std::size_t values, int depth) {
        Node out;
        std::size_t place = 0;
        for (const JsonValue member : row.needArray()) {
            switch (place++) {
            case 0: out.kind = index(member, m_program.kinds.size()); break;
            case 1: out.inputs = ids(member, values); break;
            case 2: out.outputs = ids(member, values); break;
            case 3: out.source = optionalIndex(member, m_program.sources.size()); break;
            default: more(out, member, values, depth);
            }
        }
        if (place < 4) throw row.error(Message("script.index"));
        return out;
    }

    void more(Node& out, JsonValue member, std::size_t values, int depth) {
        switch (member.kind()) {
        case JsonValue::Kind::Int:
            out.constant = static_cast<std::int32_t>(index(member, m_program.constants.size()));
            break;
        case JsonValue::Kind::String: out.name = attributeName(member.asText()); break;
        case JsonValue::Kind::Bool: out.hasMore = true; break;
        case JsonValue::Kind::Object: named(out, member); break;
        default:
            for (const JsonValue inner : member.needArray()) out.blocks.push_back(block(inner, values, depth + 1));
        }
    }

    void named(Node& out, JsonValue member) const {
        const JsonValue types = member.find("types");
        if (!types.exists()) return void(out.bounds.emplace(member.at("from").asInt(), member.at("to").asInt()));
        out.hasMore = true; // blocks cannot write it
        for (const JsonValue type : types.needArray()) out.types.push_back(index(type, m_program.types.size()));
    }

    const ProgramText& m_text;
    std::shared_ptr<const JsonDocument> m_document;
    Program m_program;
};

} // namespace

Program readProgram(const ProgramText& text) { return Reader(text).read(); }

} // namespace fx::script
