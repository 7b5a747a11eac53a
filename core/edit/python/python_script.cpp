// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/python_script.h"

#include "core/base/python_text.h"
#include "core/codegen/computed_text.h"
#include "core/ir/code_words.h"
#include "core/ir/print.h"
#include "core/ops/nn_modules.h"

#include <cmath>

namespace fx {

std::string PythonScript::quoted(std::string_view text) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./ -";
    if (text.find_first_not_of(kPlain) == std::string_view::npos) return '"' + std::string(text) + '"';
    std::string out;
    appendPythonString(out, text);
    return out;
}

std::string PythonScript::items(const std::vector<Argument>& items, const Graph& graph) {
    std::string out;
    for (const Argument& item : items) out += (out.empty() ? "" : ", ") + value(item, graph);
    return out;
}

/// Deep as the value nests, which kMaxArgumentDepth bounds.
std::string PythonScript::value(const Argument& argument, const Graph& graph) {
    if (argument.isNode()) return node(graph, argument.node());
    if (const auto* text = argument.as<std::string>()) return quoted(*text);
    if (const auto* function = argument.as<CallableValue>()) return callable(*function->callable);
    if (const auto* sequence = argument.as<Sequence>()) {
        if (sequence->kind == Sequence::Kind::List) return "[" + items(sequence->items, graph) + "]";
        if (sequence->type) requireTupleClass(*sequence->type);
        if (sequence->type) return callable(*sequence->type) + "(" + items(sequence->items, graph) + ")";
        return "(" + items(sequence->items, graph) + (sequence->items.size() == 1 ? ",)" : ")");
    }
    if (const auto* dict = argument.as<Dict>()) {
        std::string out;
        for (const auto& [key, item] : dict->items)
            out += (out.empty() ? "" : ", ") + value(key, graph) + ": " + value(item, graph);
        return "{" + out + "}";
    }
    if (const auto* slice = argument.as<Slice>())
        return "slice(" + items({slice->start, slice->stop, slice->step}, graph) + ")";
    if (const auto* member = argument.as<EnumMember>()) {
        requireIdentifier(member->member);
        return callable(*member->type) + "." + member->member;
    }
    if (const auto* complex = argument.as<Complex>())
        return "complex(" + items({complex->re, complex->im}, graph) + ")";
    if (const auto* real = argument.as<double>(); real && !std::isfinite(*real))
        imports.insert("from math import inf, nan");
    const std::string text = reprOf(graph, argument);
    requireWithoutCalls(argument, text); // the script may define what it calls
    return argument.as<Device>() ? "torch." + text : text;
}

std::string PythonScript::keywords(const Kwargs& kwargs, const Graph& graph) {
    std::string out;
    for (const auto& [key, item] : kwargs) out += (out.empty() ? "" : ", ") + quoted(key) + ": " + value(item, graph);
    return "{" + out + "}";
}

std::string PythonScript::callKeywords(const Kwargs& kwargs, const Graph& graph) {
    std::string out;
    for (const auto& [key, item] : kwargs) {
        requireIdentifier(key);
        out += (out.empty() ? "" : ", ") + key + "=" + value(item, graph);
    }
    return out;
}

std::string PythonScript::callable(const Callable& callable) {
    requireOneName(callable);
    if (callable.fromTorch) return callable.qualifiedName;
    if (callable.module == "builtins") return callable.name;
    if (callable.module.empty())
        throw Error(ErrorKind::Refused, Message("python_script.unknown_module", {{"name", callable.name}}));
    const std::string module = callable.module == "_operator" ? "operator" : callable.module;
    imports.insert("import " + module);
    return module + "." + callable.name;
}

std::string PythonScript::moduleClass(std::string_view type) {
    const auto known = ops::findModule(type);
    const std::string path(known ? known->publicPath() : type);
    const std::string module = path.substr(0, path.rfind('.'));
    requireDotted(path);
    if (module != "torch.nn") imports.insert("import " + module);
    return path;
}

std::string PythonScript::file(const std::string& path) {
    for (const auto& [full, beside] : carried)
        if (full == path) {
            imports.insert("import os");
            return "os.path.join(os.path.dirname(os.path.abspath(__file__)), " + quoted(beside) + ")";
        }
    return quoted(path);
}

} // namespace fx
