// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFileDialog>

class QPushButton;

namespace ui {

/// File dialogs in the look of the program: names have the room that sizes and dates leave, and each begins where the
/// last one ended unless it is told where. The functions wait, and return nothing when the user cancels. `filters`
/// names what can be opened: "Models (*.pt *.pt2);;All files (*)".
class FileDialog final : public QFileDialog {
    Q_OBJECT
public:
    FileDialog(QWidget* parent, const QString& title, const QString& start, const QString& filters = {});

    static QString openFile(QWidget* parent, const QString& title, const QString& start, const QString& filters = {});
    static QStringList openFiles(QWidget* parent, const QString& title, const QString& start, const QString& filters);
    static QString openFolder(QWidget* parent, const QString& title, const QString& start = {});
    /// A folder to write to: one that does not exist is created when its name is typed.
    static QString saveFolder(QWidget* parent, const QString& title, const QString& start = {});
    /// Names without ending get that of the filter before the question whether to replace a file.
    static QString saveFile(QWidget* parent, const QString& title, const QString& proposed, const QString& filters);
    /// The name as it is typed; the caller asks about replacing. `filter`: the one that is chosen, before and after.
    static QString saveAs(QWidget* parent, const QString& title, const QString& proposed, const QString& filters,
                          QString& filter);

    /// Adds a button that takes the selected folder, or else the one that is shown, in the place of files.
    void offerFolder(const QString& text);
    QPushButton* folderButton() const { return m_folderButton; }
    /// The files, or the one folder, that were taken.
    QStringList taken();

protected:
    void accept() override;
    void showEvent(QShowEvent* event) override;

private:
    QString folderInView() const;
    void allowWholePath(const QString& typed);
    void preferTyped();
    static QString takeFolder(FileDialog& dialog);

    QPushButton* m_folderButton = nullptr;
    QString m_folder;             ///< that was taken
    bool m_choosesFormat = false; ///< of `saveAs`
    bool m_makesFolder = false;   ///< of `saveFolder`
    bool m_isTyped = false;       ///< the name was typed, and no row was chosen since
};

} // namespace ui
