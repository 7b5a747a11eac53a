// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/measure/one_layer.h"
#include "core/quant/modes.h"

#include <QJsonObject>
#include <QString>

#include <vector>

namespace ui {

/// A rule of the user, on top of those of the backend and mode.
struct QuantRule {
    fx::quant::NodeRule where;
    std::string qconfig; ///< the name of one of torch.ao; empty: not quantised
    /// Null: not quantised.
    fx::quant::QConfigPtr value() const { return qconfig.empty() ? nullptr : fx::quant::namedQConfig(qconfig); }
    bool operator==(const QuantRule&) const = default;
};

/// How a document is to be quantised; kept with the document.
struct QuantChoices {
    enum class Form { Prepared, Converted, Reference };

    fx::quant::Backend backend = fx::quant::Backend::X86;
    fx::quant::Mode mode = fx::quant::Mode::Static;
    Form form = Form::Converted;
    QString dataFile; ///< with the batches of the calibration; empty: random inputs
    std::vector<QuantRule> rules;
    double leastSqnr = 30; ///< in dB, that a proposal may not go below

    /// Whether activations have observers that look at data before training or running.
    bool observes() const { return mode == fx::quant::Mode::Static; }
    /// Whether batches run through observers: a prepared model is calibrated with given data only.
    bool calibrates() const;
    /// Whether layers can be compared with those in floating point afterwards.
    bool compares() const { return form != Form::Prepared && mode != fx::quant::Mode::Qat; }
    /// Sets, replaces or, without a QConfig, removes the rule of that place.
    void setRule(const fx::quant::NodeRule& where, std::optional<std::string> qconfig);
    /// The rules of backend, mode and user.
    fx::quant::QConfigMapping mapping() const;
    bool operator==(const QuantChoices&) const = default;
    QJsonObject toJson() const;
    /// Unknown words give the defaults.
    static QuantChoices fromJson(const QJsonObject& json);
};

/// The names of the QConfigs of torch.ao that are for a mode.
std::vector<std::string_view> qconfigsOf(fx::quant::Mode mode);

/// "prepared", "converted", "reference".
QString formName(QuantChoices::Form form);

} // namespace ui
