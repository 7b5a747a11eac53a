// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/theme.h"

#include <QFile>
#include <QRegularExpression>

// In a static library resources are only found after this; it must stand outside any namespace.
static void initResources() { Q_INIT_RESOURCE(lancet); }

namespace ui {
namespace {

using Token = std::pair<const char*, QColor>;

std::vector<Token> tokensOf(const Theme& t) {
    const QColor accentHover = t.dark ? t.accent.lighter(108) : t.accent.darker(112);
    const QColor scroll = t.dark ? QColor("#3A434F") : QColor("#C3CAD5");
    return {{"window", t.window},
            {"panel", t.panel},
            {"canvas", t.canvas},
            {"border", t.border},
            {"edge", t.edge},
            {"text", t.text},
            {"muted", t.muted},
            {"accent", t.accent},
            {"accentBackground", t.accentBackground},
            {"accentHover", accentHover},
            {"onAccent", t.onAccent},
            {"hover", t.hover},
            {"field", t.field},
            {"scroll", scroll},
            {"okFill", t.ok.fill},
            {"okLine", t.ok.line},
            {"warningFill", t.warning.fill},
            {"warningLine", t.warning.line},
            {"errorFill", t.error.fill},
            {"errorLine", t.error.line}};
}

} // namespace

QString Theme::styleSheet() const {
    initResources();
    QFile file(QStringLiteral(":/lancet/themes/lancet.qss"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QString source = QString::fromUtf8(file.readAll());
    const std::vector<Token> tokens = tokensOf(*this);
    static const QRegularExpression word(QStringLiteral("@([A-Za-z]+)"));
    QString result;
    qsizetype done = 0;
    for (auto matches = word.globalMatch(source); matches.hasNext();) {
        const auto match = matches.next();
        result += QStringView(source).mid(done, match.capturedStart() - done);
        const auto token = std::find_if(tokens.begin(), tokens.end(), [&](const Token& t) {
            return match.capturedView(1) == QLatin1String(t.first);
        });
        // A misspelt token stays in the text, where the test of the style sheet finds it.
        result += token == tokens.end() ? match.captured(0) : token->second.name();
        done = match.capturedEnd();
    }
    result += QStringView(source).mid(done);
    return result;
}

} // namespace ui
