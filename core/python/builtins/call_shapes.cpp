// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/builtins/call_shapes.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace fx::python {
namespace {

/// Rows `name least most :types keywords...`, with `+` before names whose arguments are only stored, and `-1` for any
/// number. The types of the first arguments are: I int, J int or None, S str, N str or None, T str or tuple, `.` any.
constexpr std::string_view kFunctions = R"(__import__ 1 5 name globals locals fromlist level
abs 1 1
all 1 1
any 1 1
ascii 1 1
bin 1 1 :I
callable 1 1
chr 1 1 :I
delattr 2 2 :.S
dir 0 1
divmod 2 2
enumerate 1 2 :.I iterable start
filter 2 2
format 1 2 :.S
+getattr 2 3 :.S
globals 0 0
hasattr 2 2 :.S
hash 1 1
hex 1 1 :I
id 1 1
isinstance 2 2
issubclass 2 2
+iter 1 2
len 1 1
locals 0 0
+map 2 -1
max 1 -1 key default
min 1 -1 key default
+next 1 2
oct 1 1 :I
ord 1 1
pow 2 3 base exp mod
+print 0 -1 sep end file flush
repr 1 1
reversed 1 1
round 1 2 :.J number ndigits
+setattr 3 3 :.S
sorted 1 1 key reverse
sum 1 2 start
+vars 0 1
zip 0 -1 strict
bool 0 1
int 0 2 :.I base
float 0 1
complex 0 2 real imag
str 0 3 object encoding errors
list 0 1
tuple 0 1
+dict 0 1 *
+OrderedDict 0 1 *
+defaultdict 0 2 *
set 0 1
frozenset 0 1
slice 1 3
range 1 3
type 1 3 *
+property 0 4 fget fset fdel doc
+staticmethod 1 1
+classmethod 1 1
+cached_property 1 1 func
)";
constexpr std::string_view kMethods = R"(+list.append 1 1
list.extend 1 1
+list.insert 2 2 :I
list.pop 0 1 :I
list.remove 1 1
list.index 1 3 :.II
list.count 1 1
list.reverse 0 0
list.clear 0 0
list.copy 0 0
list.sort 0 0 key reverse
tuple.count 1 1
tuple.index 1 3 :.II
dict.keys 0 0
dict.values 0 0
dict.items 0 0
+dict.get 1 2
+dict.setdefault 1 2
+dict.pop 1 2
dict.update 0 1 *
dict.copy 0 0
dict.clear 0 0
dict.popitem 0 0
+OrderedDict.get 1 2
+OrderedDict.setdefault 1 2 key default
+OrderedDict.pop 1 2 key default
OrderedDict.update 0 1 *
OrderedDict.popitem 0 1 last
OrderedDict.move_to_end 1 2 key last
+defaultdict.get 1 2
+defaultdict.setdefault 1 2
+defaultdict.pop 1 2
defaultdict.update 0 1 *
defaultdict.popitem 0 0
+set.add 1 1
set.discard 1 1
set.remove 1 1
set.clear 0 0
set.pop 0 0
set.isdisjoint 1 1
set.update 0 -1
set.difference_update 0 -1
set.intersection_update 0 -1
set.symmetric_difference_update 1 1
set.union 0 -1
set.intersection 0 -1
set.difference 0 -1
set.symmetric_difference 1 1
set.issubset 1 1
set.issuperset 1 1
set.copy 0 0
str.upper 0 0
str.lower 0 0
str.title 0 0
str.swapcase 0 0
str.capitalize 0 0
str.isdigit 0 0
str.isdecimal 0 0
str.isnumeric 0 0
str.isalpha 0 0
str.isalnum 0 0
str.isupper 0 0
str.islower 0 0
str.isidentifier 0 0
str.strip 0 1 :N
str.lstrip 0 1 :N
str.rstrip 0 1 :N
str.split 0 2 :NI sep maxsplit
str.rsplit 0 2 :NI sep maxsplit
str.splitlines 0 1 :I keepends
str.casefold 0 0
str.isspace 0 0
str.istitle 0 0
str.isprintable 0 0
str.isascii 0 0
str.expandtabs 0 1 :I tabsize
str.partition 1 1 :S
str.rpartition 1 1 :S
str.replace 2 3 :SSI
str.find 1 3 :SJJ
str.rfind 1 3 :SJJ
str.index 1 3 :SJJ
str.rindex 1 3 :SJJ
str.count 1 3 :SJJ
str.startswith 1 3 :TJJ
str.endswith 1 3 :TJJ
str.join 1 1
str.zfill 1 1 :I
str.center 1 2 :IS
str.ljust 1 2 :IS
str.rjust 1 2 :IS
str.removeprefix 1 1 :S
str.removesuffix 1 1 :S
str.encode 0 2 encoding errors
str.format 0 -1 *
)";

using Shapes = std::unordered_map<std::string_view, CallShape>;

std::string_view takeWord(std::string_view& text, char end) {
    const std::size_t at = text.find(end);
    const std::string_view word = text.substr(0, at);
    text.remove_prefix(at == text.npos ? text.size() : at + 1);
    return word;
}

