// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"
#include "core/engine/own/own_call.h"
#include "core/engine/own/own_values.h"
#include "core/ir/print.h"
#include "core/module/module.h"
#include "core/module/stand_in.h"
#include "tests/failure.h"

#include <QTest>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

using namespace fx;
using namespace fx::engine;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kOfPython = std::uint64_t{1} << 32;

/// The bytes of a message after its length.
std::vector<std::byte> bytesOf(OwnMessage& message) {
    std::vector<std::byte> out;
    for (const auto piece : message.pieces()) out.insert(out.end(), piece.begin(), piece.end());
    out.erase(out.begin(), out.begin() + sizeof(std::uint64_t));
    return out;
}

/// A value as Python would send it: storages have numbers of its own.
std::vector<std::byte> sent(const Value& value) {
    std::uint64_t next = kOfPython;
    OwnMessage message(next);
    message.put(value);
    return bytesOf(message);
}

at::Tensor drawn(std::vector<std::int64_t> sizes) { return randomInput(sizes, at::kFloat, 0); }

std::string textOf(const Value& value) {
    const auto argument = toArgument(value);
    return argument ? reprOf(Graph(), *argument) : "a tensor";
}

/// What takes the place of Python: it reads the request and does something.
class Child {
public:
    using Acts = std::function<void(int from, int to)>;
    Child(const std::string& source, std::chrono::seconds limit, Acts acts) {
        std::array<int, 2> requests{}, answers{};
        if (::pipe(requests.data()) != 0 || ::pipe(answers.data()) != 0) std::abort();
        for (const int each : {requests[1], answers[0]}) ::fcntl(each, F_SETFL, O_NONBLOCK);
        addOwnPython(source, requests[1], answers[0], limit);
        m_thread = std::thread([from = requests[0], to = answers[1], acts = std::move(acts)] {
            std::vector<std::byte> head(sizeof(std::uint64_t));
            if (::read(from, head.data(), head.size()) == static_cast<ssize_t>(head.size())) {
                std::uint64_t size = 0;
                std::memcpy(&size, head.data(), sizeof size);
                std::vector<std::byte> request(size);
                for (std::size_t done = 0; done < size;)
                    done += std::max<ssize_t>(0, ::read(from, request.data() + done, size - done));
                acts(from, to);
            }
            ::close(from), ::close(to);
        });
    }
    ~Child() { m_thread.join(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

private:
    std::thread m_thread;
};

void writeAll(int to, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(to, bytes.data(), bytes.size());
        if (count <= 0) return;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void answerWith(int to, const Value& value) {
    const std::vector<std::byte> body = sent(value);
    const std::uint64_t size = body.size();
    writeAll(to, std::as_bytes(std::span(&size, 1)));
    writeAll(to, body);
}

/// A function of a source that Python runs.
Module calledIn(const std::string& source) {
    Module module = *emptyModule("net.f");
    module.attributes.emplace_back(kOwnPython, Argument::tuple({source, "", "function", "net", "f"}));
    return module;
}

Error failureOf(const std::string& source) {
    return failure([&] {
        TensorStore tensors;
        (void)callOwn(calledIn(source), tensors, {{drawn({2, 3})}, {}});
    });
}

} // namespace

class TestOwnCall : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void values_andBack_areTheSame() {
        const Value slice = std::make_shared<const SliceOf>(SliceOf{1, {}, 2});
        const Value named =
            std::make_shared<Items>(Items{Items::Kind::Named, {1, 2}, {"values", "indices"}, "torch.return_types.max"});
        const Value dict = std::make_shared<Mapping>(Mapping{{{"a", 1}, {2, Value::list({true, Value()})}}});
        for (const Value& value :
             Values{Value(), true, false, -5, 2.5, "text", slice, named, dict, at::kHalf,
                    Value::constant(Complex{1, -2}), Value::constant(BigInt{"36893488147419103232"}),
                    Value::tuple({Value::list({}), Value::size({2, 3})})}) {
            std::uint64_t next = 1;
            OwnMessage request(next);
            const std::vector<std::byte> bytes = sent(value);
            const Value got = OwnAnswer(bytes, request).value();
            QCOMPARE(textOf(got), textOf(value));
            QCOMPARE(typeText(got), typeText(value));
        }
    }

    void tensors_andBack_keepTypeStridesAndCommonStorage() {
        const at::Tensor x = drawn({3, 4}), t = callMethod("t", {x}).tensor();
        std::uint64_t next = 1;
        OwnMessage request(next);
        const std::vector<std::byte> bytes = sent(Value::tuple({x, t}));
        const Value got = OwnAnswer(bytes, request).value();
        const at::Tensor a = got.items()->items[0].tensor(), b = got.items()->items[1].tensor();
        QVERIFY(a.equal(x) && b.equal(t) && b.strides() == t.strides());
        QVERIFY(a.storage().unsafeGetStorageImpl() == b.storage().unsafeGetStorageImpl());
        QVERIFY(a.storage().unsafeGetStorageImpl() != x.storage().unsafeGetStorageImpl());
        const at::Tensor none = drawn({0, 3}); // its strides lead out of its storage, which has no bytes
        const std::vector<std::byte> empty = sent(none);
        QVERIFY(OwnAnswer(empty, request).value().tensor().sizes() == none.sizes());
    }

    void tensors_withoutValuesOrMemory_areNotSent() {
        std::uint64_t next = 1;
        OwnMessage request(next);
        const at::Tensor meta =
            callOperator("aten::empty.memory_format", {{Value::list({2})}, {{"device", at::Device(at::kMeta)}}})
                .tensor();
        QCOMPARE(failure([&] { request.put(meta); }).message().code(), std::string("engine.needs_values"));
        const Value sparse = callMethod("to_sparse", {drawn({2, 2})});
        QCOMPARE(failure([&] { request.put(sparse); }).message().code(), std::string("engine.own_value"));
    }

    void changes_toInputs_areWrittenOnlyByApply() {
        at::Tensor x = drawn({2, 2});
        const at::Tensor before = x.clone();
        std::uint64_t next = kOfPython;
        OwnMessage request(next), other(next);
        request.put(x);
        other.know(before.storage(), request.numberOf(x.storage()), true); // the input with other bytes
        other.put(before);
        before.fill_(3);
        const std::vector<std::byte> bytes = bytesOf(other);
        const OwnAnswer answer(bytes, request);
        QVERIFY(!x.equal(before));
        const auto version = x._version();
        answer.apply();
        QVERIFY(x.equal(before));
        QVERIFY(x._version() > version);
    }

    /// No bytes lead outside of the answer and its storages, or to more memory than they have.
    void damagedAnswers_areRefused_orAreValues() {
        const at::Tensor x = drawn({3, 4});
        const Value value = Value::tuple({x, "text", Value::list({1, 2.5, Value::size({3})}), callMethod("t", {x})});
        const std::vector<std::byte> whole = sent(value);
        int refused = 0;
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::uint64_t next = 1;
            OwnMessage request(next);
            const auto cut = std::span(whole).first(at);
            QCOMPARE(failure([&] { OwnAnswer(cut, request); }).message().code(), std::string("engine.own_answer"));
            for (const int flip : {0x01, 0x80, 0xFF}) {
                std::vector<std::byte> damaged = whole;
                damaged[at] ^= static_cast<std::byte>(flip);
                const Error error = failure([&] {
                    const OwnAnswer answer(damaged, request);
                    for (const Value& each : {answer.value()}) (void)textOf(each);
                });
                if (error.message().is("engine.own_answer")) ++refused;
            }
        }
        QVERIFY(refused > 100);
    }

