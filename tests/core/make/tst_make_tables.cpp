// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/table_models.h"

using namespace fx;

namespace {

/// "float32[2, 3] 0.1 0.2 0.3 ... 0.9": the first elements and the last.
QString tensorText(const TensorRef& tensor) {
    QStringList sizes;
    for (const std::int64_t size : tensor.sizes) sizes << QString::number(size);
    QString out = QString::fromUtf8(dtypeName(tensor.dtype).substr(6).data()) + "[" + sizes.join(", ") + "]";
    if (tensor.elementCount() == 0) return out;
    const std::vector<double> values = elementValues(tensor);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, values.size()); ++i)
        out += QString::asprintf(" %.5g", values[i]);
    return values.size() > 3 ? out + QString::asprintf(" ... %.5g", values.back()) : out;
}

/// True for numbers, texts, None, and lists and tuples of them.
bool isPlain(const Argument& value) {
    if (const auto* items = value.as<Sequence>()) return std::all_of(items->items.begin(), items->items.end(), isPlain);
    return value.isNone() || value.as<bool>() || value.as<std::int64_t>() || value.as<double>() ||
           value.as<std::string>();
}

/// The modules with their settings and tensors.
QString moduleText(const Module& module, const QString& path = {}) {
    QStringList settings;
    for (const auto& [name, value] : module.attributes)
        if (const auto* plain = std::get_if<Argument>(&value); plain && !name.starts_with("_") && isPlain(*plain))
            settings << QString::fromStdString(name + "=" + reprOf(Graph(), *plain));
    settings.sort();
    QString out = (path.isEmpty() ? "(it)" : path) + ": " + QString::fromStdString(module.qualifiedType());
    out += (settings.empty() ? "" : " " + settings.join(' ')) + "\n";
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots)
            if (slot.tensor) out += "  " + QString::fromStdString(slot.name) + " " + tensorText(*slot.tensor) + "\n";
    for (const Module::Child& child : module.children)
        if (child.module)
            out += moduleText(*child.module, path + (path.isEmpty() ? "" : ".") + QString::fromStdString(child.name));
    return out;
}

/// What the program calls `made`.
QString madeBy(const TableCase& given) {
    const std::string program = (given.preamble + given.input).toStdString() +
                                "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                "        self.kept = made\n    def forward(self, x):\n"
                                "        return self.kept if isinstance(made, torch.Tensor) else x\n";
    SourceOptions options;
    options.name = "Net";
    QString text = "?";
    options.load = [&](const GraphModule& constructed) {
        if (const Module* made = constructed.root->child("kept")) text = moduleText(*made);
        else if (const auto* kept = constructed.root->attribute("kept"))
            if (const auto* tensor = std::get_if<TensorPtr>(kept)) text = tensorText(**tensor);
    };
    try {
        traceText("case.py", program, options, {});
    } catch (const Error& error) {
        static const QRegularExpression before("^.* failed: (\\w+Error: )?");
        return QString::fromStdString(error.message().text()).section('\n', 0, 0).remove(before);
    }
    return text;
}

} // namespace

/// tests/data/make: modules and tensors that constructors make, with PyTorch's values.
class TestMakeTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constructor_makesPyTorchsModule_data() { table::addRows("make", "*.txt"); }
    void constructor_makesPyTorchsModule() {
        QFETCH(const TableCase, given);
        table::compareDigits(given, madeBy(given));
    }
};

QTEST_APPLESS_MAIN(TestMakeTables)
#include "tst_make_tables.moc"
