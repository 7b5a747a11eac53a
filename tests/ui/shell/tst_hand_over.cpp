// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/hand_over.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <map>
#include <memory>
#include <sys/socket.h>
#include <sys/un.h>
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
        QTest::qWait(200);
        const bool early = done, isAwaited = window.isAwaited;
        delete window.documents[QStringLiteral("/b.pt")];
        const bool ended = QTest::qWaitFor([&] { return done.load(); });
        if (!ended) std::terminate(); // the thread cannot be ended
        other.join();
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
