// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/argument_codec.h"

#include <QTest>
#include <cmath>

using namespace fx;

namespace {

/// One node, "n"; named tuples and other objects have no forms.
class Writer final : public ArgumentWriter {
public:
    using ArgumentWriter::ArgumentWriter;

protected:
    std::string_view nameOf(NodeId) const override { return "n"; }
    void writeOther(const Argument& argument) override {
        if (!writeExact(argument)) json().null();
    }
    void writeTypeOf(const Sequence&) override {}
};

class Reader final : public ArgumentReader {
protected:
    NodeId nodeNamed(JsonValue name) override {
        if (name.asText() != "n") throw problem(name, Message::received({}, {}, "there is no such node"));
        return NodeId{0};
    }
    CallablePtr tupleType(JsonValue) override { return nullptr; }
    std::optional<Argument> readOther(JsonValue object, std::string_view form) override {
        return form == "own" ? std::optional(Argument((*object.begin()).asText())) : std::nullopt;
    }
    std::string_view otherForms() const override { return "own"; }
};

std::string written(const Argument& argument) {
    JsonWriter json;
    Writer(json).write(argument);
    return json.text();
}
Argument read(const std::string& text) {
    const auto document = JsonDocument::parse(text);
    return Reader().read(document->root());
}

} // namespace

class TestArgumentCodec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void values_writtenAndRead_areTheSame() {
        const double inf = std::numeric_limits<double>::infinity();
        const std::vector<std::pair<Argument, std::string>> all = {
            {Argument(), "null"},
            {Argument(true), "true"},
            {Argument(-3), "-3"},
            {Argument(BigInt{"18446744073709551616"}), "18446744073709551616"},
            {Argument(0.1), "0.1"},
            {Argument(-0.0), "-0.0"},
            {Argument(2.0), "2.0"},
            {Argument(inf), "{\"float\":\"inf\"}"},
            {Argument(-inf), "{\"float\":\"-inf\"}"},
            {Argument(std::nan("")), "{\"float\":\"nan\"}"},
            {Argument("a\"b"), "\"a\\\"b\""},
            {Argument(NodeId{0}), "{\"node\":\"n\"}"},
            {Argument::list({1, Argument::tuple({NodeId{0}})}), "[1,{\"tuple\":[{\"node\":\"n\"}]}]"},
            {Argument::dict({{Argument("k"), Argument::list({})}, {Argument(2), Argument()}}),
             "{\"dict\":[[\"k\",[]],[2,null]]}"},
            {Argument::slice(Argument(), NodeId{0}, 2), "{\"slice\":[null,{\"node\":\"n\"},2]}"},
            {Argument(Range{0, 4, 2}), "{\"range\":[0,4,2]}"},
            {Argument(Complex{1, -inf}), "{\"complex\":[1.0,{\"float\":\"-inf\"}]}"},
            {Argument(Bytes{std::string("\0\xff", 2)}), "{\"bytes\":\"00ff\"}"},
            {Argument(EllipsisValue{}), "{\"ellipsis\":true}"},
            {Argument::dtype("torch.int8"), "{\"dtype\":\"torch.int8\"}"},
            {Argument(TorchConstant{TorchConstant::Kind::QScheme, "torch.per_tensor_affine"}),
             "{\"qscheme\":\"torch.per_tensor_affine\"}"},
            {Argument(Device{"cuda", 1}), "{\"device\":\"cuda\",\"index\":1}"},
            {Argument(Symbolic{"2*s0"}), "{\"symbolic\":\"2*s0\"}"},
        };
        for (const auto& [argument, text] : all) {
            QString plain = QString::fromStdString(written(argument)).remove(QLatin1Char(' '));
            QCOMPARE(plain, QString::fromStdString(text));
            QVERIFY2(read(text) == argument, text.c_str());
        }
        QCOMPARE(*read("{\"own\": \"x\"}").as<std::string>(), std::string("x"));
    }

    void read_whatIsNoValue_saysWhere_data() {
        QTest::addColumn<QString>("why");
        QTest::newRow("{}") << "expected a key in this object";
        QTest::newRow("{\"other\": 1}") << "unknown object \"other\"";
        QTest::newRow("{\"node\": 1}") << "expected the name of a node";
        QTest::newRow("{\"node\": \"n\", \"more\": 1}") << "unknown object";
        QTest::newRow("{\"tuple\": 1}") << "expected a list of values";
        QTest::newRow("{\"dict\": [[1]]}") << "expected a key and a value";
        QTest::newRow("{\"slice\": [1, 2]}") << "expected three values";
        QTest::newRow("{\"complex\": [1]}") << "expected two numbers";
        QTest::newRow("{\"bytes\": \"0g\"}") << "expected pairs of hexadecimal digits";
        QTest::newRow("{\"float\": \"1\"}") << "expected \"inf\"";
        QTest::newRow("{\"device\": \"cuda\", \"index\": 99999999999}") << "expected the index of a device";
    }
    void read_whatIsNoValue_saysWhere() {
        QFETCH(QString, why);
        try {
            (void)read(QTest::currentDataTag());
            QFAIL("it was read");
        } catch (const Error& error) { QVERIFY2(QString::fromUtf8(error.what()).contains(why), error.what()); }
    }

    void read_deepNesting_isRefused() {
        const auto depth = static_cast<std::size_t>(kMaxArgumentDepth) + 10;
        QVERIFY_THROWS_EXCEPTION(Error, read(std::string(depth, '[') + std::string(depth, ']')));
    }
};

QTEST_APPLESS_MAIN(TestArgumentCodec)
#include "tst_argument_codec.moc"
