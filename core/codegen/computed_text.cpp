// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/computed_text.h"

#include "core/base/one_of.h"
#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/ir/callable.h"
#include "core/ops/python_signatures.h"
#include "core/ops/reach.h"

#include <algorithm>
#include <string>

namespace fx {
namespace {
/// `getattr` gives the code of the model its own members, under names that are no identifiers.
bool readsModel(std::string_view after) { return after.starts_with("(self") || after.starts_with("(getattr("); }

/// `device(type='cpu')`: a keyword reads nothing.
bool isKeyword(std::string_view after) {
    after.remove_prefix(std::min(after.find_first_not_of(' '), after.size()));
    return after.starts_with('=') && !after.starts_with("==");
}

bool isTensorMethod(const std::string& members) {
    static constexpr std::string_view kOfPython[] = {
        "bfloat16", "bool",  "byte",   "cdouble", "cfloat", "char", "contiguous", "cpu",        "dim",
        "double",   "float", "half",   "int",     "item",   "long", "nelement",   "ndimension", "new",
        "short",    "size",  "stride", "to",      "tolist", "type", "type_as",    "view_as"};
    const std::string last = members.substr(members.rfind('.') + 1);
    return isOneOf(last, kOfPython) || !ops::pythonSignatures("torch.Tensor." + last).empty() ||
           (!ops::overloads("aten::" + last).empty() && !ops::reachesOutside("aten::" + last));
}

/// Of names with dots between them, and what follows them.
bool isHarmless(std::string_view name, bool isMember, std::string_view after) {
    static constexpr std::string_view kOfPython[] = {
        "breakpoint", "compile", "delattr", "dir",  "eval",  "exec", "exit",    "globals", "help",
        "input",      "vars",    "locals",  "open", "print", "quit", "setattr", "type",    "memoryview"};
    if (name.find("__") != std::string_view::npos && !name.starts_with("torch.ops.")) return false;
    if (std::any_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; })) return false; // read in NFKC
    if (name == "for" || name == "lambda") return false; // they give names to something
    if (isKeyword(after)) return true;
    const std::string text(name);
    const bool isCalled = after.starts_with('(');
    if (isMember) return !ops::reachesOutside("torch.Tensor." + text) && (!isCalled || isTensorMethod(text));
    if (name == "getattr") return readsModel(after);
    if (isOneOf(name, kOfPython)) return false;
    return !ops::reachesOutside(text) && !ops::reachesOutside("builtins." + text);
}

bool isHarmless(std::string_view source) {
    char before = ' ';
    for (std::size_t at = 0; at < source.size();) {
        const char c = source[at];
        std::size_t end = at + 1;
        if (c == '\'' || c == '"') {
            if (isNamePart(before) && before != 'b' && before != 'r' && before != 'u')
                return false; // an f-string computes
            while (end < source.size() && source[end] != c && source[end] != '\\') ++end;
            if (end < source.size() && source[end] == '\\') return false; // spells what is looked for here
            if (before == '\'' || before == '"') return false;            // joined with the text before it
            if (source.substr(at, end - at).find("__") != std::string_view::npos) return false;
            ++end;
        } else if (isNamePart(c)) {
            while (end < source.size() && (isNamePart(source[end]) || source[end] == '.')) ++end;
            if (!isHarmless(source.substr(at, end - at), before == '.', source.substr(end))) return false;
        } else if ((c == '(' && (before == ')' || before == ']')) ||
                   (c == ':' && source.substr(end).starts_with('=')) || (c == '.' && at > 0 && source[at - 1] == ' ')) {
            return false; // a call of what is computed, a name for it, a member of what stands apart
        }
        end = std::min(end, source.size());
        if (source[end - 1] != ' ') before = source[end - 1];
        at = end;
    }
    return true;
}
} // namespace

void requireComputation(std::string_view source) {
    if (!isHarmless(source))
        throw Error(ErrorKind::Refused, Message("codegen.not_computation", {{"text", source.substr(0, 60)}}));
}

std::optional<std::string> importLine(const std::string& name) {
    for (const char* module : {"torch", "math", "operator", "_operator"})
        if (name == module) return "import " + name;
    if (name == "device") return "from torch import device";
    if (name == "inf" || name == "nan") return "from math import " + name;
    return isPythonBuiltin(name) ? std::optional(std::string()) : std::nullopt;
}

bool isTupleClassOfTorch(std::string_view name) {
    static constexpr std::string_view kClasses[] = {"torch.nn.utils.rnn.PackedSequence",
                                                    "torch.nn.utils.rnn.PackedSequence_",
                                                    "torch.nn.modules.adaptive._ASMoutput",
                                                    "torch.nn.modules.module._IncompatibleKeys",
                                                    "torch.autograd.forward_ad.UnpackedDualTensor",
                                                    "torch.fx.passes.shape_prop.TensorMetadata"};
    constexpr std::string_view kReturned = "torch.return_types.";
    return (name.starts_with(kReturned) && name.find('.', kReturned.size()) == name.npos) || isOneOf(name, kClasses);
}

void requireTupleClass(const Callable& type) {
    const std::string& name = type.qualifiedName;
    const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
    const std::size_t first = std::min(last.find_first_not_of('_'), last.size());
    const bool isClass = first < last.size() && last[first] >= 'A' && last[first] <= 'Z';
    const bool isOfPackage =
        !name.starts_with("torch.") && (name.starts_with("__main__.") || !ops::isOfPythonItself(name));
    if (!isTupleClassOfTorch(name) && (!isClass || !isOfPackage || ops::reachesOutside(name)))
        throw Error(ErrorKind::Refused, Message("codegen.not_tuple_class", {{"name", name}}));
}

} // namespace fx
