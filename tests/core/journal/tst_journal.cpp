// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/python/tracing/source_trace.h"
#include "tests/core/journal/journal_fixture.h"

#include <QtTest>

#include <filesystem>

using namespace fx;

/// What a journal holds, and what comes back from it.
class TestJournal : public JournalFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }

    void left_isKnownUntilSomebodyGoesOn() {
        {
            History history(openModel(m_model));
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("an edit", rename("mul", "scaled"));
            journal.edited(history);
            journal.leave();
        }
        {
            const auto journals = orphanedJournals(m_folder);
            QVERIFY(journals.size() == 1);
            QVERIFY(journals[0]->wasLeft());
            QVERIFY(journals[0]->problem().empty());
            QCOMPARE(journals[0]->unsavedChanges(), 1u);
            RecoveredModel back = recover(*journals[0]);
            Journal again(*journals[0]); // and its process is killed
            back.history.edit("another", insertAfter("scaled"));
            again.edited(back.history);
        }
        const auto journals = orphanedJournals(m_folder);
        QVERIFY(journals.size() == 1);
        QVERIFY(!journals[0]->wasLeft());
        QCOMPARE(journals[0]->unsavedChanges(), 2u);
        journals[0]->discard();
        Journal untouched(m_folder, ModelIdentity::of(m_model));
        untouched.leave(); // nothing was done: no file is made
        QVERIFY(orphanedJournals(m_folder).empty());
        QVERIFY(everything().isEmpty());
    }

    void edits_afterTheEndOfTheProcess_areBroughtBackWithTheirNames() {
        const History history = edited();
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(journals[0]->unsavedChanges(), 3u); // one edit was undone and replaced
        QCOMPARE(journals[0]->base().path, m_model);
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.history.entries().size(), history.entries().size());
        QCOMPARE(back.history.current(), history.current());
        for (std::size_t i = 0; i < history.entries().size(); ++i) {
            QCOMPARE(graphText(back.history.entries()[i].model->graph), graphText(history.entries()[i].model->graph));
            QCOMPARE(back.history.entries()[i].name, history.entries()[i].name);
            QCOMPARE(back.history.entries()[i].steps.text(), history.entries()[i].steps.text());
        }
        // The next names are those that would have been given.
        History before = history, after = back.history;
        before.edit("", insertAfter("scaled"));
        after.edit("", insertAfter("scaled"));
        QCOMPARE(text(after), text(before));
    }

    void changes_areCountedByTheirEffect() {
        History history = opened();
        Journal journal(m_folder, ModelIdentity::of(m_model));
        const auto count = [&] { // of a copy that nobody holds
            const std::string copy = m_folder + "/copy.journal";
            setContent(copy, content(onlyJournal()));
            const std::size_t changes = OrphanedJournal::take(copy)->unsavedChanges();
            ::unlink(copy.c_str());
            return changes;
        };
        const auto edit = [&](const StepList& steps) { history.edit("an edit", steps), journal.edited(history); };
        const auto go = [&](std::size_t version) { history.goTo(version), journal.wentTo(version); };
        edit(rename("mul", "scaled"));
        go(0);
        QCOMPARE(count(), 0u);
        edit(rename("mul", "other"));
        QCOMPARE(count(), 1u);
        edit(insertAfter("other"));
        QCOMPARE(count(), 2u);
        journal.saved(2);
        QCOMPARE(count(), 0u);
        go(1); // what the file has and the model has not
        QCOMPARE(count(), 1u);
        edit(insertAfter("linear"));
        QCOMPARE(count(), 2u);
        go(0);
        QCOMPARE(count(), 2u);
        journal.remove();
    }
    void draft_isTheLastOneTyped_andGoesWhenItEnds() {
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.typed(JournalDraft{0, "def forward(self, x):\n    return x"});
            journal.typed(JournalDraft{0, "second\n\nline"});
        }
        auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        QCOMPARE(orphans[0]->unsavedChanges(), 0u);
        QVERIFY((orphans[0]->draft() == JournalDraft{0, "second\n\nline"}));
        const RecoveredModel back = recover(*orphans[0]);
        QVERIFY(back.draftBase);
        QVERIFY(back.draftBase->text.find("def forward") != std::string::npos);
        {
            Journal journal(*orphans[0]);
            orphans.clear();
            bool isRefused = false;
            try {
                journal.typed(JournalDraft{0, std::string(Journal::kMaxDraft + 1, 'x')});
            } catch (const Error& error) { isRefused = error.kind() == ErrorKind::Refused; }
            QVERIFY(isRefused);
            journal.typed(std::nullopt);
        }
        QVERIFY(orphanedJournals(m_folder).empty()); // nothing is worth keeping
        QVERIFY(everything().isEmpty());
    }
    void draft_ofSourceAndCode_comesBackWithBoth() {
        const std::string source = "import torch\n\ndef forward(x):\n    return torch.relu(x)\n";
        const JournalDraft typed{0, "code\n\nof it", source, false, "code\nbefore"};
        m_model = QFileInfo(QString::fromStdString(m_model)).path().toStdString() + "/net.py";
        setContent(m_model, "import torch\n");
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.typed(typed);
        }
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        QVERIFY(orphans[0]->draft() == typed);
        const RecoveredModel back = recover(*orphans[0]);
        QVERIFY(text(back.history).find("relu") != std::string::npos);
        QVERIFY(!back.draftFits); // its code is that of another text
        QVERIFY(back.draftBase);
        QCOMPARE(back.draftBase->text, *typed.base);
        QCOMPARE(back.draftBase->lineNodes.size(), 2u);
    }
    void draft_ofAnOlderVersion_isRead_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<bool>("isWhole");
        QTest::addColumn<bool>("isSource");
        QTest::newRow("code, version 1") << QByteArray("{\"version\":0}\ntyped\n") << true << false;
        QTest::newRow("code") << QByteArray("{\"version\":0,\"source\":false}\ntyped\n") << true << false;
        QTest::newRow("source") << QByteArray("{\"version\":0,\"source\":true}\ntyped\n") << true << true;
        QTest::newRow("new") << QByteArray("{\"version\":0,\"source_bytes\":6}\ntyped\n") << true << true;
        QTest::newRow("cut off") << QByteArray("{\"version\":0,\"source_bytes\":7}\ntyped\n") << false << true;
        QTest::newRow("negative") << QByteArray("{\"version\":0,\"code_bytes\":-1}\ntyped\n") << false << false;
    }
    void draft_ofAnOlderVersion_isRead() {
        QFETCH(QByteArray, file);
        QFETCH(bool, isWhole);
        QFETCH(bool, isSource);
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.typed(JournalDraft{0, "other"});
        }
        const std::string journal = onlyJournal();
        QVERIFY(std::filesystem::remove(journalFilesFolder(journal) + "/" + std::string(kCodeDraftFile)));
        setContent(journalFilesFolder(journal) + "/" + std::string(kDraftFile), file);
        const auto orphan = OrphanedJournal::take(journal);
        QCOMPARE(orphan->draft().has_value(), isWhole);
        if (!isWhole) return;
        QCOMPARE((isSource ? orphan->draft()->source : orphan->draft()->code).value_or(""), std::string("typed\n"));
        QCOMPARE(orphan->draft()->code.has_value(), !isSource);
    }
    void save_tellsItsTarget_andWhetherThatChanged() {
        const std::string target = m_model + ".saved";
        setContent(target, "model");
        {
            History history = opened();
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("an edit", rename("mul", "scaled"));
            journal.edited(history);
            journal.saved(1, ModelIdentity::of(target));
            history.edit("an edit", rename("scaled", "other"));
            journal.edited(history);
        }
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        const auto* save = orphans[0]->lastSave();
        QVERIFY(save);
        QVERIFY(save->file);
        QCOMPARE(save->file->path, target);
        QVERIFY(save->file->difference(ModelIdentity::of(target)).empty());
        setContent(target, "another model");
        QVERIFY(!save->file->difference(ModelIdentity::of(target)).empty());
    }
    void save_whoseFileIsGone_savedNothing() {
        const std::string target = m_model + ".saved";
        setContent(target, "model");
        {
            History history = opened();
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("an edit", rename("mul", "scaled"));
            journal.edited(history);
            journal.saved(1, ModelIdentity::of(target));
        }
        QVERIFY(QFile::remove(QString::fromStdString(target)));
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        QCOMPARE(orphans[0]->unsavedChanges(), 1u);
        const RecoveredModel back = recover(*orphans[0]);
        QCOMPARE(back.history.current(), 1u);
        QCOMPARE(back.savedVersion, 0u);
    }
    void save_whoseFileIsGone_isOfferedAlsoAfterItWasUndone() {
        const std::string target = m_model + ".saved";
        setContent(target, "model");
        History history = opened();
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("an edit", rename("mul", "scaled"));
            journal.edited(history);
            journal.saved(1, ModelIdentity::of(target));
            history.goTo(0);
            journal.wentTo(0);
        }
        QVERIFY(QFile::remove(QString::fromStdString(target)));
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        QCOMPARE(orphans[0]->unsavedChanges(), 1u);
        QCOMPARE(text(recover(*orphans[0]).history), text(history));
    }
    void undo_ofAnOpenedProject_hasItsTime() {
        const auto before = std::chrono::system_clock::now() - std::chrono::seconds(2);
        { Journal(m_folder, ModelIdentity::of(m_model), 1).wentTo(0); }
        {
            const auto orphans = orphanedJournals(m_folder);
            QCOMPARE(orphans.size(), 1u);
            QVERIFY(orphans[0]->lastTime() > before);
            QVERIFY(orphans[0]->lastTime() <= std::chrono::system_clock::now());
        }
        // Earlier versions did not write it.
        const std::string path = onlyJournal();
        const QByteArray whole = content(path);
        const auto records = readJournalRecords({whole.data(), std::size_t(whole.size())});
        setContent(path, QByteArray::fromStdString(std::string(kJournalMagic) + journalRecord(records.payloads[0]) +
                                                   journalRecord("{\"go_to\": 0}")));
        const auto old = orphanedJournals(m_folder);
        QCOMPARE(old.size(), 1u);
        QVERIFY(old[0]->lastTime() > before);
    }
    void journalOfVersionOne_isStillRead() {
        edited();
        const std::string path = onlyJournal();
        const QByteArray whole = content(path);
        const auto records = readJournalRecords({whole.data(), std::size_t(whole.size())});
        std::string old(kJournalMagic), head = records.payloads[0];
        const std::string written = "\"lancet_journal\":5,\"version\":0";
        std::erase(head, ' ');
        QVERIFY(head.find(written) != std::string::npos);
        head.replace(head.find(written), written.size(), "\"lancet_journal\":1");
        old += journalRecord(head);
        for (std::size_t i = 1; i < records.payloads.size(); ++i) old += journalRecord(records.payloads[i]);
        setContent(path, QByteArray::fromStdString(old));
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        QCOMPARE(recover(*orphans[0]).history.entries().size(), 4u);
    }
    void stepsThatNeverReachedTheMedium_endTheJournalThere() {
        std::string text;
        {
            History history = opened();
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("an edit", rename("mul", "scaled"));
            journal.edited(history);
            text = JournalFixture::text(history);
            history.edit("a large edit", rename("scaled", std::string(Journal::kLargeSteps, 'x')));
            journal.edited(history);
        }
        const QString files = QString::fromStdString(journalFilesFolder(onlyJournal()));
        const QStringList kept = QDir(files).entryList(QDir::Files);
        QCOMPARE(kept.size(), 1);
        setContent((files + '/' + kept[0]).toStdString(), {});
        QCOMPARE(JournalFixture::text(recover(*OrphanedJournal::take(onlyJournal())).history), text);
        QVERIFY(QDir(files).removeRecursively());
        QCOMPARE(JournalFixture::text(recover(*OrphanedJournal::take(onlyJournal())).history), text);
    }
    void cutAnywhere_givesTheWholeRecordsBefore() {
        edited();
        const std::string path = onlyJournal();
        const QByteArray whole = content(path);
        std::vector<std::size_t> ends;
        for (std::size_t i = 0; i <= std::size_t(whole.size()); ++i)
            if (const auto records = readJournalRecords({whole.data(), i}); records.payloads.size() > ends.size())
                ends.push_back(records.goodBytes);
        QCOMPARE(ends.size(), 6u);
        for (int length = 0; length < whole.size(); ++length) {
            const auto records = readJournalRecords({whole.data(), std::size_t(length)});
            const auto expected =
                std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= std::size_t(length); });
            QCOMPARE(records.payloads.size(), std::size_t(expected));
        }
        // A few of them the whole way, since each opens the model.
        for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
            setContent(path, whole.left(int(ends[i + 1]) - 1));
            const auto journal = OrphanedJournal::take(path);
            QCOMPARE(recover(*journal).history.entries().size(), std::vector<std::size_t>({0, 2, 3, 3, 3})[i]);
        }
    }

    void damagedByte_isNeverAccepted() {
        edited();
        const QByteArray whole = content(onlyJournal());
        const auto good = readJournalRecords({whole.data(), std::size_t(whole.size())});
        std::size_t end = kJournalMagic.size(), record = 0;
        for (int at = int(end); at < whole.size(); ++at) {
            if (std::size_t(at) >= end + 8 + good.payloads[record].size()) end += 8 + good.payloads[record++].size();
            QByteArray damaged = whole;
            damaged[at] = char(damaged[at] ^ 0x10);
            const auto records = readJournalRecords({damaged.data(), std::size_t(damaged.size())});
            QCOMPARE(records.payloads.size(), record);
        }
        QByteArray zeros = whole + QByteArray(4096, '\0');
        QCOMPARE(readJournalRecords({zeros.data(), std::size_t(zeros.size())}).payloads.size(), good.payloads.size());
    }

    void tornTail_isOverwrittenByTheNextEdit() {
        edited();
        const std::string path = onlyJournal();
        setContent(path, content(path).chopped(3));
        History expected = opened();
        {
            const auto orphan = OrphanedJournal::take(path);
            RecoveredModel back = recover(*orphan);
            QCOMPARE(orphan->unsavedChanges(), 2u);
            Journal journal(*orphan);
            back.history.edit("after", insertAfter("scaled"));
            journal.edited(back.history);
            expected = back.history;
        }
        const auto again = OrphanedJournal::take(path);
        QCOMPARE(again->unsavedChanges(), 3u);
        QCOMPARE(text(recover(*again).history), text(expected));
    }

    void livingProcess_keepsItsJournal() {
        History history = opened();
        Journal journal(m_folder, ModelIdentity::of(m_model));
        QVERIFY(everything().isEmpty());
        history.edit("", rename("mul", "scaled"));
        journal.edited(history);
        QVERIFY(!OrphanedJournal::take(onlyJournal()));
        QVERIFY(orphanedJournals(m_folder).empty());
        journal.remove();
        QVERIFY(everything().isEmpty());
    }

    void taken_isNotTakenTwice_andDiscardLeavesNothing() {
        edited();
        const auto first = orphanedJournals(m_folder);
        QCOMPARE(first.size(), 1u);
        QVERIFY(orphanedJournals(m_folder).empty());
        first[0]->discard();
        QVERIFY(everything().isEmpty());
    }

    void editsOfTypedSource_comeBack_data() {
        QTest::addColumn<bool>("typesOn");
        QTest::addColumn<bool>("saysWhatWasTraced");
        QTest::newRow("of the text") << false << false;
        QTest::newRow("of an earlier text") << true << true;
        QTest::newRow("of a text that is unknown") << true << false;
    }
    void editsOfTypedSource_comeBack() {
        QFETCH(bool, typesOn);
        QFETCH(bool, saysWhatWasTraced);
        const std::string traced = "import torch\n\ndef forward(x):\n    return torch.relu(x)\n",
                          later = "import torch\n\ndef forward(x):\n    return torch.sigmoid(x)\n";
        m_model = QFileInfo(QString::fromStdString(m_model)).path().toStdString() + "/net.py";
        setContent(m_model, "import torch\n");
        History history(traceSource(m_model, traced, {}, {}).module);
        history.edit("Rename relu", rename("relu", "mine"));
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            JournalDraft draft;
            draft.source = typesOn ? later : traced;
            if (saysWhatWasTraced) draft.traced = traced;
            journal.typed(draft);
            journal.edited(history);
        }
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        const RecoveredModel back = recover(*orphans[0]);
        if (typesOn && !saysWhatWasTraced) { // the text comes back, and why its edits do not
            QVERIFY(back.lost);
            QVERIFY(back.lost->message().is("journal.other_state"));
            QVERIFY(text(back.history).find("sigmoid") != std::string::npos);
            return;
        }
        QVERIFY(!back.lost);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.traced.value_or(""), traced);
        QCOMPARE(back.savedVersion, std::size_t(0));
    }

    void choicesOfSource_comeBack_andTraceIt() {
        const std::string source = "import torch\n\ndef forward(x):\n    return torch.relu(x)\n";
        m_model = QFileInfo(QString::fromStdString(m_model)).path().toStdString() + "/net.py";
        setContent(m_model, QByteArray::fromStdString(source));
        History history(traceSource(m_model, source, {}, {}).module);
        history.edit("Rename relu", rename("relu", "mine"));
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.edited(history);
            JournalDraft draft; // nothing is typed
            draft.choices = "of the editor";
            draft.tracedChoices = "of the graph";
            journal.typed(draft);
        }
        const auto orphans = orphanedJournals(m_folder);
        QCOMPARE(orphans.size(), 1u);
        QVERIFY(orphans[0]->draft());
        QVERIFY(!orphans[0]->draft()->isTyped());
        QCOMPARE(orphans[0]->draft()->choices.value_or(""), std::string("of the editor"));
        std::vector<std::string> asked;
        const SourceTracer tracer = [&](const std::string& content, const std::string& path, const std::string& choices,
                                        const Progress& progress) {
            asked = {content, path, choices};
            return traceSource(path, content, {}, progress).module;
        };
        const RecoveredModel back = recover(*orphans[0], {}, {tracer});
        QVERIFY((asked == std::vector<std::string>{source, m_model, "of the graph"}));
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.source.value_or(""), source);
        QCOMPARE(back.traced.value_or(""), source);
    }

    void failingDisk_writesAllLater() {
        History history = opened();
        QVERIFY(QDir().mkpath(QString::fromStdString(m_folder).section('/', 0, -2)));
        setContent(m_folder, "a file is in the way");
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("", rename("mul", "scaled"));
            QVERIFY_THROWS_EXCEPTION(Error, journal.edited(history));
            QVERIFY(QFile::remove(QString::fromStdString(m_folder)));
            history.edit("", insertAfter("scaled"));
            journal.edited(history);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(text(recover(*journals[0]).history), text(history));
    }

    void foreignFiles_areLeftAlone() {
        QVERIFY(QDir().mkpath(QString::fromStdString(m_folder)));
        setContent(m_folder + "/a.journal", "no journal");
        setContent(m_folder + "/b.journal", QByteArray(kJournalMagic.data(), int(kJournalMagic.size())) +
                                                QByteArray::fromStdString(journalRecord("{\"lancet_journal\": 99}")));
        QVERIFY(orphanedJournals(m_folder).empty());
        QCOMPARE(everything().size(), 2);
    }
};

QTEST_APPLESS_MAIN(TestJournal)
#include "tst_journal.moc"
