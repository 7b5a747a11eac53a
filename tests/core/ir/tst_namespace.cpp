// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/namespace.h"

#include <QTest>
#include <map>
#include <random>
#include <set>

namespace {

/// torch.fx `_Namespace.create_name`, line by line; numbers fit in 64 bits here.
struct Reference {
    std::set<std::string> used;
    std::map<std::string, unsigned long long> counts;

    std::string create(const std::string& candidate) {
        std::string name = candidate, base = candidate;
        std::optional<unsigned long long> number;
        const std::size_t digits = candidate.find_last_not_of("0123456789") + 1;
        if (digits < candidate.size() && digits >= 2 && candidate[digits - 1] == '_') {
            base = candidate.substr(0, digits - 1);
            number = std::stoull(candidate.substr(digits));
        }
        if (!number || used.contains(candidate)) {
            number = counts.contains(base) ? counts[base] : 0;
            if (fx::isReservedName(name)) name = base + "_" + std::to_string(++*number);
        }
        while (used.contains(name)) name = base + "_" + std::to_string(++*number);
        used.insert(name);
        counts[base] = *number;
        return name;
    }
};

} // namespace

class TestNamespace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void create_sequence_namesAsTorchFx_data() {
        QTest::addColumn<QString>("requests");
        QTest::addColumn<QString>("results");
        const auto row = [](const char* requests, const char* results) {
            QTest::newRow(requests) << QString::fromUtf8(requests) << QString::fromUtf8(results);
        };
        row("x x x_1 x_01 x_5 x x", "x x_1 x_2 x_01 x_5 x_6 x_7");
        row("add_5 add add add", "add_5 add add_6 add_7");
        row("x_2 x x x x", "x_2 x x_3 x_4 x_5");
        row("_1 _1 foo__1 foo__1 _ _ __", "_1 _1_1 foo__1 foo__2 _ __1 __");
        row("a__ a__ x_ x_", "a__ a___1 x_ x__1");
        row("input input if torch sum getattr device len print_1 print",
            "input_1 input_2 if_1 torch_1 sum_1 getattr_1 device_1 len_1 print_1 print_2");
        row("2a a.b a-b", "_2a a_b a_b_1");
        row("x_99999999999999999999 x x", "x_99999999999999999999 x x_100000000000000000000");
        row("self match case \u00e9", "self match case _");
    }
    void create_sequence_namesAsTorchFx() {
        QFETCH(QString, requests);
        QFETCH(QString, results);
        fx::Namespace names;
        QStringList got;
        for (const auto& request : requests.split(' '))
            got << QString::fromStdString(names.create(request.toStdString()));
        QCOMPARE(got.join(' '), results);
    }
    void create_empty_isUnnamed() {
        fx::Namespace names;
        QCOMPARE(names.create(""), std::string("_unnamed"));
        QCOMPARE(names.create(""), std::string("_unnamed_1"));
    }
    void restore_state_givesTheSameNextName() {
        fx::Namespace names;
        names.create("add");
        const fx::Namespace before = names;
        QCOMPARE(names.create("add"), std::string("add_1"));
        QCOMPARE(names.differences(before), (std::vector<std::string>{"add", "add_1"}));
        names = before;
        QCOMPARE(names.create("add"), std::string("add_1"));
    }
    void create_randomRequests_namesAsTorchFx() {
        std::mt19937 random(5);
        const std::vector<std::string> texts{"a", "a_", "relu", "relu_1", "sum", "x_0", "if", "_", "a_1_2", "b__"};
        for (int round = 0; round < 60; ++round) {
            Reference reference;
            fx::Namespace names, before;
            for (int i = 0; i < 150; ++i) {
                std::string candidate = texts[random() % texts.size()];
                if (random() % 2) candidate += "_" + std::to_string(random() % (round % 3 ? 5 : 200));
                if (random() % 20 == 0) candidate += "_0" + std::to_string(random() % 3);
                if (random() % 40 == 0) candidate += "_" + std::to_string(random() * 300'000'000'000ull % (1ull << 40));
                QCOMPARE(names.create(candidate), reference.create(candidate));
                if (i == 75) before = names;
            }
            for (const std::string& name : reference.used) QVERIFY(names.isUsed(name));
            // What differs from an earlier state, set there, gives this state.
            for (const std::string& name : names.differences(before)) before.set(name, names.at(name));
            QVERIFY(names.differences(before).empty());
            for (int i = 0; i < 20; ++i)
                QCOMPARE(before.create(texts[i % texts.size()]), names.create(texts[i % texts.size()]));
        }
    }
    void set_free_givesTheNameAgain() {
        fx::Namespace names;
        for (const char* name : {"add", "add_7", "add_08"}) {
            QCOMPARE(names.create(name), std::string(name));
            names.set(name, {false, names.at(name).lastNumber});
            QVERIFY(!names.isUsed(name));
            QCOMPARE(names.create(name), std::string(name));
        }
        QCOMPARE(names.at("add").lastNumber, std::string("8"));
        names.set("add", {true, "0099999999999999999999"});
        QCOMPARE(names.at("add").lastNumber, std::string("0099999999999999999999"));
    }
    void create_sameCandidate_isLinear() {
        fx::Namespace names;
        std::string last;
        for (int i = 0; i < 200000; ++i) last = names.create("add");
        QCOMPARE(last, std::string("add_199999"));
    }
    void snakeCase_mixed_followsTorchFx() {
        QCOMPARE(fx::snakeCase("addReLU"), std::string("add_re_lu"));
        QCOMPARE(fx::snakeCase("HTTPServer"), std::string("httpserver"));
        QCOMPARE(fx::snakeCase("sum.dim_IntList"), std::string("sum.dim_int_list"));
    }
};

QTEST_APPLESS_MAIN(TestNamespace)
#include "tst_namespace.moc"
