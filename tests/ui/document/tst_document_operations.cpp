// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/held_pool.h"
#include "ui/document/document_operations.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestDocumentOperations : public QObject {
    Q_OBJECT

    using Kind = DocumentOperations::Kind;

private Q_SLOTS:
    void start_result_arrivesWhenItHasEnded() {
        DocumentOperations operations(nullptr);
        int result = 0;
        operations.start<int>(
            Kind::Compare, {QStringLiteral("Comparing"), {}}, [](const fx::Progress&) { return 7; },
            [&](int value) {
                QVERIFY(operations.running().empty());
                result = value;
            });
        QVERIFY(operations.isRunning(Kind::Compare));
        QVERIFY(!operations.isWriting());
        QTRY_COMPARE(result, 7);
    }

    void cancel_one_leavesTheOthersAndDropsTheResult() {
        DocumentOperations operations(nullptr);
        QSignalSpy cancelled(&operations, &DocumentOperations::cancelled);
        std::vector<int> results;
        const auto start = [&](int value) {
            return operations.start<int>(
                Kind::Export, {QString::number(value), {}}, [value](const fx::Progress&) { return value; },
                [&](int result) { results.push_back(result); });
        };
        {
            const testing::HeldPool held;
            const auto first = start(1);
            start(2);
            operations.cancel(first);
            QCOMPARE(operations.running().size(), 1u);
            QCOMPARE(operations.running().front().label, QStringLiteral("2"));
        }
        QTRY_VERIFY(operations.running().empty());
        QCOMPARE(results, std::vector{2});
        QCOMPARE(cancelled.size(), 1);
    }

    void retitle_changesTheLabelsOfWhatRuns() {
        DocumentOperations operations(nullptr);
        operations.begin(Kind::Verify, QStringLiteral("Trying other inputs of mob.pt"), {});
        operations.begin(Kind::Save, QStringLiteral("Saving mob.pt"), {}); // a file that is written
        operations.begin(Kind::Verify, QStringLiteral("Verifying xmob.pt"), {});
        const QSignalSpy changed(&operations, &DocumentOperations::changed);
        operations.retitle(QStringLiteral("mob.pt"), QStringLiteral("new.pt"));
        QCOMPARE(changed.size(), 1);
        QStringList labels;
        for (const auto& each : operations.running()) labels << each.label;
        QCOMPARE(labels, QStringList({QStringLiteral("Trying other inputs of new.pt"), QStringLiteral("Saving mob.pt"),
                                      QStringLiteral("Verifying xmob.pt")}));
    }

    void failure_isToldInTheWordsOfTheOperation() {
        DocumentOperations operations(nullptr);
        QSignalSpy failed(&operations, &DocumentOperations::failed);
        operations.start<int>(
            Kind::Save, {QStringLiteral("Saving"), QStringLiteral("Could not save net.pt")},
            [](const fx::Progress&) -> int {
                throw fx::Error(fx::ErrorKind::File, fx::Message::received({}, {}, "no space left on device"));
            },
            [](int) { QFAIL("there is no result"); });
        QVERIFY(operations.isWriting());
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(failed[0][0].toString(), QStringLiteral("Could not save net.pt"));
        QVERIFY(operations.running().empty());
    }

    void progress_isOfTheOperation() {
        DocumentOperations operations(nullptr);
        bool told = false;
        connect(&operations, &DocumentOperations::changed, this, [&] {
            for (const auto& each : operations.running())
                told |= each.what == QLatin1String("half") && each.done == 0.5;
        });
        operations.start<int>(
            Kind::Edit, {QStringLiteral("Editing"), {}},
            [](const fx::Progress& progress) {
                progress.report("half", 0.5);
                return 1;
            },
            [](int) {});
        QTRY_VERIFY(operations.running().empty());
        QVERIFY(told);
    }
};

QTEST_MAIN(TestDocumentOperations)
#include "tst_document_operations.moc"
