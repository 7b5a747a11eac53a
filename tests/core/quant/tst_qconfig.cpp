// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/quant/backend_config.h"
#include "core/quant/modes.h"
#include "core/quant/qconfig_json.h"

#include <QTest>

using namespace fx;
using namespace fx::quant;

class TestQConfig final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void defaults_x86_areThoseOfTorchAo();
    void defaults_eachBackend_readBackFromTheirJson();
    void traits_reduceRange_halvesTheRange();
    void traits_unknownSetting_isRefused();
    void observer_fakeQuantize_holdsItsObserver();
    void mapping_sameKeyTwice_keepsItsPlace();
    void json_customConfig_standsBesideTheRules();
    void json_standaloneModules_haveRulesOfTheirOwn();
    void json_unknownNames_areRefused_data();
    void json_unknownNames_areRefused();
    void json_misspeltNames_areGuessed();
    void json_keyGivenTwice_orNameOfNothing_isRefused();
    void backend_native_triesLongPatternsFirst();
    void backend_fusion_tellsTheParts();
};

namespace {

QConfigMapping read(const char* text, const QConfigMapping& base = {}) {
    return mappingFromJson(JsonDocument::parse(text)->root(), base);
}

/// What rules and custom configuration are refused with, and the remedy.
QString refusalOf(const char* text) {
    try {
        const auto document = JsonDocument::parse(text);
        customFromJson(document->root());
        mappingFromJson(document->root(), {});
    } catch (const Error& error) { return QString::fromStdString(error.message().text() + "; " + error.hint); }
    return {};
}

const QConfigPtr* rule(const QConfigMapping& mapping, std::string_view type) {
    for (const auto& [key, qconfig] : mapping.objectTypes())
        if (key == canonicalObjectType(type)) return &qconfig;
    return nullptr;
}

} // namespace

void TestQConfig::defaults_x86_areThoseOfTorchAo() {
    const QConfigMapping mapping = defaultMapping(Backend::X86, false);
    const ObserverTraits activation = traitsOf(*mapping.global()->activation);
    QCOMPARE(activation.kind, ObserverKind::Histogram);
    QCOMPARE(*activation.quantMax, 127);
    QCOMPARE(traitsOf(*mapping.global()->weight).qscheme, std::string("torch.per_channel_symmetric"));
    const QConfigPtr* sigmoid = rule(mapping, "torch.nn.Sigmoid");
    QVERIFY(sigmoid);
    QVERIFY(*sigmoid);
    QCOMPARE(traitsOf(*(*sigmoid)->activation).fixedScale, 1.0 / 256);
    QVERIFY(rule(mapping, "reshape"));
    QVERIFY(rule(mapping, "torch.nn.functional.conv_transpose2d"));
    QCOMPARE(*traitsOf(*defaultMapping(Backend::Qnnpack, false).global()->activation).quantMax, 255);
    QCOMPARE(traitsOf(*defaultMapping(Backend::X86, true).global()->activation).kind,
             ObserverKind::FusedMovingAvgObsFakeQuantize);
}

void TestQConfig::defaults_eachBackend_readBackFromTheirJson() {
    for (const Backend backend : {Backend::X86, Backend::OneDnn, Backend::Fbgemm, Backend::Qnnpack})
        for (const bool isQat : {false, true}) {
            const QConfigMapping mapping = defaultMapping(backend, isQat);
            const QConfigMapping again = read(toJson(mapping).c_str());
            QVERIFY(equalQConfigs(mapping.global(), again.global()));
            QCOMPARE(again.objectTypes().size(), mapping.objectTypes().size());
            for (std::size_t i = 0; i < mapping.objectTypes().size(); ++i)
                QVERIFY(equalQConfigs(mapping.objectTypes()[i].second, again.objectTypes()[i].second));
        }
}

void TestQConfig::traits_reduceRange_halvesTheRange() {
    ObserverSpec spec{"torch.ao.quantization.observer.MinMaxObserver", {{"dtype", Argument::dtype("torch.qint8")}}, {}};
    QCOMPARE(*traitsOf(spec).quantMin, -128);
    spec.settings.emplace_back("reduce_range", true);
    QCOMPARE(*traitsOf(spec).quantMin, -64);
    QCOMPARE(*traitsOf(spec).quantMax, 63);
    spec.settings.emplace_back("quant_min", -127), spec.settings.emplace_back("quant_max", 127);
    QCOMPARE(*traitsOf(spec).quantMin, -64); // Python rounds down
    QCOMPARE(*traitsOf(spec).quantMax, 63);
}

void TestQConfig::traits_unknownSetting_isRefused() {
    const ObserverSpec spec{"torch.ao.quantization.observer.MinMaxObserver", {{"bins", 7}}, {}};
    QVERIFY_THROWS_EXCEPTION(Error, traitsOf(spec));
}

