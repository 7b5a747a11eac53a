// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/pysrc/literals.h"
#include "core/pysrc/unparse.h"
#include "tests/core/pysrc/tree_text.h"
#include "tests/table_cases.h"

using namespace fx;

namespace {

std::string unparsedLine(const std::string& line) {
    try {
        py::Parser parser(line, py::Grammar::Full);
        return py::unparsed(*parser.expression(), parser.source());
    } catch (const Error&) { return "SyntaxError"; }
}

std::string literalOf(const std::string& line) {
    const bool isNumber = !line.empty() && (line[0] == '.' || (line[0] >= '0' && line[0] <= '9'));
    const auto value = isNumber ? py::parseNumber(line) : py::parseString(line);
    return value ? reprOf(Graph(), *value) : "SyntaxError";
}

/// The tree of a program, or the line with its syntax error.
QString treeOf(const std::string& program) {
    try {
        return QString::fromStdString(tree_text::dump(py::SourceTree(program)));
    } catch (const Error& error) {
        return "line " + QString::fromStdString(error.where).section(' ', 1, 1).remove(',') + ": SyntaxError";
    }
}

} // namespace

/// tests/data/pysrc: Python's text, and how Python reads it.
class TestPysrcTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void expression_isWrittenAsPythonDoes_data() { table::addRows("pysrc", "expressions.txt"); }
    void expression_isWrittenAsPythonDoes() {
        QFETCH(const TableCase, given);
        table::compare(given, table::byLine(given, unparsedLine));
    }
    void literal_hasPythonsValue_data() { table::addRows("pysrc", "literals.txt"); }
    void literal_hasPythonsValue() {
        QFETCH(const TableCase, given);
        table::compare(given, table::byLine(given, literalOf));
    }
    void program_hasPythonsTree_data() { table::addRows("pysrc", "trees.txt"); }
    void program_hasPythonsTree() {
        QFETCH(const TableCase, given);
        table::compare(given, treeOf(given.input.toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestPysrcTables)
#include "tst_pysrc_tables.moc"
