// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/compile_text.h"
#include "tests/failure.h"
#include "tests/sanitized.h"

#include <QElapsedTimer>
#include <QFile>
#include <QtTest>

using namespace fx;

class TestCompileTextBad : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void other_text_isNotAGraph_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("source")
            << "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n        return x\n";
        QTest::newRow("dict") << "class A(torch.nn.Module):\n    def forward(self, x):\n        return {'a': \"b\"}\n";
        QTest::newRow("empty") << "";
    }
    void other_text_isNotAGraph() {
        QFETCH(QString, text);
        QVERIFY(!isCompileText(text.toStdString()));
    }

    void text_wrong_refusedWithLine_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("where");
        const QString head = "class A(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n";
        QTest::newRow("no class") << "x = 1\n"
                                  << "";
        QTest::newRow("no forward") << "class A(torch.nn.Module):\n    pass\n"
                                    << "class A";
        QTest::newRow("loop") << head + "        for i in x:\n            pass\n        return x\n"
                              << "line 3, column 9";
        QTest::newRow("truncated call") << head + "        a = torch.relu(x"
                                        << "line 3, column 25";
        QTest::newRow("truncated in place") << head + "        x += 1;"
                                            << "line 3, column 16";
        QTest::newRow("in place, declaration") << head + "        x += 1\n        y: \"f32[2]\"\n        return y\n"
                                               << "line 4, column 9";
        QTest::newRow("getattr without arguments") << head + "        y = getattr()()\n        return y\n"
                                                   << "line 3, column 9";
        QTest::newRow("getattr without a name") << head + "        y = getattr(x)()\n        return y\n"
                                                << "line 3, column 9";
        QTest::newRow("lone expression") << head + "        torch.relu(x)\n        return x\n"
                                         << "line 3, column 9";
        QTest::newRow("number") << head + "        a = 3\n        return a\n"
                                << "line 3, column 9";
        QTest::newRow("binary") << head + "        \x01\x02 = <<\n"
                                << "line 3, column 9";
    }
    void text_wrong_refusedWithLine() {
        QFETCH(QString, text);
        const Error error = failure([&] { readCompileText(text.toStdString(), "x.py"); });
        QCOMPARE(error.kind(), ErrorKind::File);
        QCOMPARE(error.file, std::string("x.py"));
        QTEST(QString::fromStdString(error.where), "where");
    }

    void nesting_deep_refused() {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += std::string(static_cast<std::size_t>(4 * i), ' ') + "class A(torch.nn.Module):\n";
        QCOMPARE(QString::fromStdString(failure([&] { readCompileText(text, "x.py"); }).message().code()),
                 QString("compile.too_deep"));
    }

    void arguments_deep_keptAsText() {
        for (const std::size_t depth : {10, 150, 250, 20'000}) {
            const std::string text =
                "class A(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n        a = f.g(" +
                std::string(depth, '[') + "x" + std::string(depth, ']') + ")\n        return a\n";
            const auto module = readCompileText(text, "x.py");
            QCOMPARE(module->warnings.empty(), depth < 200);
        }
    }

    void shapes_hostile_noOverflow() {
        const auto module = readCompileText("class A(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n"
                                            "        a: \"f32[9223372036854775807, 9223372036854775807]\" = self.a\n"
                                            "        b: \"f32[-4]\" = self.b\n        return (a, b)\n",
                                            "x.py");
        QVERIFY(module->root->buffers.empty());
        QCOMPARE(module->root->attributes.size(), std::size_t{2});
    }

    void graph_long_linearTime() {
        std::string text = "class A(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n";
        for (int i = 0; i < 100'000; ++i) {
            const std::string name = "add_" + std::to_string(i + 1);
            text += "        " + name + ": \"f32[2]\" = torch.ops.aten.add.Tensor(" +
                    (i == 0 ? "x" : "add_" + std::to_string(i)) + ", 1);  x = None\n";
        }
        text += "        return (add_100000,)\n";
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(readCompileText(text, "x.py")->graph.size(), std::size_t{100'002});
        QVERIFY2(timer.elapsed() < 5000 * kPatience, qPrintable(QString::number(timer.elapsed())));
    }

    /// Any damage is an error or a graph, never a crash.
    void samples_damaged_survive() {
        QFile file(LANCET_SOURCE_DIR "/tests/data/compilation/torchinductor/model__2_forward_3.2/fx_graph_runnable.py");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string whole = file.readAll().toStdString();
        quint32 random = 1;
        for (int i = 0; i < 600; ++i) {
            std::string text = whole;
            random = random * 1664525 + 1013904223;
            const std::size_t at = random % text.size();
            if (i % 3 == 0) text.resize(at);
            else if (i % 3 == 1) text[at] = static_cast<char>(random >> 24);
            else text.erase(at, random >> 27);
            try {
                readCompileText(text, "x.py");
            } catch (const Error&) {}
        }
    }
};

QTEST_GUILESS_MAIN(TestCompileTextBad)
#include "tst_compile_text_bad.moc"
