// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/modes.h"

#include <QJsonObject>
#include <QString>

namespace ui {

/// How a document is to be quantised; kept with the document.
struct QuantChoices {
    enum class Form { Prepared, Converted, Reference };

    fx::quant::Backend backend = fx::quant::Backend::X86;
    fx::quant::Mode mode = fx::quant::Mode::Static;
    Form form = Form::Converted;
    QString dataFile; ///< with the batches of the calibration; empty: random inputs

    /// Whether activations have observers that look at data before training or running.
    bool observes() const { return mode == fx::quant::Mode::Static; }
    /// Whether batches run through observers: a prepared model is calibrated with given data only.
    bool calibrates() const;
    bool operator==(const QuantChoices&) const = default;
    QJsonObject toJson() const;
    /// Unknown words give the defaults.
    static QuantChoices fromJson(const QJsonObject& json);
};

/// "prepared", "converted", "reference".
QString formName(QuantChoices::Form form);

} // namespace ui
