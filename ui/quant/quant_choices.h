// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/measure/one_layer.h"
#include "core/quant/modes.h"

#include <QJsonObject>
#include <QString>

#include <vector>

namespace ui {

/// A rule of the user, in addition to those of backend and mode.
struct QuantRule {
    fx::quant::NodeRule where; ///< the nodes that it matches
    std::string qconfig;       ///< the name of a QConfig of torch.ao; empty: not quantised
    /// Returns the QConfig; null: not quantised.
    fx::quant::QConfigPtr value() const { return qconfig.empty() ? nullptr : fx::quant::namedQConfig(qconfig); }
    bool operator==(const QuantRule&) const = default;
};

/// The user's settings for quantising a document; stored in its view.
struct QuantChoices {
    /// The model to produce: with observers, with quantised operators, or with reference modules.
    enum class Form { Prepared, Converted, Reference };

    fx::quant::Backend backend = fx::quant::Backend::X86;
    fx::quant::Mode mode = fx::quant::Mode::Static;
    Form form = Form::Converted;
    QString dataFile;             ///< batches for calibration; empty: random inputs
    std::vector<QuantRule> rules; ///< the user's rules, in the order of adding
    double leastSqnr = 30;        ///< in dB; the error budget of a scan

    /// True if activations have observers that see data before training or running.
    bool observes() const { return mode == fx::quant::Mode::Static; }
    /// True if batches run through observers. A prepared model is only calibrated with a data file.
    bool calibrates() const;
    /// True if layers can be compared with those in floating point afterwards.
    bool compares() const { return form != Form::Prepared && mode != fx::quant::Mode::Qat; }
    /// Sets or replaces the rule for `where`; nullopt removes it.
    void setRule(const fx::quant::NodeRule& where, std::optional<std::string> qconfig);
    /// Returns the rules of backend, mode and user.
    fx::quant::QConfigMapping mapping() const;
    bool operator==(const QuantChoices&) const = default;
    QJsonObject toJson() const; ///< Returns the settings as JSON.
    /// The counterpart of `toJson`. Unknown words give the defaults.
    static QuantChoices fromJson(const QJsonObject& json);
};

/// Returns the names of the QConfigs of torch.ao for a mode.
std::vector<std::string_view> qconfigsOf(fx::quant::Mode mode);

/// Returns "prepared", "converted" or "reference".
QString formName(QuantChoices::Form form);

} // namespace ui
