// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/size_fit.h"

#include <QTest>

using namespace fx;

namespace {

using Values = SizeFit::Values;

/// Two symbols; a runs through 29 numbers in a row, b through the same in another order; two more are far away.
struct Sampled {
    Sampled() {
        for (std::int64_t i = 0; i < 29; ++i) a.push_back(6 + i), b.push_back(6 + i * 12 % 29);
        for (std::int64_t i = 1; i < 3; ++i) a.push_back(9 + 991 * i), b.push_back(13 + 1982 * i);
        fit.add("a", a), fit.add("b", b);
    }
    template<class Size> QString found(const Size& size) {
        Values values;
        for (std::size_t i = 0; i < a.size(); ++i) values.push_back(size(a[i], b[i]));
        return QString::fromStdString(fit.fit(values).value_or("unknown"));
    }
    Values a, b;
    SizeFit fit;
};

std::int64_t floored(std::int64_t a, std::int64_t b) { return a / b; }

} // namespace

class TestSizeFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizes_areExpressedBySymbols() {
        Sampled s;
        QCOMPARE(s.found([](auto, auto) { return 7; }), "7");
        QCOMPARE(s.found([](auto a, auto) { return a; }), "a");
        QCOMPARE(s.found([](auto, auto b) { return 3 * b - 2; }), "3*b - 2");
        QCOMPARE(s.found([](auto a, auto b) { return a + b; }), "a + b");
        QCOMPARE(s.found([](auto a, auto b) { return b - a + 40; }), "b - a + 40");
        QCOMPARE(s.found([](auto a, auto b) { return 2 * a * b + 1; }), "2*a*b + 1");
        QCOMPARE(s.found([](auto a, auto) { return a * a; }), "a*a");
        QCOMPARE(s.found([](auto a, auto) { return floored(a - 1, 2) + 1; }), "((a - 1)//2) + 1");
        QCOMPARE(s.found([](auto a, auto) { return floored(a - 3 + 2, 5) + 1; }), "((a - 1)//5) + 1");
        QCOMPARE(s.found([](auto, auto b) { return floored(3 * b + 1, 4); }), "((3*b - 3)//4) + 1");
    }

    void sizes_areRounded_whereKnownOnesDependOnEachOther() {
        Sampled s;
        Values wider, smaller;
        for (const std::int64_t a : s.a) wider.push_back(2 * a - 1), smaller.push_back(a - 2);
        s.fit.add("2*a - 1", wider), s.fit.add("a - 2", smaller);
        QCOMPARE(s.found([](auto a, auto) { return floored(a - 1, 2) + 1; }), "((a - 1)//2) + 1");
        QCOMPARE(s.found([](auto a, auto) { return floored(a - 3, 2) + 1; }), "((a - 1)//2)");
        QCOMPARE(s.found([](auto a, auto) { return floored(6 * a, 5); }), "((3*(2*a - 1) - 2)//5) + 1");
    }

    void sizes_thatAreNoSuchExpression_areUnknown() {
        Sampled s;
        QCOMPARE(s.found([](auto a, auto b) { return a * a * b; }), "unknown");
        QCOMPARE(s.found([](auto a, auto) { return a % 3; }), "unknown");
        QCOMPARE(s.found([](auto a, auto) { return a << 40; }), "unknown");
        SizeFit few; // an offset of 0 or of 1 before the division give the same
        few.add("a", {8, 12, 16});
        QVERIFY(!few.fit({2, 3, 4}));
        SizeFit huge; // a factor of the square would overflow
        huge.add("a", {1, 2, (std::int64_t{1} << 31) - 1});
        QVERIFY(!huge.fit({0, 3 << 29, 5}));
    }

    void strides_areProductsOfSizes() {
        Sampled s;
        const std::size_t count = s.a.size();
        const Values five(count, 5), three(count, 3), one(count, 1);
        Values threeA;
        for (const std::int64_t size : s.a) threeA.push_back(3 * size);
        // 5×a×3, dense; and turned: a×5×3 with the strides of the same memory
        const std::vector<std::string> dense = {"5", "a", "3"}, turned = {"a", "5", "3"};
        QCOMPARE(*s.fit.fitStride(0, {five, s.a, three}, dense, {threeA, three, one}), std::string("3*a"));
        QCOMPARE(*s.fit.fitStride(1, {five, s.a, three}, dense, {threeA, three, one}), std::string("3"));
        QCOMPARE(*s.fit.fitStride(1, {s.a, five, three}, turned, {three, threeA, one}), std::string("3*a"));
    }
};

QTEST_GUILESS_MAIN(TestSizeFit)
#include "tst_size_fit.moc"
