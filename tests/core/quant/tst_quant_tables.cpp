// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/table_cases.h"

#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_file.h"
#include "core/quant/modes.h"
#include "core/quant/quantise.h"
#include "core/textpasses/file_classes.h"

#include <map>

using namespace fx;
using namespace fx::quant;

namespace {

QString graphOf(const GraphModule& model) {
    return QString::fromStdString(graphText(model.graph)).split('\n', Qt::SkipEmptyParts).join('\n') + "\n";
}

QString settingOf(const Module& module, const char* name) {
    const Argument* given = module.setting(name);
    return given ? QString::fromStdString(reprOf(Graph(), *given)).remove("torch.") : QString("None");
}

/// "activation_post_process_0: HistogramObserver quint8 0 127", or the name of the observer that it is.
QString observersOf(const GraphModule& prepared) {
    QString out;
    std::map<const Module*, QString> names;
    for (const Node& node : prepared.graph.nodes()) {
        const QString target = QString::fromStdString(node.target());
        if (node.op() != Op::CallModule || !target.startsWith("activation_post_process_")) continue;
        const Module* module = prepared.root->child(node.target());
        if (!module) return "no module " + target;
        if (const auto [known, isNew] = names.emplace(module, target); !isNew) {
            out += target + " = " + known->second + "\n";
            continue;
        }
        const Module* inner = module->child("activation_post_process");
        if (!inner) inner = module;
        out += target + ": " + QString::fromStdString(module->className) + " " + settingOf(*inner, "dtype") + " " +
               settingOf(*inner, "quant_min") + " " + settingOf(*inner, "quant_max") + "\n";
    }
    return out;
}

QString classesOf(const GraphModule& model) {
    std::map<std::string, std::string> types;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.classModule.rfind("__torch__", 0) != 0) types.emplace(path, module.qualifiedType());
    });
    QString out;
    for (const auto& [path, type] : types)
        if (type != "torch.nn.modules.module.Module") out += QString::fromStdString(path + ": " + type) + "\n";
    return out;
}

/// What the last line asks for: `>> static x86 reference {"": "default_qconfig"}`.
struct Request {
    Mode mode;
    Backend backend;
    bool isReference = false;
    std::string json;
};
Request requestOf(QByteArray line) {
    const auto word = [&] {
        const qsizetype end = line.indexOf(' ') < 0 ? line.size() : line.indexOf(' ');
        const QByteArray out = line.left(end);
        line = line.mid(end + 1);
        return out.toStdString();
    };
    word(); // >>
    Request out;
    out.mode = modeFromName(word()).value();
    out.backend = backendFromName(word()).value();
    out.isReference = line.startsWith("reference");
    if (out.isReference) word();
    out.json = line.toStdString();
    return out;
}

QString quantised(const TableCase& given) {
    const qsizetype lastLine = given.input.chopped(1).lastIndexOf('\n') + 1;
    QString out;
    try {
        const Request request = requestOf(given.input.mid(lastLine).trimmed());
        PrepareOptions options;
        options.isQat = request.mode == Mode::Qat;
        options.custom = customFor(request.json);
        SourceOptions source;
        source.name = "Net", source.fx = fxClasses(false), source.eval = !options.isQat;
        source.leafPaths = options.custom.untracedNames, source.leafs = options.custom.untracedClasses;
        const auto traced =
            traceText("case.py", (given.preamble + given.input.left(lastLine)).toStdString(), source, {});
        Warnings warnings;
        PreparedModel prepared = prepare(inModeFor(*traced, request.mode, warnings),
                                         mappingFor(request.backend, request.mode, request.json), options);
        out = graphOf(prepared.model) + observersOf(prepared.model);
        setEval(prepared);
        ConvertOptions convertOptions;
        convertOptions.isReference = request.isReference;
        convertOptions.engine = request.backend;
        const GraphModule converted = convert(prepared, convertOptions, nullptr);
        return out + graphOf(converted) + classesOf(converted);
    } catch (const Error& error) {
        const std::string reason = error.message().argument("reason");
        return out + QString::fromStdString(reason.empty() ? error.message().text() : reason);
    }
}

} // namespace

/// tests/data/quant: models with rules, and what torch.ao prepares and converts.
class TestQuantTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void model_isQuantised_data() { table::addRows("quant", "*.txt"); }
    void model_isQuantised() {
        QFETCH(const TableCase, given);
        table::compare(given, quantised(given));
    }
};

QTEST_GUILESS_MAIN(TestQuantTables)
#include "tst_quant_tables.moc"
