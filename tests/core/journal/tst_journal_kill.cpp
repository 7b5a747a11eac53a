// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"

#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace fx;

namespace {

std::string fingerprint(const History& history) {
    return sha256(graphText(history.model()->graph) + std::to_string(history.current()) + "/" +
                  std::to_string(history.entries().size()))
        .substr(0, 16);
}

/// Makes edits, undoes and does them again, as the seed says, until it is killed. Tells each finished one on `report`.
class Editor {
public:
    Editor(const std::string& model, const std::string& folder, unsigned seed)
        : m_history(openModel(model)), m_journal(folder, ModelIdentity::of(model)), m_random(seed) {}

    [[noreturn]] void run(int report) {
        for (;;) {
            if (!change()) continue;
            const std::string line = fingerprint(m_history) + "\n";
            if (::write(report, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(1);
        }
    }

private:
    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(m_random); }

    bool change() {
        if (const std::size_t kind = below(10); kind < 3) {
            const std::size_t version = m_history.current();
            if (kind == 0 && m_history.canRedo()) m_history.goTo(version + 1);
            else if (m_history.canUndo()) m_history.goTo(version - 1);
            else return false;
            m_journal.wentTo(m_history.current());
            return true;
        }
        try {
            m_history.edit("edit", StepList::parse("[" + step() + "]"));
        } catch (const Error&) {
            return false; // torch.fx refuses it: no edit
        }
        m_journal.edited(m_history);
        return true;
    }

    std::string step() {
        const auto& order = m_history.model()->graph.order();
        const std::string node = m_history.model()->graph.node(order[below(order.size() - 1)]).name();
        switch (below(5)) {
        case 0: return "{\"step\": \"rename\", \"node\": \"" + node + "\", \"name\": \"renamed\"}";
        case 1: return "{\"step\": \"erase\", \"node\": \"" + node + "\"}";
        case 2: return weights(below(8) == 0 ? 300'000 : 200 + below(40'000));
        default:
            return "{\"step\": \"insert_after\", \"node\": \"" + node +
                   "\", \"op\": \"call_function\", \"target\": \"torch.relu\", \"args\": [{\"node\": \"" + node +
                   "\"}], \"rewire_users\": true}";
        }
    }

    /// Records of all sizes, up to those that stand in a file of their own.
    std::string weights(std::size_t count) {
        std::string text = "{\"step\": \"set_tensor\", \"path\": \"fc.bias\", \"value\": [0";
        for (std::size_t i = 1; i < count; ++i) text += ", " + std::to_string(i % 1000);
        return text + "]}";
    }

    History m_history;
    Journal m_journal;
    std::mt19937 m_random;
};

} // namespace

/// Kills a process that edits, at random times: what it told to be finished is there, and nothing that is not whole.
class TestJournalKill : public QObject {
    Q_OBJECT

    static constexpr int kKills = 220, kMostTries = 700;
    int m_torn = 0;

    /// Starts an editor, kills it after that time; returns what it told.
    static QByteArrayList told(const std::string& model, const std::string& folder, unsigned seed,
                               std::chrono::microseconds life) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return {};
        const std::string number = std::to_string(seed);
        const pid_t child = ::fork();
        if (child == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::execl("/proc/self/exe", "tst_journal_kill", "--edit", model.c_str(), folder.c_str(), number.c_str(),
                    nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        QByteArray bytes;
        char block[4096];
        // The clock starts with the first edit, except for every eighth, which may be killed while it starts.
        if (seed % 8)
            if (const ssize_t got = ::read(ends[0], block, sizeof block); got > 0) bytes.append(block, got);
        std::thread killer([&] {
            std::this_thread::sleep_for(life);
            ::kill(child, SIGKILL);
        });
        for (ssize_t got; (got = ::read(ends[0], block, sizeof block)) > 0;) bytes.append(block, got);
        killer.join();
        ::close(ends[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFSIGNALED(status)) return {"the editor ended by itself"};
        QByteArrayList lines = bytes.split('\n');
        lines.removeLast();
        return lines;
    }

    void check(const std::string& model, const std::string& folder, const QByteArrayList& lines) {
        std::string path;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == ".journal") path = entry.path().string();
        QVERIFY2(!path.empty() || lines.isEmpty(), "finished edits, but no journal");
        if (path.empty()) return;
        const auto journal = OrphanedJournal::take(path);
        QVERIFY(journal);
        QVERIFY2(journal->problem().empty(), journal->problem().c_str());
        const auto finished = std::size_t(lines.size()), found = journal->changes().size();
        // One may be finished on disk and not yet told.
        QVERIFY2(found == finished || found == finished + 1,
                 qPrintable(QStringLiteral("%1 told, %2 found").arg(finished).arg(found)));
        if (QFileInfo(QString::fromStdString(path)).size() != qint64(goodBytes(path))) ++m_torn;
        const auto base = openModel(model);
        if (finished)
            QCOMPARE(QByteArray::fromStdString(fingerprint(replay(base, *journal, finished).history)), lines.last());
        if (found > finished) replay(base, *journal, found);
    }

    static std::size_t goodBytes(const std::string& path) {
        QFile file(QString::fromStdString(path));
        if (!file.open(QIODevice::ReadOnly)) return 0;
        const QByteArray bytes = file.readAll();
        return readJournalRecords({bytes.data(), std::size_t(bytes.size())}).goodBytes;
    }

private Q_SLOTS:
    void killedAnywhere_noFinishedEditIsLost() {
        QTemporaryDir dir;
        const std::string model = LANCET_SOURCE_DIR "/resources/samples/resnet.pt";
        std::mt19937 random(20'260);
        int kills = 0, tries = 0;
        long edits = 0;
        for (; kills < kKills && tries < kMostTries; ++tries) {
            const std::string folder = dir.filePath(QString::number(tries)).toStdString();
            std::filesystem::create_directory(folder);
            const std::chrono::microseconds life(
                std::uniform_int_distribution<int>(0, tries % 8 ? 60'000 : 120'000)(random));
            const QByteArrayList lines = told(model, folder, unsigned(tries), life);
            check(model, folder, lines);
            if (QTest::currentTestFailed()) return;
            kills += !lines.isEmpty();
            edits += lines.size();
            std::filesystem::remove_all(folder);
        }
        qInfo("%d processes killed, %d of them after their first edit; %ld finished edits, none lost; %d torn tails",
              tries, kills, edits, m_torn);
        QCOMPARE(kills, kKills);
    }
};

int main(int argc, char** argv) {
    if (argc == 5 && std::string_view(argv[1]) == "--edit")
        Editor(argv[2], argv[3], static_cast<unsigned>(std::atoi(argv[4]))).run(STDOUT_FILENO);
    TestJournalKill test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_journal_kill.moc"
