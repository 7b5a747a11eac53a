// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_job.h"

#include <QJsonObject>

namespace ui {

/// What was measured of a quantised version, for the document to keep: without the versions themselves, which whoever
/// reads it again knows.
QJsonObject measuredJson(const QuantMeasured& measured);
/// Members that are missing or of another type have their defaults: somebody may have changed the file.
QuantMeasured measuredFromJson(const QJsonObject& json);

} // namespace ui
