// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/module_source.h"

#include "core/base/python_text.h"
#include "core/codegen/code_names.h"
#include "core/codegen/hiding_names.h"
#include "core/codegen/init_source.h"
#include "core/diag/error.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace fx {
namespace {

/// A GraphModule of the tree and the class it becomes.
struct ClassPart {
    const GraphModule* module;
    std::string name;
};

std::string uniqueName(std::string wanted, std::set<std::string>& taken) {
    if (!isPythonIdentifier(wanted) || isPythonKeyword(wanted)) wanted = "Model";
    std::string name = wanted;
    for (int number = 1; !taken.insert(name).second; ++number) name = wanted + "_" + std::to_string(number);
    return name;
}

/// The model and all GraphModules inside it, outer ones first, each once.
std::vector<ClassPart> classParts(const GraphModule& module) {
    std::vector<ClassPart> parts;
    std::set<std::string> names;
    std::set<const GraphModule*> met;
    const auto add = [&](const GraphModule* one) {
        if (met.insert(one).second) parts.push_back({one, uniqueName(one->className, names)});
    };
    add(&module);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const GraphModule* one = parts[i].module; // `parts` grows below
        for (const auto& [name, subgraph] : one->subgraphs) add(subgraph.get());
        forEachModule(*one->root, [&](const std::string&, const Module& child) {
            if (child.graphModule) add(child.graphModule.get());
        });
    }
    return parts;
}

void appendIndented(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.find_first_not_of(' ') != std::string_view::npos) out.append("    ").append(line);
        out += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// `forward` as a method; what stands before its `def` (calls of `wrap`) goes to `prologue`.
void appendForward(std::string& out, std::set<std::string>& prologue, const std::string& code) {
    const std::size_t def = std::min(code.find("\ndef "), code.size());
    for (std::size_t at = 0; at < def;) {
        const std::size_t end = std::min(code.find('\n', at), def);
        if (end > at) prologue.insert(code.substr(at, end - at));
        at = end + 1;
    }
    std::string_view body(code);
    body.remove_prefix(std::min(def + 1, code.size()));
    while (!body.empty() && (body.back() == ' ' || body.back() == '\n')) body.remove_suffix(1);
    appendIndented(out, body);
}

void insertLines(std::set<std::string>& lines, const std::string& block) {
    for (std::size_t at = 0; at < block.size();) {
        const std::size_t end = std::min(block.find('\n', at), block.size());
        lines.insert(block.substr(at, end - at));
        at = end + 1;
    }
}

/// Requires that what printed values call is nothing that another class of the file imports, nor one of the classes.
void checkUndefined(const std::vector<ClassPart>& parts, const std::vector<CodeNames>& names) {
    std::set<std::string_view> defined;
    for (const ClassPart& part : parts) defined.insert(part.name);
    for (const CodeNames& each : names)
        for (const CodeGlobal& global : each.globals) defined.insert(global.alias);
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (const auto& [name, node] : names[i].undefined)
            if (defined.contains(name))
                throw Error(ErrorKind::Refused, Message("codegen.not_value", {{"text", name + "(…)"}}))
                    .onNode(parts[i].module->graph.node(node).name());
}

} // namespace

std::string moduleSource(const GraphModule& module, std::string_view header) {
    const std::vector<ClassPart> parts = classParts(module);
    std::unordered_map<const GraphModule*, std::string> classNames;
    for (const ClassPart& part : parts) classNames.emplace(part.module, part.name);
    std::set<std::string> imports, prologue;
    std::vector<std::string> classes;
    std::vector<CodeNames> names;
    for (const ClassPart& part : parts) {
        Graph graph = part.module->graph;
        renameHidingNames(graph);
        const PythonCode code = generatePython(graph, names.emplace_back());
        insertLines(imports, code.imports);
        std::string text = "class " + part.name + "(torch.nn.Module):\n";
        appendIndented(text, initSource(*part.module, classNames, imports));
        text += "\n";
        appendForward(text, prologue, code.text);
        classes.push_back(std::move(text));
    }
    checkUndefined(parts, names);
    std::string out = "# " + std::string(header) + "\n";
    for (const std::string& line : imports) out += line + "\n";
    if (!prologue.empty()) out += "\n";
    for (const std::string& line : prologue) out += line + "\n";
    for (auto text = classes.rbegin(); text != classes.rend(); ++text) out += "\n\n" + *text;
    return out;
}

} // namespace fx
