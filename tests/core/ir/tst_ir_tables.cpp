// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/namespace.h"
#include "core/textpasses/file_classes.h"
#include "tests/table_programs.h"

using namespace fx;

/// tests/data/ir: names of nodes, and programs that build graphs with torch.fx.
class TestIrTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void candidates_getTorchFxsNames_data() { table::addRows("ir", "names.txt"); }
    void candidates_getTorchFxsNames() {
        QFETCH(const TableCase, given);
        Namespace names;
        table::compare(given, table::byLine(given, [&](const std::string& line) { return names.create(line); }));
    }
    void names_inSnakeCase_data() { table::addRows("ir", "snake.txt"); }
    void names_inSnakeCase() {
        QFETCH(const TableCase, given);
        table::compare(given, table::byLine(given, snakeCase));
    }
    /// The interpreter's Graph and Node are thin: what prints is a fx::Graph.
    void program_buildsTorchFxsGraph_data() { table::addRows("ir", "graphs.txt"); }
    void program_buildsTorchFxsGraph() {
        QFETCH(const TableCase, given);
        table::compare(given, table::printedBy(given, fxClasses(false)));
    }
};

QTEST_APPLESS_MAIN(TestIrTables)
#include "tst_ir_tables.moc"
