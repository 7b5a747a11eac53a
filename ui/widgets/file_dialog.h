// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFileDialog>

class QPushButton;

namespace ui {

class WrappedLabel;

/// File dialog in the style of the program: names get the room that sizes and dates leave. A dialog starts in the
/// folder of the last one unless `start` is given. The static functions wait, and return an empty value if the user
/// cancels. `filters` lists the file types: "Models (*.pt *.pt2);;All files (*)".
class FileDialog final : public QFileDialog {
    Q_OBJECT
public:
    /// `start` is a folder, or a file to select.
    FileDialog(QWidget* parent, const QString& title, const QString& start, const QString& filters = {});

    /// Asks for an existing file.
    static QString openFile(QWidget* parent, const QString& title, const QString& start, const QString& filters = {});
    /// Asks for existing files.
    static QStringList openFiles(QWidget* parent, const QString& title, const QString& start, const QString& filters);
    /// Asks for an existing folder.
    static QString openFolder(QWidget* parent, const QString& title, const QString& start = {});
    /// Returns the folder in which a dialog starts if no `start` is given.
    static QString startFolder();

    // Only ui/widgets/save_path.h uses the next two: it also asks before files are overwritten.

    /// Asks for a folder to write to. Creates a typed folder that does not exist.
    static QString saveFolder(QWidget* parent, const QString& title, const QString& start = {});
    /// Asks for a file to write and returns the name as the user typed it. `filter` is the selected filter, on entry
    /// and return.
    static QString saveAs(QWidget* parent, const QString& title, const QString& proposed, const QString& filters,
                          QString& filter);

    /// Adds a button that takes the selected folder, or else the current one, instead of files.
    void offerFolder(const QString& text);
    /// Returns the note on hidden characters in the name or the folder; empty if none exist.
    QString spelled() const;
    QPushButton* folderButton() const { return m_folderButton; } ///< The button of `offerFolder`, or null.
    /// Runs the dialog. Returns the chosen files or the one folder.
    QStringList taken();

protected:
    void accept() override;
    void showEvent(QShowEvent* event) override;

private:
    void showHidden();
    QString folderInView() const;
    void allowWholePath(const QString& typed);
    void preferTyped();
    static QString takeFolder(FileDialog& dialog);

    QPushButton* m_folderButton = nullptr;
    WrappedLabel* m_spelled = nullptr;
    QString m_folder;             ///< the folder taken by `folderButton`
    bool m_choosesFormat = false; ///< set by `saveAs`
    bool m_makesFolder = false;   ///< set by `saveFolder`
    bool m_isTyped = false;       ///< the user typed the name and selected no row since
};

} // namespace ui
