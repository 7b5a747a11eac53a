// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/settle.h"
#include "ui/shell/hand_over.h"

#include "core/files/private_folder.h"
#include "ui/shell/settings.h"

#include <QFile>
#include <QFileInfo>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <atomic>
#include <csignal>
#include <map>
#include <memory>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ui;

/// A window that opens nothing but notes what it was asked for.
class TestHandOver : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString name() const { return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()).left(8)); }

    static sockaddr_un addressOf(const QString& place) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, QFile::encodeName(place).constData(), sizeof address.sun_path);
        return address;
    }

    struct Window {
        std::map<QString, QObject*> documents;
        QJsonObject inputs;
        int raised = 0;
        bool isAwaited = false;
        HandOver handOver{[this](const HandOver::File& file) -> QObject* {
            ++raised;
            inputs = file.inputs;
            isAwaited = file.isAwaited;
            if (file.path.isEmpty()) return nullptr;
            QObject*& document = documents[file.path];
            if (!document) document = new QObject(&handOver);
            return document;
        }};
    };

    static QObjectList childrenOf(const QObject& parent, const char* type) {
        QObjectList found;
        for (QObject* child : parent.children())
            if (child->inherits(type)) found << child;
        return found;
    }
    static QObject* serverOf(const HandOver& one) { return childrenOf(one, "QLocalServer").value(0); }
    /// Another window has its place.
    static bool isFollowing(const HandOver& one) { return !childrenOf(one, "QLocalSocket").isEmpty(); }
    /// All requests have been read and ended.
    static bool isIdle(const HandOver& one) { return childrenOf(*serverOf(one), "QLocalSocket").isEmpty(); }

