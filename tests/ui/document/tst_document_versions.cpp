// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/held_pool.h"
#include "tests/ui/support/models.h"
#include "ui/document/document_journal.h"
#include "ui/document/document_operations.h"
#include "ui/document/document_versions.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestDocumentVersions : public QObject {
    Q_OBJECT

    /// Versions of a model without a file.
    struct Fixture {
        DocumentOperations operations{nullptr};
        DocumentJournal journal{[] { return std::nullopt; }};
        DocumentVersions versions{operations, journal, {}};
        QSignalSpy changed{&versions, &DocumentVersions::changed}, refused{&versions, &DocumentVersions::refused},
            unchanged{&versions, &DocumentVersions::unchanged}, edited{&versions, &DocumentVersions::edited};
    };
    static fx::StepList renaming(const char* name) { return fx::StepList().rename("relu", name); }

private Q_SLOTS:
    void withoutAModel_nothingIsEdited() {
        Fixture f;
        QVERIFY(!f.versions.history());
        QVERIFY(!f.versions.current());
        QVERIFY(!f.versions.edit(QStringLiteral("Rename"), renaming("act")));
        f.versions.editInBackground(QStringLiteral("Rename"), renaming("act"));
        f.versions.undo();
        f.versions.redo();
        f.versions.goTo(0);
        QVERIFY(f.operations.running().empty());
        QVERIFY(f.changed.isEmpty());
    }

    void edit_steps_areUndoneAndRedone() {
        Fixture f;
        const auto net = testing::smallNet();
        f.versions.begin(fx::History(net));
        QVERIFY(f.versions.isSaved());
        QVERIFY(f.versions.edit(QStringLiteral("Rename"), renaming("act")));
        QVERIFY(!f.versions.isSaved());
        QCOMPARE(f.edited.size(), 1);
        QCOMPARE(f.changed.size(), 1);
        QVERIFY(f.versions.current()->graph.find("act") != fx::kNoNode);
        f.versions.undo();
        f.versions.undo(); // there is no earlier one
        QCOMPARE(f.changed.size(), 2);
        QCOMPARE(f.versions.current().get(), net.get());
        QVERIFY(f.versions.isSaved());
        f.versions.redo();
        f.versions.redo();
        QCOMPARE(f.changed.size(), 3);
        f.versions.setSaved(f.versions.current());
        QVERIFY(f.versions.isSaved());
        f.versions.goTo(0);
        QVERIFY(!f.versions.isSaved());
    }

    void begin_savedVersion_mayBeNoneOfThem() {
        Fixture f;
        f.versions.begin(fx::History(testing::smallNet()), 1);
        QVERIFY(!f.versions.isSaved());
    }

    void edit_withoutEffect_emitsUnchanged() {
        Fixture f;
        f.versions.begin(fx::History(testing::smallNet()));
        QVERIFY(!f.versions.edit(QStringLiteral("Rename"), renaming("relu")));
        QCOMPARE(f.unchanged.size(), 1);
        QVERIFY(!f.versions.edit(QStringLiteral("Rename"), fx::StepList().rename("missing", "act")));
        QCOMPARE(f.refused.size(), 1);
        QVERIFY(f.changed.isEmpty());
        QCOMPARE(f.versions.history()->entries().size(), std::size_t(1));
    }

    void refuseEdits_refusesAll() {
        Fixture f;
        f.versions.begin(fx::History(testing::smallNet()));
        f.versions.refuseEdits(fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_running")));
        QVERIFY(f.versions.refusal());
        QVERIFY(!f.versions.edit(QStringLiteral("Rename"), renaming("act")));
        f.versions.editInBackground(QStringLiteral("Rename"), renaming("act"));
        QCOMPARE(f.refused.size(), 2);
        QVERIFY(f.operations.running().empty());
    }

    void editInBackground_isRefused_ifTheModelChangesMeanwhile() {
        Fixture f;
        f.versions.begin(fx::History(testing::smallNet()));
        bool isDone = false;
        {
            const testing::HeldPool held;
            f.versions.editInBackground(QStringLiteral("Rename"), renaming("act"), [&] { isDone = true; });
            QVERIFY(f.operations.isRunning(DocumentOperations::Kind::Edit));
            f.versions.editInBackground(QStringLiteral("Rename"), renaming("other"));
            QCOMPARE(f.refused.size(), 1); // one at a time
            QVERIFY(f.versions.edit(QStringLiteral("Rename"), renaming("meanwhile")));
        }
        QTRY_COMPARE(f.refused.size(), 2);
        QVERIFY(!isDone);
        f.versions.editInBackground(QStringLiteral("Rename"), fx::StepList().rename("meanwhile", "act"),
                                    [&] { isDone = true; });
        QTRY_VERIFY(isDone);
        QVERIFY(f.versions.current()->graph.find("act") != fx::kNoNode);
    }
};

QTEST_MAIN(TestDocumentVersions)
#include "tst_document_versions.moc"
