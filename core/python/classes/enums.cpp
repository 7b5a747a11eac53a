// SPDX-License-Identifier: GPL-3.0-or-later
// Members of enums and flags.
#include "core/base/digits.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

/// What `auto()` stands for where the name decides it; numbers are known in the body already.
Value Enums::automaticValue(Class& type, const std::string& name, const Values& before) {
    if (const Value* rule = type.find("_generate_next_value_")) {
        const auto* wrapper = rule->as<Wrapper>();
        return call(wrapper ? wrapper->function : *rule,
                    {text(name), Value(std::int64_t{1}), Value::integerOf(before.size()), listOf(before)});
    }
    if (!type.derivesFrom(builtinClass("str"))) {
        const bool isCounted = !before.empty() && before.back().isInt();
        return Value(isCounted ? before.back().asInt() + 1 : std::int64_t{1});
    }
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text(lower);
}

namespace {
/// Python looks such values up by their hash; others by comparing.
bool hasHash(const Value& value) {
    if (value.kind != Value::Kind::Object) return true;
    const trace::Deeper deeper;
    if (const auto* tuple = value.as<Tuple>()) return std::all_of(tuple->items.begin(), tuple->items.end(), hasHash);
    return value.as<Str>() || value.as<Class>() || value.as<Native>();
}
} // namespace

Instance* Enums::memberOf(Class& type, const Value& value) {
    const Value& wanted = plain(value);
    if (hasHash(wanted)) {
        const Value* found = type.membersByValue.find(wanted);
        if (found) return found->as<Instance>();
    }
    for (const auto& [name, each] : type.members.items())
        if (auto* instance = each.as<Instance>(); instance && instance->type == &type) {
            if (instance == value.as<Instance>()) return instance;
            const Value* own = instance->attributes.find("_value_");
            if (own && (!hasHash(wanted) || !hasHash(*own)) && equal(*own, value)) return instance;
        }
    return nullptr;
}

Instance* Enums::enumMember(Class& type, const Value& name, const Value& value) {
    Instance* member = heap().make<Instance>();
    member->type = &type;
    for (const char* key : {"value", "_value_"}) member->attributes.set(key, value);
    for (const char* key : {"name", "_name_"}) member->attributes.set(key, name);
    for (const char* mixed : {"str", "int", "float"})
        if (type.derivesFrom(builtinClass(mixed))) member->payload = value;
    if (hasHash(plain(value))) type.membersByValue.set(plain(value), member);
    return member;
}

namespace {
/// As enum.bin shows bits, with leading zeros up to `width`.
std::string bitsOf(std::int64_t value, std::size_t width) {
    const std::string bits = digitsOf(static_cast<std::uint64_t>(value), 1);
    return "0b0 " + std::string(width - std::min(width, bits.size()), '0') + bits;
}
} // namespace

Instance* Enums::joinedFlag(Class& type, std::int64_t bits) {
    std::string name;
    std::int64_t known = 0, highest = 0;
    const Values members = list(&type);
    for (const Value& each : members) {
        const Instance& member = *each.as<Instance>();
        const std::int64_t bit = member.attributes.find("_value_")->asInt();
        known |= bit;
        highest = std::max(highest, bit);
        if (bits >= 0 && (bit & bits)) name += (name.empty() ? "" : "|") + str(*member.attributes.find("name"));
    }
    if (bits < 0) { // Python takes the bits that the others leave
        const Value positive(known & bits);
        if (Instance* same = memberOf(type, positive)) return same;
        return joinedFlag(type, positive.asInt());
    }
    if (const std::int64_t unknown = bits & ~known) {
        if (!truth(*type.find("_keeps_unknown_"))) {
            const std::size_t width = digitsOf(static_cast<std::uint64_t>(std::max(bits, highest)), 1).size();
            raise("ValueError", "<flag '" + type.name + "'> invalid value " + std::to_string(bits) + "\n    given " +
                                    bitsOf(bits, width) + "\n  allowed " + bitsOf(known, width));
        }
        if (!name.empty()) name += "|" + std::to_string(unknown);
    }
    return enumMember(type, name.empty() ? Value::none() : text(name), Value(bits));
}

Class* Enums::enumOf(Class& base, const std::string& name, const Value& given) {
    Class* type = heap().make<Class>();
    type->name = name;
    type->file = stack().frame->file;
    type->bases = {&base};
    m_in.classes().inherit(*type);
    Values names;
    if (const auto* words = given.as<Str>()) {
        std::string spaced = words->text;
        std::replace(spaced.begin(), spaced.end(), ',', ' ');
        names = list(call(attribute(text(spaced), "split"), {}));
    } else {
        names = list(given.as<Dict>() ? call(attribute(given, "items"), {}) : given);
    }
    const bool isFlag = type->find("_is_flag_") != nullptr;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto* pair = names[i].as<Tuple>();
        const Value number(isFlag ? std::int64_t{1} << i : static_cast<std::int64_t>(i + 1));
        type->members.set(str(pair ? pair->items.at(0) : names[i]), pair ? pair->items.at(1) : number);
    }
    finishEnum(*type);
    return type;
}

void Enums::finishEnum(Class& type) {
    Values values;
    const auto members = type.members.items();
    for (const auto& entry : members) {
        const std::string& name = entry.first;
        const Value& given = entry.second;
        if (name.starts_with("_") || given.as<Function>() || given.as<Wrapper>() || given.as<Property>()) continue;
        const auto* object = given.as<Instance>();
        const auto has = [&](const char* method) { return object->type->find(method) != nullptr; };
        if (object && (has("__get__") || has("__set__") || has("__delete__"))) continue; // a descriptor
        Value value = given;
        if (auto* marker = value.as<Instance>(); marker && marker->type == builtinClass("auto")) {
            const Value* known = marker->attributes.find("value"); // several names may stand for one auto()
            value = known ? *known : automaticValue(type, name, values);
            marker->attributes.set("value", value);
        }
        Instance* created = nullptr;
        if (const Value* create = type.find("__new__"); create && create->as<Function>()) {
            Values args{&type};
            if (const auto* items = value.as<Tuple>())
                args.insert(args.end(), items->items.begin(), items->items.end());
            else args.push_back(value);
            created = call(*create, std::move(args)).as<Instance>();
            const Value* own = created ? created->attributes.find("_value_") : nullptr;
            if (own) value = *own;
        }
        values.push_back(value);
        if (Instance* same = memberOf(type, value)) { // another name of that member
            type.members.set(name, same);
            continue;
        }
        Instance* member = enumMember(type, text(name), value);
        if (created) {
            for (const auto& [key, attribute] : created->attributes.items())
                if (key != "__dict__") member->attributes.set(key, attribute);
            if (created->payload.isSet()) member->payload = created->payload;
        }
        type.members.set(name, member);
        if (Value* init = type.find("__init__"); init && init->as<Function>())
            call(bound(*init, member, &type), value.as<Tuple>() ? value.get<Tuple>().items : Values{value});
    }
}

} // namespace fx::python
