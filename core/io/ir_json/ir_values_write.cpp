// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_text.h"
#include "core/io/ir_json/ir_values.h"
#include "core/trace/callables.h"

#include <array>
#include <cmath>

namespace fx {
namespace {
constexpr std::array<std::string_view, 4> kConstantKeys = {"dtype", "layout", "memory_format", "qscheme"};
constexpr std::array<std::string_view, 5> kKinds = {"function", "class", "op_overload", "op_packet", "higher_order_op"};

std::string hexadecimal(std::string_view bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

bool sameType(const TypePtr& a, const TypePtr& b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->module != b->module || a->name != b->name || a->fromTorch != b->fromTorch ||
        a->args.size() != b->args.size())
        return false;
    for (std::size_t i = 0; i < a->args.size(); ++i)
        if (!sameType(a->args[i], b->args[i])) return false;
    return true;
}
} // namespace

void IrValueWriter::argument(const Argument& argument) {
    if (argument.isNone()) {
        m_json.null();
    } else if (argument.isNode()) {
        text("node", m_graph.node(argument.node()).name());
    } else if (const auto* truth = argument.as<bool>()) {
        m_json.boolean(*truth);
    } else if (const auto* integer = argument.as<std::int64_t>()) {
        m_json.integer(*integer);
    } else if (const auto* real = argument.as<double>()) {
        number(*real);
    } else if (const auto* words = argument.as<std::string>()) {
        m_json.string(*words);
    } else if (argument.as<EllipsisValue>()) {
        m_json.beginObject().key("ellipsis").boolean(true).endObject();
    } else {
        boxed(argument);
    }
}

void IrValueWriter::boxed(const Argument& argument) {
    if (const auto* sequenceValue = argument.as<Sequence>()) return sequence(*sequenceValue);
    if (const auto* wide = argument.as<BigInt>()) {
        m_json.raw(wide->digits);
    } else if (const auto* dict = argument.as<Dict>()) {
        m_json.beginObject().key("dict").beginArray();
        for (const auto& [key, value] : dict->items) items({key, value});
        m_json.endArray().endObject();
    } else if (const auto* slice = argument.as<Slice>()) {
        m_json.beginObject().key("slice");
        items({slice->start, slice->stop, slice->step});
        m_json.endObject();
    } else if (const auto* range = argument.as<Range>()) {
        m_json.beginObject().key("range");
        items({range->start, range->stop, range->step});
        m_json.endObject();
    } else if (const auto* complex = argument.as<Complex>()) {
        m_json.beginObject().key("complex");
        items({complex->re, complex->im});
        m_json.endObject();
    } else if (const auto* bytes = argument.as<Bytes>()) {
        text("bytes", hexadecimal(bytes->data));
    } else if (const auto* constant = argument.as<TorchConstant>()) {
        text(kConstantKeys[static_cast<std::size_t>(constant->kind)], constant->name);
    } else if (const auto* device = argument.as<Device>()) {
        m_json.beginObject().key("device").string(device->type);
        if (device->index >= 0) m_json.key("index").integer(device->index);
        m_json.endObject();
    } else if (const auto* symbolic = argument.as<Symbolic>()) {
        text("symbolic", symbolic->expression);
    } else if (const auto* member = argument.as<EnumMember>()) {
        m_json.beginObject().key("enum");
        callable(*member->type, true);
        m_json.key("member").string(member->member).key("repr").string(member->repr).endObject();
    } else if (const auto* function = argument.as<CallableValue>()) {
        callable(*function->callable, false);
    } else if (const auto* object = argument.as<OpaqueObject>()) {
        m_json.beginObject().key("opaque").string(object->typeName).key("repr").string(object->repr).endObject();
    }
}

void IrValueWriter::items(const std::vector<Argument>& items) {
    m_json.beginArray();
    for (const Argument& item : items) argument(item);
    m_json.endArray();
}

void IrValueWriter::sequence(const Sequence& sequence) {
    if (sequence.kind == Sequence::Kind::List) return items(sequence.items);
    m_json.beginObject().key("tuple");
    items(sequence.items);
    if (sequence.kind == Sequence::Kind::NamedTuple) {
        m_json.key("type");
        callable(*sequence.type, true);
    }
    m_json.endObject();
}

void IrValueWriter::number(double value) {
    if (!std::isfinite(value)) return text("float", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    std::string digits;
    appendPythonFloat(digits, value);
    m_json.raw(digits);
}

/// The name alone when it leads back to the same callable, else also what differs.
void IrValueWriter::callable(const Callable& callable, bool asTarget) {
    const std::string name = callable.prettyName();
    const CallablePtr known = resolveCallable(name);
    struct Field {
        std::string_view key;
        const std::string &value, &otherwise;
    };
    const std::array<Field, 4> fields = {{{"module", callable.module, known->module},
                                          {"name", callable.name, known->name},
                                          {"qualified_name", callable.qualifiedName, known->qualifiedName},
                                          {"repr", callable.repr, known->repr}}};
    bool same =
        callable.kind == known->kind && callable.fromTorch == known->fromTorch && callable.opaque == known->opaque;
    for (const Field& field : fields) same = same && field.value == field.otherwise;
    if (same && asTarget && !callable.opaque) {
        m_json.string(name);
        return;
    }
    m_json.beginObject().key("callable").string(name);
    for (const Field& field : fields)
        if (field.value != field.otherwise) m_json.key(field.key).string(field.value);
    if (callable.kind != known->kind) m_json.key("kind").string(kKinds[static_cast<std::size_t>(callable.kind)]);
    if (callable.fromTorch != known->fromTorch) m_json.key("from_torch").boolean(callable.fromTorch);
    if (callable.opaque != known->opaque) m_json.key("opaque").boolean(callable.opaque);
    m_json.endObject();
}

/// As text when the text means the same, else in full.
void IrValueWriter::type(const TypeExpr& type) {
    const std::string text = type.repr();
    if (const TypePtr meant = typeFromText(text); meant && sameType(meant, std::make_shared<const TypeExpr>(type))) {
        m_json.string(text);
        return;
    }
    m_json.beginObject();
    switch (type.kind) {
    case TypeExpr::Kind::Text: m_json.key("text").string(type.name); break;
    case TypeExpr::Kind::Union: m_json.key("union"); break;
    case TypeExpr::Kind::Class: m_json.key("class"); break;
    case TypeExpr::Kind::Generic: m_json.key("generic"); break;
    }
    if (type.kind == TypeExpr::Kind::Class || type.kind == TypeExpr::Kind::Generic)
        m_json.beginArray().string(type.module).string(type.name).endArray();
    if (type.kind == TypeExpr::Kind::Generic) m_json.key("args");
    if (type.kind == TypeExpr::Kind::Generic || type.kind == TypeExpr::Kind::Union) {
        m_json.beginArray();
        for (const TypePtr& arg : type.args) this->type(*arg);
        m_json.endArray();
    }
    if (type.fromTorch) m_json.key("from_torch").boolean(true);
    m_json.endObject();
}

} // namespace fx