private Q_SLOTS:
    void files_offeredToWindow_openThere() {
        Window window;
        QVERIFY(window.handOver.listen(name()));
        Offer offer{};
        std::thread other([&] {
            offer = offerFiles(name(), {QStringLiteral("/a.pt"), QStringLiteral("b.pt")},
                               {{QStringLiteral("seed"), QStringLiteral("1")}}, false);
        });
        QVERIFY(QTest::qWaitFor([&] { return window.documents.size() == 2; }));
        other.join();
        QCOMPARE(offer, Offer::Taken);
        QVERIFY(window.documents.contains(QStringLiteral("/a.pt")));
        QVERIFY2(std::prev(window.documents.end())->first.startsWith(u'/'), "a relative path is of the other's folder");
        QCOMPARE(window.inputs[QLatin1String("seed")].toString(), QStringLiteral("1"));
    }

    void withoutAFolderOfTheUser_nothingIsHandedOver() {
        QTemporaryDir folder;
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const QByteArray before = qgetenv("XDG_RUNTIME_DIR");
        const auto back = qScopeGuard(
            [&] { before.isNull() ? (void)qunsetenv("XDG_RUNTIME_DIR") : (void)qputenv("XDG_RUNTIME_DIR", before); });
        const Settings settings(m_folder.filePath(QStringLiteral("settings.ini")));
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(folder.path()));
        QVERIFY(handOverName(settings).startsWith(folder.path() + u'/'));
        QVERIFY(QFile::link(folder.path(), folder.filePath(QStringLiteral("link"))));
        for (const QString& other : {folder.filePath(QStringLiteral("link")), QStringLiteral("/tmp")}) {
            qputenv("XDG_RUNTIME_DIR", QFile::encodeName(other));
            QCOMPARE(handOverName(settings), QString());
        }
        // Without any, no folder is made under a name that others know.
        qunsetenv("XDG_RUNTIME_DIR");
        const QByteArray temporary = qgetenv("TMPDIR");
        const auto restore =
            qScopeGuard([&] { temporary.isNull() ? (void)qunsetenv("TMPDIR") : (void)qputenv("TMPDIR", temporary); });
        qputenv("TMPDIR", QFile::encodeName(folder.path()));
        QCOMPARE(handOverName(settings), QString());
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("link")});
        Window window;
        QVERIFY(!window.handOver.listen({}));
        QCOMPARE(offerFiles({}, {QStringLiteral("/a.pt")}, {}, false), Offer::NoWindow);
    }

    /// Only root can be two users: elsewhere the own end is all that can be seen.
    void socketOfAnotherUser_isNotTalkedTo() {
        std::array<int, 2> ends{};
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        QVERIFY(isOfThisUser(ends[0]));
        QVERIFY(!isOfThisUser(-1));
        ::close(ends[0]), ::close(ends[1]);
        if (::geteuid() != 0) return;
        Window window;
        QVERIFY(m_folder.isValid());
        QVERIFY(window.handOver.listen(name()));
        QCOMPARE(::chmod(QFile::encodeName(m_folder.path()).constData(), 0777), 0);
        QCOMPARE(::chmod(QFile::encodeName(name()).constData(), 0777), 0); // as if nothing else held others back
        const sockaddr_un address = addressOf(name());
        const pid_t other = ::fork();
        if (other == 0) {
            const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
            if (::setresuid(65534, 65534, 65534) != 0 ||
                ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
                ::_exit(2);
            constexpr char kRequest[] = "{\"open\": [\"/a.pt\"]}\n";
            char answer = 0;
            if (::send(socket, kRequest, sizeof kRequest - 1, MSG_NOSIGNAL) < 0) ::_exit(0);
            ::_exit(::read(socket, &answer, 1) > 0 ? 1 : 0);
        }
        int status = -1;
        QVERIFY(QTest::qWaitFor([&] { return ::waitpid(other, &status, WNOHANG) == other; }));
        QVERIFY2(WIFEXITED(status), "another user was answered");
        QVERIFY2(WEXITSTATUS(status) == 0, "another user was answered");
        QCOMPARE(window.raised, 0);
    }

    void wait_returnsWhenTheLastDocumentIsClosed() {
        Window window;
        QVERIFY(window.handOver.listen(name()));
        std::atomic<bool> done = false;
        std::thread other([&] {
            offerFiles(name(), {QStringLiteral("/a.pt"), QStringLiteral("/b.pt")}, {}, true);
            done = true;
        });
        QVERIFY(QTest::qWaitFor([&] { return window.documents.size() == 2; }));
        delete window.documents[QStringLiteral("/a.pt")];
        const bool isSettled = testing::settle(), early = done || isIdle(window.handOver); // its connection lives
        const bool isAwaited = window.isAwaited;
        delete window.documents[QStringLiteral("/b.pt")];
        const bool ended = QTest::qWaitFor([&] { return done.load(); });
        if (!ended) std::terminate(); // the thread cannot be ended
        other.join();
        QVERIFY(isSettled);
        QVERIFY(!early);
        QVERIFY(isAwaited);
    }

    void wait_failsWhenTheWindowDies_data() {
        QTest::addColumn<QByteArray>("last");
        QTest::addColumn<bool>("isLost");
        QTest::newRow("dies") << QByteArray() << true;
        QTest::newRow("closes") << QByteArray("{}\n") << false;
    }
    void wait_failsWhenTheWindowDies() {
        QFETCH(const QByteArray, last);
        QFETCH(const bool, isLost);
        const QString place = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()));
        const int window = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const sockaddr_un address = addressOf(place);
        QCOMPARE(::bind(window, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        QCOMPARE(::listen(window, 1), 0);
        std::thread dying([&] {
            const int other = ::accept(window, nullptr, nullptr);
            char request = 0;
            while (::read(other, &request, 1) == 1 && request != '\n') {}
            const QByteArray answer = "{}\n" + last;
            if (::write(other, answer.constData(), answer.size()) != answer.size()) std::terminate();
            ::close(other);
        });
        const Offer offer = offerFiles(place, {QStringLiteral("/a.pt")}, {}, true);
        dying.join();
        ::close(window);
        QCOMPARE(offer == Offer::Lost, isLost);
    }

    void quit_endsTheWait() {
        auto window = std::make_unique<Window>();
        QVERIFY(window->handOver.listen(name()));
        std::atomic<bool> done = false;
        Offer offer{};
        std::thread other([&] {
            offer = offerFiles(name(), {QStringLiteral("/a.pt")}, {}, true);
            done = true;
        });
        const bool opened = QTest::qWaitFor([&] { return window->documents.size() == 1; });
        window.reset();
        if (!QTest::qWaitFor([&] { return done.load(); })) std::terminate(); // the thread cannot be ended
        other.join();
        QVERIFY(opened);
        QCOMPARE(offer, Offer::Taken);
    }

    /// It reads the request after the other process has given up, and has opened a window of its own.
    void busyWindow_opensNothingLater() {
        Window window;
        QVERIFY(window.handOver.listen(name()));
        const QSignalSpy connected(serverOf(window.handOver), SIGNAL(newConnection()));
        Offer offer{};
        std::thread other([&] { offer = offerFiles(name(), {QStringLiteral("/a.pt")}, {}, false); });
        other.join(); // meanwhile nothing happens here
        QCOMPARE(offer, Offer::NoWindow);
        QTRY_COMPARE(connected.size(), 1);
        QTRY_VERIFY(isIdle(window.handOver));
        QCOMPARE(window.raised, 0);
    }

    void request_isOpenedWhenItIsConfirmed_data() {
        QTest::addColumn<QByteArray>("second");
        QTest::addColumn<int>("opened");
        QTest::newRow("confirmed") << QByteArray("{\"go\": true}\n") << 1;
        QTest::newRow("something else") << QByteArray("{\"open\": [\"/b.pt\"]}\n") << 0;
        QTest::newRow("nothing") << QByteArray() << 0;
    }
    void request_isOpenedWhenItIsConfirmed() {
        QFETCH(const QByteArray, second);
        QFETCH(const int, opened);
        Window window;
        const QString place = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()).left(8));
        QVERIFY(window.handOver.listen(place));
        const int other = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const auto closed = qScopeGuard([other] { ::close(other); });
        const sockaddr_un address = addressOf(place);
        QCOMPARE(::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        const QByteArray request = "{\"open\": [\"/a.pt\"], \"confirms\": true}\n";
        QCOMPARE(::write(other, request.constData(), request.size()), request.size());
        std::array<char, 64> answer{};
        QVERIFY(QTest::qWaitFor([&] { return ::recv(other, answer.data(), answer.size(), MSG_DONTWAIT) > 0; }));
        QVERIFY(QByteArray(answer.data()).contains("ready"));
        QCOMPARE(window.raised, 0);
        QCOMPARE(::write(other, second.constData(), second.size()), second.size());
        QCOMPARE(::shutdown(other, SHUT_WR), 0);
        QTRY_VERIFY(isIdle(window.handOver));
        QCOMPARE(window.raised, opened);
        QCOMPARE(window.documents.size(), std::size_t(opened));
    }

    void socketThatAnotherWindowTook_isPutBack_data() {
        QTest::addColumn<bool>("isKilled");
        QTest::newRow("ends") << false;
        QTest::newRow("is killed") << true;
    }
    void socketThatAnotherWindowTook_isPutBack() {
        QFETCH(const bool, isKilled);
        Window first;
        const QString place = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()).left(4));
        QVERIFY(first.handOver.listen(place));
        const sockaddr_un address = addressOf(place);
        const auto offered = [&] {
            Offer offer{};
            bool isDone = false;
            std::thread other([&] {
                offer = offerFiles(place, {QStringLiteral("/a.pt")}, {}, false);
                QMetaObject::invokeMethod(
                    this, [&isDone] { isDone = true; }, Qt::QueuedConnection);
            });
            (void)QTest::qWaitFor([&] { return isDone; }, 20'000);
            other.join();
            return offer;
        };
        if (isKilled) { // its socket stays
            std::array<int, 2> pipe{};
            QCOMPARE(::pipe(pipe.data()), 0);
            const pid_t other = ::fork();
            if (other == 0) {
                ::unlink(address.sun_path);
                const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
                const bool listens = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                                     ::listen(socket, 8) == 0 && ::write(pipe[1], "x", 1) == 1;
                if (listens) ::pause();
                ::_exit(1);
            }
            char ready = 0;
            QCOMPARE(::read(pipe[0], &ready, 1), 1);
            ::close(pipe[0]), ::close(pipe[1]);
            QTRY_VERIFY(isFollowing(first.handOver));
            QVERIFY(first.documents.empty());
            ::kill(other, SIGKILL);
            ::waitpid(other, nullptr, 0);
        } else {
            auto second = std::make_unique<Window>();
            QVERIFY(second->handOver.listen(place));
            QTRY_VERIFY(isFollowing(first.handOver));
            QCOMPARE(offered(), Offer::Taken);
            QCOMPARE(second->documents.size(), 1u);
            second.reset();
        }
        QTRY_VERIFY(!isFollowing(first.handOver)); // it has its place again
        QCOMPARE(offered(), Offer::Taken);
        QCOMPARE(first.documents.size(), 1u);
        QVERIFY(QFile::remove(place)); // as somebody may who cleans up
        QTRY_VERIFY(QFile::exists(place));
        QCOMPARE(offered(), Offer::Taken);
    }

    void folderOfTheSocketIsRemoved_isMadeAgain() {
        QTemporaryDir outer;
        const QString folder = outer.filePath(QStringLiteral("run")), place = folder + QStringLiteral("/s");
        Window window;
        QVERIFY(window.handOver.listen(place));
        QVERIFY(QDir(folder).removeRecursively());
        QTRY_VERIFY(QFile::exists(place));
        std::thread other([&] { offerFiles(place, {QStringLiteral("/a.pt")}, {}, false); });
        const bool opened = QTest::qWaitFor([&] { return window.documents.size() == 1; });
        other.join();
        QVERIFY(opened);
    }

    /// The one that lost its place takes nothing from the other.
    void firstWindowEnds_theSecondStaysReachable() {
        auto first = std::make_unique<Window>();
        Window second;
        QVERIFY(first->handOver.listen(name()));
        QVERIFY(second.handOver.listen(name()));
        QTRY_VERIFY(isFollowing(first->handOver));
        first.reset();
        QTRY_VERIFY(QFile::exists(name()));
        std::thread other([&] { offerFiles(name(), {QStringLiteral("/a.pt")}, {}, false); });
        const bool opened = QTest::qWaitFor([&] { return second.documents.size() == 1; });
        other.join();
        QVERIFY(opened);
    }

    void noFiles_raiseTheWindow() {
        Window window;
        QVERIFY(window.handOver.listen(name()));
        std::thread other([&] { offerFiles(name(), {}, {}, false); });
        const bool raised = QTest::qWaitFor([&] { return window.raised == 1; });
        other.join();
        QVERIFY(raised);
    }

    void socketOfADeadProcess_isReplaced() {
        QCOMPARE(offerFiles(name(), {QStringLiteral("/a.pt")}, {}, false), Offer::NoWindow);
        QFile left(name());
        QVERIFY(left.open(QIODevice::WriteOnly));
        QCOMPARE(offerFiles(name(), {QStringLiteral("/a.pt")}, {}, false), Offer::NoWindow);
        Window window;
        QVERIFY(window.handOver.listen(name()));
    }

    void garbage_isIgnored() {
        Window window;
        QVERIFY(window.handOver.listen(name()));
        const int other = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const sockaddr_un address = addressOf(name());
        QCOMPARE(::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        QCOMPARE(::write(other, "\xff\x00 no json {{{\n", 16), 16);
        char answer = 0;
        ssize_t received = -1; // 0: the window has ended the connection
        (void)QTest::qWaitFor([&] { return (received = ::recv(other, &answer, 1, MSG_DONTWAIT)) >= 0; });
        ::close(other);
        QCOMPARE(received, 0);
        QCOMPARE(window.raised, 0);
    }
};

QTEST_MAIN(TestHandOver)
#include "tst_hand_over.moc"
