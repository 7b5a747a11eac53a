// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_job.h"

#include <QJsonObject>

#include <optional>

namespace ui {

/// What was measured of a quantised version, for the document to keep, with the messages of the worker as texts:
/// without the versions themselves, which whoever reads it again knows, and without tensors.
QJsonObject measuredJson(const QuantMeasured& measured);
/// Nothing if somebody changed the file so that a message cannot be read.
std::optional<QuantMeasured> measuredFromJson(const QJsonObject& json);

} // namespace ui