void TestQConfig::observer_fakeQuantize_holdsItsObserver() {
    const auto module = makeObserver(*namedObserver("default_fused_per_channel_wt_fake_quant"));
    QCOMPARE(module->className, std::string("FusedMovingAvgObsFakeQuantize"));
    const Module* inner = module->child("activation_post_process");
    QVERIFY(inner);
    QCOMPARE(inner->className, std::string("MovingAveragePerChannelMinMaxObserver"));
    QCOMPARE(*traitsOf(*inner).quantMin, -128);
    QVERIFY(isObserver(*module));
    QVERIFY(isObserver(*inner));
    QCOMPARE(traitsOf(*module).axis, 0);
}

void TestQConfig::mapping_sameKeyTwice_keepsItsPlace() {
    QConfigMapping mapping;
    mapping.setObjectType("torch.nn.Linear", namedQConfig("default_qconfig"));
    mapping.setObjectType("torch.nn.functional.linear", nullptr);
    mapping.setObjectType("torch.nn.modules.linear.Linear", namedQConfig("default_dynamic_qconfig"));
    QCOMPARE(mapping.objectTypes().size(), std::size_t(2));
    QVERIFY(traitsOf(*mapping.objectTypes()[0].second->activation).isDynamic);
    QCOMPARE(mapping.objectTypes()[1].first, std::string("torch._C._nn.linear"));
}

void TestQConfig::json_customConfig_standsBesideTheRules() {
    const char* text = R"({"": "default_qconfig", "prepare_custom_config":
                           {"input_quantized_idxs": [0, 2], "preserved_attributes": ["scale"]}})";
    QVERIFY(read(text).global() != nullptr);
    const CustomConfig custom = customFromJson(JsonDocument::parse(text)->root());
    QCOMPARE(custom.quantizedInputs, (std::vector<std::int64_t>{0, 2}));
    QVERIFY(custom.quantizedOutputs.empty());
    QCOMPARE(custom.preserved, std::vector<std::string>{"scale"});
    const char* unknown = R"({"prepare_custom_config": {"float_to_observed_custom_module_class": {}}})";
    QCOMPARE(refusalOf(unknown), QString("float_to_observed_custom_module_class is not supported: it needs classes in "
                                         "Python; leave it out, or prepare the model in PyTorch and open the result"));
}

void TestQConfig::json_standaloneModules_haveRulesOfTheirOwn() {
    const char* text = R"({"prepare_custom_config": {"standalone_module_class": [["net.Block"]],
                           "standalone_module_name": [["body", {"": "default_qconfig"}, null,
                                                       {"input_quantized_idxs": [0]}, "qnnpack"]],
                           "non_traceable_module_name": ["a.b"], "non_traceable_module_class": ["Block"]}})";
    const CustomConfig custom = customFromJson(JsonDocument::parse(text)->root());
    QCOMPARE(custom.untracedNames, std::vector<std::string>{"a.b"});
    QCOMPARE(custom.untracedClasses, std::vector<std::string>{"Block"});
    const StandaloneModule* body = custom.standaloneFor("body", "net.Block"); // a path goes before a class
    QVERIFY(body);
    QVERIFY(body->mapping);
    QVERIFY(body->mapping->global());
    QCOMPARE(body->custom->quantizedInputs, std::vector<std::int64_t>{0});
    QCOMPARE(QString::fromStdString(body->backend->name()), QString("qnnpack"));
    const StandaloneModule* block = custom.standaloneFor("other", "net.Block");
    QVERIFY(block);
    QVERIFY(!block->mapping);
    QVERIFY(!block->backend);
    QVERIFY(!custom.standaloneFor("other", "other.Block"));
    const char* nested = R"({"prepare_custom_config": {"standalone_module_name":
                             [["a", null, null, {"standalone_module_name": [["b"]]}]]}})";
    QCOMPARE(refusalOf(nested), QString("standalone_module_name is not supported: standalone modules do not nest; "
                                        "leave it out, or prepare the model in PyTorch and open the result"));
}

