// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/compile_text.h"

#include "core/files/file_below.h"
#include "core/files/read_text.h"
#include "core/io/compile_text/missing_values.h"
#include "core/io/compile_text/printed_classes.h"
#include "core/io/compile_text/printed_forward.h"
#include "core/io/compile_text/repro_script.h"
#include "core/io/compile_text/value_annotation.h"
#include "core/ir/print.h"
#include "core/module/subgraphs.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace fx {
namespace {
constexpr std::string_view kRepro = "Repro", kEscape = "\x1b[", kNoBody = " = <lambda>()";

/// Whether the text has `: "f32[2, 8]"` or the like.
bool hasAnnotation(std::string_view text) {
    for (std::size_t at = text.find(": \""); at != std::string_view::npos; at = text.find(": \"", at + 3)) {
        const std::string_view rest = text.substr(at + 3, 1000);
        if (readAnnotation(rest.substr(0, rest.find('"')))) return true;
    }
    return false;
}

/// Whether a line imports something. A source that does not cannot name torch.
bool hasImport(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        const std::size_t word = std::min(text.find_first_not_of(" \t", at), text.size());
        if (text.substr(word).starts_with("import ") || text.substr(word).starts_with("from ")) return true;
    }
    return false;
}

bool hasGraph(std::string_view text) {
    if (text.find("class Repro(torch.nn.Module):") != std::string_view::npos) return true;
    const std::size_t start = text.find("(torch.nn.Module):");
    const auto has = [&](std::string_view words) { return text.find(words, start) != std::string_view::npos; };
    if (start == std::string_view::npos || !has("def forward(")) return false;
    // A graph without inputs may have no values that could be annotated.
    return hasAnnotation(text.substr(start)) || (has("def forward(self):") && !hasImport(text));
}

/// Terminals get colours: `\x1b[31mf32`.
std::string withoutColours(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t escape = std::min(text.find(kEscape, at), text.size());
        out.append(text.substr(at, escape - at));
        const std::size_t end = text.find_first_not_of("0123456789;", std::min(escape + 2, text.size()));
        at = end == std::string_view::npos ? text.size() : end + 1;
    }
    return out;
}

class CompileText {
public:
    CompileText(std::string_view text, const std::string& path, const OtherTexts& others)
        : m_text(text), m_path(path), m_others(others) {}

    std::shared_ptr<GraphModule> read() {
        const auto classes = printedClasses(m_text);
        if (classes.empty()) throw Error(ErrorKind::File, Message("compile.no_class"));
        std::vector<std::vector<std::size_t>> nested(classes.size());
        for (std::size_t i = 0; i < classes.size(); ++i)
            if (classes[i].parent != i) nested[classes[i].parent].push_back(i);
        std::vector<std::shared_ptr<GraphModule>> modules(classes.size());
        const std::size_t main = mainOf(classes);
        // Backwards: a nested class is complete before the one around it.
        for (std::size_t i = classes.size(); i-- > 0;) {
            modules[i] = readClass(classes[i]);
            nest(*modules[i], classes, nested[i], modules);
            if (i == main) addBodies(*modules[i]);
            addMissingValues(*modules[i]);
        }
        readReproInputs(*modules[main], m_text);
        modules[main]->producer = reproProducer(m_text);
        modules[main]->path = m_path;
        return modules[main];
    }

private:
    /// The runnable's own class, else the first.
    static std::size_t mainOf(const std::vector<PrintedClass>& classes) {
        const auto repro =
            std::find_if(classes.begin(), classes.end(), [](const PrintedClass& each) { return each.name == kRepro; });
        return repro == classes.end() ? 0 : static_cast<std::size_t>(repro - classes.begin());
    }

    std::shared_ptr<GraphModule> readClass(const PrintedClass& printed) {
        auto module = std::make_shared<GraphModule>();
        module->format = Format::CompileGraph;
        module->className = module->root->className = printed.name;
        module->root->classModule = "torch.fx.graph_module";
        if (printed.forward == 0)
            throw Error(ErrorKind::File, Message("compile.no_forward")).at("class " + printed.name);
        if (printed.name == kRepro) readReproInit(*module, m_text, printed.body, printed.forward);
        readPrintedForward(*module, m_text, printed.forward, printed.end);
        return module;
    }

