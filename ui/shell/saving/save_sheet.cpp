// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/save_sheet.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr std::size_t kLinks = 12;
using Kind = fx::Foreseen::Kind;

QString titleOf(Kind kind) {
    switch (kind) {
    case Kind::Refused: return SaveSheet::tr("Cannot be saved in this format");
    case Kind::Unloadable: return SaveSheet::tr("PyTorch cannot load this file");
    case Kind::Changed: return SaveSheet::tr("The graph will change");
    case Kind::Renamed: return SaveSheet::tr("Names will change");
    case Kind::Lost: return SaveSheet::tr("Some information is not saved");
    case Kind::Running: return SaveSheet::tr("PyTorch will not run it as Lancet does");
    }
    return {};
}

QString sentence(const std::string& text) {
    QString line = elided(text, 1000);
    if (!line.isEmpty()) line[0] = line[0].toUpper();
    if (!line.endsWith(u'.')) line += u'.';
    return breakable(line).toHtmlEscaped();
}

} // namespace

SaveSheet::SaveSheet(const QString& path, const std::vector<fx::Foreseen>& points, QWidget* parent) : QDialog(parent) {
    const bool refused = std::any_of(points.begin(), points.end(),
                                     [](const fx::Foreseen& point) { return point.kind == Kind::Refused; });
    const QString name =
        path.endsWith(u'/') ? QFileInfo(path.chopped(1)).fileName() + u'/' : QFileInfo(path).fileName();
    setWindowTitle(refused ? tr("Cannot Save %1").arg(name) : tr("Before Saving %1").arg(name));
    auto* cards = new QWidget;
    cards->setProperty("look", "panel");
    auto* list = new QVBoxLayout(cards);
    list->setContentsMargins(0, 0, 0, 0);
    list->setSpacing(8);
    for (const fx::Foreseen& point : points) list->addWidget(makeCard(point));
    list->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(cards);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    if (!refused) m_save = buttons->addButton(tr("Save &Anyway"), QDialogButtonBox::AcceptRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
    const bool loads = std::none_of(points.begin(), points.end(),
                                    [](const fx::Foreseen& point) { return point.kind == Kind::Unloadable; });
    auto* intro = new QLabel(
        refused ? tr("The model is unchanged.")
        : loads ? tr("PyTorch will read the file differently from the model shown here. Nothing has been written yet.")
                : tr("PyTorch will not be able to read the file. Nothing has been written yet."),
        this);
    intro->setWordWrap(true);
    intro->setProperty("role", "muted");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(10);
    column->addWidget(intro);
    column->addWidget(scroll, 1);
    if (std::all_of(points.begin(), points.end(), [](const auto& point) { return point.kind == Kind::Renamed; })) {
        m_silence = new QCheckBox(tr("Do not warn about changed names of this model again"), this);
        m_silence->setToolTip(tr("File > Warn About Changed Names turns the warning on again"));
        column->addWidget(m_silence);
    }
    column->addWidget(buttons);
    resize(560, std::min(180 + 110 * static_cast<int>(points.size()), 520));
}

QWidget* SaveSheet::makeCard(const fx::Foreseen& point) {
    const bool grave = point.kind == Kind::Refused || point.kind == Kind::Unloadable;
    QString html = QStringLiteral("<b>%1</b><br>%2").arg(titleOf(point.kind), sentence(point.what.text()));
    if (const std::string hint = point.what.hint(); !hint.empty())
        html += QStringLiteral("<br>%1 %2").arg(tr("Instead:"), sentence(hint));
    QStringList links;
    for (std::size_t i = 0; i < std::min(point.nodes.size(), kLinks); ++i)
        links << QStringLiteral("<a href='node:%1' style='color:%2;font-weight:600'>%3</a>")
                     .arg(QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(point.nodes[i]))),
                          theme().accent.name(), elided(point.nodes[i], 60).toHtmlEscaped());
    if (point.nodes.size() > kLinks) links << tr("%1 more").arg(point.nodes.size() - kLinks);
    if (!links.isEmpty()) html += QStringLiteral("<br>") + tr("Go to: ") + links.join(QStringLiteral(", "));
    auto* card = new QLabel(html);
    card->setTextFormat(Qt::RichText);
    card->setWordWrap(true);
    card->setMargin(10);
    card->setProperty("role", grave ? "error" : "warning");
    card->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(card, &QLabel::linkActivated, this,
            [this](const QString& link) { Q_EMIT nodeRequested(QUrl(link).path(QUrl::FullyDecoded)); });
    return card;
}

} // namespace ui
