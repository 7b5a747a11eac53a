// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "core/journal/kept_base.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "tests/core/journal/journal_fixture.h"
#include "tests/json_steps.h"

#include <QtTest>

#include <filesystem>
#include <fstream>

using namespace fx;

/// Journals whose files others have changed: the bytes that edits are of are kept, or the edits go onto what is there.
class TestJournalBases : public JournalFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }

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

    /// What was saved counts as saved only as long as the file has it: not when another program has written it or it
    /// has gone, and again when the content is back.
    void savedFile_thatOthersWroteOver_isOffered() {
        const std::string target = m_model + ".saved.pt";
        History history = opened();
        const auto begin = [&] {
            history = opened();
            Journal journal(m_folder, ModelIdentity::of(m_model));
            history.edit("", rename("mul", "scaled"));
            journal.edited(history);
            saveGraphModule(*history.model(), target, true);
            journal.saved(1, ModelIdentity::of(target));
            history.edit("", insertAfter("linear"));
            journal.edited(history);
            saveGraphModule(*history.model(), target, true);
            journal.saved(2, ModelIdentity::of(target));
        };
        begin();
        QVERIFY(orphanedJournals(m_folder).empty());
        QVERIFY(everything().isEmpty());
        for (const bool isGone : {false, true}) {
            begin();
            std::filesystem::remove(target);
            if (!isGone) std::filesystem::copy_file(m_model, target);
            const auto journals = orphanedJournals(m_folder);
            QCOMPARE(journals.size(), 1u);
            QCOMPARE(journals[0]->unsavedChanges(), 2u);
            const RecoveredModel back = recover(*journals[0]);
            QCOMPARE(text(back.history), text(history));
            QCOMPARE(back.savedVersion, 0u);
            journals[0]->discard();
        }
        begin();
        std::filesystem::copy_file(target, target + ".copy"); // moved away and back
        std::filesystem::remove(target);
        std::filesystem::rename(target + ".copy", target);
        QVERIFY(orphanedJournals(m_folder).empty());
        QVERIFY(everything().isEmpty());
    }

    void savedSource_isOfferedWhenItsFileHasAnother() {
        const std::string source = m_model + ".py", content = "import torch\n";
        const auto write = [&](const std::string& bytes) { std::ofstream(source, std::ios::binary) << bytes; };
        for (const bool isOther : {false, true}) {
            write(content);
            {
                Journal journal(m_folder, ModelIdentity::of(source));
                JournalDraft draft;
                draft.source = content, draft.isSaved = true;
                journal.typed(draft);
            }
            if (isOther) write("");
            const auto journals = orphanedJournals(m_folder);
            QCOMPARE(journals.size(), isOther ? 1u : 0u);
            if (!isOther) continue;
            QVERIFY(journals[0]->draft());
            QVERIFY(journals[0]->draft()->isTyped());
            QCOMPARE(*journals[0]->draft()->source, content);
        }
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
        QVERIFY(back.rebased);
        QVERIFY(back.rebased->path == copy);
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
            R"J([{"node": "flatten"}], "rewire_users": true}])J"_steps);
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
            QVERIFY(back.rebased);
            QVERIFY(back.rebased->difference(ModelIdentity::of(m_model)).empty());
            QCOMPARE(back.history.entries().size(), 4u); // the edit that was undone is not among them
            QCOMPARE(back.savedVersion, std::size_t(0));
            expected = text(back.history);
            QVERIFY(expected.find("scaled") != std::string::npos);
            QVERIFY(expected.find("neg") != std::string::npos);
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
        QVERIFY(back.lost);
        QVERIFY(back.lost->message().is("journal.damaged"));
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
        QVERIFY(again);
        QVERIFY(again->problem().empty());
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
        QVERIFY(journals[0]->lastSave());
        QVERIFY(journals[0]->lastSave()->file);
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
            setContent(m_model, "other bytes");
        }
        const auto journal = OrphanedJournal::take(onlyJournal());
        QVERIFY(journal);
        QVERIFY(journal->baseIsKept());
        QVERIFY(journal->lastEdit());
        QVERIFY(journal->lastEdit()->name == "Rename mul");
        std::filesystem::remove_all(keptBaseFolder(journal->path()));
        std::string file;
        try {
            recover(*journal);
        } catch (const Error& error) { file = error.file; }
        QCOMPARE(file, m_model);
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
        const StepList large = StepList::parse(steps);
        QVERIFY(large.text().size() > Journal::kLargeSteps);
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            for (int i = 0; i < 2; ++i) {
                history.edit("weights", large);
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
            QCOMPARE(recover(*journal).history.entries()[2].steps.text(), large.text());
        }
        QFile(files.filePath(names[0])).resize(100);
        const auto journal = OrphanedJournal::take(path);
        QVERIFY(!journal->problem().empty());
        QVERIFY_THROWS_EXCEPTION(Error, recover(*journal));
    }

    void tensorFile_isKept() {
        const std::string file = m_model + ".npy";
        const StepList setScale = StepList().setTensor("scale", file);
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
        QCOMPARE(recover(*OrphanedJournal::take(onlyJournal())).history.entries()[1].steps.text(), setScale.text());
        setContent(file, npy(7));
        QCOMPARE(first(recover(*OrphanedJournal::take(onlyJournal())).history), 2.5F);
        QVERIFY(QFile::remove(QString::fromStdString(file)));
        QCOMPARE(first(recover(*OrphanedJournal::take(onlyJournal())).history), 2.5F);
    }
};

QTEST_APPLESS_MAIN(TestJournalBases)
#include "tst_journal_bases.moc"
