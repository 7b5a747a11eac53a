// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/file_classes.h"
#include "tests/table_programs.h"

/// tests/data/textpasses: programs that use torch.fx, and what they print in Python.
class TestTextPassTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void program_prints_data() { table::addRows("textpasses", "*.txt"); }
    void program_prints() {
        QFETCH(const TableCase, given);
        table::compare(given, table::printedBy(given, fx::fxClasses(false)));
    }
};

QTEST_APPLESS_MAIN(TestTextPassTables)
#include "tst_text_pass_tables.moc"
