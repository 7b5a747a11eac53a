// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/trust_dialog.h"

#include "core/diag/error.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr std::size_t kNamesListed = 500; ///< names of a list

QString listHtml(const QString& heading, const std::vector<std::string>& names, const QString& none) {
    QString out = QStringLiteral("<h3>%1</h3>").arg(heading.toHtmlEscaped());
    if (names.empty()) return out + none.toHtmlEscaped();
    QStringList lines;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesListed); ++i) lines << fromCore(names[i]).toHtmlEscaped();
    if (names.size() > kNamesListed) lines << TrustDialog::tr("%1 more").arg(names.size() - kNamesListed);
    return out + lines.join(QStringLiteral("<br>"));
}

} // namespace

TrustDialog::TrustDialog(const QString& path, QWidget* parent) : QDialog(parent), m_text(new QTextBrowser(this)) {
    setWindowTitle(tr("Trust Card of %1").arg(QFileInfo(path).fileName()));
    resize(560, 520);
    m_text->setAccessibleName(windowTitle());
    m_text->setPlainText(tr("Reading…"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_text);
    column->addWidget(buttons);
    m_reading.start(
        [file = path.toStdString()](const fx::Progress& progress) { return fx::trustCard(file, progress); }, this,
        [this](const fx::TrustCard& card) { m_text->setHtml(html(card)); },
        [this](const fx::Error& error) { m_text->setPlainText(linesFromCore(error.what() + ("\n" + error.hint))); });
}

QString TrustDialog::html(const fx::TrustCard& card) {
    const QString verdict =
        card.refusal
            ? tr("torch.load with weights_only=True refuses the file: %1").arg(linesFromCore(card.refusal->text()))
            : tr("torch.load with weights_only=True loads the file.");
    QString out = QStringLiteral("<p>%1</p>").arg(verdict.toHtmlEscaped());
    if (!card.unread.empty())
        out += QStringLiteral("<p><b>%1</b></p>")
                   .arg(tr("Lancet cannot read the pickle from %1. What follows is not listed.")
                            .arg(linesFromCore(card.unread))
                            .toHtmlEscaped());
    if (card.texts > 0)
        out += QStringLiteral("<p>%1</p>")
                   .arg(tr("With weights_only=False, Python runs the code of %1 in it.")
                            .arg(counted(card.texts, tr("1 GraphModule"), tr("%1 GraphModules"))));
    out += listHtml(tr("Imports outside PyTorch"), card.outsideTorch, tr("none"));
    out += listHtml(tr("Calls"), card.calls, tr("none"));
    out += listHtml(tr("Imports"), card.imports, tr("none"));
    return out;
}

} // namespace ui
