// SPDX-License-Identifier: GPL-3.0-or-later
// Members of enums and flags.
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <array>

namespace fx::python {

namespace {
bool isStrEnum(const Class& type) {
    return std::any_of(type.order.begin(), type.order.end(), [](const Class* each) {
        return each->name == "StrEnum" && each->file && each->file->path.empty();
    });
}
} // namespace

/// What `auto()` stands for where the name decides it; numbers are known in the body already.
Value Enums::automaticValue(Class& type, const std::string& name, const Values& before, std::int64_t start) {
    if (const Value* rule = type.find("_generate_next_value_")) {
        const auto* wrapper = rule->as<Wrapper>();
        return call(wrapper ? wrapper->function : *rule,
                    {text(name), Value(start), Value::integerOf(before.size()), listOf(before)});
    }
    if (!isStrEnum(type)) return nextValue(before, start);
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text(lower);
}

Value Enums::nextValue(const Values& before, std::int64_t start) {
    if (before.empty()) return Value(start);
    const auto isText = [](const Value& each) { return each.as<Str>() != nullptr; };
    if (std::all_of(before.begin(), before.end(), isText)) return Value(start); // to which Python cannot add 1
    const Value& last = before.back();
    const bool isHighest = std::all_of(before.begin(), before.end(), [&](const Value& each) {
        return each.isNumber() && last.isNumber() && orderOfNumbers(each, last) <= 0;
    });
    if (!isHighest) throw trace::CannotFollow(Message("trace.not_computed", {{"function", "enum.auto()"}}));
    return binary("add", last, Value(std::int64_t{1}));
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

Value Enums::called(Class& type, const Values& args, Keywords& kwargs) {
    const Value *names = keyword(kwargs, "names"), *value = keyword(kwargs, "value");
    if (args.empty() && !value)
        raise("TypeError", "EnumType.__call__() missing 1 required positional argument: 'value'");
    const Value first = args.empty() ? *value : args[0], second = args.size() > 1 ? args[1] : names ? *names : Value();
    if (second.isSet() && !second.isNone()) {
        if (!list(&type).empty())
            raise("TypeError", "<enum '" + str(first) + "'> cannot extend <enum '" + type.name + "'>");
        return enumOf(type, str(first), second, kwargs);
    }
    if (Instance* member = memberOf(type, first)) return member;
    Value made = Value::none();
    if (Value* missing = type.find("_missing_")) made = call(bound(*missing, {}, &type), {first});
    if (made.isNone()) raise("ValueError", repr(first) + " is not a valid " + type.pathInFile());
    if (!isInstance(made, &type))
        raise("TypeError",
              "error in " + type.name + "._missing_: returned " + repr(made) + " instead of None or a valid member");
    return made;
}

Instance* Enums::enumMember(Class& type, const Value& name, const Value& value) {
    Instance* member = heap().make<Instance>();
    member->type = &type;
    for (const char* key : {"value", "_value_"}) member->attributes.set(key, value);
    for (const char* key : {"name", "_name_"}) member->attributes.set(key, name);
    for (const char* mixed : {"str", "int", "float", "tuple"})
        if (type.derivesFrom(builtinClass(mixed))) member->payload = value;
    if (hasHash(plain(value))) type.membersByValue.set(plain(value), member);
    return member;
}

Instance* Enums::joinedFlag(Class& type, const Value& bits, const Value& name, bool isKept) {
    Instance* same = isKept ? memberOf(type, bits) : nullptr;
    if (same) return same;
    Instance* made = enumMember(type, name, bits);
    if (!isKept) type.membersByValue.erase(bits);
    return made;
}

Class* Enums::enumOf(Class& base, const std::string& name, const Value& given, Keywords& options) {
    const auto option = [&](std::string_view key) {
        const Value* found = keyword(options, key);
        return found && !found->isNone() ? *found : Value();
    };
    if (option("boundary").isSet())
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", "enum.Flag(boundary=...)"}}));
    Class* type = heap().make<Class>();
    type->name = name;
    type->file = stack().frame->file;
    if (auto* mixed = option("type").as<Class>()) type->bases.push_back(mixed);
    type->bases.push_back(&base);
    m_in.classes().inherit(*type);
    if (const auto* path = option("qualname").as<Str>()) type->qualifiedName = path->text;
    if (const Value module = option("module"); module.as<Str>()) type->members.set("__module__", module);
    Values names;
    if (given.as<Str>()) {
        names = listedNames(given);
    } else {
        names = list(given.as<Dict>() ? call(attribute(given, "items"), {}) : given);
    }
    const std::int64_t start = option("start").isSet() ? option("start").asInt() : 1;
    const bool isFlag = type->find("_is_flag_") != nullptr;
    Values before;
    for (std::size_t i = 0; i < names.size(); ++i) {
        Value value;
        if (names[i].as<Str>()) {
            value = isFlag && !type->find("_generate_next_value_")
                        ? Value(nextBit(before, start))
                        : automaticValue(*type, str(names[i]), before, start);
            before.push_back(value);
        } else {
            value = item(names[i], Value(std::int64_t{1}));
            names[i] = item(names[i], Value(std::int64_t{0}));
        }
        type->members.set(str(names[i]), value);
    }
    finishEnum(*type);
    return type;
}

std::int64_t Enums::nextBit(const Values& before, std::int64_t start) {
    std::int64_t bit = 1, highest = 0;
    for (const Value& each : before) highest = std::max(highest, each.isInt() ? each.asInt() : 0);
    while (bit <= highest && bit < (std::int64_t{1} << 61)) bit *= 2;
    return before.empty() ? start : bit;
}

namespace {
bool isSunder(std::string_view name) {
    return name.size() > 2 && name.starts_with('_') && name.ends_with('_') && name[1] != '_' &&
           name[name.size() - 2] != '_';
}
bool isDunder(std::string_view name) { return name.size() > 4 && name.starts_with("__") && name.ends_with("__"); }
} // namespace

/// Whether a name in the body of an enum names a member, by the name alone. Raises ValueError for reserved ones.
bool Enums::namesMember(const Class& type, const std::string& name) {
    static constexpr std::string_view kKnown[] = {"_order_",  "_generate_next_value_", "_numeric_repr_", "_missing_",
                                                  "_ignore_", "_iter_member_"};
    if (isDunder(name) || name.starts_with("_" + type.name + "__")) return false;
    if (!isSunder(name)) {
        if (name == "mro" || name.empty()) raise("ValueError", "invalid enum member name(s) " + repr(text(name)));
        return true;
    }
    const bool isOfProgram = type.file && !type.file->path.empty();
    if (isOfProgram && std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown))
        raise("ValueError", "_sunder_ names, such as " + repr(text(name)) + ", are reserved for future Enum use");
    return false;
}

/// The names that a text or a sequence in the body of an enum lists.
Values Enums::listedNames(const Value& given) {
    if (!given.as<Str>()) return list(given);
    std::string spaced = given.get<Str>().text;
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
    return list(call(attribute(text(spaced), "split"), {}));
}

/// Removes what `_ignore_` lists.
void Enums::dropIgnored(Class& type) {
    const Value* given = type.members.find("_ignore_");
    if (!given) return;
    for (const Value& name : listedNames(Value(*given))) type.members.erase(str(name));
    type.members.erase("_ignore_");
}

/// Compares the members with `_order_`.
void Enums::checkOrder(Class& type) {
    const Value* given = type.members.find("_order_");
    if (!given) return;
    Values names, wanted;
    for (const Value& member : list(&type)) names.push_back(attribute(member, "name"));
    for (const Value& name : listedNames(Value(*given))) {
        const Value* found = type.members.find(str(name));
        const auto* member = found ? found->as<Instance>() : nullptr;
        const bool isOther =
            member && member->type == &type &&
            std::none_of(names.begin(), names.end(), [&](const Value& each) { return equal(each, name); });
        if (!isOther) wanted.push_back(name); // neither an alias nor several bits
    }
    type.members.erase("_order_");
    const Value made = listOf(names), listed = listOf(wanted);
    if (!equal(made, listed))
        raise("TypeError", "member order does not match _order_:\n  " + repr(made) + "\n  " + repr(listed));
}

/// Throws CannotFollow for a data type whose values members do not hold: `class E(dict, Enum)`, or a class of the
/// program that is derived from one.
void Enums::requireHeld(const Class& type) {
    const auto derivesFrom = [&](const Class& each, auto names) {
        return std::any_of(names.begin(), names.end(),
                           [&](const char* name) { return each.derivesFrom(builtinClass(name)); });
    };
    for (const Class* each : type.order) {
        if (each->isEnum) continue;
        const bool isOther = derivesFrom(*each, std::array{"dict", "list", "set", "frozenset", "complex", "bytes"});
        const bool isOfProgram = each->isNamedTuple || (each->file && !each->file->path.empty());
        if (isOther || (isOfProgram && derivesFrom(*each, std::array{"str", "int", "float", "tuple"})))
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "enum.Enum of " + each->name}}));
    }
}

