// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>
#include <utility>
#include <vector>

class QApplication;

namespace ui {

/// The user's choice; System follows the desktop, including changes at run time.
enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// The colour tokens and fonts of the window. One value for light, one for dark; colours are defined only here.
struct Theme {
    /// Colours of a filled and outlined item: node kinds, states.
    struct Role {
        QColor fill, line;
    };
    bool dark = false;
    QColor window, panel, canvas, border, edge, text, muted;
    QColor accent, accentBackground, onAccent; ///< onAccent: text on the accent colour
    QColor hover;                              ///< background under the pointer in lists and buttons
    QColor field;                              ///< background of text fields and code
    Role ok, warning, error;                   ///< line is the text colour, fill its background
    std::array<Role, 6> ops;                   ///< by fx::Op
    std::array<QColor, 8> partitions;          ///< colour-blind safe; each has its own hatching
    QColor codeKeyword, codeName, codeString, codeNumber, codeComment;

    const Role& op(fx::Op kind) const { return ops[static_cast<std::size_t>(kind)]; }
    const QColor& partition(std::size_t index) const { return partitions[index % partitions.size()]; }
    /// A perceptually even ramp of one hue for `t` in 0..1: from the canvas colour towards the accent.
    QColor heat(double t) const;
    QPalette palette() const;
    /// The style sheet of the whole application.
    QString styleSheet() const;
    /// Every (text, background) pair that the window uses, with a name for messages.
    struct TextPair {
        const char* name;
        QColor text, background;
    };
    std::vector<TextPair> textPairs() const;
};

const Theme& lightTheme();
const Theme& darkTheme();
/// The current theme. Widgets repaint on QEvent::PaletteChange, which applyTheme sends to all of them.
const Theme& theme();

/// Sets style, palette, font and style sheet of the application, and follows the desktop if requested.
/// Call it again to change the choice. GUI thread only.
void applyTheme(QApplication& app, ThemeChoice choice);

/// WCAG 2 contrast ratio of two opaque colours, 1..21.
double contrastRatio(const QColor& a, const QColor& b);
/// `wanted` if it is readable on `fill` (contrast of at least 4.5), else near-black or white.
QColor readableOn(const QColor& fill, const QColor& wanted);

/// The system's monospaced font at the size of targets, shapes and code.
QFont monoFont();
/// The application font, semibold: names and headings.
QFont semiboldFont();

} // namespace ui
