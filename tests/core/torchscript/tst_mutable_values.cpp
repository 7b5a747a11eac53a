// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/mutable_values.h"

#include <QTest>

using namespace fx;
using namespace fx::script;

namespace {

Symbol number(std::int64_t value) { return Symbol::of(Argument(value)); }

Symbol numbers(std::initializer_list<std::int64_t> values) {
    std::vector<Symbol> items;
    for (const std::int64_t value : values) items.push_back(number(value));
    return Symbol::listOf(std::move(items));
}

bool holds(const Symbol& list, std::initializer_list<std::int64_t> values) {
    const Symbol other = numbers(values);
    return std::equal(list.items->begin(), list.items->end(), other.items->begin(), other.items->end(),
                      [](const Symbol& a, const Symbol& b) { return a.isSame(b); });
}

} // namespace

/// The lists and dicts of a script that is interpreted: how its methods change them, and how that is undone.
class TestMutableValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void apply_methods_data() {
        QTest::addColumn<QString>("method");
        QTest::newRow("append") << "aten::append";
        QTest::newRow("insert") << "aten::insert";
        QTest::newRow("pop") << "aten::pop";
        QTest::newRow("reverse") << "aten::reverse";
        QTest::newRow("clear") << "aten::clear";
        QTest::newRow("item") << "aten::_set_item";
    }

    void apply_methods() {
        QFETCH(QString, method);
        MutableValues values;
        Symbol list = numbers({1, 2, 3});
        const Symbol reference = list;
        const MutableValues::Mark before = values.mark();
        QVERIFY(values.apply(method.toStdString(), list, {list, number(1), number(7)}));
        QVERIFY(!holds(reference, {1, 2, 3}));
        values.rollBack(before);
        QVERIFY(holds(reference, {1, 2, 3}));
    }

    void pop_returnsItem() {
        MutableValues values;
        Symbol list = numbers({4, 5, 6});
        QVERIFY(values.apply("aten::pop", list, {list, number(-2)})->isSame(number(5)));
        QVERIFY(holds(list, {4, 6}));
    }

    void apply_unknownIndex_changesNothing() {
        MutableValues values;
        Symbol list = numbers({4, 5});
        QVERIFY(!values.apply("aten::pop", list, {list, Symbol::of(Argument(NodeId(0)))}));
        QVERIFY(holds(list, {4, 5}));
    }

    void dictOfModule_keepsItsEntries() {
        MutableValues values;
        const Object module;
        const Argument literal = Argument::dict({{Argument(1), Argument(10)}});
        Symbol dict = values.containerOf(module, "cache", literal);
        QVERIFY(values.apply("aten::_set_item", dict, {dict, number(2), number(20)}));
        QCOMPARE(values.stored(), 1);
        QCOMPARE(values.containerOf(module, "cache", literal).items->size(), std::size_t(4));
        QVERIFY_THROWS_EXCEPTION(Unsupported, values.apply("aten::_set_item", dict, {dict, number(1), number(11)}));
    }

    void blockMutatesList_onlyIfTheScriptAloneHoldsIt() {
        MutableValues values;
        const Symbol list = numbers({1}), outer = Symbol::listOf({list});
        values.checkMutation({list}, {0});
        QVERIFY_THROWS_EXCEPTION(Unsupported, values.checkMutation({list, outer}, {0}));
        values.alias({list}, {0});
        QVERIFY(values.isAliased(list));
        QVERIFY_THROWS_EXCEPTION(Unsupported, values.checkMutation({list}, {0}));
    }

    void current_followsBlocks() {
        MutableValues values;
        const Symbol list = numbers({1}), result = Symbol::of(Argument(NodeId(3)));
        const MutableValues::Mark before = values.mark();
        values.replace(list, result);
        QVERIFY(values.current(list).isSame(result));
        values.rollBack(before);
        QVERIFY(values.current(list).items == list.items);
    }
};

QTEST_GUILESS_MAIN(TestMutableValues)
#include "tst_mutable_values.moc"
