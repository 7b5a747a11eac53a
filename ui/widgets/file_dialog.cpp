// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_dialog.h"

#include "ui/widgets/core_text.h"
#include "ui/widgets/wrapped_label.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QFileSystemModel>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScreen>
#include <QStyledItemDelegate>
#include <QTreeView>

namespace ui {

namespace {
/// Where the last dialog ended.
QString& lastFolder() {
    static QString folder;
    return folder;
}

/// ".json" of "Rules (*.json);;All files (*)"
QString firstEnding(const QString& filters) {
    const qsizetype dot = filters.indexOf(QLatin1String("*."));
    if (dot < 0) return {};
    qsizetype end = dot + 2;
    while (end < filters.size() && filters[end].isLetterOrNumber()) ++end;
    return filters.mid(dot + 2, end - dot - 2);
}

/// Names as everywhere in the window: characters that hide or reorder others are spelled.
class VisibleNames final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QString displayText(const QVariant& value, const QLocale& locale) const override {
        return visible(QStyledItemDelegate::displayText(value, locale));
    }
};
} // namespace

FileDialog::FileDialog(QWidget* parent, const QString& title, const QString& start, const QString& filters)
    : QFileDialog(parent, title) {
    setOption(DontUseNativeDialog);
    setViewMode(Detail);
    if (!filters.isEmpty()) setNameFilters(filters.split(QStringLiteral(";;")));
    const QFileInfo info(start);
    if (start.isEmpty()) {
        if (!lastFolder().isEmpty()) setDirectory(lastFolder());
    } else if (info.isDir()) {
        setDirectory(start);
    } else {
        if (info.path() != QLatin1String(".")) setDirectory(info.path());
        else if (!lastFolder().isEmpty()) setDirectory(lastFolder());
        selectFile(info.fileName());
    }
    constexpr QSize kRoom{880, 560};
    resize(kRoom.boundedTo(screen()->availableSize() * 9 / 10));
    setItemDelegate(new VisibleNames(this));
    showHidden();
    if (auto* field = findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))) {
        // Queued: Qt has its own word first, also about the row that it selects for the name.
        connect(field, &QLineEdit::textChanged, this, &FileDialog::allowWholePath, Qt::QueuedConnection);
        connect(field, &QLineEdit::textEdited, this, [this] { m_isTyped = true; });
    }
    for (const auto* files : findChildren<QAbstractItemView*>()) // both views of the files have one selection
        if (files->objectName() == QLatin1String("listView") || files->objectName() == QLatin1String("treeView"))
            connect(files->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, files] {
                if (files->hasFocus()) m_isTyped = false;
            });
    connect(this, &QDialog::accepted, this, [this] { lastFolder() = directory().absolutePath(); });
}

/// The field has the name as it is: when characters in it hide, a line below spells it.
void FileDialog::showHidden() {
    auto* field = findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    auto* grid = qobject_cast<QGridLayout*>(layout());
    if (!field || !grid) return;
    if (field->completer()) field->completer()->popup()->setItemDelegate(new VisibleNames(this));
    m_spelled = new WrappedLabel(this);
    m_spelled->setTextFormat(Qt::PlainText);
    m_spelled->setAccessibleName(tr("Hidden characters of the name"));
    grid->addWidget(m_spelled, grid->rowCount(), 0, 1, grid->columnCount());
    const auto show = [this, field] {
        const QString folder = directory().absolutePath(), name = field->text();
        const QString text = visible(name) != name ? tr("The name has hidden characters: %1").arg(visible(name))
                             : visible(folder) != folder
                                 ? tr("The folder has hidden characters: %1").arg(visible(folder))
                                 : QString();
        m_spelled->setText(text);
        m_spelled->setVisible(!text.isEmpty());
    };
    connect(field, &QLineEdit::textChanged, this, show);
    connect(this, &QFileDialog::directoryEntered, this, show);
    show();
}

QString FileDialog::startFolder() { return lastFolder().isEmpty() ? QDir::currentPath() : lastFolder(); }

QString FileDialog::spelled() const { return m_spelled ? m_spelled->text() : QString(); }

