// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/code/code_window.h"

#include <QTest>

using namespace ui;

class TestCodeWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void window_smallCode_isWhole() {
        const auto net = testing::chain(20);
        const fx::PythonCode code = fx::generatePython(net->graph);
        const CodeWindow window = codeWindowFor(net->graph, code, fx::kNoNode, 1000);
        QCOMPARE(window.first, 0);
        QCOMPARE(window.count, static_cast<int>(code.lineNodes.size()));
    }

    void window_largeCode_partAroundNode() {
        const auto net = testing::chain(4000);
        const fx::PythonCode code = fx::generatePython(net->graph);
        const fx::NodeId node = net->graph.find("blocks_1500_linear");
        const CodeWindow window = codeWindowFor(net->graph, code, node, 100);
        QCOMPARE(window.count, 100);
        QVERIFY(window.contains(code.nodeLines[fx::index(node)]));
    }

    void window_atTheEnds_staysInside() {
        const auto net = testing::chain(4000);
        const fx::PythonCode code = fx::generatePython(net->graph);
        const int total = static_cast<int>(code.lineNodes.size());
        const CodeWindow atEnd = codeWindowFor(net->graph, code, net->graph.find("output"), 100);
        QCOMPARE(atEnd.first + atEnd.count, total);
        const CodeWindow atStart = codeWindowFor(net->graph, code, net->graph.find("x"), 100);
        QCOMPARE(atStart.first, 0);
        QCOMPARE(atStart.count, 100);
    }

    void lineStarts_text_offsets() {
        QCOMPARE(lineStarts("a\nbc\n"), (std::vector<std::size_t>{0, 2, 5, 5}));
        QCOMPARE(lineStarts(""), (std::vector<std::size_t>{0, 0}));
    }
};

QTEST_GUILESS_MAIN(TestCodeWindow)
#include "tst_code_window.moc"
