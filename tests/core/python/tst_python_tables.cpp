// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/table_cases.h"

#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/pysrc/source_error.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/source_trace.h"
#include "core/tensor/elements.h"

#include <QRegularExpression>

using namespace fx;

namespace {

/// "line 3: TypeError: ..."
QString failureAt(std::size_t line, const TableCase& given, const std::string& text) {
    const std::size_t before = given.linesBefore();
    return QString("line %1: ").arg(line > before ? line - before : 0) +
           QString::fromStdString(text).section('\n', 0, 0);
}

/// The first statement of a file at which Python would stop; Lancet goes on after it, since the model may not need it.
const Warning* stopOf(const python::Interpreter& in) {
    for (const Warning& each : in.warnings)
        if (each.what.is("trace.skipped_statement") || each.what.is("trace.skipped_import")) return &each;
    return nullptr;
}

/// What a program prints, and the exception that ends it.
QString printedBy(const TableCase& given) {
    python::Sources sources("case.py", (given.preamble + given.input).toStdString(), {});
    TorchGenerator random(0);
    python::Interpreter in(sources, random, {});
    GraphModule unused;
    trace::ModuleIndex noModules(*unused.root);
    trace::Tracer computing(unused.graph, noModules, trace::Tracer::Mode::AsPython);
    in.recordWith(computing, false);
    const trace::Spending spending(in.allowance());
    QString out;
    in.printed = [&](const std::string& line) {
        if (!stopOf(in)) out += QString::fromStdString(line) + "\n";
    };
    try {
        in.run(*in.importModule("case", true).as<python::SourceFile>());
        in.builtins().finishLine();
    } catch (const Error& error) { return out + failureAt(error.textPlace.line, given, error.message().text()); }
    const Warning* stop = stopOf(in);
    if (!stop) return out;
    const std::string reason = stop->what.argument("reason");
    return out + failureAt(stop->textPlace.line, given, reason.empty() ? stop->what.text() : reason);
}

/// "fc.weight [2, 3] float32 starts with 0.5"
QString tensorLine(const std::string& path, const std::string& name, const TensorRef& tensor) {
    QStringList sizes;
    for (const std::int64_t size : tensor.sizes) sizes << QString::number(size);
    QString line = QString::fromStdString(path + (path.empty() ? "" : ".") + name) + " [" + sizes.join(", ") + "] " +
                   QString::fromUtf8(dtypeName(tensor.dtype).substr(6).data()); // without "torch."
    if (tensor.elementCount() > 0) {
        try {
            line += " starts with " + QString::asprintf("%.4g", elementValues(tensor).front());
        } catch (const Error& error) { line += QString(": ") + error.what(); }
    }
    return line;
}

/// The tensors of a model, by name.
QString tensorsOf(const Module& root) {
    QStringList lines;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const Module::Slot& slot : *slots)
                if (slot.tensor) lines << tensorLine(path, slot.name, *slot.tensor);
        for (const auto& [name, value] : module.attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value)) lines << tensorLine(path, name, **tensor);
    });
    lines.sort();
    return lines.join('\n');
}

/// The graph of what the last line traces: `symbolic_trace(Net(2), concrete_args=dict(flag=True))`.
QString tracedBy(const TableCase& given) {
    const qsizetype lastLine = given.input.chopped(1).lastIndexOf('\n') + 1;
    static const QRegularExpression call("^symbolic_trace\\((.*?)(?:, concrete_args=dict\\((.*)\\))?\\)$");
    const auto match = call.match(QString::fromUtf8(given.input.mid(lastLine)).trimmed());
    if (!match.hasMatch()) return "the last line calls no symbolic_trace";
    SourceOptions options;
    options.name = match.captured(1).toStdString();
    options.concreteText = match.captured(2).toStdString();
    options.weights = NewWeights::Drawn;
    const std::string text = (given.preamble + given.input.left(lastLine)).toStdString();
    const SourceTrace traced = traceSource("case.py", text, options, {});
    if (!traced.faults.empty()) {
        const SourceFault& fault = traced.faults.back();
        const std::string reason = fault.error.message().argument("reason");
        return failureAt(py::lineOf(text, fault.offset), given, reason.empty() ? fault.error.message().text() : reason);
    }
    const QString graph = QString::fromStdString(graphText(traced.module->graph));
    return graph.split('\n', Qt::SkipEmptyParts).join('\n') + "\n" + tensorsOf(*traced.module->root);
}

} // namespace

/// tests/data/python: programs and what Python prints; sources of models and what torch.fx traces.
class TestPythonTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void program_prints_data() { table::addRows("python", "values_*.txt"); }
    void program_prints() {
        QFETCH(const TableCase, given);
        table::compare(given, printedBy(given));
    }
    void source_isTraced_data() { table::addRows("python", "traces_*.txt"); }
    void source_isTraced() {
        QFETCH(const TableCase, given);
        table::compare(given, tracedBy(given));
    }
};

QTEST_GUILESS_MAIN(TestPythonTables)
#include "tst_python_tables.moc"