void TestQConfig::json_unknownNames_areRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::newRow("qconfig") << R"({"": "default_qconfg"})"
                             << "quant.misspelt_qconfig";
    QTest::newRow("qconfig like none") << R"({"": "none_of_these_names"})"
                                       << "quant.unknown_qconfig";
    QTest::newRow("range beyond the dtype")
        << R"({"": {"activation": {"type": "HistogramObserver", "quant_min": 0, "quant_max": 9999}, "weight": null}})"
        << "quant.range_dtype";
    QTest::newRow("range of the other sign, in FakeQuantize")
        << R"({"": {"activation": {"type": "FakeQuantize", "quant_min": -128, "quant_max": 127}, "weight": null}})"
        << "quant.torch_refuses";
    QTest::newRow("range that torch.ao refuses") << R"({"": {"activation": {"type": "MinMaxObserver", "quant_min": 0,
            "quant_max": 256, "dtype": "torch.qint8"}, "weight": null}})"
                                                 << "quant.torch_refuses";
    QTest::newRow("range that FakeQuantize refuses")
        << R"({"": {"activation": {"type": "FakeQuantize", "quant_min": 0, "quant_max": 256}, "weight": null}})"
        << "quant.torch_refuses";
    QTest::newRow("key") << R"({"module": []})"
                         << "quant.unknown_key";
    QTest::newRow("observer") << R"({"": {"activation": "Foo", "weight": null}})"
                              << "quant.unknown_observer";
    QTest::newRow("setting") << R"({"": {"activation": {"type": "MinMaxObserver", "bits": 4}, "weight": null}})"
                             << "quant.unknown_setting";
    QTest::newRow("dtype") << R"({"": {"activation": {"type": "MinMaxObserver", "dtype": "int4"}, "weight": null}})"
                           << "quant.observer_setting";
    QTest::newRow("rule") << R"({"object_type": [["torch.nn.Linear"]]})"
                          << "quant.rule_form";
}

void TestQConfig::json_unknownNames_areRefused() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    try {
        read(text.toStdString().c_str());
        QFAIL("was read");
    } catch (const Error& error) {
        QCOMPARE(QString::fromStdString(error.message().code()), code);
        QVERIFY(!error.where.empty());
    }
}

void TestQConfig::json_misspeltNames_areGuessed() {
    QCOMPARE(refusalOf(R"({"": "default_qconfg"})"),
             QString("unknown qconfig 'default_qconfg'; did you mean 'default_qconfig'?"));
    QCOMPARE(refusalOf(R"({"module_nam": []})"), QString("unknown key 'module_nam'; did you mean 'module_name'?"));
    QCOMPARE(refusalOf(R"({"prepare_custom_config": {"preserved_attribute": []}})"),
             QString("unknown key 'preserved_attribute'; did you mean 'preserved_attributes'?"));
}

void TestQConfig::json_keyGivenTwice_orNameOfNothing_isRefused() {
    const auto code = [](const char* json) {
        try {
            mappingFor(Backend::X86, Mode::Static, json);
            return QString("was read");
        } catch (const Error& error) { return QString::fromStdString(error.message().code()); }
    };
    QCOMPARE(code(R"({"": null, "": "default_qconfig"})"), QString("quant.twice"));
    QCOMPARE(code(R"({"object_type": {"torch.nn.Linear": null, "torch.nn.Linear": "default_qconfig"}})"),
             QString("quant.twice"));
    QCOMPARE(code(R"({"": {"activation": null, "weight": null}, "module_name": [["a", {"activation": null,
                      "weight": null}]]})"),
             QString("was read"));
    QCOMPARE(code("default_qconfg"), QString("quant.unknown_file"));
    QCOMPARE(code("./default_qconfg"), QString("files.cannot_open"));
}

void TestQConfig::backend_native_triesLongPatternsFirst() {
    const BackendConfig* native = BackendConfig::find("native");
    QVERIFY(native);
    QCOMPARE(native->patterns().size(), std::size_t(194));
    const auto& relu =
        native->candidates(BackendConfig::headKey(Pattern::Kind::Module, "torch.nn.modules.activation.ReLU"));
    QVERIFY(relu.size() > 5);
    QCOMPARE(native->patterns()[relu.front()].pattern.text(), std::string("(ReLU, (BatchNorm1d, Conv1d))"));
    QCOMPARE(native->patterns()[relu.back()].pattern.text(), std::string("ReLU"));
    QVERIFY(!BackendConfig::find("none"));
    for (const auto name : BackendConfig::names()) QVERIFY(!BackendConfig::find(name)->patterns().empty());
}

void TestQConfig::backend_fusion_tellsTheParts() {
    const BackendConfig* native = BackendConfig::find("native");
    const auto& relu =
        native->fusions(BackendConfig::headKey(Pattern::Kind::Module, "torch.nn.modules.activation.ReLU"));
    const FusedForm& form = native->patterns()[relu.front()].fused;
    QCOMPARE(form.type, std::string("torch.ao.nn.intrinsic.modules.fused.ConvReLU1d"));
    QCOMPARE(form.parts.size(), std::size_t(2));
    QCOMPARE(form.parts[0].layer, std::string("1.1"));
    QCOMPARE(form.parts[0].norm, std::string("1.0"));
    QCOMPARE(form.parts[1].layer, std::string("0"));
}

QTEST_APPLESS_MAIN(TestQConfig)
#include "tst_qconfig.moc"
