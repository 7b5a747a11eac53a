// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/input_text.h"

#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

namespace ui {

namespace {
struct InputText {
    Q_DECLARE_TR_FUNCTIONS(ui::InputText)
};

/// "A to B", also "A .. B", "A, B".
std::optional<std::pair<double, double>> rangeFromText(const QString& text) {
    static const QRegularExpression between(QStringLiteral("\\s*(?:\\.\\.+|…|–|,|\\bto\\b)\\s*"));
    const QStringList parts = text.trimmed().split(between, Qt::SkipEmptyParts);
    if (parts.size() != 2) return std::nullopt;
    bool low = false, high = false;
    const std::pair range{parts[0].toDouble(&low), parts[1].toDouble(&high)};
    return low && high ? std::optional(range) : std::nullopt;
}
} // namespace

QString shapeToText(const std::vector<std::int64_t>& sizes) {
    QStringList parts;
    for (const std::int64_t size : sizes) parts << QString::number(size);
    return parts.isEmpty() ? InputText::tr("scalar") : parts.join(QChar(0x00D7));
}

QString plainType(const std::string& dtype) { return fromCore(dtype.starts_with("torch.") ? dtype.substr(6) : dtype); }

std::optional<std::vector<std::int64_t>> shapeFromText(const QString& text) {
    const QString plain = text.trimmed();
    if (plain == InputText::tr("scalar")) return std::vector<std::int64_t>{};
    if (plain.isEmpty()) return std::nullopt;
    static const QRegularExpression between(QStringLiteral("\\s*[×x*,\\s]\\s*"));
    std::vector<std::int64_t> sizes;
    for (const QString& part : plain.split(between)) {
        bool number = false;
        const qlonglong size = part.toLongLong(&number);
        if (!number || size < 0) return std::nullopt;
        sizes.push_back(size);
    }
    return sizes;
}

QString valuesToText(const fx::InputSpec& input) {
    switch (input.generator) {
    case fx::Generator::Normal: return {};
    case fx::Generator::Uniform: return QStringLiteral("%1 to %2").arg(input.from).arg(input.to);
    case fx::Generator::Integers:
        return input.high > input.low ? QStringLiteral("%1 to %2").arg(input.low).arg(input.high - 1) : QString();
    case fx::Generator::Constant: return QString::number(input.value, 'g', 12);
    case fx::Generator::File:
        return QString::fromStdString(input.file) +
               (input.entry.empty() ? QString() : u'#' + QString::fromStdString(input.entry));
    }
    return {};
}

QString valuesHint(fx::Generator generator) {
    switch (generator) {
    case fx::Generator::Normal: return {};
    case fx::Generator::Uniform: return InputText::tr("low to high");
    case fx::Generator::Integers: return InputText::tr("first to last");
    case fx::Generator::Constant: return InputText::tr("a number");
    case fx::Generator::File: return InputText::tr("file.pt, or file.pt#key");
    }
    return {};
}

QString setValues(fx::InputSpec& input, const QString& text) {
    const auto range = rangeFromText(text);
    bool number = false;
    switch (input.generator) {
    case fx::Generator::Normal: return {};
    case fx::Generator::Uniform:
        if (!range || range->first >= range->second)
            return InputText::tr("uniform values need a range, such as 0 to 1");
        std::tie(input.from, input.to) = *range;
        return {};
    case fx::Generator::Integers:
        if (!range || range->first > range->second) return InputText::tr("integers need a range, such as 0 to 999");
        input.low = static_cast<std::int64_t>(range->first);
        input.high = static_cast<std::int64_t>(range->second + 1);
        return {};
    case fx::Generator::Constant:
        input.value = text.trimmed().toDouble(&number);
        return number ? QString() : InputText::tr("a constant needs a number");
    case fx::Generator::File: {
        const qsizetype key = text.lastIndexOf(u'#');
        const bool named = key >= 0 && !QFileInfo::exists(text);
        input.file = text.left(named ? key : text.size()).trimmed().toStdString();
        input.entry = named ? text.mid(key + 1).trimmed().toStdString() : std::string();
        return input.file.empty() ? InputText::tr("choose a file that torch.save wrote")
               : QFileInfo::exists(QString::fromStdString(input.file))
                   ? QString()
                   : InputText::tr("file %1 does not exist").arg(fromCore(input.file));
    }
    }
    return {};
}

QString complaintAbout(const fx::InputSpec& input) {
    constexpr std::size_t kMaxDimensions = 64;       // PyTorch's own limit
    constexpr std::int64_t kMaxElements = 1LL << 38; // a TiB of float32, beyond any machine that this runs on
    std::int64_t elements = 1;
    bool isTooLarge = false, isEmpty = false;
    for (const std::int64_t size : input.sizes) {
        isEmpty |= size == 0;
        isTooLarge |= __builtin_mul_overflow(elements, size, &elements) || elements > kMaxElements;
    }
    if (input.sizes.size() > kMaxDimensions) return InputText::tr("a tensor has at most 64 dimensions");
    if (isTooLarge && !isEmpty) return InputText::tr("the shape is too large: expected at most 2^38 elements");
    if (input.isInteger() && (input.generator == fx::Generator::Normal || input.generator == fx::Generator::Integers) &&
        input.high <= input.low)
        return InputText::tr("integers need a range, such as 0 to 999");
    if (input.generator == fx::Generator::File && input.file.empty())
        return InputText::tr("choose a file that torch.save wrote");
    return {};
}

namespace {
/// As the command line says it; without a range when none is known yet.
QString shownInput(const fx::InputSpec& input) {
    const bool isInteger =
        input.generator == fx::Generator::Integers || (input.isInteger() && input.generator == fx::Generator::Normal);
    if (!isInteger || input.high > input.low) return fromCore(fx::inputText(input));
    return InputText::tr("%1 %2, integers").arg(shapeToText(input.sizes), plainType(input.dtype));
}
} // namespace

QString summaryOf(const fx::InputDescription& inputs) {
    QStringList parts;
    for (const fx::InputSpec& input : inputs.inputs) {
        if (parts.size() == 4) {
            parts << InputText::tr("%1 more").arg(inputs.inputs.size() - 4);
            break;
        }
        parts << fromCore(input.name) + u' ' + shownInput(input);
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace ui
