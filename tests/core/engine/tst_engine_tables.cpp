// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/calls.h"
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"
#include "core/engine/value_conversion.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_file.h"
#include "core/tensor/elements.h"
#include "core/textpasses/computing.h"

#include "tests/table_cases.h"

#include <QRegularExpression>

#include <cmath>

using namespace fx;
using engine::Value;

namespace {

/// Five digits, as Python's "%.5g".
QString numberText(double value, const char* pattern = "%.5g") {
    char text[40];
    std::snprintf(text, sizeof text, pattern, value);
    return std::isnan(value) ? QString("nan") : QString(text);
}
QString truthText(bool value) { return value ? "True" : "False"; }

QString elementText(const TensorRef& tensor, const std::vector<double>& values, std::size_t at) {
    switch (tensor.dtype) {
    case DType::Bool: return truthText(values[at] != 0);
    case DType::Complex64:
    case DType::Complex128: return numberText(values[2 * at]) + numberText(values[2 * at + 1], "%+.5g") + "j";
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float64: return numberText(values[at]);
    default: return QString::number(static_cast<qint64>(values[at]));
    }
}

QString shown(const Value& value);

QString sequenceText(const engine::Values& items) {
    QStringList out;
    for (const Value& item : items) out << shown(item);
    return out.join(", ");
}

/// "float32[2]: 1 2.5"
QString tensorText(const at::Tensor& given) {
    const TensorPtr tensor = engine::toTensorRef(given);
    QStringList sizes, elements;
    for (const std::int64_t size : tensor->sizes) sizes << QString::number(size);
    const std::vector<double> values = elementValues(*tensor);
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor->elementCount()); ++i)
        elements << elementText(*tensor, values, i);
    const QString head =
        QString::fromUtf8(dtypeName(tensor->dtype).substr(6).data()) + "[" + sizes.join(", ") + "]"; // without "torch."
    return elements.empty() ? head : head + ": " + elements.join(' ');
}

/// As `shown` in make_tables.py.
QString shown(const Value& value) {
    if (value.isTensor() && value.tensor().is_quantized())
        return "quantized " + shown(engine::callMethod("int_repr", engine::Values{value})) + " " +
               shown(engine::callMethod("dequantize", engine::Values{value}));
    if (value.isTensor()) return tensorText(value.tensor());
    if (const auto* items = value.items()) {
        const QString inner = sequenceText(items->items);
        return items->kind == engine::Items::Kind::List ? "[" + inner + "]" : "(" + inner + ")";
    }
    if (const auto* real = value.as<double>()) return numberText(*real);
    if (const auto* text = value.text()) return QString::fromStdString(*text);
    const auto argument = engine::toArgument(value);
    return argument ? QString::fromStdString(reprOf(Graph(), *argument)) : QString("?");
}

/// Computes what constructors compute with tensors.
class OwnEngine final : public TensorEngine {
public:
    NodeShapes shapes(const GraphModule&) override { return {}; }
    std::vector<ValueTree> values(const GraphModule& model) override {
        engine::Interpreter interpreter(std::make_shared<GraphModule>(model), std::make_shared<engine::TensorStore>());
        return engine::toTree(interpreter.run({})).items;
    }
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule&) override { return {}; }
    onednn::WholeTimes wholeTimes(const GraphModule&, const GraphModule&) override { return {}; }
};

/// The result of the call in the last line: `Net()(torch.ones(2))`.
QString computed(const TableCase& given) {
    const qsizetype lastLine = given.input.chopped(1).lastIndexOf('\n') + 1;
    static const QRegularExpression call("^(f|Net\\(.*?\\))\\((.*)\\)$");
    const auto match = call.match(QString::fromUtf8(given.input.mid(lastLine)).trimmed());
    if (!match.hasMatch()) return "the last line calls neither f nor Net(...)";
    try {
        SourceOptions options;
        options.name = match.captured(1).toStdString();
        options.weights = NewWeights::Drawn;
        OwnEngine computes;
        options.machine = computing(computes);
        const auto model =
            traceText("case.py", (given.preamble + given.input.left(lastLine)).toStdString(), options, {});
        engine::RunInputs inputs;
        inputs.positional = engine::evaluateExpression("(" + match.captured(2).toStdString() + ",)").items()->items;
        engine::seed(0);
        return shown(engine::Interpreter(model, std::make_shared<engine::TensorStore>()).run(inputs));
    } catch (const Error& error) {
        const std::string reason = error.message().argument("reason");
        static const QRegularExpression type("^\\w+Error: ");
        return QString::fromStdString(reason.empty() ? error.message().text() : reason).remove(type);
    }
}

/// Returns `expected` if `said` is the same but for the last of the five digits of numbers: processors round
/// differently.
QString withDigitsOf(const QString& expected, const QString& said) {
    static const QRegularExpression number("-?\\d+\\.?\\d*(?:e[+-]\\d+)?");
    if (QString(expected).remove(number) != QString(said).remove(number)) return said;
    auto wanted = number.globalMatch(expected), found = number.globalMatch(said);
    while (wanted.hasNext() && found.hasNext()) {
        const QString a = wanted.next().captured(), b = found.next().captured();
        const bool isReal = a.contains('.') || a.contains('e');
        if (a != b && !(isReal && std::abs(a.toDouble() - b.toDouble()) <= 1.5e-4 * std::abs(a.toDouble())))
            return said;
    }
    return wanted.hasNext() || found.hasNext() ? said : expected;
}

} // namespace

/// tests/data/engine: functions and modules on small tensors, and the values that PyTorch computes.
class TestEngineTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void call_isComputed_data() { table::addRows("engine", "*.txt"); }
    void call_isComputed() {
        QFETCH(const TableCase, given);
        const QString& wanted = given.but.isNull() ? given.expected : given.but;
        table::compare(given, withDigitsOf(wanted, computed(given).section('\n', 0, 0)));
    }
};

QTEST_GUILESS_MAIN(TestEngineTables)
#include "tst_engine_tables.moc"