    void calls_ofAFunction_runInPython() {
        const Child child("good.py", 20s, [](int, int to) {
            const Value state = callFunction("torch.random.get_rng_state", Values());
            answerWith(to, Value::tuple({"ok", 7, Value::list({}), state}));
        });
        const Module module = calledIn("good.py");
        QVERIFY(isOwnCall(module));
        TensorStore tensors;
        const std::size_t before = ownTime().calls;
        QCOMPARE(callOwn(module, tensors, {{drawn({2, 3})}, {}}).integer(), std::optional<std::int64_t>(7));
        QCOMPARE(ownTime().calls, before + 1);
        QVERIFY(!isOwnCall(calledIn("unknown.py")));
    }

    void exceptions_ofPython_areTold() {
        const Child child("raises.py", 20s, [](int, int to) {
            answerWith(to, Value::tuple({"error", "ValueError", "no", "net.py:7"}));
        });
        const Error error = failureOf("raises.py");
        QVERIFY(error.message().is("engine.own_raised"));
        QCOMPARE(error.message().argument("text"), std::string("ValueError: no"));
        QCOMPARE(error.where, std::string("net.py:7"));
    }

    void childrenThatMisbehave_areRefusedInTime_data() {
        QTest::addColumn<QString>("code");
        QTest::newRow("ends") << "engine.own_ended";
        QTest::newRow("hangs") << "engine.own_slow";
        QTest::newRow("says half") << "engine.own_slow";
        QTest::newRow("rubbish") << "engine.own_answer";
        QTest::newRow("a long answer") << "engine.own_answer";
        QTest::newRow("no result") << "engine.own_answer";
        QTest::newRow("unknown state") << "engine.own_answer";
    }
    void childrenThatMisbehave_areRefusedInTime() {
        QFETCH(QString, code);
        const std::string how = QTest::currentDataTag();
        {
            const Child child(how, 1s, [&](int from, int to) {
                const auto number = [to](std::uint64_t each) { writeAll(to, std::as_bytes(std::span(&each, 1))); };
                if (how == "hangs" || how == "says half") {
                    if (how == "says half") number(100);
                    pollfd closed{from, POLLIN, 0}; // when the caller gives up
                    ::poll(&closed, 1, 20'000);
                }
                if (how == "rubbish") number(8), number(~std::uint64_t{0});
                if (how == "a long answer") number(std::uint64_t{1} << 62);
                if (how == "no result") answerWith(to, Value::list({"ok"}));
                if (how == "unknown state")
                    answerWith(to, Value::tuple({"ok", 1, Value::list({Value::tuple({9, drawn({1})})}), drawn({1})}));
            });
            QCOMPARE(failureOf(how).message().code(), code.toStdString());
        }
        QCOMPARE(failureOf(how).message().code(), std::string("engine.own_ended")); // nothing more is asked of it
    }

    void cancelling_endsTheWait() {
        const Child child("waits.py", 20s, [](int from, int) {
            pollfd closed{from, POLLIN, 0};
            ::poll(&closed, 1, 20'000);
        });
        std::stop_source stop;
        stop.request_stop();
        const Progress progress(stop.get_token(), {});
        const OwnCallsStop stops(progress);
        QCOMPARE(failureOf("waits.py").kind(), ErrorKind::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestOwnCall)
#include "tst_own_call.moc"
