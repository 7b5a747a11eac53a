// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/ir/print.h"
#include "core/model_files/journal/journal.h"
#include "core/model_files/journal/journal_format.h"
#include "core/model_files/journal/kept_base.h"
#include "core/model_files/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/python/tracing/source_trace.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

using namespace fx;

class TstJournal : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string m_model, m_folder;

    static std::string rename(const std::string& from, const std::string& to) {
        return "[{\"step\": \"rename\", \"node\": \"" + from + "\", \"name\": \"" + to + "\"}]";
    }
    static std::string insertAfter(const std::string& node) {
        return "[{\"step\": \"insert_after\", \"node\": \"" + node +
               "\", \"op\": \"call_function\", \"target\": \"torch.relu\", \"args\": [{\"node\": \"" + node +
               "\"}], \"rewire_users\": true}]";
    }
    static std::string text(const History& history) { return graphText(history.model()->graph); }
    History opened() const { return History(openModel(m_model)); }
    std::string onlyJournal() const {
        const QStringList names = QDir(QString::fromStdString(m_folder)).entryList({"*.journal"}, QDir::Files);
        return names.size() == 1 ? m_folder + "/" + names[0].toStdString() : std::string();
    }
    QStringList everything() const {
        return QDir(QString::fromStdString(m_folder)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    }
    static QByteArray content(const std::string& path) {
        QFile file(QString::fromStdString(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void setContent(const std::string& path, const QByteArray& bytes) {
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
    }
    /// Five changes, as a user makes them; the journal stays as after a crash before the base was copied.
    History edited() const {
        History history = opened();
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            const auto edit = [&](const std::string& steps) {
                history.edit("an edit", steps);
                journal.edited(history);
            };
            edit(rename("mul", "scaled"));
            edit(insertAfter("scaled"));
            history.goTo(1);
            journal.wentTo(1);
            edit(insertAfter("linear")); // version 2 goes
            edit(insertAfter("relu"));
        }
        std::filesystem::remove_all(keptBaseFolder(onlyJournal()));
        return history;
    }

private Q_SLOTS:
    void init() {
        static int number = 0;
        const QString folder = m_dir.filePath(QString::number(++number));
        QVERIFY(QDir().mkpath(folder));
        m_model = folder.toStdString() + "/simple_net.pt";
        m_folder = folder.toStdString() + "/state/journals";
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                            QString::fromStdString(m_model)));
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
            QCOMPARE(back.history.entries()[i].steps, history.entries()[i].steps);
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
        const auto edit = [&](const std::string& steps) { history.edit("an edit", steps), journal.edited(history); };
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
        QVERIFY(back.draftBase && back.draftBase->text.find("def forward") != std::string::npos);
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
        const JournalDraft typed{0, "code\n\nof it", source, "code\nbefore"};
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
        QVERIFY(save && save->file);
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
            QVERIFY(orphans[0]->lastTime() > before && orphans[0]->lastTime() <= std::chrono::system_clock::now());
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
        const std::string written = "\"lancet_journal\":4,\"version\":0";
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
            text = TstJournal::text(history);
            std::string large = rename("scaled", "other");
            large.insert(1, std::string(Journal::kLargeSteps + 1, ' '));
            history.edit("a large edit", large);
            journal.edited(history);
        }
        const QString files = QString::fromStdString(journalFilesFolder(onlyJournal()));
        const QStringList kept = QDir(files).entryList(QDir::Files);
        QCOMPARE(kept.size(), 1);
        setContent((files + '/' + kept[0]).toStdString(), {});
        QCOMPARE(TstJournal::text(recover(*OrphanedJournal::take(onlyJournal())).history), text);
        QVERIFY(QDir(files).removeRecursively());
        QCOMPARE(TstJournal::text(recover(*OrphanedJournal::take(onlyJournal())).history), text);
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

    void saved_nothingIsOffered_andWhatFollowsIs() {
        History history = opened();
        const auto change = [&](std::size_t after) {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("", insertAfter("mul"));
            journal.edited(history);
            journal.saved(history.current());
            for (std::size_t i = 0; i < after; ++i) {
                history.edit("", insertAfter("mul"));
                journal.edited(history);
            }
        };
        change(0);
        QVERIFY(orphanedJournals(m_folder).empty());
        QVERIFY(everything().isEmpty());
        history = opened();
        change(2);
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(journals[0]->unsavedChanges(), 2u);
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.savedVersion, 1u);
    }

    void overwrittenBase_isKept() {
        History history = opened();
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("", rename("mul", "scaled"));
            journal.edited(history);
            journal.beforeOverwriting(m_model + ".other.pt");
            journal.beforeOverwriting(m_model);
            saveGraphModule(*history.model(), m_model, true);
            journal.saved(1);
            history.goTo(0);
            journal.wentTo(0);
            history.edit("", insertAfter("linear"));
            journal.edited(history);
        }
        auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.history.model()->path, m_model);
        QCOMPARE(back.savedVersion, RecoveredModel::kNoVersion); // it has the number of the new edit, and is another
        journals[0]->discard();
        QVERIFY(everything().isEmpty());
    }

    void baseThatAnotherProgramOverwritesInPlace_isKept() {
        History history = opened();
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("", rename("mul", "scaled"));
            journal.edited(history);
            const QString kept = QString::fromStdString(keptBasePath(onlyJournal(), ModelIdentity::of(m_model)));
            QTRY_VERIFY(QFileInfo::exists(kept));
            setContent(m_model, "another model");
            journal.beforeOverwriting(m_model); // what is there now is not what the edits are of
            setContent(m_model, "the edited model");
            journal.saved(1);
            history.edit("", insertAfter("linear"));
            journal.edited(history);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(text(recover(*journals[0]).history), text(history));
    }

    void baseThatAnotherProgramOverwritesBeforeTheFirstEdit_isKept() {
        const ModelIdentity base = ModelIdentity::of(m_model);
        OpenOptions options;
        options.keepsContent = true;
        const auto model = openModel(m_model, options);
        History history(model);
        {
            Journal journal(m_folder, base, 0, contentOf(base, *model));
            setContent(m_model, "another model");
            history.edit("", rename("mul", "scaled"));
            journal.edited(history);
            journal.beforeOverwriting(m_model);
            setContent(m_model, "the edited model");
            history.edit("", insertAfter("linear"));
            journal.edited(history);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QVERIFY(!back.rebased);
    }

    void baseThatIsGone_editsAreAppliedToWhatWasSavedLast() {
        History history = opened();
        const std::string copy = m_model + ".copy.json";
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("", rename("mul", "scaled"));
            journal.edited(history);
            writeIrJson(*history.model(), copy);
            journal.saved(1, ModelIdentity::of(copy));
            history.edit("", insertAfter("linear"));
            journal.edited(history);
        }
        std::filesystem::remove_all(keptBaseFolder(onlyJournal()));
        setContent(m_model, "another model");
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.history.entries().size(), 2u);
        QCOMPARE(back.savedVersion, 0u);
        QVERIFY(back.rebased && back.rebased->path == copy);
        setContent(copy, "another model, too");
        QVERIFY_THROWS_EXCEPTION(Error, recover(*journals[0]));
    }

    void baseThatAnotherProcessOverwrites_isKept() {
        const History history = edited();
        keepForJournals(m_folder, m_model + ".other.pt");
        keepForJournals(m_folder, m_model);
        QVERIFY(QFile::remove(QString::fromStdString(m_model))); // as a file that is replaced
        setContent(m_model, "another model");
        keepForJournals(m_folder, m_model); // what is there now is not what the edits are of
        setContent(m_model, "yet another model");
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QVERIFY(!journals[0]->baseIsKept());
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.history.model()->path, m_model);
    }

    void changedBase_editsInEffectAreAppliedToIt_andTheJournalGoesOn() {
        edited();
        History other = opened();
        other.edit(
            "another hand",
            R"J([{"step": "insert_after", "node": "flatten", "op": "call_function", "target": "torch.neg", "args": )J"
            R"J([{"node": "flatten"}], "rewire_users": true}])J");
        QVERIFY(QFile::remove(QString::fromStdString(m_model)));
        saveGraphModule(*other.model(), m_model, true);
        std::string expected;
        {
            const auto journal = OrphanedJournal::take(onlyJournal());
            QString code;
            try {
                recover(*journal);
            } catch (const Error& error) { code = error.message().is("journal.other_state") ? "other state" : "other"; }
            QCOMPARE(code, QStringLiteral("other state"));
            const RecoveredModel back = recoverOnFile(*journal);
            QVERIFY(back.rebased && back.rebased->difference(ModelIdentity::of(m_model)).empty());
            QCOMPARE(back.history.entries().size(), 4u); // the edit that was undone is not among them
            QCOMPARE(back.savedVersion, std::size_t(0));
            expected = text(back.history);
            QVERIFY(expected.find("scaled") != std::string::npos && expected.find("neg") != std::string::npos);
            Journal goesOn(*journal);
            goesOn.rebased(*back.rebased, back.history, back.savedVersion);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(journals[0]->unsavedChanges(), 3u);
        QCOMPARE(text(recover(*journals[0]).history), expected);
    }

    void recordThatCannotBeRead_isNotThrownAway_andTypedSourceComesBack_data() {
        QTest::addColumn<bool>("isTyped");
        QTest::newRow("nothing else") << false;
        QTest::newRow("source") << true;
    }
    void recordThatCannotBeRead_isNotThrownAway_andTypedSourceComesBack() {
        QFETCH(bool, isTyped);
        const std::string source = "import torch\n\ndef forward(x):\n    return torch.relu(x)\n";
        m_model = QFileInfo(QString::fromStdString(m_model)).path().toStdString() + "/net.py";
        setContent(m_model, "import torch\n");
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.wentTo(0);
            JournalDraft draft;
            draft.source = source;
            if (isTyped) journal.typed(draft);
        }
        QFile file(QString::fromStdString(onlyJournal()));
        QVERIFY(file.open(QIODevice::Append));
        file.write(QByteArray::fromStdString(journalRecord("{\"of_a_later_lancet\": 1}")));
        file.close();
        auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QVERIFY(!journals[0]->problem().empty());
        if (!isTyped) {
            QVERIFY_THROWS_EXCEPTION(Error, recover(*journals[0]));
            return;
        }
        const RecoveredModel back = recover(*journals[0]);
        QVERIFY(back.lost && back.lost->message().is("journal.damaged"));
        QCOMPARE(back.source.value_or(""), source);
        History later(back.history);
        {
            Journal goesOn(*journals[0]); // as the document does it
            goesOn.rebased(journals[0]->base(), later, 0);
            later.edit("Rename relu", rename("relu", "mine"));
            goesOn.edited(later);
        }
        journals.clear(); // its lock goes
        const auto again = OrphanedJournal::take(onlyJournal());
        QVERIFY(again && again->problem().empty());
        const RecoveredModel edits = recover(*again);
        QVERIFY(!edits.lost);
        QCOMPARE(text(edits.history), text(later));
    }

    void savedBeforeTheFirstEdit_theFileIsKnown() {
        const std::string target = m_model + ".lancet";
        setContent(target, "saved");
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.saved(0, ModelIdentity::of(m_model));
            journal.saved(0, ModelIdentity::of(target));
            QVERIFY(everything().isEmpty()); // nothing is to be recovered
            History history = opened();
            history.edit("Rename mul", rename("mul", "scaled"));
            journal.edited(history);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QVERIFY(journals[0]->lastSave() && journals[0]->lastSave()->file);
        QCOMPARE(journals[0]->lastSave()->file->path, target);
        QCOMPARE(journals[0]->unsavedChanges(), 1u);
        QVERIFY(text(recover(*journals[0]).history).find("scaled") != std::string::npos);
    }

    void folderOverwrittenInPlace_editsComeBack() { // any program may do so
        const std::string folder = QFileInfo(QString::fromStdString(m_model)).path().toStdString() + "/net_folder";
        saveFolder(*opened().model(), folder + "/", true);
        History history(openModel(folder));
        history.edit("Rename mul", rename("mul", "scaled"));
        {
            Journal journal(m_folder, ModelIdentity::of(folder));
            journal.edited(history);
            const std::string kept = keptBasePath(onlyJournal(), ModelIdentity::of(folder));
            QTRY_VERIFY(std::filesystem::exists(kept + "/state_dict.pt") && // copied on a thread
                        ModelIdentity::of(kept).difference(ModelIdentity::of(folder)).empty());
        }
        setContent(folder + "/state_dict.pt", "somebody else's");
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.history.model()->path, folder);
    }

    void keptBaseIsGone_theErrorNamesTheModel() {
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            History history = opened();
            history.edit("Rename mul", rename("mul", "scaled"));
            journal.edited(history);
            journal.beforeOverwriting(m_model);
            setContent(m_model, "another one");
        }
        const auto journal = OrphanedJournal::take(onlyJournal());
        QVERIFY(journal && journal->baseIsKept());
        QVERIFY(journal->lastEdit() && journal->lastEdit()->name == "Rename mul");
        std::filesystem::remove_all(keptBaseFolder(journal->path()));
        std::string file;
        try {
            recover(*journal);
        } catch (const Error& error) { file = error.file; }
        QCOMPARE(file, m_model);
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
            QVERIFY(back.lost && back.lost->message().is("journal.edit"));
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
        QVERIFY(orphans[0]->draft() && !orphans[0]->draft()->isTyped());
        QCOMPARE(orphans[0]->draft()->choices.value_or(""), std::string("of the editor"));
        std::vector<std::string> asked;
        const SourceTracer tracer = [&](const std::string& content, const std::string& path, const std::string& choices,
                                        const Progress& progress) {
            asked = {content, path, choices};
            return traceSource(path, content, {}, progress).module;
        };
        const RecoveredModel back = recover(*orphans[0], {}, tracer);
        QVERIFY((asked == std::vector<std::string>{source, m_model, "of the graph"}));
        QCOMPARE(text(back.history), text(history));
        QCOMPARE(back.source.value_or(""), source);
        QCOMPARE(back.traced.value_or(""), source);
    }

    void changedBase_isRefusedWithTheReason_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("why");
        QTest::newRow("gone") << "remove"
                              << "cannot open the file";
        QTest::newRow("longer") << "append"
                                << "bytes and has";
        QTest::newRow("other bytes") << "flip"
                                     << "other content";
    }
    void changedBase_isRefusedWithTheReason() {
        QFETCH(QString, change);
        QFETCH(QString, why);
        const History history = edited();
        const QByteArray whole = content(m_model);
        QByteArray other = whole;
        if (change == "append") other += 'x';
        if (change == "flip") other[other.size() / 2] = char(other[other.size() / 2] ^ 1);
        QVERIFY(QFile::remove(QString::fromStdString(m_model)));
        if (change != "remove") setContent(m_model, other);
        const auto journal = OrphanedJournal::take(onlyJournal());
        try {
            recover(*journal);
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(QString::fromUtf8(error.what()).contains(why), error.what());
        }
        // The same content in a new file is the same model.
        setContent(m_model, whole);
        QCOMPARE(text(recover(*journal).history), text(history));
    }

    void largeSteps_standBesideTheJournal() {
        History history = opened();
        std::string steps = "[{\"step\": \"set_tensor\", \"path\": \"linear.weight\", \"value\": [";
        for (int row = 0; row < 600; ++row) {
            steps += row ? ", [" : "[";
            for (int column = 0; column < 300; ++column)
                steps += (column ? ", " : "") + std::to_string(row * 0.001 + column);
            steps += "]";
        }
        steps += "]}]";
        QVERIFY(steps.size() > Journal::kLargeSteps);
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            for (int i = 0; i < 2; ++i) {
                history.edit("weights", steps);
                journal.edited(history);
            }
        }
        const std::string path = onlyJournal();
        QVERIFY(content(path).size() < 4096);
        const QDir files(QString::fromStdString(journalFilesFolder(path)));
        const QStringList names = files.entryList(QDir::Files);
        QCOMPARE(names.size(), 1); // both edits name one content
        {
            const auto journal = OrphanedJournal::take(path);
            QCOMPARE(recover(*journal).history.entries()[2].steps, steps);
        }
        QFile(files.filePath(names[0])).resize(100);
        const auto journal = OrphanedJournal::take(path);
        QVERIFY(!journal->problem().empty());
        QVERIFY_THROWS_EXCEPTION(Error, recover(*journal));
    }

    void tensorFile_isKept() {
        const std::string file = m_model + ".npy";
        const auto setScale = "[{\"step\": \"set_tensor\", \"path\": \"scale\", \"file\": \"" + file + "\"}]";
        const auto npy = [](float value) {
            QByteArray header("{'descr': '<f4', 'fortran_order': False, 'shape': (8, 1, 1), }");
            header = header.leftJustified(117, ' ') + '\n';
            QByteArray bytes = QByteArray("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header;
            for (int i = 0; i < 8; ++i) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
            return bytes;
        };
        const auto first = [](const History& history) {
            float value = 0;
            history.model()->root->parameter("scale")->tensor->storage->read(
                0, std::as_writable_bytes(std::span(&value, 1)));
            return value;
        };
        setContent(file, npy(2.5F));
        {
            History history = opened();
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("scale", setScale);
            journal.edited(history);
        }
        QCOMPARE(recover(*OrphanedJournal::take(onlyJournal())).history.entries()[1].steps, setScale);
        setContent(file, npy(7));
        QCOMPARE(first(recover(*OrphanedJournal::take(onlyJournal())).history), 2.5F);
        QVERIFY(QFile::remove(QString::fromStdString(file)));
        QCOMPARE(first(recover(*OrphanedJournal::take(onlyJournal())).history), 2.5F);
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

QTEST_APPLESS_MAIN(TstJournal)
#include "tst_journal.moc"