Shapes shapesIn(std::string_view table) {
    Shapes out;
    while (!table.empty()) {
        std::string_view row = takeWord(table, '\n'), name = takeWord(row, ' ');
        CallShape shape;
        shape.keepsUnknown = name.starts_with('+');
        if (shape.keepsUnknown) name.remove_prefix(1);
        for (int* number : {&shape.least, &shape.most}) {
            const std::string_view digits = takeWord(row, ' ');
            std::from_chars(digits.data(), digits.data() + digits.size(), *number);
        }
        if (row.starts_with(':')) shape.types = takeWord(row, ' ').substr(1);
        shape.keywords = row;
        shape.name = name;
        out.emplace(name, shape);
    }
    return out;
}

std::string counted(std::size_t count) { return std::to_string(count) + " argument" + (count == 1 ? "" : "s"); }

} // namespace

std::string countProblem(const CallShape& shape, std::size_t places, std::size_t names) {
    const auto least = static_cast<std::size_t>(shape.least), most = static_cast<std::size_t>(shape.most);
    const bool isAny = shape.most < 0, takesNames = !shape.keywords.empty() && shape.keywords != "*";
    if (names == 0 && places >= least && (isAny || places <= most)) return {};
    const std::string name(shape.name.substr(shape.name.find('.') + 1)), whole = std::string(shape.name) + "()";
    const auto words =
        static_cast<std::size_t>(takesNames + std::count(shape.keywords.begin(), shape.keywords.end(), ' '));
    if (shape.keywords.empty() && names > 0) return whole + " takes no keyword arguments";
    if (takesNames && places + names < least && words == most) {
        std::string_view rest = shape.keywords;
        for (std::size_t i = 0; i < places; ++i) takeWord(rest, ' ');
        return name + "() missing required argument '" + std::string(takeWord(rest, ' ')) + "' (pos " +
               std::to_string(places + 1) + ")";
    }
    if (places >= (words == most ? 0 : least) && (isAny || places <= most)) return {};
    const std::string given = " (" + std::to_string(places) + " given)";
    if (takesNames && most == 0) return name + "() takes no positional arguments";
    if (takesNames && words <= most && places > most) return name + "() takes at most " + counted(most) + given;
    if (takesNames && words <= most) return name + "() takes at least 1 positional argument" + given;
    if (!takesNames && least == most && most < 2)
        return whole + (most ? " takes exactly one argument" : " takes no arguments") + given;
    const std::string_view bound = least == most ? "" : places < least ? "at least " : "at most ";
    return name + " expected " + std::string(bound) + counted(places < least ? least : most) + ", got " +
           std::to_string(places);
}

std::string typeProblem(const CallShape& shape, std::size_t place, const std::string& given) {
    const std::string name(shape.name.substr(shape.name.find('.') + 1));
    switch (shape.types[place]) {
    case 'I': return "'" + given + "' object cannot be interpreted as an integer";
    case 'J':
        return shape.name == "round" ? "'" + given + "' object cannot be interpreted as an integer"
                                     : "slice indices must be integers or None or have an __index__ method";
    case 'N': return name.ends_with("strip") ? name + " arg must be None or str" : "must be str or None, not " + given;
    case 'T': return name + " first arg must be str or a tuple of str, not " + given;
    default: break;
    }
    if (shape.name.find('.') == shape.name.npos) return "attribute name must be string, not '" + given + "'";
    if (name == "replace") return "replace() argument " + std::to_string(place + 1) + " must be str, not " + given;
    if (name.starts_with("remove")) return name + "() argument must be str, not " + given;
    if (place > 0) return "The fill character must be a unicode character, not " + given;
    return "must be str, not " + given;
}

const CallShape* callShape(std::string_view type, std::string_view name) {
    static const Shapes functions = shapesIn(kFunctions), methods = shapesIn(kMethods);
    if (type.empty()) {
        const auto found = functions.find(name);
        return found == functions.end() ? nullptr : &found->second;
    }
    const auto found = methods.find(std::string(type) + "." + std::string(name));
    return found == methods.end() ? nullptr : &found->second;
}

bool isPythonBuiltin(std::string_view name) {
    // dir(builtins) of Python 3.11
    static constexpr std::string_view kNames =
        "Ellipsis False None NotImplemented True __build_class__ __debug__ __import__ __name__ __doc__ abs aiter all "
        "anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright "
        "credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals "
        "hasattr hash "
        "help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object "
        "oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum "
        "super tuple type vars zip ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup "
        "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError "
        "ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError EncodingWarning "
        "EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning "
        "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError "
        "IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError "
        "NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError "
        "ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning "
        "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError "
        "TypeError "
        "UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning "
        "UserWarning ValueError Warning ZeroDivisionError";
    static const std::unordered_set<std::string_view> names = [] {
        std::unordered_set<std::string_view> out;
        for (std::string_view rest = kNames; !rest.empty();) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            out.insert(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return out;
    }();
    return names.contains(name);
}

} // namespace fx::python
