// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "core/journal/kept_base.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

using namespace fx;
namespace fs = std::filesystem;

/// What a journal is the only place of: a model whose file has gone, text that outgrows it, edits whose folder somebody
/// removes.
class TestJournalKeeps : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string m_state, m_folder, m_model;

    static StepList rename(const std::string& from, const std::string& to) { return StepList().rename(from, to); }
    static std::string text(const History& history) { return graphText(history.model()->graph); }
    static void setContent(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
    std::string onlyJournal() const {
        std::string found;
        for (const auto& entry : fs::directory_iterator(m_folder))
            if (entry.path().string().ends_with(kJournalEnding)) found = entry.path();
        return found;
    }
    struct Open {
        History history;
        Journal journal;
    };
    /// As the window opens it: what the file had is kept.
    std::unique_ptr<Open> open() const {
        OpenOptions options;
        options.keepsContent = true;
        const ModelIdentity base = ModelIdentity::of(m_model);
        const auto model = openModel(m_model, options);
        return std::unique_ptr<Open>(new Open{History(model), Journal(m_folder, base, 0, contentOf(base, *model))});
    }
    void spoil(bool isGone) const {
        if (isGone) fs::remove(m_model);
        else setContent(m_model, "another program's");
    }

private Q_SLOTS:
    void init() {
        static int number = 0;
        const std::string folder = m_dir.filePath(QString::number(++number)).toStdString();
        m_state = folder + "/state";
        m_folder = m_state + "/journals";
        m_model = folder + "/simple_net.pt";
        fs::create_directories(folder);
        fs::copy_file(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt", m_model);
    }

    void modelThatIsInNoFile_comesBack_data() {
        QTest::addColumn<bool>("isGone");
        QTest::addColumn<bool>("isEdited");
        for (const bool isGone : {false, true})
            for (const bool isEdited : {false, true})
                QTest::addRow("%s, %s", isGone ? "gone" : "overwritten", isEdited ? "edit undone" : "never edited")
                    << isGone << isEdited;
    }
    void modelThatIsInNoFile_comesBack() {
        QFETCH(bool, isGone);
        QFETCH(bool, isEdited);
        std::string before;
        {
            const auto model = open();
            before = text(model->history);
            if (isEdited) {
                model->history.edit("Rename mul", rename("mul", "scaled"));
                model->journal.edited(model->history);
                model->history.goTo(0);
                model->journal.wentTo(0);
            }
            spoil(isGone);
            model->journal.keepOpened();
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QVERIFY(journals[0]->hasOnlyCopy());
        QVERIFY(!journals[0]->hasChanges());
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), before);
        QCOMPARE(back.history.entries().size(), isEdited ? 2u : 1u);
    }

    void modelThatIsInItsFile_isNotOffered() {
        {
            const auto model = open();
            fs::rename(m_model, m_model + ".away");
            model->journal.keepOpened();
        }
        fs::rename(m_model + ".away", m_model);
        QVERIFY(orphanedJournals(m_folder).empty());
        QVERIFY(fs::is_empty(m_folder));
    }

    /// Text is read whole into the model, which holds nothing of its file.
    void largeDescription_comesBack() {
        m_model = m_model + ".json";
        const std::string opened = m_model.substr(0, m_model.size() - 5);
        writeIrJson(*openModel(opened), m_model);
        const std::size_t size = fs::file_size(m_model);
        std::ofstream(m_model, std::ios::app) << std::string(5 << 20, ' ');
        QVERIFY(fs::file_size(m_model) > size);
        std::string before;
        {
            const auto model = open();
            before = text(model->history);
            spoil(false);
            model->journal.keepOpened();
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(text(recover(*journals[0]).history), before);
    }

    void textThatIsTooLarge_leavesTheOneBefore_andTheOther() {
        const std::string large(Journal::kMaxDraft + 1, 'x'), fits(Journal::kMaxDraft, 'y');
        Journal journal(m_folder, ModelIdentity::of(m_model));
        const auto draft = [this] {
            const std::string copy = m_folder + "/copy.journal";
            fs::remove_all(journalFilesFolder(copy));
            fs::copy_file(m_kept, copy);
            fs::copy(journalFilesFolder(m_kept), journalFilesFolder(copy), fs::copy_options::recursive);
            const auto found = OrphanedJournal::take(copy)->draft();
            fs::remove(copy);
            return found.value_or(JournalDraft{});
        };
        const auto refusal = [&](const JournalDraft& typed) -> std::string {
            try {
                journal.typed(typed);
                return {};
            } catch (const Error& error) { return error.what(); }
        };
        JournalDraft typed{0, "code", "source", false, "code before"};
        journal.typed(typed);
        m_kept = onlyJournal();
        typed.source = large;
        typed.code = "more code";
        QVERIFY2(refusal(typed).find("the typed source is over 16 MiB") != std::string::npos, refusal(typed).c_str());
        QCOMPARE(draft().source, std::optional<std::string>("source"));
        QCOMPARE(draft().code, std::optional<std::string>("more code"));
        typed.source = fits;
        typed.code = large;
        QVERIFY(refusal(typed).find("the typed code is over") != std::string::npos);
        QVERIFY(draft().source == fits);
        QCOMPARE(draft().code, std::optional<std::string>("more code"));
        QCOMPARE(draft().base, std::optional<std::string>("code before"));
        typed.code = typed.base = fits; // together they may be more
        QCOMPARE(refusal(typed), std::string());
        QVERIFY(draft().code == fits);
        QVERIFY(draft().source == fits);
        QVERIFY(draft().base == fits);
        journal.typed(std::nullopt);
        QVERIFY(draft() == JournalDraft{});
    }

    void typedText_goesOverToTheNextJournal() {
        Journal before(m_folder, ModelIdentity::of(m_model)), after(m_folder, ModelIdentity::of(m_model));
        const JournalDraft typed{0, "code", "source"};
        after.takeTyped(before); // which has none
        QVERIFY(!fs::exists(m_folder));
        before.typed(typed);
        after.takeTyped(before);
        before.remove();
        after.leave();
        const std::string copy = m_folder + "/copy.journal", only = onlyJournal();
        fs::copy(journalFilesFolder(only), journalFilesFolder(copy), fs::copy_options::recursive);
        fs::copy_file(only, copy);
        QVERIFY(OrphanedJournal::take(copy)->draft() == typed);
    }

    void folderThatIsRemoved_isWrittenAgain_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("isMoved");
        for (const char* what : {"state", "journals", "journal", "files"})
            for (const bool isMoved : {false, true})
                QTest::addRow("%s, %s", what, isMoved ? "moved" : "removed") << QString::fromLatin1(what) << isMoved;
    }
    void folderThatIsRemoved_isWrittenAgain() {
        QFETCH(QString, what);
        QFETCH(bool, isMoved);
        const StepList steps = rename("scaled", std::string(Journal::kLargeSteps, 'x')); // stands beside the journal
        std::string after;
        {
            const auto model = open();
            const auto edit = [&](const StepList& step) {
                model->history.edit("an edit", step);
                model->journal.edited(model->history);
            };
            edit(rename("mul", "scaled"));
            edit(steps);
            model->journal.typed(JournalDraft{2, "typed"});
            const std::string journal = onlyJournal();
            QTRY_VERIFY(fs::exists(keptBasePath(journal, ModelIdentity::of(m_model))));
            const std::string gone = what == "state"      ? m_state
                                     : what == "journals" ? m_folder
                                     : what == "journal"  ? journal
                                                          : journalFilesFolder(journal);
            if (isMoved) fs::rename(gone, gone + ".moved");
            else fs::remove_all(gone);
            spoil(true);
            edit(rename("flatten", "flat"));
            after = text(model->history);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(journals[0]->unsavedChanges(), 3u);
        QVERIFY(journals[0]->draft());
        QCOMPARE(journals[0]->draft()->code, std::optional<std::string>("typed"));
        const RecoveredModel back = recover(*journals[0]);
        QCOMPARE(text(back.history), after);
        QCOMPARE(back.history.entries()[2].steps.text(), steps.text());
    }

    /// Somebody goes on with a journal, and then its folder goes.
    void folderOfAJournalThatGoesOn_isWrittenAgain() {
        {
            const auto model = open();
            model->history.edit("", rename("mul", "scaled"));
            model->journal.edited(model->history);
        }
        spoil(true);
        std::string after;
        {
            auto journals = orphanedJournals(m_folder);
            QCOMPARE(journals.size(), 1u);
            RecoveredModel back = recover(*journals[0]);
            Journal journal(*journals[0]);
            journals.clear();
            fs::remove_all(m_state);
            back.history.edit("", rename("flatten", "flat"));
            journal.edited(back.history);
            after = text(back.history);
        }
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QCOMPARE(text(recover(*journals[0]).history), after);
    }

    void folderThatCannotBeWrittenAgain_isToldOf() {
        const auto model = open();
        model->history.edit("", rename("mul", "scaled"));
        model->journal.edited(model->history);
        fs::remove_all(m_state);
        setContent(m_state, "a file is in the way");
        model->history.edit("", rename("flatten", "flat"));
        QVERIFY_THROWS_EXCEPTION(Error, model->journal.edited(model->history));
        fs::remove(m_state);
        model->journal.wentTo(2);
        const std::string copy = m_folder + "/copy.journal";
        fs::copy_file(onlyJournal(), copy);
        QCOMPARE(OrphanedJournal::take(copy)->unsavedChanges(), 2u);
    }

    void damagedEdit_isToldOf_data() {
        QTest::addColumn<int>("edit");
        QTest::newRow("first") << 0;
        QTest::newRow("second") << 1;
    }
    void damagedEdit_isToldOf() {
        QFETCH(int, edit);
        {
            const auto model = open();
            for (const auto& [from, to] : {std::pair("mul", "scaled"), std::pair("flatten", "flat")}) {
                model->history.edit("", rename(from, to));
                model->journal.edited(model->history);
            }
        }
        const std::string path = onlyJournal();
        std::ifstream in(path, std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(in)), {});
        const auto records = readJournalRecords(bytes);
        QVERIFY(!records.isDamaged);
        bytes[records.ends[static_cast<std::size_t>(edit) + 1] - 5] ^= 1;
        std::ofstream(path, std::ios::binary) << bytes;
        const auto journals = orphanedJournals(m_folder);
        QCOMPARE(journals.size(), 1u);
        QVERIFY(journals[0]->isDamaged());
        QCOMPARE(journals[0]->unsavedChanges(), std::size_t(edit));
        QCOMPARE(recover(*journals[0]).history.entries().size(), std::size_t(edit) + 1);
    }

    void sourceWithoutAFile_goesWithItsJournal() {
        m_model = Journal::newSourcePath(m_folder) + "1_1.py";
        fs::create_directories(m_state + "/new");
        setContent(m_model, "import torch\n");
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            journal.typed(JournalDraft{0, {}, "typed"});
            journal.typed(std::nullopt);
        }
        QVERIFY(orphanedJournals(m_folder).empty());
        QVERIFY(!fs::exists(m_model));
    }

private:
    std::string m_kept;
};

QTEST_APPLESS_MAIN(TestJournalKeeps)
#include "tst_journal_keeps.moc"
