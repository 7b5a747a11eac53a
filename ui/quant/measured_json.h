// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_job.h"

#include <QJsonObject>

#include <optional>

namespace ui {

/// Converts measurements of a quantised version to JSON that the document stores, with the messages of the worker as
/// text. Omits the versions, which the reader knows, and tensors.
QJsonObject measuredJson(const QuantMeasured& measured);
/// The counterpart of `measuredJson`. Nullopt if a message cannot be read because the file was changed.
std::optional<QuantMeasured> measuredFromJson(const QJsonObject& json);

} // namespace ui
