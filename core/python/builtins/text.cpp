// SPDX-License-Identifier: GPL-3.0-or-later
// Strings: str(), repr() and the methods of str.
#include "core/base/character_table.h"
#include "core/base/python_text.h"
#include "core/base/utf8.h"
#include "core/python/interpreter.h"

#include <algorithm>
#include <cctype>
#include <span>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// repr() of a function; operators of torch.ops have another str().
std::string reprOf(const Callable& function) {
    const std::string& name = function.repr; // of an operator: its str()
    if (function.kind == Callable::Kind::OpPacket) return "<OpOverloadPacket(op='" + name + "')>";
    if (function.kind != Callable::Kind::OpOverload) return name;
    const auto dot = name.rfind('.');
    return "<OpOverload(op='" + name.substr(0, dot) + "', overload='" + name.substr(dot + 1) + "')>";
}
} // namespace

std::string Interpreter::str(const Value& value) {
    if (const auto* text = value.as<Str>()) return text->text;
    if (const auto* instance = value.as<Instance>()) {
        if (const Value own = specialMethod(value, "__str__"); own.isSet()) return str(call(own, {}));
        if (instance->type->isException) {
            const Value* args = instance->attributes.find("args");
            const auto* items = args ? args->as<Tuple>() : nullptr;
            if (!items || items->items.empty()) return "";
            const bool isKey = instance->type->derivesFrom(builtinClass("KeyError"));
            return items->items.size() == 1 && !isKey ? str(items->items[0]) : repr(isKey ? items->items[0] : *args);
        }
        if (instance->type->isEnum) return instance->type->name + "." + str(*instance->attributes.find("name"));
        if (instance->payload.isSet() && !instance->type->isNamedTuple && !instance->type->find("__repr__"))
            return str(instance->payload);
    }
    if (const auto* traced = value.as<Traced>()) {
        if (const auto* function = traced->value.as<trace::FunctionValue>()) return function->callable->repr;
        const auto* argument = traced->value.as<Argument>();
        if (const auto* device = argument ? argument->as<Device>() : nullptr)
            return device->type + (device->index < 0 ? "" : ":" + std::to_string(device->index));
    }
    return repr(value);
}