void FileDialog::showEvent(QShowEvent* event) {
    QFileDialog::showEvent(event);
    auto* files = findChild<QTreeView*>(QStringLiteral("treeView"));
    if (!files) return;
    QHeaderView* header = files->header();
    header->setStretchLastSection(false);
    for (int column = 0; column < header->count(); ++column)
        header->setSectionResizeMode(column, column == 0 ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
    files->setTextElideMode(Qt::ElideMiddle);
}

/// Qt refuses the whole path of a file in the folder that is shown, although it takes the name alone.
void FileDialog::allowWholePath(const QString& typed) {
    const QFileInfo file(typed);
    if (acceptMode() != AcceptSave || !file.isAbsolute() || file.isDir() || file.fileName().isEmpty()) return;
    auto* buttons = findChild<QDialogButtonBox*>();
    QPushButton* save = buttons ? buttons->button(QDialogButtonBox::Save) : nullptr;
    if (save && file.dir().exists()) save->setEnabled(true);
}

void FileDialog::offerFolder(const QString& text) {
    auto* buttons = findChild<QDialogButtonBox*>();
    if (!buttons) return;
    m_folderButton = buttons->addButton(text, QDialogButtonBox::ActionRole);
    m_folderButton->setAutoDefault(false);
    connect(m_folderButton, &QPushButton::clicked, this, [this] {
        m_folder = folderInView();
        lastFolder() = QFileInfo(m_folder).path();
        reject(); // accepting would ask for files; `taken` knows better
    });
}

QString FileDialog::folderInView() const {
    const auto* files = findChild<QTreeView*>(QStringLiteral("treeView")); // `selectedFiles` leaves folders out
    const QModelIndexList rows = files ? files->selectionModel()->selectedRows() : QModelIndexList();
    const QString selected =
        rows.size() == 1 ? rows.front().data(QFileSystemModel::FilePathRole).toString() : QString();
    return QFileInfo(selected).isDir() ? selected : directory().absolutePath();
}

/// While one types, Qt selects rows that the text may stand for, and takes them before the text: of a folder that is
/// typed below the one in view, it may be that one.
void FileDialog::preferTyped() {
    const auto* field = findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    const bool isOne = field && !field->text().isEmpty() && !field->text().contains(u'"'); // quotes are around many
    auto* files = findChild<QListView*>(QStringLiteral("listView"));
    if (m_isTyped && isOne && files) files->selectionModel()->clearSelection();
}

/// In a format that writes a folder, the name of one that is there means that one; else Qt would enter it.
void FileDialog::accept() {
    preferTyped();
    const auto* field = findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    const QString name = field ? field->text() : QString();
    const bool isName = !name.isEmpty() && name != QLatin1String(".") && name != QLatin1String("..") &&
                        !name.contains(u'/') && !name.startsWith(u'~');
    if (m_makesFolder && !name.isEmpty() && !name.startsWith(u'~'))
        directory().mkpath(name); // Qt says so if it is still not there
    if (m_choosesFormat && isName && firstEnding(selectedNameFilter()).isEmpty()) QDialog::accept();
    else QFileDialog::accept();
}

QStringList FileDialog::taken() {
    const bool accepted = exec() == Accepted;
    if (!m_folder.isEmpty()) return {m_folder};
    return accepted ? selectedFiles() : QStringList();
}

QString FileDialog::openFile(QWidget* parent, const QString& title, const QString& start, const QString& filters) {
    FileDialog dialog(parent, title, start, filters);
    dialog.setFileMode(ExistingFile);
    return dialog.taken().value(0);
}

QStringList FileDialog::openFiles(QWidget* parent, const QString& title, const QString& start, const QString& filters) {
    FileDialog dialog(parent, title, start, filters);
    dialog.setFileMode(ExistingFiles);
    return dialog.taken();
}

QString FileDialog::takeFolder(FileDialog& dialog) {
    dialog.setFileMode(Directory);
    dialog.setOption(ShowDirsOnly);
    return dialog.taken().value(0);
}

QString FileDialog::openFolder(QWidget* parent, const QString& title, const QString& start) {
    FileDialog dialog(parent, title, start);
    return takeFolder(dialog);
}

QString FileDialog::saveFolder(QWidget* parent, const QString& title, const QString& start) {
    FileDialog dialog(parent, title, start);
    dialog.m_makesFolder = true;
    return takeFolder(dialog);
}

QString FileDialog::saveAs(QWidget* parent, const QString& title, const QString& proposed, const QString& filters,
                           QString& filter) {
    const QFileInfo file(proposed);
    FileDialog dialog(parent, title, file.path(), filters);
    dialog.m_choosesFormat = true;
    dialog.setAcceptMode(AcceptSave);
    dialog.setOption(DontConfirmOverwrite);
    dialog.setFileMode(AnyFile);
    dialog.selectNameFilter(filter);
    dialog.selectFile(file.fileName());
    const QString path = dialog.taken().value(0);
    filter = dialog.selectedNameFilter();
    return path;
}

} // namespace ui
