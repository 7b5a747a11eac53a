// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPageSize>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>

namespace ui {

ExportDialog::ExportDialog(ExportKind kind, const ExportChoice& choice, bool hasSelection, QWidget* parent)
    : QDialog(parent), m_choice(choice), m_content(new QComboBox(this)), m_background(new QComboBox(this)) {
    setWindowTitle(tr("Export Picture"));
    auto* form = new QFormLayout(this);
    addChoice(tr("Content"), m_content, {tr("As shown"), tr("All modules open"), tr("Selected nodes")},
              static_cast<int>(choice.content));
    if (!hasSelection) {
        qobject_cast<QStandardItemModel*>(m_content->model())->item(2)->setEnabled(false);
        if (choice.content == ExportChoice::Content::Selection) m_content->setCurrentIndex(0);
    }
    QStringList backgrounds{tr("Light"), tr("Dark")};
    if (kind != ExportKind::Pdf) backgrounds << tr("Transparent");
    addChoice(tr("Background"), m_background, backgrounds, static_cast<int>(choice.background));
    if (kind == ExportKind::Png) {
        m_percent = new QSpinBox(this);
        m_percent->setRange(25, 800);
        m_percent->setSingleStep(25);
        m_percent->setSuffix(tr(" %"));
        m_percent->setValue(choice.percent);
        form->addRow(tr("Size"), m_percent);
        m_pixels = new QLabel(this);
        m_pixels->setProperty("role", "muted");
        form->addRow(QString(), m_pixels);
        m_pixels->hide();
        connect(m_percent, &QSpinBox::valueChanged, this, &ExportDialog::showPixels);
        connect(m_content, &QComboBox::currentIndexChanged, this, &ExportDialog::measure);
    } else if (kind == ExportKind::Pdf) {
        m_page = new QComboBox(this);
        addChoice(tr("Page"), m_page, {tr("As large as the picture"), tr("A4"), tr("A3")},
                  static_cast<int>(choice.page));
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose File…"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
}

void ExportDialog::setRequests(std::function<ExportRequest(const ExportChoice&)> requestFor) {
    m_requestFor = std::move(requestFor);
    measure();
}

/// Full names and open modules are another layout, which takes its time for a large model.
void ExportDialog::measure() {
    if (!m_pixels || !m_requestFor) return;
    m_area = {};
    showPixels();
    m_measuring.start(
        [request = m_requestFor(choice())](const fx::Progress& progress) { return exportArea(request, progress); },
        this,
        [this](QSizeF area) {
            m_area = area;
            showPixels();
        },
        [this](const fx::Error&) { m_pixels->clear(); }); // exporting says why
}

void ExportDialog::showPixels() {
    if (!m_requestFor) return;
    m_pixels->show();
    if (m_area.isEmpty()) return m_pixels->setText(tr("Measuring…"));
    const QSize size = imageSize(m_area, m_percent->value());
    const bool less = size.width() < static_cast<int>(m_area.width() * m_percent->value() / 100.0);
    const QString pixels = tr("%1 × %2 pixels").arg(size.width()).arg(size.height());
    m_pixels->setText(less ? tr("%1, the most that is possible").arg(pixels) : pixels);
}

void ExportDialog::addChoice(const QString& label, QComboBox* box, const QStringList& words, int current) {
    box->addItems(words);
    box->setCurrentIndex(std::min<int>(current, static_cast<int>(words.size()) - 1));
    static_cast<QFormLayout*>(layout())->addRow(label, box);
}

ExportChoice ExportDialog::choice() const {
    ExportChoice choice = m_choice;
    choice.content = static_cast<ExportChoice::Content>(m_content->currentIndex());
    choice.background = static_cast<ExportChoice::Background>(m_background->currentIndex());
    if (m_percent) choice.percent = m_percent->value();
    if (m_page) choice.page = static_cast<ExportChoice::Page>(m_page->currentIndex());
    return choice;
}

void applyChoice(const ExportChoice& choice, const fx::LayoutOptions& shown, const std::vector<fx::NodeId>& selection,
                 ExportRequest& request) {
    request.layout = shown;
    request.layout->fullNames = true;
    request.layout->expandAll = shown.expandAll || choice.content == ExportChoice::Content::AllOpen;
    if (choice.content == ExportChoice::Content::Selection) request.only = selection;
    request.theme = choice.background == ExportChoice::Background::Dark ? darkTheme() : lightTheme();
    request.transparent = choice.background == ExportChoice::Background::None;
    request.percent = choice.percent;
    if (choice.page != ExportChoice::Page::Picture)
        request.page =
            QPageSize::size(choice.page == ExportChoice::Page::A4 ? QPageSize::A4 : QPageSize::A3, QPageSize::Point);
}

} // namespace ui
