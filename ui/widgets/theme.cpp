// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/theme.h"

#include "ui/widgets/system_scheme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QStyle>
#include <QStyleFactory>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

const Theme* s_current = nullptr;

Theme makeLight() {
    Theme t;
    t.window = "#F3F5F8", t.panel = "#FFFFFF", t.canvas = "#F7F8FA";
    t.border = "#D8DDE5", t.edge = "#8792A4", t.text = "#1A1F29", t.muted = "#566072";
    t.accent = "#2458D6", t.accentBackground = "#E7EEFC", t.onAccent = "#FFFFFF";
    t.hover = "#EDF0F5", t.field = "#F3F5F8";
    t.ok = {"#E3F4EA", "#1F7A4D"}, t.warning = {"#FFF3DA", "#8A5A00"}, t.error = {"#FDE8E6", "#B3261E"};
    t.ops[std::size_t(fx::Op::Placeholder)] = {"#E2F3E8", "#2B7A4B"};
    t.ops[std::size_t(fx::Op::GetAttr)] = {"#DDF1F0", "#0B6B66"};
    t.ops[std::size_t(fx::Op::CallFunction)] = {"#FFF0D4", "#8F5E00"};
    t.ops[std::size_t(fx::Op::CallMethod)] = {"#EFE6FB", "#6F3DB8"};
    t.ops[std::size_t(fx::Op::CallModule)] = {"#E5EDFC", "#2F62C8"};
    t.ops[std::size_t(fx::Op::Output)] = {"#FBE3EA", "#A81E50"};
    t.partitions = {QColor("#0072B2"), QColor("#B35900"), QColor("#00795A"), QColor("#A63F7C"),
                    QColor("#6B6200"), QColor("#5F4BB6"), QColor("#9C2F2F"), QColor("#4A5A6A")};
    t.codeKeyword = "#8A1FA8", t.codeName = "#1D55C0", t.codeString = "#22734A";
    t.codeNumber = "#0B6B66", t.codeComment = "#5E6878";
    return t;
}

Theme makeDark() {
    Theme t;
    t.dark = true;
    t.window = "#12151A", t.panel = "#1A1E25", t.canvas = "#14181E";
    t.border = "#2C333D", t.edge = "#6C778A", t.text = "#E7EAF0", t.muted = "#9BA6B6";
    t.accent = "#7AA8FF", t.accentBackground = "#22304A", t.onAccent = "#10151E";
    t.hover = "#232932", t.field = "#14181E";
    t.ok = {"#173427", "#6FD39B"}, t.warning = {"#3A2F16", "#F0C060"}, t.error = {"#40201E", "#FF9E94"};
    t.ops[std::size_t(fx::Op::Placeholder)] = {"#17342A", "#7FD6A8"};
    t.ops[std::size_t(fx::Op::GetAttr)] = {"#13312F", "#7ED3CC"};
    t.ops[std::size_t(fx::Op::CallFunction)] = {"#3A2D12", "#F2C46B"};
    t.ops[std::size_t(fx::Op::CallMethod)] = {"#2D2145", "#C9A6FF"};
    t.ops[std::size_t(fx::Op::CallModule)] = {"#1B2B4A", "#8FB5FF"};
    t.ops[std::size_t(fx::Op::Output)] = {"#3D1B28", "#FF9DBB"};
    t.partitions = {QColor("#56B4E9"), QColor("#E69F4C"), QColor("#4DB89A"), QColor("#E08FC0"),
                    QColor("#E2D65A"), QColor("#A79BEF"), QColor("#F08A80"), QColor("#A9B6C6")};
    t.codeKeyword = "#D79BEE", t.codeName = "#8FB5FF", t.codeString = "#7FD6A8";
    t.codeNumber = "#7ED3CC", t.codeComment = "#98A3B3";
    return t;
}

double channel(double value) { return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); }

double luminance(const QColor& color) {
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

/// The desktop's own font, never under 12 px; the offscreen platform has no desktop and gets 13 px.
QFont uiFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    if (QGuiApplication::platformName() == QLatin1String("offscreen")) font.setPixelSize(13);
    else if (QFontInfo(font).pixelSize() < 12) font.setPixelSize(12);
    return font;
}

void use(QApplication& app, const Theme& next) {
    if (s_current == &next && !app.styleSheet().isEmpty()) return;
    s_current = &next;
    app.setPalette(next.palette());
    app.setStyleSheet(next.styleSheet());
}

} // namespace

