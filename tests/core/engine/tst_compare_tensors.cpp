// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/compare.h"
#include "tests/core/engine/verify_fixture.h"

#include <QTest>

#include <cmath>

using namespace verifying;

/// Errors of tensors and the tolerances that they are within.
class TestCompareTensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void compare_measuresErrors() {
        const ValueDifference d = engine::compareTensors(numbers({1, 2, 0, -4}), numbers({1, 2.5, 0, -5}), {});
        QVERIFY(!d.equal);
        QVERIFY(!d.close);
        QCOMPARE(d.maxAbs, 1.0);
        QCOMPARE(d.maxRel, 0.25);
        QCOMPARE(d.beyond, 2);
        QVERIFY((d.worst == std::vector<std::int64_t>{3}));
        QCOMPARE(d.tolerance.rtol, 1.3e-6);
        QCOMPARE(engine::compareTensors(numbers({0}), numbers({1}), {}).maxRel, kInf);
        Tolerances loose;
        loose.rtol = 0.3;
        QVERIFY(engine::compareTensors(numbers({1, 2, 0, -4}), numbers({1, 2.5, 0, -5}), loose).close);
        loose.types = {{"torch.float32", {0, 0}}};
        QVERIFY(!engine::compareTensors(numbers({1, 2}), numbers({1, 2.5}), loose).close); // the type wins
    }

    void compare_nanInfinityAndSignOfZero() {
        const double nan = std::nan("");
        ValueDifference d = engine::compareTensors(numbers({nan, kInf, 1}), numbers({nan, kInf, 1}), {});
        QVERIFY(d.equal);
        QVERIFY(d.close);
        QCOMPARE(d.nansBoth, 1);
        d = engine::compareTensors(numbers({nan, 1}), numbers({1, 1}), {});
        QVERIFY(!d.close);
        QVERIFY(!d.equal);
        QCOMPARE(d.nansA, 1);
        QCOMPARE(d.nansB, 0);
        QVERIFY(!engine::compareTensors(numbers({kInf}), numbers({-kInf}), {}).close);
        d = engine::compareTensors(numbers({0.0}), numbers({-0.0}), {});
        QVERIFY(!d.equal);
        QVERIFY(d.close); // bit for bit they differ
        QCOMPARE(d.maxAbs, 0.0);
    }

    /// A few bytes that stand for 4 GB are compared once.
    void compare_expanded_countsAllAndCopiesNone() {
        constexpr std::int64_t kCount = 1'000'000'000;
        const auto wide = [](double value) { return numbers({0, value}).unsqueeze(0).expand({kCount, 2}); };
        const ValueDifference d = engine::compareTensors(wide(1), wide(3), {});
        QCOMPARE(d.count, 2 * kCount);
        QCOMPARE(d.beyond, kCount);
        QCOMPARE(d.maxAbs, 2.0);
        QVERIFY((d.worst == std::vector<std::int64_t>{0, 1}));
        QCOMPARE(engine::compareTensors(wide(std::nan("")), wide(std::nan("")), {}).nansBoth, kCount);
    }

    void compare_integersExactly_beyondDoubles() {
        const at::Tensor big = numbers({9007199254740992.0}, at::kLong);
        const ValueDifference d = engine::compareTensors(big, big + 1, {});
        QVERIFY(!d.close);
        QCOMPARE(d.maxAbs, 1.0);
    }

    void compare_typesAndShapes_areReasons() {
        const at::Tensor x = random({2, 3});
        ValueDifference d = engine::compareTensors(x, x.to(at::kHalf), {});
        QCOMPARE(d.reason.text(), std::string("float32 in A, float16 in B"));
        QVERIFY(!d.close);
        QVERIFY(d.maxAbs < 1e-2); // the error is measured all the same
        QVERIFY(d.sameShape);
        d = engine::compareTensors(x, x.flatten(), {});
        QCOMPARE(d.reason.text(), std::string("2×3 in A, 6 in B"));
        QVERIFY(!d.sameShape);
        d = engine::compareTensors(x, x.flatten().to(at::kHalf), {});
        QVERIFY(!d.sameShape); // whatever the text begins with
    }

    void largeTensors_blockByBlock() {
        const at::Tensor x = random({700000});
        at::Tensor y = x.clone();
        static_cast<float*>(y.mutable_data_ptr())[600001] += 8;
        const ValueDifference d = engine::compareTensors(x.view({7, 100000}), y.view({7, 100000}), {});
        QVERIFY((d.worst == std::vector<std::int64_t>{6, 1}));
        QCOMPARE(d.beyond, 1);
    }
};

QTEST_APPLESS_MAIN(TestCompareTensors)
#include "tst_compare_tensors.moc"
