// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/json/json_document.h"
#include "core/python/tracing/trace_file.h"
#include "core/tensor/elements.h"
#include "tests/table_cases.h"

#include <QRegularExpression>

/// Cases of tests/data whose input is a program with models, and how graphs and tensors are shown; as in
/// table_graphs.py.
namespace table {

/// The last line of the input.
inline QString lastLine(const TableCase& given) {
    return QString::fromUtf8(given.input.mid(given.input.chopped(1).lastIndexOf('\n') + 1)).trimmed();
}
/// The input without its last line, after the lines before the first case.
inline std::string programOf(const TableCase& given) {
    return (given.preamble + given.input.left(given.input.chopped(1).lastIndexOf('\n') + 1)).toStdString();
}

/// What the last line asks for: ">> WORD {JSON}".
struct Request {
    std::string word;                             ///< may be empty
    std::shared_ptr<const fx::JsonDocument> json; ///< an object

    explicit Request(const TableCase& given) {
        const QString line = table::lastLine(given).mid(2).trimmed();
        const qsizetype brace = line.indexOf('{');
        word = line.left(brace < 0 ? line.size() : brace).trimmed().toStdString();
        json = fx::JsonDocument::parse(brace < 0 ? "{}" : line.mid(brace).toStdString());
    }
    bool flag(const char* key) const {
        const fx::JsonValue value = json->root().find(key);
        return value.exists() && value.asBool();
    }
    std::vector<std::string> texts(const char* key) const {
        std::vector<std::string> out;
        if (const fx::JsonValue value = json->root().find(key); value.exists())
            for (const fx::JsonValue text : value) out.emplace_back(text.asText());
        return out;
    }
};

/// True if the program has the function `name`, or the class of that name with a capital.
inline bool defines(const std::string& program, const QString& name) {
    const QString capital = name.left(1).toUpper() + name.mid(1);
    return QString::fromStdString(program).contains(
        QRegularExpression("^(def " + name + "\\(|class " + capital + "\\b)", QRegularExpression::MultilineOption));
}
/// The graph of that function, or of that class in eval mode, with weights of the seed 0.
inline std::shared_ptr<fx::GraphModule> tracedIn(const std::string& program, QString name,
                                                 fx::SourceOptions options = {}) {
    if (!program.starts_with("def " + name.toStdString()) &&
        program.find("\ndef " + name.toStdString() + "(") == std::string::npos)
        name[0] = name[0].toUpper();
    options.name = name.toStdString();
    options.weights = fx::NewWeights::Drawn;
    options.eval = true;
    return fx::traceText("case.py", program, options, {});
}

/// `str(graph)` without empty lines.
inline QString graphLines(const fx::Graph& graph) {
    return QString::fromStdString(fx::graphText(graph)).split('\n', Qt::SkipEmptyParts).join('\n') + "\n";
}
/// The same with calls called n1, n2.
inline QString numbered(fx::Graph graph) {
    int count = 0;
    for (const fx::NodeId id : graph.order())
        if (const fx::Op op = graph.node(id).op(); op != fx::Op::Placeholder && op != fx::Op::Output)
            graph.setNameUnchecked(id, "n" + std::to_string(++count));
    return graphLines(graph);
}

/// "fc.weight [2, 3] float32 starts with 0.5"
inline QString tensorLine(const std::string& path, const std::string& name, const fx::TensorRef& tensor) {
    QStringList sizes;
    for (const std::int64_t size : tensor.sizes) sizes << QString::number(size);
    QString line = QString::fromStdString(path + (path.empty() ? "" : ".") + name) + " [" + sizes.join(", ") + "] " +
                   QString::fromUtf8(fx::dtypeName(tensor.dtype).substr(6).data()); // without "torch."
    if (tensor.elementCount() > 0) {
        try {
            line += " starts with " + QString::asprintf("%.4g", fx::elementValues(tensor).front());
        } catch (const fx::Error& error) { line += QString(": ") + error.what(); }
    }
    return line;
}
/// The tensors of a model, by name.
inline QString tensorLines(const fx::Module& root) {
    QStringList lines;
    fx::forEachModule(root, [&](const std::string& path, const fx::Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const fx::Module::Slot& slot : *slots)
                if (slot.tensor) lines << tensorLine(path, slot.name, *slot.tensor);
        for (const auto& [name, value] : module.attributes)
            if (const auto* tensor = std::get_if<fx::TensorPtr>(&value)) lines << tensorLine(path, name, **tensor);
    });
    lines.sort();
    return lines.join('\n');
}

/// Returns `expected` if `said` is the same but for the last of the five digits of numbers: processors round
/// differently.
inline QString withDigitsOf(const QString& expected, const QString& said) {
    static const QRegularExpression number("-?\\d+\\.?\\d*(?:e[+-]\\d+)?");
    if (QString(expected).remove(number) != QString(said).remove(number)) return said;
    auto wanted = number.globalMatch(expected), found = number.globalMatch(said);
    while (wanted.hasNext() && found.hasNext()) {
        const QString a = wanted.next().captured(), b = found.next().captured();
        const bool isReal = a.contains('.') || a.contains('e');
        if (a != b && !(isReal && std::abs(a.toDouble() - b.toDouble()) <= 1.5e-4 * std::abs(a.toDouble())))
            return said;
    }
    return wanted.hasNext() || found.hasNext() ? said : expected;
}
/// As `compare`, for numbers that may differ in the last digit.
inline void compareDigits(const TableCase& given, const QString& text) {
    const QString& wanted = given.but.isNull() ? given.expected : given.but;
    compare(given, withDigitsOf(wanted, text.trimmed()));
}

} // namespace table
