// SPDX-License-Identifier: GPL-3.0-or-later
// Python's `re`: the searching is PCRE2's, whose patterns are those of Python but for a few words.
#include "core/python/interpreter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <map>

namespace fx::python {

extern const std::string_view kRegular;
const std::string_view kRegular = R"(
class error(Exception):
    pass
A = ASCII = 256
I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
X = VERBOSE = 64
U = UNICODE = 32
L = LOCALE = 4
NOFLAG = 0
_ANYWHERE, _AT, _WHOLE = 0, 1, 2
def _template(text):
    """The parts of a replacement: texts, and groups as numbers or names in tuples."""
    out, at, escapes = [], 0, {'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', 'a': '\a', 'f': '\f', 'v': '\v'}
    while at < len(text):
        if text[at] != '\\' or at + 1 == len(text):
            out.append(text[at])
            at += 1
            continue
        letter = text[at + 1]
        if letter == 'g' and text[at + 2:at + 3] == '<':
            end = text.index('>', at)
            name = text[at + 3:end]
            out.append((int(name) if name.isdigit() else name,))
            at = end + 1
        elif letter.isdigit():
            end = at + 3 if text[at + 2:at + 3].isdigit() else at + 2
            out.append((int(text[at + 1:end]),))
            at = end
        elif letter in escapes:
            out.append(escapes[letter])
            at += 2
        else:
            raise error(f'bad escape \\{letter} at position {at}')
    return out
class Match:
    def __init__(self, pattern, text, spans):
        self.re, self.string, self._spans, self.pos, self.endpos = pattern, text, spans, 0, len(text)
    def span(self, group=0):
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError('no such group')
            group = self.re.groupindex[group]
        if not 0 <= group <= self.re.groups:
            raise IndexError('no such group')
        return self._spans[group]
    def start(self, group=0):
        return self.span(group)[0]
    def end(self, group=0):
        return self.span(group)[1]
    def _text(self, group, default=None):
        start, end = self.span(group)
        return default if start < 0 else self.string[start:end]
    def __getitem__(self, group):
        return self._text(group)
    def group(self, *groups):
        if len(groups) < 2:
            return self._text(*groups) if groups else self._text(0)
        return tuple([self._text(each) for each in groups])
    def groups(self, default=None):
        return tuple([self._text(at, default) for at in range(1, self.re.groups + 1)])
    def groupdict(self, default=None):
        return {name: self._text(at, default) for name, at in self.re.groupindex.items()}
    def expand(self, template):
        return ''.join([self._text(part[0], '') if isinstance(part, tuple) else part for part in _template(template)])
    def _shown(self):
        """What findall tells of it."""
        if self.re.groups == 0:
            return self._text(0)
        return self._text(1, '') if self.re.groups == 1 else self.groups('')
    def __repr__(self):
        return f"<re.Match object; span={self.span()}, match={self.group()!r}>"
class Pattern:
    def __init__(self, pattern, flags):
        self.pattern, self.flags = pattern, flags | UNICODE
        about = __re_compile__(pattern, flags)
        if isinstance(about, str):
            raise error(about)
        self.groups, self.groupindex = about
    def _find(self, text, pos, how, moves=False):
        if not isinstance(text, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(text).__name__}'")
        spans = __re_find__(self.pattern, self.flags, text, pos, how, moves)
        return Match(self, text, spans) if spans else None
    def search(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, _ANYWHERE)
    def match(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, _AT)
    def fullmatch(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, _WHOLE)
    def finditer(self, string, pos=0, endpos=None):
        text, out, moves = string[:endpos], [], False
        while pos <= len(text):
            found = self._find(text, pos, _ANYWHERE, moves)
            if found is None:
                break
            out.append(found)
            pos = found.end()
            moves = found.start() == pos
        return iter(out)
    def findall(self, string, pos=0, endpos=None):
        return [found._shown() for found in self.finditer(string, pos, endpos)]
    def subn(self, repl, string, count=0):
        parts, at, done = [], 0, 0
        for found in self.finditer(string):
            if count and done == count:
                break
            parts.append(string[at:found.start()])
            parts.append(repl(found) if callable(repl) else found.expand(repl))
            at = found.end()
            done += 1
        return ''.join(parts + [string[at:]]), done
    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]
    def split(self, string, maxsplit=0):
        parts, at = [], 0
        for number, found in enumerate(self.finditer(string)):
            if maxsplit and number == maxsplit:
                break
            parts.append(string[at:found.start()])
            parts.extend(found.groups())
            at = found.end()
        return parts + [string[at:]]
    def __eq__(self, other):
        return isinstance(other, Pattern) and self.pattern == other.pattern and self.flags == other.flags
    def __hash__(self):
        return hash((self.pattern, self.flags))
    def __repr__(self):
        return f're.compile({self.pattern!r})'
def compile(pattern, flags=0):
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)
def search(pattern, string, flags=0): return compile(pattern, flags).search(string)
def match(pattern, string, flags=0): return compile(pattern, flags).match(string)
def fullmatch(pattern, string, flags=0): return compile(pattern, flags).fullmatch(string)
def findall(pattern, string, flags=0): return compile(pattern, flags).findall(string)
def finditer(pattern, string, flags=0): return compile(pattern, flags).finditer(string)
def sub(pattern, repl, string, count=0, flags=0): return compile(pattern, flags).sub(repl, string, count)
def subn(pattern, repl, string, count=0, flags=0): return compile(pattern, flags).subn(repl, string, count)
def split(pattern, string, maxsplit=0, flags=0): return compile(pattern, flags).split(string, maxsplit)
def purge(): return None
def escape(pattern):
    return ''.join(['\\' + each if each in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f' else each for each in pattern])
)";

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
    const std::string& text = args.at(2).as<Str>()->text;
    const std::int64_t how = args.at(4).asInt();
    std::uint32_t options = how == 0 ? 0 : how == 1 ? PCRE2_ANCHORED : PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    if (in.truth(args.at(5))) options |= PCRE2_NOTEMPTY_ATSTART;
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context(
        pcre2_match_context_create(nullptr), &pcre2_match_context_free);
    pcre2_set_match_limit(context.get(), kMostSteps);
    const int found =
        pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                    bytesOf(text, std::max<std::int64_t>(0, args.at(3).asInt())), options, data.get(), context.get());
    if (found == PCRE2_ERROR_NOMATCH) return Value::none();
    if (found < 0)
        throw trace::CannotFollow(
            Message("python.regular", {{"pattern", args.at(0).as<Str>()->text}, {"reason", errorText(found)}}));
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

void Interpreter::addRegularExpressions() {
    const auto patterns = std::make_shared<Patterns>();
    const auto compiled = [patterns](Interpreter& in, const Values& args, std::string& error) {
        const auto* pattern = args.at(0).as<Str>();
        if (!pattern) in.raise("TypeError", "first argument must be string or compiled pattern");
        return patterns->compiled(pattern->text, args.at(1).asInt(), error);
    };
    m_builtins.set("__re_compile__", native("compile", [compiled](Interpreter& in, Values& args, Keywords&) -> Value {
                       std::string error;
                       const pcre2_code* code = compiled(in, args, error);
                       return code ? aboutPattern(in, code) : in.text(error);
                   }));
    m_builtins.set("__re_find__", native("find", [compiled](Interpreter& in, Values& args, Keywords&) -> Value {
                       std::string error;
                       return find(in, compiled(in, args, error), args);
                   }));
}

} // namespace fx::python
