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

/// The colour tokens and fonts of the window. There is one value for light and one for dark; colours are defined only
/// here.
struct Theme {
    /// Colours of a filled and outlined item: node kinds, states.
    struct Role {
        QColor fill, line;
    };
    bool dark = false;                                       ///< the background is dark
    QColor window, panel, canvas, border, edge, text, muted; ///< backgrounds, lines and text
    QColor accent, accentBackground, onAccent;               ///< `onAccent`: text on the accent colour
    QColor hover;                                            ///< background under the pointer in lists and buttons
    QColor field;                                            ///< background of text fields and code
    Role ok, warning, error;                                 ///< line is the text colour, fill its background
    std::array<Role, 6> ops;                                 ///< by fx::Op
    std::array<QColor, 8> partitions;                        ///< colour-blind safe; each has its own hatching
    QColor codeKeyword, codeName, codeString, codeNumber, codeComment; ///< syntax colours

    /// The colours of a node kind.
    const Role& op(fx::Op kind) const { return ops[static_cast<std::size_t>(kind)]; }
    /// The colour of a partition; repeats after eight.
    const QColor& partition(std::size_t index) const { return partitions[index % partitions.size()]; }
    /// Returns the colour for `t` in 0..1 on a perceptually even ramp of one hue, from the canvas colour towards the
    /// accent.
    QColor heat(double t) const;
    QPalette palette() const; ///< Returns the palette of the application.
    /// Returns the style sheet of the whole application.
    QString styleSheet() const;
    /// A text colour on a background, with a name for messages.
    struct TextPair {
        const char* name;
        QColor text, background;
    };
    /// Returns every pair of text and background that the window uses, to check the contrast.
    std::vector<TextPair> textPairs() const;
};

const Theme& lightTheme(); ///< The light theme.
const Theme& darkTheme();  ///< The dark theme.
/// The current theme. Widgets repaint on QEvent::PaletteChange, which applyTheme sends to all of them.
const Theme& theme();

/// Sets style, palette, font and style sheet of the application, and follows the desktop if requested.
/// Call it again to change the choice. GUI thread only.
void applyTheme(QApplication& app, ThemeChoice choice);

/// Returns the WCAG 2 contrast ratio of two opaque colours, 1..21.
double contrastRatio(const QColor& a, const QColor& b);
/// Returns `wanted` if it is readable on `fill` (contrast of at least 4.5), else near-black or white.
QColor readableOn(const QColor& fill, const QColor& wanted);

/// Returns the system's monospaced font at the size of targets, shapes and code.
QFont monoFont();
/// Returns the application font in semibold, for names and headings.
QFont semiboldFont();

} // namespace ui
