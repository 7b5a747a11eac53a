// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/remote/frame.h"
#include "tests/sanitized.h"

#include <QTest>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace fx::remote;
using namespace std::chrono_literals;

namespace {

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() {
        if (::pipe(ends) != 0) qFatal("no pipe");
    }
    ~Pipe() {
        ::close(ends[0]);
        closeWriter();
    }
    void closeWriter() {
        if (ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
};

std::shared_ptr<const std::vector<std::byte>> bytes(std::size_t count) {
    std::vector<std::byte> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(i * 7);
    return std::make_shared<const std::vector<std::byte>>(std::move(out));
}

} // namespace

class TestFrame : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readerGone_isFalse_andNoSignal() {
        const auto before = std::signal(SIGPIPE, SIG_DFL); // a signal would end the test
        Pipe pipe;
        ::close(std::exchange(pipe.ends[0], ::dup(STDIN_FILENO)));
        QVERIFY(!writeFrame(pipe.ends[1], {FrameKind::Error, 8, "{}", {}, {}}));
        sigset_t pending, blocked;
        QCOMPARE(::sigpending(&pending), 0);
        QVERIFY(sigismember(&pending, SIGPIPE) == 0);
        QCOMPARE(::pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
        QVERIFY(sigismember(&blocked, SIGPIPE) == 0);
        QVERIFY(std::signal(SIGPIPE, before) == SIG_DFL);
    }
    void readerThatHangs_isNotWaitedFor_whenAskedToStop() {
        Pipe pipe;
        QCOMPARE(::fcntl(pipe.ends[1], F_SETFL, O_NONBLOCK), 0);
        std::stop_source stop;
        std::thread later([&] {
            std::this_thread::sleep_for(50ms);
            stop.request_stop();
        });
        QVERIFY(!writeFrame(pipe.ends[1], {FrameKind::Result, 7, "{}", bytes(3'000'000), {}},
                            fx::Progress(stop.get_token())));
        later.join();
    }
    void frames_largerThanThePipe_arriveWhole() {
        Pipe pipe;
        const Frame sent{FrameKind::Result, 7, R"({"a": 1})", bytes(3'000'000), {}};
        std::thread writer([&] {
            writeFrame(pipe.ends[1], sent);
            writeFrame(pipe.ends[1], {FrameKind::Error, 8, "{}", {}, {}});
        });
        FrameReader reader(pipe.ends[0]);
        QCOMPARE(reader.read(kPatience * 5s), FrameReader::State::Frame);
        const Frame first = reader.take();
        QCOMPARE(reader.read(kPatience * 5s), FrameReader::State::Frame);
        const Frame second = reader.take();
        writer.join();
        QCOMPARE(first.request, 7u);
        QCOMPARE(first.json, sent.json);
        QVERIFY(*first.blob == *sent.blob);
        QCOMPARE(second.kind, FrameKind::Error);
        QVERIFY(!second.blob);
    }

    void frame_cutShort_isNeverTaken() {
        Pipe pipe;
        const std::string whole = frameHeader(FrameKind::Result, 1, 2, 0) + "{}";
        QCOMPARE(::write(pipe.ends[1], whole.data(), whole.size() - 1), static_cast<ssize_t>(whole.size() - 1));
        FrameReader reader(pipe.ends[0]);
        QCOMPARE(reader.read(20ms), FrameReader::State::Waiting);
        pipe.closeWriter();
        QCOMPARE(reader.read(kPatience * 1s), FrameReader::State::Closed);
    }

    void otherBytes_areRefused_data() {
        QTest::addColumn<QByteArray>("sent");
        QTest::newRow("text") << QByteArray("Welcome to the machine! Have a lot of fun ...");
        std::string version = frameHeader(FrameKind::Hello, 0, 0, 0);
        version[4] = 9;
        QTest::newRow("version") << QByteArray::fromStdString(version);
        QTest::newRow("size") << QByteArray::fromStdString(frameHeader(FrameKind::Hello, 0, ~0ull, 0));
    }
    void otherBytes_areRefused() {
        QFETCH(QByteArray, sent);
        Pipe pipe;
        QCOMPARE(::write(pipe.ends[1], sent.data(), static_cast<std::size_t>(sent.size())), sent.size());
        FrameReader reader(pipe.ends[0]);
        QVERIFY_THROWS_EXCEPTION(fx::Error, reader.read(kPatience * 1s));
    }
};

QTEST_APPLESS_MAIN(TestFrame)
#include "tst_frame.moc"