std::string Interpreter::repr(const Value& value) {
    std::string out;
    const auto join = [&](const Values& items) {
        for (std::size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + repr(items[i]);
    };
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return "None";
    case Value::Kind::Bool: return value.boolean ? "True" : "False";
    case Value::Kind::Int: return std::to_string(value.integer);
    case Value::Kind::Float: appendPythonFloat(out, value.real); return out;
    case Value::Kind::Object: break;
    }
    if (m_depth > kMaxCalls) return "...";
    if (const auto* text = value.as<Str>()) {
        appendPythonString(out, text->text);
    } else if (const auto* tuple = value.as<Tuple>()) {
        out = tuple->isSize ? "torch.Size([" : "(";
        join(tuple->items);
        out += tuple->isSize ? "])" : tuple->items.size() == 1 ? ",)" : ")";
    } else if (const auto* list = value.as<List>()) {
        out = "[";
        join(list->items);
        out += "]";
    } else if (const auto* dict = value.as<Dict>()) {
        out = "{";
        dict->forEach([&](const Value& key, const Value& each) {
            out += (out.size() > 1 ? ", " : "");
            out += dict->isOrdered ? "(" + repr(key) + ", " + repr(each) + ")" : repr(key) + ": " + repr(each);
        });
        if (dict->isOrdered) out = "OrderedDict(" + (dict->size() ? "[" + out.substr(1) + "]" : "") + ")";
        else out += "}";
        if (dict->factory.isSet()) out = "defaultdict(" + repr(dict->factory) + ", " + out + ")";
    } else if (const auto* set = value.as<Set>()) {
        out = "{";
        set->items.forEach([&](const Value& key, const Value&) { out += (out.size() > 1 ? ", " : "") + repr(key); });
        out += "}";
        if (set->items.size() == 0) out = set->isFrozen ? "" : "set()";
        if (set->isFrozen) out = "frozenset(" + out + ")";
    } else if (const auto* view = value.as<DictView>()) {
        out = viewName(*view) + "([";
        join(viewed(*view));
        out += "])";
    } else if (const auto* range = value.as<RangeObject>()) {
        out = "range(" + std::to_string(range->start) + ", " + std::to_string(range->stop) +
              (range->step == 1 ? "" : ", " + std::to_string(range->step)) + ")";
    } else if (const auto* instance = value.as<Instance>()) {
        if (const Value own = specialMethod(value, "__repr__"); own.isSet()) return str(call(own, {}));
        if (instance->type->isEnum)
            return "<" + instance->type->name + "." + str(*instance->attributes.find("name")) + ": " +
                   repr(*instance->attributes.find("value")) + ">";
        if (instance->type->isException) {
            const Value& args = *instance->attributes.find("args");
            const auto* items = args.as<Tuple>();
            return instance->type->name +
                   (items && items->items.size() == 1 ? "(" + repr(items->items[0]) + ")" : repr(args));
        }
        if (instance->type->isDataclass || instance->type->isNamedTuple) {
            out = instance->type->name + "(";
            for (const std::string& field : instance->type->fields)
                if (const Value* each = instance->attributes.find(field))
                    out += (out.back() == '(' ? "" : ", ") + field + "=" + repr(*each);
            return out + ")";
        }
        if (instance->payload.isSet()) return repr(instance->payload);
        if (instance->module) return instance->type->name + "()";
        return "<" + instance->type->name + " object>";
    } else if (const auto* type = value.as<Class>()) {
        const std::string space = type->file ? type->file->name + "." : std::string();
        out = "<class '" + (type->torchPath.empty() ? space + type->pathInFile() : type->torchPath) + "'>";
    } else if (const auto* function = value.as<Function>()) {
        out = "<function " + function->qualifiedName + " at 0x0>";
    } else if (const auto* traced = value.as<Traced>()) {
        if (const auto* proxy = traced->value.as<trace::Proxy>())
            return "Proxy(" + m_tracer->graph().node(proxy->node).name() + ")";
        if (traced->value.isProxy())
            return "Proxy(" + m_tracer->graph().node(m_tracer->toArgument(traced->value).node()).name() + ")";
        const auto* known = traced->value.as<trace::FunctionValue>();
        out = known ? reprOf(*known->callable) : trace::textOf(traced->value);
    } else if (const auto* opaque = value.as<Opaque>()) {
        if (printed && opaque->path.ends_with("()")) // a report would show as known what is not
            throw CannotFollow(unknownImport(opaque->path));
        out = "<" + opaque->path + ">";
    } else if (const auto* slice = value.as<SliceObject>()) {
        out = "slice(" + repr(slice->start) + ", " + repr(slice->stop) + ", " + repr(slice->step) + ")";
    } else {
        out = "<object>";
    }
    return out;
}

// ── methods of str ───────────────────────────────────────────────────────────────────────────────────────────────

namespace {
constexpr std::string_view kSpace = " \t\n\r\f\v";

std::string stripped(const std::string& text, std::string_view chars, bool left, bool right) {
    std::size_t begin = left ? text.find_first_not_of(chars) : 0;
    if (begin == std::string::npos) return "";
    const std::size_t end = right ? text.find_last_not_of(chars) + 1 : text.size();
    return text.substr(begin, end - begin);
}
std::vector<std::string> splitText(const std::string& text, const std::string& by, std::int64_t most, bool fromRight) {
    std::vector<std::string> parts;
    if (by.empty()) {
        for (std::size_t at = 0; (at = text.find_first_not_of(kSpace, at)) != std::string::npos;) {
            if (most >= 0 && static_cast<std::int64_t>(parts.size()) == most) {
                parts.push_back(stripped(text.substr(at), kSpace, false, true));
                break;
            }
            const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
            parts.push_back(text.substr(at, end - at));
            at = end;
        }
        return parts;
    }
    std::string rest = text;
    while (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
        const std::size_t at = fromRight ? rest.rfind(by) : rest.find(by);
        if (at == std::string::npos) break;
        parts.push_back(fromRight ? rest.substr(at + by.size()) : rest.substr(0, at));
        rest = fromRight ? rest.substr(0, at) : rest.substr(at + by.size());
    }
    parts.push_back(rest);
    if (fromRight) std::reverse(parts.begin(), parts.end());
    return parts;
}
std::string replacedAll(std::string text, const std::string& from, const std::string& to, std::int64_t most) {
    if (from.empty()) return text;
    for (std::size_t at = 0; most != 0 && (at = text.find(from, at)) != std::string::npos; at += to.size(), --most)
        text.replace(at, from.size(), to);
    return text;
}

constexpr auto kDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
template<class Is> bool all(const std::string& text, Is is) { return std::all_of(text.begin(), text.end(), is); }

namespace letters {
#include "core/base/letter_tables.inc"
}
using Table = std::span<const char32_t>;
template<class Is> bool anyCharacter(std::string_view text, Is is) {
    for (std::size_t at = 0; at < text.size();) {
        char32_t point = 0;
        at += std::max<std::size_t>(decodeUtf8(text.substr(at), point), 1);
        if (is(point)) return true;
    }
    return false;
}
/// `str.isalpha` and such: one of the tables for every character, and at least one.
bool areAll(std::string_view text, std::initializer_list<Table> tables) {
    return !text.empty() && !anyCharacter(text, [&](char32_t c) {
        return std::none_of(tables.begin(), tables.end(), [&](Table table) { return holdsFor(table, c); });
    });
}
/// `str.isupper`: characters of this case, and none of the others.
bool isCased(std::string_view text, Table wanted, Table other) {
    return anyCharacter(text, [&](char32_t c) { return holdsFor(wanted, c); }) && !anyCharacter(text, [&](char32_t c) {
               return holdsFor(other, c) || (holdsFor(letters::kTitle, c) && !holdsFor(letters::kUpper, c));
           });
}
} // namespace

