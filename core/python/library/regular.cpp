// SPDX-License-Identifier: GPL-3.0-or-later
// Python's `re`: the searching is PCRE2's, whose patterns are those of Python but for a few words.
#include "core/python/python_interpreter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <chrono>
#include <map>

namespace fx::python {

namespace {

using Code = std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)>;
constexpr std::uint32_t kMostSteps = 2'000'000; ///< of backtracking in one search
constexpr std::int64_t kIgnoreCase = 2, kMultiline = 8, kDotAll = 16, kVerbose = 64, kAscii = 256;

/// `\Z` is the very end in Python and `\z` here; `(?a:` is a flag that PCRE2 does not have.
std::string asPcre(const std::string& pattern) {
    std::string out = pattern;
    for (std::size_t i = 0; i + 1 < out.size(); ++i)
        if (out[i] == '\\') {
            ++i;
            if (out[i] == 'Z') out[i] = 'z';
        } else if (out[i] == '(' && out[i + 1] == '?') {
            const std::size_t end = out.find_first_not_of("aiLmsux-", i + 2);
            if (end == std::string::npos || end == i + 2 || (out[end] != ':' && out[end] != ')')) continue;
            std::string flags = out.substr(i + 2, end - i - 2); // `a`, `u` and `L` are of Python alone
            std::erase_if(flags, [](char each) { return each == 'a' || each == 'u' || each == 'L'; });
            out.replace(i + 2, end - i - 2, flags);
        }
    return out;
}

std::string errorText(int code) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

/// Byte offsets of characters, and back: Python counts characters.
std::size_t bytesOf(const std::string& text, std::int64_t characters) {
    std::size_t at = 0;
    for (; characters > 0 && at < text.size(); --characters) do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
}
std::int64_t charactersOf(const std::string& text, std::size_t bytes) {
    return std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bytes),
                         [](char each) { return (static_cast<unsigned char>(each) & 0xC0) != 0x80; });
}

/// The compiled patterns of one run.
class Patterns {
public:
    /// Null, with `error`, for what is no pattern.
    const pcre2_code* compiled(const std::string& pattern, std::int64_t flags, std::string& error) {
        const auto key = std::pair(pattern, flags & (kIgnoreCase | kMultiline | kDotAll | kVerbose | kAscii));
        const auto known = m_codes.find(key);
        if (known != m_codes.end()) return known->second.get();
        std::uint32_t options = PCRE2_UTF;
        if (!(flags & kAscii)) options |= PCRE2_UCP;
        if (flags & kIgnoreCase) options |= PCRE2_CASELESS;
        if (flags & kMultiline) options |= PCRE2_MULTILINE;
        if (flags & kDotAll) options |= PCRE2_DOTALL;
        if (flags & kVerbose) options |= PCRE2_EXTENDED;
        const std::string text = asPcre(pattern);
        int code = 0;
        std::size_t at = 0;
        Code made(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options, &code, &at, nullptr),
                  &pcre2_code_free);
        if (!made) {
            error = errorText(code) + " at position " + std::to_string(charactersOf(text, at));
            return nullptr;
        }
        return m_codes.emplace(key, std::move(made)).first->second.get();
    }

private:
    std::map<std::pair<std::string, std::int64_t>, Code> m_codes;
};

/// (number of groups, {name: number})
Value aboutPattern(Interpreter& in, const pcre2_code* code) {
    std::uint32_t groups = 0, names = 0, width = 0;
    PCRE2_SPTR table = nullptr;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &names);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &width);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
    std::map<std::int64_t, std::string> byNumber; // the order of the groups, as in Python
    for (std::uint32_t i = 0; i < names; ++i) {
        const PCRE2_SPTR entry = table + i * width;
        byNumber.emplace(entry[0] << 8 | entry[1], reinterpret_cast<const char*>(entry + 2));
    }
    Dict* index = in.heap().make<Dict>();
    for (const auto& [number, name] : byNumber) index->set(in.text(name), Value(number));
    return in.tuple({Value(static_cast<std::int64_t>(groups)), index});
}

/// (pattern, flags, text, position, how, whether it must not be empty there): the spans of the groups, or None.
Value find(Interpreter& in, const pcre2_code* code, const Values& args) {
    if (!code) in.raise("TypeError", "expected a pattern that was compiled");
    const std::string& text = args.at(2).get<Str>().text;
    const std::int64_t how = args.at(4).asInt();
    std::uint32_t options = how == 0 ? 0 : how == 1 ? PCRE2_ANCHORED : PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    if (in.truth(args.at(5))) options |= PCRE2_NOTEMPTY_ATSTART;
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context(
        pcre2_match_context_create(nullptr), &pcre2_match_context_free);
    pcre2_set_match_limit(context.get(), kMostSteps);
    trace::charge(text.size() / 16 + 4); // and what searching took, of which PCRE2 does not tell
    const auto start = std::chrono::steady_clock::now();
    const int found =
        pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                    bytesOf(text, std::max<std::int64_t>(0, args.at(3).asInt())), options, data.get(), context.get());
    if (const auto took = std::chrono::steady_clock::now() - start; took > std::chrono::milliseconds(1))
        trace::charge(static_cast<std::uint64_t>(took / std::chrono::nanoseconds(60)));
    if (found == PCRE2_ERROR_NOMATCH) return Value::none();
    if (found < 0)
        throw trace::CannotFollow(
            Message("python.regular", {{"pattern", args.at(0).get<Str>().text}, {"reason", errorText(found)}}));
    const std::size_t* offsets = pcre2_get_ovector_pointer(data.get());
    Values spans;
    for (std::uint32_t i = 0; i < pcre2_get_ovector_count(data.get()); ++i) {
        const bool isSet = offsets[2 * i] != PCRE2_UNSET;
        const auto place = [&](std::size_t at) { return Value(isSet ? charactersOf(text, at) : std::int64_t{-1}); };
        spans.push_back(in.tuple({place(offsets[2 * i]), place(offsets[2 * i + 1])}));
    }
    return in.listOf(std::move(spans));
}

} // namespace

void Library::addRegularExpressions() {
    const auto patterns = std::make_shared<Patterns>();
    const auto compiled = [patterns](Interpreter& in, const Values& args, std::string& error) {
        const auto* pattern = args.at(0).as<Str>();
        if (!pattern && args[0].as<Traced>()) // bytes
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "re.compile"}}));
        if (!pattern) in.raise("TypeError", "first argument must be string or compiled pattern");
        return patterns->compiled(pattern->text, args.at(1).asInt(), error);
    };
    m_in.builtins().names().set("__re_compile__",
                                native("compile", [compiled](Interpreter& in, Values& args, Keywords&) -> Value {
                                    std::string error;
                                    const pcre2_code* code = compiled(in, args, error);
                                    return code ? aboutPattern(in, code) : in.text(error);
                                }));
    m_in.builtins().names().set("__re_find__",
                                native("find", [compiled](Interpreter& in, Values& args, Keywords&) -> Value {
                                    std::string error;
                                    return find(in, compiled(in, args, error), args);
                                }));
}

} // namespace fx::python
