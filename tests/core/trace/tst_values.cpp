// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/allowance.h"
#include "core/trace/value.h"

#include <QtTest>

using namespace fx;
using namespace fx::trace;

class TestValues : public QObject {
    Q_OBJECT

    static constexpr int kDeep = 1'000'000;

private Q_SLOTS:
    void deepValues_endWithoutRecursion_data() {
        using Wrap = std::function<Value(const Value&)>;
        QTest::addColumn<Wrap>("wrap");
        QTest::newRow("list") << Wrap([](const Value& inner) { return listOf({none(), inner}); });
        QTest::newRow("dict") << Wrap([](const Value& inner) { return box(ValueDict{{{none(), inner}}}); });
        QTest::newRow("construction") << Wrap([](const Value& inner) { return box(Construction{{}, {inner}, {}}); });
        QTest::newRow("method") << Wrap([](const Value& inner) { return box(BoundMethod{inner, "add"}); });
        QTest::newRow("attribute") << Wrap([](const Value& inner) {
            auto lazy = std::make_shared<LazyAttribute>();
            lazy->root = inner;
            return Value{lazy};
        });
    }
    void deepValues_endWithoutRecursion() {
        QFETCH(const std::function<Value(const Value&)>, wrap);
        std::optional<Value> value = listOf({});
        const Value shared = *value;
        for (int i = 0; i < kDeep; ++i) value = wrap(*value);
        value.reset();
        QVERIFY(shared.as<ValueSequence>());
        QVERIFY(shared.as<ValueSequence>()->items.empty());
    }

    void allowance_endsWorkAndMemory() {
        Allowance allowance(1000, {});
        charge(1 << 30); // of nobody
        const Spending spending(allowance);
        for (std::uint64_t i = 0; i < 1000 * Allowance::kStatementUnits; ++i) charge(1);
        QVERIFY_THROWS_EXCEPTION(CannotFollow, charge(1));
        QVERIFY_THROWS_EXCEPTION(CannotFollow, charge(UINT64_MAX));
        QVERIFY_THROWS_EXCEPTION(CannotFollow, charge(1));
        Allowance other(1000, {});
        const Spending inner(other);
        charge(1);
        chargeBytes(1000);
        QVERIFY_THROWS_EXCEPTION(CannotFollow, chargeBytes(Allowance::kMostBytes));
        QVERIFY_THROWS_EXCEPTION(CannotFollow, chargeBytes(UINT64_MAX));
    }

    void allowance_looksAtStopRequests() {
        std::stop_source stop;
        Allowance allowance(5'000'000, Progress(stop.get_token()));
        const Spending spending(allowance);
        charge(10'000);
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(Error, charge(10'000));
    }

    void levels_areCounted() {
        std::vector<std::unique_ptr<Deeper>> levels;
        for (int i = 0; i < Deeper::kMost; ++i) levels.push_back(std::make_unique<Deeper>());
        QVERIFY_THROWS_EXCEPTION(PythonError, Deeper(" here"));
        levels.clear();
        const Deeper again;
    }
};

QTEST_GUILESS_MAIN(TestValues)
#include "tst_values.moc"
