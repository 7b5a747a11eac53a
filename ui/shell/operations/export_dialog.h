// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/exporter.h"
#include "ui/tasks/task_slot.h"

#include <QDialog>

#include <functional>

class QComboBox;
class QLabel;
class QSpinBox;

namespace ui {

/// The user's options for exporting a picture.
struct ExportChoice {
    enum class Content : std::uint8_t { Shown, AllOpen, Selection } content = Content::Shown;
    enum class Background : std::uint8_t { Light, Dark, None } background = Background::Light;
    enum class Page : std::uint8_t { Picture, A4, A3 } page = Page::Picture; ///< paper size of a PDF
    int percent = 200;                                                       ///< scale of a PNG; 100 % is the zoom 1
};

/// Dialog that asks for content, background and size of a picture before its file is chosen. Exported nodes have their
/// full names.
class ExportDialog final : public QDialog {
    Q_OBJECT
public:
    /// Shows `choice`. `hasSelection` enables the export of selected nodes.
    ExportDialog(ExportKind kind, const ExportChoice& choice, bool hasSelection, QWidget* parent = nullptr);
    ExportChoice choice() const; ///< The user's options.
    /// Sets the function that converts options into a request. With it, the dialog shows the size of a PNG in pixels.
    void setRequests(std::function<ExportRequest(const ExportChoice&)> requestFor);

private:
    void addChoice(const QString& label, QComboBox* box, const QStringList& words, int current);

    void measure();
    void showPixels();

    ExportChoice m_choice;
    std::function<ExportRequest(const ExportChoice&)> m_requestFor;
    TaskSlot<QSizeF> m_measuring{"export.size"};
    QSizeF m_area; ///< area of the chosen content; invalid until it is laid out
    QLabel* m_pixels = nullptr;
    QComboBox *m_content, *m_background, *m_page = nullptr;
    QSpinBox* m_percent = nullptr;
};

/// Applies options to a request. `shown` are the layout options of the window.
void applyChoice(const ExportChoice& choice, const fx::LayoutOptions& shown, const std::vector<fx::NodeId>& selection,
                 ExportRequest& request);

} // namespace ui