/// The value of a member: that of the data type, `int` of `class E(int, Enum)`, made of what the body says.
Value Enums::convertedValue(Class& type, const Value& value) {
    if (isStrEnum(type) && !value.as<Tuple>()) {
        if (!plain(value).as<Str>()) raise("TypeError", repr(value) + " is not a string");
        return value;
    }
    if (type.derivesFrom(builtinClass("tuple")) && !value.as<Tuple>())
        return call(builtinClass("tuple"), {tuple({value})});
    for (const char* mixed : {"str", "int", "float"})
        if (Class* data = builtinClass(mixed); type.derivesFrom(data) && !type.derivesFrom(builtinClass("bool")))
            return call(data, value.as<Tuple>() ? value.get<Tuple>().items : Values{value});
    return value;
}

void Enums::finishEnum(Class& type) {
    requireHeld(type);
    Values values; // as written
    dropIgnored(type);
    const auto members = type.members.items();
    for (const auto& entry : members) {
        const std::string& name = entry.first;
        const Value& given = entry.second;
        if (!namesMember(type, name) || given.as<Function>() || given.as<Wrapper>() || given.as<Property>()) continue;
        const auto* object = given.as<Instance>();
        const auto has = [&](const char* method) { return object->type->find(method) != nullptr; };
        if (object && (has("__get__") || has("__set__") || has("__delete__"))) continue; // a descriptor
        Value value = given;
        if (auto* marker = value.as<Instance>(); marker && marker->type == builtinClass("auto")) {
            const Value* known = marker->attributes.find("value"); // several names may stand for one auto()
            value = known ? *known : automaticValue(type, name, values, 1);
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
            values.push_back(value);
        } else {
            values.push_back(value);
            value = convertedValue(type, value);
        }
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
    checkOrder(type);
}

} // namespace fx::python
