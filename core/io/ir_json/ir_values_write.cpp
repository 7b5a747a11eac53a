// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_values.h"
#include "core/trace/callables.h"

#include <array>

namespace fx {
namespace {
constexpr std::array<std::string_view, 5> kKinds = {"function", "class", "op_overload", "op_packet", "higher_order_op"};

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

void IrValueWriter::writeOther(const Argument& argument) {
    if (writeExact(argument)) return;
    if (const auto* member = argument.as<EnumMember>()) {
        json().beginObject().key("enum");
        callable(*member->type, true);
        json().key("member").string(member->member).key("repr").string(member->repr);
        if (!member->str.empty()) json().key("str").string(member->str);
        json().endObject();
    } else if (const auto* function = argument.as<CallableValue>()) {
        callable(*function->callable, false);
    } else if (const auto* object = argument.as<OpaqueObject>()) {
        json().beginObject().key("opaque").string(object->typeName).key("repr").string(object->repr).endObject();
    }
}

void IrValueWriter::writeTypeOf(const Sequence& sequence) {
    json().key("type");
    callable(*sequence.type, true);
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
        json().string(name);
        return;
    }
    json().beginObject().key("callable").string(name);
    for (const Field& field : fields)
        if (field.value != field.otherwise) json().key(field.key).string(field.value);
    if (callable.kind != known->kind) json().key("kind").string(kKinds[static_cast<std::size_t>(callable.kind)]);
    if (callable.fromTorch != known->fromTorch) json().key("from_torch").boolean(callable.fromTorch);
    if (callable.opaque != known->opaque) json().key("opaque").boolean(callable.opaque);
    json().endObject();
}

/// As text when the text means the same, else in full.
void IrValueWriter::type(const TypeExpr& type) {
    const std::string text = type.repr();
    if (const TypePtr meant = typeFromText(text); meant && sameType(meant, std::make_shared<const TypeExpr>(type))) {
        json().string(text);
        return;
    }
    json().beginObject();
    switch (type.kind) {
    case TypeExpr::Kind::Text: json().key("text").string(type.name); break;
    case TypeExpr::Kind::Union: json().key("union"); break;
    case TypeExpr::Kind::Class: json().key("class"); break;
    case TypeExpr::Kind::Generic: json().key("generic"); break;
    }
    if (type.kind == TypeExpr::Kind::Class || type.kind == TypeExpr::Kind::Generic)
        json().beginArray().string(type.module).string(type.name).endArray();
    if (type.kind == TypeExpr::Kind::Generic) json().key("args");
    if (type.kind == TypeExpr::Kind::Generic || type.kind == TypeExpr::Kind::Union) {
        json().beginArray();
        for (const TypePtr& arg : type.args) this->type(*arg);
        json().endArray();
    }
    if (type.fromTorch) json().key("from_torch").boolean(true);
    json().endObject();
}

} // namespace fx