namespace {
/// The `}` of a field of `str.format`, whose specification may have fields of its own.
std::size_t endOfField(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        if (text[at] == '{') ++depth;
        if (text[at] == '}' && --depth == 0) return at;
    }
    return std::string::npos;
}

/// What a field of `str.format` names: `0` or `name`, then any `.attribute` and `[key]`.
Value fieldOf(Interpreter& in, const std::string& field, const Values& args, const Keywords& kwargs,
              std::size_t& next) {
    const std::size_t end = std::min(field.find_first_of(".["), field.size());
    const std::string first = field.substr(0, end);
    const bool isNumber = all(first, kDigit);
    Value value;
    if (isNumber) {
        const std::size_t place = first.empty() ? next++ : static_cast<std::size_t>(std::stoul(first));
        if (place < args.size()) value = args[place];
    }
    for (const auto& [key, each] : kwargs)
        if (!isNumber && key == first) value = each;
    if (!value.isSet() && !isNumber) in.raise("KeyError", in.repr(in.text(first)));
    if (!value.isSet()) in.raise("IndexError", "Replacement index out of range for positional args tuple");
    for (std::size_t at = end; at < field.size();) {
        const bool isKey = field[at] == '[';
        const std::size_t stop =
            std::min(isKey ? field.find(']', at) : field.find_first_of(".[", at + 1), field.size());
        const std::string part = field.substr(at + 1, stop - at - 1);
        if (!isKey) value = in.attribute(value, part);
        else if (all(part, kDigit)) value = in.item(value, {static_cast<std::int64_t>(std::stoll(part))});
        else value = in.item(value, in.text(part));
        at = isKey ? stop + 1 : stop;
    }
    return value;
}

/// `center`; of an odd rest, one more is to the left where the width is odd.
Value centred(Interpreter& in, const std::string& text, const Values& args) {
    const std::string fill = args.size() > 1 ? in.str(args[1]) : " ";
    if (fill.size() != 1) in.raise("TypeError", "The fill character must be exactly one character long");
    const auto width = static_cast<std::size_t>(std::clamp<std::int64_t>(args.at(0).asInt(), 0, 10000));
    const std::size_t shown = characterCount(text);
    if (shown >= width) return in.text(text);
    const std::size_t missing = width - shown, left = missing / 2 + (missing & width & 1);
    return in.text(std::string(left, fill[0]) + text + std::string(missing - left, fill[0]));
}
} // namespace

