// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/visible_text.h"

#include <QString>

#include <string_view>

namespace ui {

/// Converts a one-line text, such as a name from a file, for display. Spells characters that hide themselves or others,
/// line breaks and tabs (`fx::visibleName`). Convert names that are looked up and paths that are opened with
/// `QString::fromStdString`.
inline QString fromCore(std::string_view text) { return QString::fromStdString(fx::visibleName(text)); }
/// Like `fromCore`, for text from other sources, such as file names.
inline QString visible(const QString& text) { return QString::fromStdString(fx::visibleName(text.toStdString())); }

/// Converts a text of several lines, such as a message or code, for display. Keeps line breaks and tabs.
inline QString linesFromCore(std::string_view text) { return QString::fromStdString(fx::visibleText(text)); }
/// Like `linesFromCore`, for text from other sources.
inline QString visibleLines(const QString& text) { return QString::fromStdString(fx::visibleText(text.toStdString())); }

} // namespace ui
