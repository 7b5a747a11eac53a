// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/input_text.h"

#include <QTemporaryFile>
#include <QTest>

using namespace ui;

class TestInputText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shape_asPeopleWriteIt_isRead_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shape"); // as written back; empty: refused
        QTest::newRow("times") << QStringLiteral("1×3×224×224") << QStringLiteral("1×3×224×224");
        QTest::newRow("x") << QStringLiteral(" 1x3x224x224 ") << QStringLiteral("1×3×224×224");
        QTest::newRow("commas") << QStringLiteral("2, 5") << QStringLiteral("2×5");
        QTest::newRow("blanks") << QStringLiteral("2 5") << QStringLiteral("2×5");
        QTest::newRow("one") << QStringLiteral("7") << QStringLiteral("7");
        QTest::newRow("empty tensor") << QStringLiteral("0x4") << QStringLiteral("0×4");
        QTest::newRow("scalar") << QStringLiteral("scalar") << QStringLiteral("scalar");
        QTest::newRow("nothing") << QString() << QString();
        QTest::newRow("negative") << QStringLiteral("-1x3") << QString();
        QTest::newRow("words") << QStringLiteral("batch x 3") << QString();
        QTest::newRow("gap") << QStringLiteral("1xx3") << QString();
        QTest::newRow("too large") << QStringLiteral("99999999999999999999") << QString();
    }
    void shape_asPeopleWriteIt_isRead() {
        QFETCH(QString, text);
        QFETCH(QString, shape);
        const auto sizes = shapeFromText(text);
        QCOMPARE(sizes ? shapeToText(*sizes) : QString(), shape);
    }

    void summary_saysRangesAsTheyAreTyped_andAsReportsDo() {
        fx::InputDescription inputs;
        fx::InputSpec ids;
        ids.name = "ids", ids.sizes = {2, 5}, ids.dtype = "torch.int64";
        ids.generator = fx::Generator::Integers, ids.low = 0, ids.high = 100;
        inputs.inputs = {ids};
        QCOMPARE(summaryOf(inputs), QStringLiteral("ids 2×5 int64, integers 0 to 99"));
        QCOMPARE(summaryOf(inputs), QStringLiteral("ids ") + QString::fromStdString(fx::inputText(ids)));
        QCOMPARE(valuesToText(ids), QStringLiteral("0 to 99"));
        inputs.inputs[0].high = 0; // not known yet
        QCOMPARE(summaryOf(inputs), QStringLiteral("ids 2×5 int64, integers"));
    }

    void values_ofEachGenerator_areReadBack() {
        QTemporaryFile file;
        QVERIFY(file.open());
        const std::pair<fx::Generator, QString> texts[] = {
            {fx::Generator::Uniform, QStringLiteral("-1 to 2.5")},
            {fx::Generator::Integers, QStringLiteral("0 to 999")},
            {fx::Generator::Constant, QStringLiteral("3.5")},
            {fx::Generator::File, file.fileName()},
            {fx::Generator::File, file.fileName() + QStringLiteral("#logits")}};
        for (const auto& [generator, text] : texts) {
            fx::InputSpec input;
            input.generator = generator;
            QCOMPARE(setValues(input, text), QString());
            QCOMPARE(valuesToText(input), text);
        }
        fx::InputSpec input;
        input.generator = fx::Generator::Integers;
        QCOMPARE(setValues(input, QStringLiteral("0 .. 999")), QString()); // the last one counts here, too
        QCOMPARE(input.high, std::int64_t(1000));
    }

    void shapes_thatNoMachineHolds_areComplainedAbout() {
        fx::InputSpec input;
        input.sizes = {100'000, 100'000};
        QCOMPARE(complaintAbout(input), QString());
        input.sizes = {1 << 20, 1 << 20};
        QVERIFY(complaintAbout(input).contains(QStringLiteral("too large")));
        input.sizes = {1LL << 40, 1LL << 40};
        QVERIFY(complaintAbout(input).contains(QStringLiteral("too large")));
        input.sizes = {1LL << 40, 1LL << 40, 0}; // has no elements
        QCOMPARE(complaintAbout(input), QString());
        input.sizes.assign(65, 1);
        QVERIFY(complaintAbout(input).contains(QStringLiteral("64 dimensions")));
    }

    void values_thatMakeNoSense_areComplainedAbout() {
        const std::pair<fx::Generator, const char*> texts[] = {
            {fx::Generator::Uniform, "1"},         {fx::Generator::Uniform, "2 .. 1"}, {fx::Generator::Integers, ""},
            {fx::Generator::Integers, "6 to 5"},   {fx::Generator::Constant, "three"}, {fx::Generator::File, ""},
            {fx::Generator::File, "/nowhere/x.pt"}};
        for (const auto& [generator, text] : texts) {
            fx::InputSpec input;
            input.generator = generator;
            QVERIFY2(!setValues(input, QLatin1String(text)).isEmpty(), text);
        }
    }
};

QTEST_GUILESS_MAIN(TestInputText)
#include "tst_input_text.moc"