Value Interpreter::textMethod(Str& self, std::string_view name) {
    using Body = Value (*)(Interpreter&, const std::string&, Values&, Keywords&);
    struct Entry {
        std::string_view name;
        Body body;
    };
    static constexpr auto argument = [](Interpreter& in, const Values& args, std::size_t i) {
        return i < args.size() && !args[i].isNone() ? in.str(args[i]) : std::string();
    };
    /// Of (part, start, end), the first or the last one; -1: none.
    static constexpr auto placeOf = [](Interpreter& in, const std::string& s, const Values& args, bool last) -> Value {
        const auto bound = [&](std::size_t i, std::int64_t otherwise) {
            const auto size = static_cast<std::int64_t>(s.size());
            const std::int64_t at = i < args.size() && args[i].isInt() ? args[i].asInt() : otherwise;
            return static_cast<std::size_t>(std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size));
        };
        const std::size_t start = bound(1, 0), end = std::max(start, bound(2, static_cast<std::int64_t>(s.size())));
        const std::string_view part = std::string_view(s).substr(start, end - start);
        const std::size_t at = last ? part.rfind(in.str(args.at(0))) : part.find(in.str(args.at(0)));
        return {at == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(start + at)};
    };
    static constexpr auto anyOf = [](Interpreter& in, const Value& wanted, auto test) {
        if (const auto* several = wanted.as<Tuple>())
            return std::any_of(several->items.begin(), several->items.end(),
                               [&](const Value& each) { return test(in.str(each)); });
        return test(in.str(wanted));
    };
    static constexpr auto mapped = [](Interpreter& in, std::string text, auto change) {
        for (char& c : text) c = static_cast<char>(change(static_cast<unsigned char>(c)));
        return in.text(std::move(text));
    };
    static const Entry kEntries[] = {
        {"lower", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             return mapped(in, s, [](int c) { return std::tolower(c); });
         }},
        {"upper", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             return mapped(in, s, [](int c) { return std::toupper(c); });
         }},
        {"casefold", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             return mapped(in, s, [](int c) { return std::tolower(c); });
         }},
        {"capitalize", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             bool first = true;
             return mapped(in, s, [&](int c) {
                 return std::exchange(first, false) ? std::toupper(c) : std::tolower(c);
             });
         }},
        {"title", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             bool inWord = false;
             return mapped(in, s, [&](int c) {
                 const bool letter = std::isalpha(c) != 0;
                 return std::exchange(inWord, letter) ? std::tolower(c) : std::toupper(c);
             });
         }},
        {"strip", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(stripped(s, a.empty() ? std::string(kSpace) : argument(in, a, 0), true, true));
         }},
        {"lstrip", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(stripped(s, a.empty() ? std::string(kSpace) : argument(in, a, 0), true, false));
         }},
        {"rstrip", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(stripped(s, a.empty() ? std::string(kSpace) : argument(in, a, 0), false, true));
         }},
        {"startswith", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return Value(anyOf(in, a.at(0), [&](const std::string& p) { return s.starts_with(p); }));
         }},
        {"endswith", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return Value(anyOf(in, a.at(0), [&](const std::string& p) { return s.ends_with(p); }));
         }},
        {"split", [](Interpreter& in, const std::string& s, Values& a, Keywords& k) {
             std::int64_t most = a.size() > 1 ? a[1].asInt() : -1;
             std::string by = argument(in, a, 0);
             for (const auto& [key, value] : k) {
                 if (key == "maxsplit") most = value.asInt();
                 else if (!value.isNone()) by = in.str(value);
             }
             Values parts;
             for (auto& part : splitText(s, by, most, false)) parts.push_back(in.text(part));
             return Value(in.listOf(std::move(parts)));
         }},
        {"rsplit", [](Interpreter& in, const std::string& s, Values& a, Keywords& k) {
             std::int64_t most = a.size() > 1 ? a[1].asInt() : -1;
             for (const auto& [key, value] : k)
                 if (key == "maxsplit") most = value.asInt();
             Values parts;
             for (auto& part : splitText(s, argument(in, a, 0), most, true)) parts.push_back(in.text(part));
             return Value(in.listOf(std::move(parts)));
         }},
        {"splitlines", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             Values parts;
             for (auto& part : splitText(s, "\n", -1, false)) parts.push_back(in.text(part));
             return Value(in.listOf(std::move(parts)));
         }},
        {"partition", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const std::string by = argument(in, a, 0);
             const std::size_t at = s.find(by);
             if (at == std::string::npos) return Value(in.tuple({in.text(s), in.text(""), in.text("")}));
             return Value(in.tuple({in.text(s.substr(0, at)), in.text(by), in.text(s.substr(at + by.size()))}));
         }},
        {"rpartition", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const std::string by = argument(in, a, 0);
             const std::size_t at = s.rfind(by);
             if (at == std::string::npos) return Value(in.tuple({in.text(""), in.text(""), in.text(s)}));
             return Value(in.tuple({in.text(s.substr(0, at)), in.text(by), in.text(s.substr(at + by.size()))}));
         }},
        {"join", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             std::string all;
             bool first = true;
             for (const Value& each : in.list(a.at(0))) {
                 if (!each.as<Str>() && !each.as<Instance>())
                     in.raise("TypeError", "sequence item: expected str instance");
                 all += (std::exchange(first, false) ? "" : s) + in.str(each);
             }
             return in.text(std::move(all));
         }},
        {"replace", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(replacedAll(s, argument(in, a, 0), argument(in, a, 1), a.size() > 2 ? a[2].asInt() : -1));
         }},
        {"find", [](Interpreter& in, const std::string& s, Values& a, Keywords&) { return placeOf(in, s, a, false); }},
        {"rfind", [](Interpreter& in, const std::string& s, Values& a, Keywords&) { return placeOf(in, s, a, true); }},
        {"index", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const Value at = placeOf(in, s, a, false);
             if (at.integer < 0) in.raise("ValueError", "substring not found");
             return at;
         }},
        {"rindex", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const Value at = placeOf(in, s, a, true);
             if (at.integer < 0) in.raise("ValueError", "substring not found");
             return at;
         }},
        {"count", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return Value::integerOf(splitText(s, argument(in, a, 0), -1, false).size() - 1);
         }},
        {"isdigit", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(areAll(s, {letters::kDigits}));
         }},
        {"isdecimal", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(areAll(s, {letters::kDecimals}));
         }},
        {"isnumeric", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(areAll(s, {letters::kNumerics}));
         }},
        {"isalpha", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(areAll(s, {letters::kLetters}));
         }},
        {"isupper", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(isCased(s, letters::kUpper, letters::kLower));
         }},
        {"islower", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(isCased(s, letters::kLower, letters::kUpper));
         }},
        {"isidentifier", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(isPythonIdentifier(s));
         }},
        {"removeprefix", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const std::string p = argument(in, a, 0);
             return in.text(s.starts_with(p) ? s.substr(p.size()) : s);
         }},
        {"removesuffix", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const std::string p = argument(in, a, 0);
             return in.text(s.ends_with(p) ? s.substr(0, s.size() - p.size()) : s);
         }},
        {"isalnum", [](Interpreter&, const std::string& s, Values&, Keywords&) {
             return Value(areAll(s, {letters::kLetters, letters::kDecimals, letters::kDigits, letters::kNumerics}));
         }},
        {"swapcase", [](Interpreter& in, const std::string& s, Values&, Keywords&) {
             return mapped(in, s, [](int c) { return std::isupper(c) ? std::tolower(c) : std::toupper(c); });
         }},
        {"center", [](Interpreter& in, const std::string& s, Values& a, Keywords&) { return centred(in, s, a); }},
        {"zfill", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const auto width = static_cast<std::size_t>(std::clamp<std::int64_t>(a.at(0).asInt(), 0, 10000));
             const std::size_t count = characterCount(s), sign = s.starts_with('+') || s.starts_with('-');
             if (count >= width) return in.text(s);
             return in.text(s.substr(0, sign) + std::string(width - count, '0') + s.substr(sign));
         }},
        {"format", [](Interpreter& in, const std::string& s, Values& a, Keywords& k) {
             std::string out;
             std::size_t next = 0;
             for (std::size_t at = 0; at < s.size(); ++at) {
                 if ((s[at] == '{' || s[at] == '}') && at + 1 < s.size() && s[at + 1] == s[at]) {
                     out += s[at++];
                     continue;
                 }
                 if (s[at] != '{') {
                     out += s[at];
                     continue;
                 }
                 const std::size_t end = endOfField(s, at);
                 if (end == std::string::npos) in.raise("ValueError", "expected '}' before end of string");
                 std::string field = s.substr(at + 1, end - at - 1), spec;
                 if (const auto colon = field.find(':'); colon != std::string::npos) {
                     spec = field.substr(colon + 1);
                     field.resize(colon);
                 }
                 const auto mark = field.find('!');
                 const std::string conversion = mark == std::string::npos ? "" : field.substr(mark + 1);
                 field.resize(std::min(mark, field.size()));
                 Value value = fieldOf(in, field, a, k, next);
                 if (conversion == "a") value = in.call(*in.builtin("ascii"), {value});
                 else if (!conversion.empty()) value = in.text(conversion == "s" ? in.str(value) : in.repr(value));
                 for (std::size_t open = 0; (open = spec.find('{', open)) != std::string::npos;) {
                     const std::size_t close = std::min(spec.find('}', open), spec.size() - 1);
                     const std::string inner =
                         in.str(fieldOf(in, spec.substr(open + 1, close - open - 1), a, k, next));
                     spec.replace(open, close - open + 1, inner);
                     open += inner.size(); // braces in it are text
                 }
                 out += in.format(value, spec);
                 at = end;
             }
             return in.text(std::move(out));
         }},
        {"__mod__", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(in.percentFormat(s, a.at(0)));
         }},
    };
    for (const Entry& entry : kEntries) {
        if (entry.name != name) continue;
        return native(std::string(name), [&self, body = entry.body](Interpreter& in, Values& args, Keywords& kwargs) {
            return body(in, self.text, args, kwargs);
        });
    }
    return {};
}

} // namespace fx::python
