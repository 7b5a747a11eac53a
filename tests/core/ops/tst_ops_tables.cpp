// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/catalogue.h"
#include "tests/table_cases.h"

/// tests/data/ops: operators, and their schemas in PyTorch.
class TestOpsTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operator_hasPyTorchsSchema_data() { table::addRows("ops", "schemas.txt"); }
    void operator_hasPyTorchsSchema() {
        QFETCH(const TableCase, given);
        table::compare(given, table::byLine(given, [](const std::string& name) {
                           const auto found = fx::ops::findOperator(name);
                           return found ? found->schema() : "AttributeError";
                       }));
    }
};

QTEST_APPLESS_MAIN(TestOpsTables)
#include "tst_ops_tables.moc"
