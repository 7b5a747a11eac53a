// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of str.
#include "core/base/character_table.h"
#include "core/base/python_text.h"
#include "core/base/utf8.h"
#include "core/python/builtins/integers.h"
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <cctype>
#include <span>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// `str.isspace` of a character.
bool isSpace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}
/// A character of a text, with its bytes.
struct Character {
    char32_t point = 0;
    std::size_t begin = 0, end = 0;
};
std::vector<Character> charactersIn(std::string_view text) {
    std::vector<Character> out;
    for (std::size_t at = 0; at < text.size();) {
        Character next{0, at, at};
        at = next.end += std::max<std::size_t>(decodeUtf8(text.substr(at), next.point), 1);
        out.push_back(next);
    }
    return out;
}
/// `text.strip(chars)`; of spaces if there are no `chars`.
std::string stripped(const std::string& text, const std::optional<std::string>& chars, bool left, bool right) {
    const std::vector<Character> all = charactersIn(text), wanted = charactersIn(chars.value_or(""));
    const auto goes = [&](const Character& each) {
        if (!chars) return isSpace(each.point);
        return std::any_of(wanted.begin(), wanted.end(), [&](const auto& other) { return other.point == each.point; });
    };
    std::size_t first = 0, last = all.size();
    while (left && first < last && goes(all[first])) ++first;
    while (right && last > first && goes(all[last - 1])) --last;
    return first == last ? "" : text.substr(all[first].begin, all[last - 1].end - all[first].begin);
}
/// Words between spaces. After `most` of them, the rest of the text is one, with the spaces at its other end.
std::vector<std::string> wordsIn(const std::string& text, std::int64_t most, bool fromRight) {
    std::vector<Character> words; // of which only the bytes matter
    bool isInside = false;
    for (const Character& each : charactersIn(text)) {
        if (isSpace(each.point)) isInside = false;
        else if (std::exchange(isInside, true)) words.back().end = each.end;
        else words.push_back(each);
    }
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(most, 0));
    if (most >= 0 && words.size() > count && fromRight) {
        words[words.size() - 1 - count].begin = 0;
        words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(count + 1));
    } else if (most >= 0 && words.size() > count) {
        words.resize(count + 1);
        words.back().end = text.size();
    }
    std::vector<std::string> parts;
    for (const Character& each : words) parts.push_back(text.substr(each.begin, each.end - each.begin));
    return parts;
}
std::vector<std::string> splitText(const std::string& text, const std::string& by, std::int64_t most, bool fromRight) {
    if (by.empty()) return wordsIn(text, most, fromRight);
    std::vector<std::string> parts;
    std::string_view rest = text;
    while (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
        const std::size_t at = fromRight ? rest.rfind(by) : rest.find(by);
        if (at == std::string_view::npos) break;
        parts.emplace_back(fromRight ? rest.substr(at + by.size()) : rest.substr(0, at));
        rest = fromRight ? rest.substr(0, at) : rest.substr(at + by.size());
        trace::charge(1);
    }
    parts.emplace_back(rest);
    if (fromRight) std::reverse(parts.begin(), parts.end());
    return parts;
}
/// The places of `from` that `text.replace(from, to, most)` finds; an empty text stands before each character and at
/// the end.
template<class Visit>
void forEachFound(const std::string& text, const std::string& from, std::int64_t most, const Visit& visit) {
    for (std::size_t next = 0; most != 0; --most) {
        const std::size_t found = text.find(from, next);
        if (found == std::string::npos) return;
        visit(found);
        next = found + from.size();
        if (!from.empty()) continue;
        if (found == text.size()) return;
        for (++next; next < text.size() && (text[next] & 0xC0) == 0x80;) ++next;
    }
}
std::string replacedAll(const std::string& text, const std::string& from, const std::string& to, std::int64_t most) {
    std::uint64_t count = 0;
    forEachFound(text, from, most, [&](std::size_t) {
        ++count;
        trace::charge(1);
    });
    trace::chargeBytes(text.size() + count * to.size());
    std::string out;
    out.reserve(text.size() - count * from.size() + count * to.size());
    std::size_t at = 0;
    forEachFound(text, from, most, [&](std::size_t found) {
        out.append(text, at, found - at);
        out += to;
        at = found + from.size();
    });
    return out.append(text, at);
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

constexpr std::size_t kByNumber = SIZE_MAX; ///< in the place of the next number where fields have their own
/// What a field of `str.format` names: `0` or `name`, then any `.attribute` and `[key]`.
Value fieldOf(Interpreter& in, const std::string& field, const Values& args, const Keywords& kwargs,
              std::size_t& next) {
    const std::size_t end = std::min(field.find_first_of(".["), field.size());
    const std::string first = field.substr(0, end);
    const bool isNumber = all(first, kDigit);
    Value value;
    std::size_t place = 0;
    if (isNumber) {
        if (first.empty() && next == kByNumber)
            in.raise("ValueError", "cannot switch from manual field specification to automatic field numbering");
        if (!first.empty() && next != kByNumber && next > 0)
            in.raise("ValueError", "cannot switch from automatic field numbering to manual field specification");
        place = first.empty() ? next++ : static_cast<std::size_t>(std::stoul(first));
        if (!first.empty()) next = kByNumber;
        if (place < args.size()) value = args[place];
    }
    for (const auto& [key, each] : kwargs)
        if (!isNumber && key == first) value = each;
    if (!value.isSet() && !isNumber) in.raise("KeyError", first);
    if (!value.isSet())
        in.raise("IndexError",
                 "Replacement index " + std::to_string(place) + " out of range for positional args tuple");
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

namespace {
/// Methods that count characters or change their case, which Lancet does for ASCII only.
bool isOfCharacters(std::string_view name) {
    static constexpr std::string_view kNames[] = {"upper",      "lower",  "title", "swapcase",
                                                  "capitalize", "center", "zfill", "casefold"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}
} // namespace

namespace {
/// The bytes of the end of a line that a text begins with; 0 if it begins with none.
std::size_t lineEnd(std::string_view text) {
    static constexpr std::string_view kEnds[] = {"\r\n", "\n",   "\r",       "\v",           "\f",          "\x1c",
                                                 "\x1d", "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
    for (const std::string_view end : kEnds)
        if (text.starts_with(end)) return end.size();
    return 0;
}

} // namespace

namespace {
/// `split` and `rsplit`.
Value splitBy(Interpreter& in, const std::string& text, const Values& args, Keywords& kwargs, bool fromRight) {
    const Value *sep = keyword(kwargs, "sep"), *limit = keyword(kwargs, "maxsplit");
    const Value by = plain(!args.empty() ? args[0] : sep ? *sep : Value::none());
    const Value most = args.size() > 1 ? args[1] : limit ? *limit : Value(std::int64_t{-1});
    if (!by.isNone() && !by.as<Str>()) in.raise("TypeError", "must be str or None, not " + in.typeName(by));
    if (by.as<Str>() && by.get<Str>().text.empty()) in.raise("ValueError", "empty separator");
    const std::string separator = by.isNone() ? std::string() : by.get<Str>().text;
    Values parts;
    for (auto& part : splitText(text, separator, indexOf(in, most).asInt(), fromRight))
        parts.push_back(in.text(std::move(part)));
    return in.listOf(std::move(parts));
}
/// The argument of `strip`; nullopt for None.
std::optional<std::string> charactersOf(const Values& args) {
    if (args.empty() || args[0].isNone()) return std::nullopt;
    return plain(args[0]).get<Str>().text;
}
/// The bytes of a text between two of its characters, as `find` and `count` take them: (part, start, end). nullopt if
/// `start` is behind the end.
std::optional<std::pair<std::size_t, std::size_t>> bytesBetween(Interpreter& in, const std::string& text,
                                                                const Values& args) {
    if (args.size() < 2) return std::pair(std::size_t{0}, text.size());
    const auto size = static_cast<std::int64_t>(characterCount(text));
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
        const std::int64_t at = i < args.size() && !args[i].isNone() ? indexOf(in, args[i]).asInt() : otherwise;
        return at < 0 ? std::max<std::int64_t>(at + size, 0) : at;
    };
    const std::int64_t start = bound(1, 0), end = std::min(bound(2, size), size);
    if (start > end) return std::nullopt;
    const auto byteOf = [&](std::int64_t count) {
        std::size_t at = 0;
        for (; at < text.size(); ++at)
            if ((text[at] & 0xC0) != 0x80 && count-- == 0) break;
        return at;
    };
    return std::pair(byteOf(start), byteOf(end));
}
/// The part of a text that `startswith` and `endswith` look at; nullopt if it begins behind the text.
std::optional<std::string_view> lookedAt(Interpreter& in, const std::string& text, const Values& args) {
    const auto bounds = bytesBetween(in, text, args);
    if (!bounds) return std::nullopt;
    return std::string_view(text).substr(bounds->first, bounds->second - bounds->first);
}
} // namespace

namespace {
/// What `str.join` gets.
Values joinable(Interpreter& in, const Value& iterable) {
    return in.list(itemsOf(iterable) ? iterable : in.iteration().iterateOr(iterable, "can only join an iterable"));
}
} // namespace

Value BuiltinMethods::textMethod(Str& self, std::string_view name) {
    if (isOfCharacters(name) && std::any_of(self.text.begin(), self.text.end(), [](char each) { return each & 0x80; }))
        throw CannotFollow(Message("trace.not_computed", {{"function", "str." + std::string(name)}}));
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
        const auto bounds = bytesBetween(in, s, args);
        if (!bounds) return {std::int64_t{-1}};
        const std::string_view part = std::string_view(s).substr(bounds->first, bounds->second - bounds->first);
        const std::string& wanted = plain(args.at(0)).get<Str>().text;
        const std::size_t at = last ? part.rfind(wanted) : part.find(wanted);
        if (at == std::string::npos) return {std::int64_t{-1}};
        return {static_cast<std::int64_t>(characterCount(s.substr(0, bounds->first + at)))};
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
             return in.text(stripped(s, charactersOf(a), true, true));
         }},
        {"lstrip", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(stripped(s, charactersOf(a), true, false));
         }},
        {"rstrip", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(stripped(s, charactersOf(a), false, true));
         }},
        {"startswith", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const auto part = lookedAt(in, s, a);
             return Value(part && anyOf(in, a.at(0), [&](const std::string& p) { return part->starts_with(p); }));
         }},
        {"endswith", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const auto part = lookedAt(in, s, a);
             return Value(part && anyOf(in, a.at(0), [&](const std::string& p) { return part->ends_with(p); }));
         }},
        {"split", [](Interpreter& in, const std::string& s, Values& a, Keywords& k) {
             return splitBy(in, s, a, k, false);
         }},
        {"rsplit", [](Interpreter& in, const std::string& s, Values& a, Keywords& k) {
             return splitBy(in, s, a, k, true);
         }},
        {"splitlines", [](Interpreter& in, const std::string& s, Values& a, Keywords& k) {
             const Value* named = keyword(k, "keepends");
             const bool keepsEnds = a.empty() ? named && in.truth(*named) : in.truth(a[0]);
             Values parts;
             for (std::size_t start = 0, at = 0; at < s.size();) {
                 const std::size_t length = lineEnd(std::string_view(s).substr(at));
                 const bool isLast = at + std::max<std::size_t>(length, 1) == s.size();
                 at += std::max<std::size_t>(length, 1);
                 if (length == 0 && !isLast) continue;
                 parts.push_back(in.text(s.substr(start, at - start - (keepsEnds ? 0 : length))));
                 start = at;
             }
             return Value(in.listOf(std::move(parts)));
         }},
        {"partition", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const std::string by = argument(in, a, 0);
             if (by.empty()) in.raise("ValueError", "empty separator");
             const std::size_t at = s.find(by);
             if (at == std::string::npos) return Value(in.tuple({in.text(s), in.text(""), in.text("")}));
             return Value(in.tuple({in.text(s.substr(0, at)), in.text(by), in.text(s.substr(at + by.size()))}));
         }},
        {"rpartition", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             const std::string by = argument(in, a, 0);
             if (by.empty()) in.raise("ValueError", "empty separator");
             const std::size_t at = s.rfind(by);
             if (at == std::string::npos) return Value(in.tuple({in.text(""), in.text(""), in.text(s)}));
             return Value(in.tuple({in.text(s.substr(0, at)), in.text(by), in.text(s.substr(at + by.size()))}));
         }},
        {"join", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             Values parts = joinable(in, a.at(0));
             std::size_t place = 0, bytes = 0;
             for (Value& each : parts) {
                 if (!plain(each).as<Str>())
                     in.raise("TypeError", "sequence item " + std::to_string(place) + ": expected str instance, " +
                                               in.typeName(each) + " found");
                 each = plain(each);
                 const std::size_t more = each.as<Str>()->text.size() + (place++ ? s.size() : 0);
                 trace::chargeBytes(more);
                 bytes += more;
             }
             std::string all;
             all.reserve(bytes);
             for (const Value& each : parts) {
                 if (&each != parts.data()) all += s;
                 all += each.as<Str>()->text;
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
             const auto bounds = bytesBetween(in, s, a);
             if (!bounds) return Value(std::int64_t{0});
             const std::string part = s.substr(bounds->first, bounds->second - bounds->first), by = argument(in, a, 0);
             if (by.empty()) return Value::integerOf(characterCount(part) + 1);
             std::size_t count = 0;
             for (std::size_t at = 0; (at = part.find(by, at)) != std::string::npos; at += by.size()) ++count;
             return Value::integerOf(count);
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
                 if (s[at] == '}') in.raise("ValueError", "Single '}' encountered in format string");
                 if (s[at] == '{' && at + 1 == s.size())
                     in.raise("ValueError", "Single '{' encountered in format string");
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
                 if (conversion.size() > 1) in.raise("ValueError", "expected ':' after conversion specifier");
                 if (mark < std::string::npos && conversion != "r" && conversion != "s" && conversion != "a")
                     in.raise("ValueError", "Unknown conversion specifier " + conversion);
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
                 const std::string part = in.format(value, spec);
                 trace::chargeBytes(part.size());
                 out += part;
                 at = end;
             }
             return in.text(std::move(out));
         }},
        {"__mod__", [](Interpreter& in, const std::string& s, Values& a, Keywords&) {
             return in.text(in.representation().percentFormat(s, a.at(0)));
         }},
    };
    for (const Entry& entry : kEntries) {
        if (entry.name != name) continue;
        return native(std::string(name), [&self, body = entry.body](Interpreter& in, Values& args, Keywords& kwargs) {
            trace::charge(self.text.size() / 16);
            return body(in, self.text, args, kwargs);
        });
    }
    return {};
}

} // namespace fx::python
