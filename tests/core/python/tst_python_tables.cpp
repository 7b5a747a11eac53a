// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/source_error.h"
#include "core/python/tracing/source_trace.h"
#include "tests/table_models.h"
#include "tests/table_programs.h"

using namespace fx;

namespace {

/// The graph of what the last line traces: `symbolic_trace(Net(2), concrete_args=dict(flag=True))`.
QString tracedBy(const TableCase& given) {
    static const QRegularExpression call("^symbolic_trace\\((.*?)(?:, concrete_args=dict\\((.*)\\))?\\)$");
    const auto match = call.match(table::lastLine(given));
    if (!match.hasMatch()) return "the last line calls no symbolic_trace";
    SourceOptions options;
    options.name = match.captured(1).toStdString();
    options.concreteText = match.captured(2).toStdString();
    options.weights = NewWeights::Drawn;
    const std::string text = table::programOf(given);
    const SourceTrace traced = traceSource("case.py", text, options, {});
    if (!traced.faults.empty()) {
        const SourceFault& fault = traced.faults.back();
        const std::string reason = fault.error.message().argument("reason");
        return table::failureAt(py::lineOf(text, fault.offset), given,
                                reason.empty() ? fault.error.message().text() : reason);
    }
    return table::graphLines(traced.module->graph) + table::tensorLines(*traced.module->root);
}

} // namespace

/// tests/data/python: programs and what Python prints; sources of models and what torch.fx traces.
class TestPythonTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void program_prints_data() { table::addRows("python", "values_*.txt"); }
    void program_prints() {
        QFETCH(const TableCase, given);
        table::compare(given, table::printedBy(given));
    }
    void source_isTraced_data() { table::addRows("python", "traces_*.txt"); }
    void source_isTraced() {
        QFETCH(const TableCase, given);
        table::compare(given, tracedBy(given));
    }
};

QTEST_GUILESS_MAIN(TestPythonTables)
#include "tst_python_tables.moc"