    /// The names of the nested classes. PyTorch 2.4 prints bodies of cond as `class <lambda>`: these are the graphs
    /// that higher-order operators take and no class has the name of, in this order, if there are as many.
    static std::vector<std::string> bodyNames(const Graph& graph, const std::vector<PrintedClass>& classes,
                                              const std::vector<std::size_t>& nested) {
        std::vector<std::string> names, missing;
        for (const std::size_t i : nested) names.push_back(classes[i].name);
        const auto isIn = [](const std::vector<std::string>& all, const std::string& name) {
            return std::find(all.begin(), all.end(), name) != all.end();
        };
        for (const Node& node : graph.nodes()) {
            if (node.op() != Op::CallFunction || node.callable()->kind != Callable::Kind::HigherOrderOp) continue;
            for (const Argument& each : node.args()) {
                if (!each.isNode() || graph.node(each.node()).op() != Op::GetAttr) continue;
                const std::string& target = graph.node(each.node()).target();
                if (!isIn(names, target) && !isIn(missing, target)) missing.push_back(target);
            }
        }
        const auto count = std::count(names.begin(), names.end(), "<lambda>");
        if (static_cast<std::size_t>(count) == missing.size())
            for (std::size_t at = 0; std::string & name : names)
                if (name == "<lambda>") name = missing[at++];
        return names;
    }

    /// A nested graph is the body of a higher-order operator, or a module that the graph calls.
    static void nest(GraphModule& outer, const std::vector<PrintedClass>& classes,
                     const std::vector<std::size_t>& nested, const std::vector<std::shared_ptr<GraphModule>>& modules) {
        std::unordered_set<std::string_view> called;
        for (const Node& node : outer.graph.nodes())
            if (node.op() == Op::CallModule) called.insert(node.target());
        const std::vector<std::string> names = bodyNames(outer.graph, classes, nested);
        for (std::size_t at = 0; at < nested.size(); ++at) {
            const std::string& name = names[at];
            const std::shared_ptr<GraphModule>& inner = modules[nested[at]];
            outer.warnings.insert(outer.warnings.end(), inner->warnings.begin(), inner->warnings.end());
            if (!called.contains(name)) {
                outer.subgraphs.emplace_back(name, inner);
                continue;
            }
            auto child = std::make_shared<Module>(*inner->root);
            child->graphModule = inner;
            outer.root->children.push_back({name, std::move(child)});
        }
    }

    /// Takes the graphs that this text only names from another text of the same graph.
    void addBodies(GraphModule& module) const {
        if (!m_others || m_text.find(kNoBody) == std::string_view::npos) return;
        const std::string wanted = graphText(module.graph);
        while (const auto text = m_others()) {
            std::shared_ptr<GraphModule> other;
            try {
                if (isCompileText(*text)) other = readCompileText(*text, m_path);
            } catch (const Error&) {} // it is reported when it is opened itself
            if (!other || graphText(other->graph) != wanted) continue;
            for (const auto& [name, body] : other->subgraphs)
                if (!hasSubgraph(module, name)) module.subgraphs.emplace_back(name, body);
            return;
        }
    }

    std::string_view m_text;
    const std::string& m_path;
    const OtherTexts& m_others;
};
} // namespace

bool isCompileText(std::string_view text) {
    const bool isColoured = text.find(kEscape) != std::string_view::npos;
    const std::string plain = isColoured ? withoutColours(text) : std::string();
    return hasGraph(isColoured ? plain : text);
}

std::shared_ptr<GraphModule> readCompileText(std::string_view text, const std::string& path, const OtherTexts& others) {
    try {
        const bool isColoured = text.find(kEscape) != std::string_view::npos;
        const std::string plain = isColoured ? withoutColours(text) : std::string();
        return CompileText(isColoured ? plain : text, path, others).read();
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

std::shared_ptr<GraphModule> readCompileFile(const std::string& path) {
    namespace fs = std::filesystem;
    std::vector<std::string> names = {"fx_graph_readable.py", "fx_graph_transformed.py"};
    const auto others = [&]() -> std::optional<std::string> {
        while (!names.empty()) {
            const std::string folder = fs::path(path).parent_path().string(), name = names.front();
            names.erase(names.begin());
            if (fs::path(path).filename() != name && isFileBelow(folder, name))
                return readTextBelow(folder, name, kMaxCompileText);
        }
        return std::nullopt;
    };
    return readCompileText(readTextFile(path, kMaxCompileText), path, others);
}

} // namespace fx