QColor Theme::heat(double t) const {
    // Even steps of CIELAB lightness at one hue, computed once for the ends: linear mixing in a perceptual-like
    // (gamma 2.2) space is even to the eye between two colours of one hue.
    const QColor low = dark ? QColor("#223352") : QColor("#EAF0FD");
    const QColor high = dark ? QColor("#BCD4FF") : QColor("#123A9C");
    t = std::clamp(t, 0.0, 1.0);
    const auto mix = [t](double a, double b) { return a + (b - a) * t; };
    return QColor::fromRgbF(float(mix(low.redF(), high.redF())), float(mix(low.greenF(), high.greenF())),
                            float(mix(low.blueF(), high.blueF())));
}

QPalette Theme::palette() const {
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, panel);
    p.setColor(QPalette::AlternateBase, field);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::Button, panel);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, error.line);
    p.setColor(QPalette::ToolTipBase, panel);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, onAccent);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, ops[std::size_t(fx::Op::CallMethod)].line);
    p.setColor(QPalette::Light, panel);
    p.setColor(QPalette::Midlight, hover);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Dark, edge);
    p.setColor(QPalette::Shadow, dark ? QColor("#000000") : QColor("#B8C0CC"));
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, edge);
    p.setColor(QPalette::Disabled, QPalette::Highlight, border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, muted);
    return p;
}

std::vector<Theme::TextPair> Theme::textPairs() const {
    std::vector<TextPair> pairs;
    const std::pair<const char*, QColor> surfaces[] = {{"window", window}, {"panel", panel},
                                                       {"canvas", canvas}, {"hover", hover},
                                                       {"field", field},   {"accentBackground", accentBackground}};
    for (const auto& [name, background] : surfaces) {
        for (const QColor& color : {text, muted, accent}) pairs.push_back({name, color, background});
    }
    pairs.push_back({"on accent", onAccent, accent});
    for (const Role& role : {ok, warning, error}) {
        pairs.push_back({"state on its background", role.line, role.fill});
        pairs.push_back({"state on panel", role.line, panel});
        pairs.push_back({"state on canvas", role.line, canvas});
        pairs.push_back({"text on state", text, role.fill});
    }
    for (const Role& role : ops) {
        for (const QColor& color : {text, muted, role.line}) pairs.push_back({"op fill", color, role.fill});
        pairs.push_back({"op line on canvas", role.line, canvas});
        pairs.push_back({"op line on panel", role.line, panel});
    }
    for (const QColor& color : partitions) {
        pairs.push_back({"partition on canvas", color, canvas});
        pairs.push_back({"partition on panel", color, panel});
    }
    for (const QColor& color : {codeKeyword, codeName, codeString, codeNumber, codeComment}) {
        pairs.push_back({"code on panel", color, panel});
        pairs.push_back({"code on field", color, field});
        pairs.push_back({"code on a selected line", color, accentBackground});
    }
    return pairs;
}

const Theme& lightTheme() {
    static const Theme light = makeLight();
    return light;
}

const Theme& darkTheme() {
    static const Theme dark = makeDark();
    return dark;
}

const Theme& theme() { return s_current ? *s_current : lightTheme(); }

void applyTheme(QApplication& app, ThemeChoice choice) {
    if (!s_current) {
        SystemScheme::rememberDesktopPalette(app.palette());
        app.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        app.setFont(uiFont());
    }
    delete app.findChild<SystemScheme*>();
    if (choice != ThemeChoice::System) {
        use(app, choice == ThemeChoice::Dark ? darkTheme() : lightTheme());
        return;
    }
    auto* scheme = new SystemScheme(&app);
    const auto follow = [&app](bool dark) { use(app, dark ? darkTheme() : lightTheme()); };
    QObject::connect(scheme, &SystemScheme::changed, &app, follow);
    follow(scheme->dark());
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor readableOn(const QColor& fill, const QColor& wanted) {
    constexpr double kEnough = 4.5; // WCAG 2 AA
    if (contrastRatio(wanted, fill) >= kEnough) return wanted;
    const QColor dark(0x0B, 0x0E, 0x14);
    const QColor& better = contrastRatio(Qt::white, fill) > contrastRatio(dark, fill) ? QColor(Qt::white) : dark;
    return contrastRatio(better, fill) >= kEnough ? better : QColor(Qt::black);
}

QFont monoFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(std::max(11, QFontInfo(QApplication::font()).pixelSize() - 1));
    font.setFixedPitch(true);
    font.setStyleHint(QFont::Monospace);
    return font;
}

QFont semiboldFont() {
    QFont font = QApplication::font();
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace ui
