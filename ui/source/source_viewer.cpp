// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_viewer.h"

#include "core/files/file_identity.h"
#include "core/files/read_text.h"
#include "core/io/compilation/compilation.h"
#include "ui/code/code_view.h"
#include "ui/document/node_facts.h"
#include "ui/source/source_link.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr int kLeastFiles = 90;                // px: names of files may be long
constexpr std::uint64_t kMaxSource = 16 << 20; // bytes

/// The file at its path, or beside the model, where models and sources are often moved together; empty if neither fits.
/// The model could name any file of the user: elsewhere it must know lines of it.
QByteArray readFitting(const SourceMap& map, int file, const QString& beside) {
    const QString& path = map.files[static_cast<std::size_t>(file)].path;
    const auto& known = map.files[static_cast<std::size_t>(file)].knownLines;
    const bool isKnown =
        std::any_of(known.begin(), known.end(), [](const auto& line) { return !line.second.trimmed().isEmpty(); });
    for (const QString& each : {path, beside + u'/' + QFileInfo(path).fileName()}) {
        const bool isBeside = !fx::resolvedInside(beside.toStdString(), each.toStdString()).empty();
        if (QFileInfo(each).isRelative() || !(isKnown || isBeside) || !QFileInfo(each).isFile()) continue;
        try {
            const QByteArray text = QByteArray::fromStdString(fx::readTextFile(each.toStdString(), kMaxSource));
            if (map.fits(file, text)) return text;
        } catch (const fx::Error&) {
            // The lines that the nodes tell are shown instead.
        }
    }
    return {};
}
} // namespace

SourceViewer::SourceViewer(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_pages(new QStackedWidget(this)), m_files(new QComboBox(this)),
      m_about(new ElidedLabel(this)), m_view(new CodeView(this)), m_link(new SourceLink(document, m_view)) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    m_files->setToolTip(tr("The source file"));
    m_files->setAccessibleName(tr("Source file"));
    m_files->setMinimumWidth(kLeastFiles);
    m_about->setProperty("role", "muted");
    m_view->setAccessibleName(tr("Source of the model"));
    auto* empty = new QWidget(m_pages);
    m_empty = new WrappedLabel(empty, tr("This model does not say which source lines its nodes come from.\n\nExported "
                                         "programs (.pt2), TorchScript, dumps of torch.compile and models traced from "
                                         "Python source do."));
    m_empty->setProperty("role", "muted");
    m_empty->setMinimumWidth(180);
    auto* middle = new QVBoxLayout(empty);
    middle->setContentsMargins(16, 12, 16, 12);
    middle->addWidget(m_empty);
    middle->addStretch();
    auto* text = new QWidget(m_pages);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 4, 8, 4);
    row->addWidget(m_files);
    row->addWidget(m_about, 1);
    auto* column = new QVBoxLayout(text);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_view, 1);
    m_pages->addWidget(empty);
    m_pages->addWidget(text);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_pages);
    setFocusProxy(m_view);
    connect(m_link, &SourceLink::mapChanged, this, &SourceViewer::showMap);
    connect(m_link, &SourceLink::fileWanted, this, [this](int file) {
        m_files->setCurrentIndex(file);
        showFile(file);
    });
    connect(m_files, &QComboBox::activated, this, &SourceViewer::showFile);
}

QString SourceViewer::about() const { return m_pages->currentIndex() == 0 ? m_empty->text() : m_about->text(); }

void SourceViewer::showMap() {
    const SourceMap& map = *m_link->map();
    const QString before = m_files->currentData().toString();
    m_files->clear();
    for (const SourceMap::File& file : map.files) {
        m_files->addItem(visible(QFileInfo(file.path).fileName()), file.path);
        m_files->setItemData(m_files->count() - 1, plainToolTip(visible(file.path)), Qt::ToolTipRole);
    }
    m_pages->setCurrentIndex(map.files.empty() ? 0 : 1);
    m_shown = -1;
    if (map.files.empty()) return;
    const int file = std::max(0, map.file(before));
    m_files->setCurrentIndex(file);
    m_files->setEnabled(map.files.size() > 1);
    showFile(file);
}

void SourceViewer::showFile(int file) {
    if (file < 0 || file == m_shown) return;
    m_shown = file;
    const QString path = m_document.file().path();
    const auto stage = fx::splitStagePath(path.toStdString());
    const QFileInfo model(stage ? QString::fromStdString(stage->first) : path);
    const QString beside = model.isDir() ? model.filePath() : model.path();
    m_reading.start(
        [map = m_link->map(), file, beside](const fx::Progress&) { return readFitting(*map, file, beside); }, this,
        [this, map = m_link->map(), file](const QByteArray& text) {
            if (map != m_link->map() || file != m_shown) return;
            showText(file, text.isEmpty() ? map->knownText(file) : text, !text.isEmpty());
        });
}

void SourceViewer::showText(int file, const QByteArray& text, bool whole) {
    const SourceMap::File& shown = m_link->map()->files[static_cast<std::size_t>(file)];
    m_view->setLines(text, 0);
    m_about->setText(
        whole ? visible(shown.path)
              : tr("Only the lines that nodes come from: %1 is not there, or differs").arg(visible(shown.path)));
    m_about->setToolTip(plainToolTip(visible(shown.path)));
    m_link->setFile(file);
}

} // namespace ui
