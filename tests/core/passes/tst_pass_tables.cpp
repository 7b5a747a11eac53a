// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/passes/pass_case.h"

/// tests/data/passes: programs, passes, and the graphs that torch.fx makes of them.
class TestPassTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pass_makesThisGraph_data() { table::addRows("passes", "*.txt"); }
    void pass_makesThisGraph() {
        QFETCH(const TableCase, given);
        table::compareDigits(given, afterPass(given));
    }
};

QTEST_APPLESS_MAIN(TestPassTables)
#include "tst_pass_tables.moc"
