// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_journal.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestDocumentJournal : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::shared_ptr<fx::Journal> newJournal() {
        const QString path = m_folder.filePath(QStringLiteral("net.py"));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) file.write("x = 1\n");
        file.close();
        return std::make_shared<fx::Journal>(m_folder.path().toStdString(), fx::ModelIdentity::of(path.toStdString()));
    }
    static fx::JournalDraft typedText() {
        fx::JournalDraft draft;
        draft.source = "x = 2\n";
        return draft;
    }

private Q_SLOTS:
    void draft_isAskedForOnlyWithAJournal() {
        int asked = 0;
        DocumentJournal journal([&] {
            ++asked;
            return typedText();
        });
        journal.recordDraft();
        journal.recordDraftSoon(false);
        QCOMPARE(asked, 0);
        journal.begin(newJournal());
        journal.recordDraft();
        QCOMPARE(asked, 1);
        QVERIFY(journal.problem().isEmpty());
        journal.end();
    }

    void draftThatEnded_isRecordedAtOnce_theTypedOneLater() {
        int asked = 0;
        DocumentJournal journal([&] {
            ++asked;
            return typedText();
        });
        journal.begin(newJournal());
        journal.recordDraftSoon(false);
        QCOMPARE(asked, 0); // not before the edit that applies it
        QTRY_COMPARE(asked, 1);
        journal.recordDraftSoon(true);
        QCoreApplication::processEvents();
        QCOMPARE(asked, 1);
        QTRY_COMPARE(asked, 2);
        journal.end();
    }

    void leave_recordsWhatIsTyped_endDropsIt() {
        int asked = 0;
        DocumentJournal journal([&] {
            ++asked;
            return typedText();
        });
        journal.begin(newJournal());
        journal.recordDraftSoon(true);
        journal.end();
        QVERIFY(!journal.file());
        QCOMPARE(asked, 0);
        journal.begin(newJournal());
        journal.recordDraftSoon(true);
        journal.leave();
        QVERIFY(!journal.file());
        QCOMPARE(asked, 1);
    }

    void problem_isEmittedOnce() {
        DocumentJournal journal([] { return std::nullopt; });
        QSignalSpy told(&journal, &DocumentJournal::problemChanged);
        journal.setProblem(QStringLiteral("disk full"));
        journal.setProblem(QStringLiteral("disk full"));
        QCOMPARE(told.size(), 1);
        QCOMPARE(journal.problem(), QStringLiteral("disk full"));
    }
};

QTEST_MAIN(TestDocumentJournal)
#include "tst_document_journal.moc"
