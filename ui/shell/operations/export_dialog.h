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

/// How a picture is exported.
struct ExportChoice {
    enum class Content : std::uint8_t { Shown, AllOpen, Selection } content = Content::Shown;
    enum class Background : std::uint8_t { Light, Dark, None } background = Background::Light;
    enum class Page : std::uint8_t { Picture, A4, A3 } page = Page::Picture; ///< of a PDF
    int percent = 200;                                                       ///< of a PNG, of the size at 100 % zoom
};

/// Asks for content, background and size of a picture before its file is chosen. Cards have their full names in every
/// picture.
class ExportDialog final : public QDialog {
    Q_OBJECT
public:
    ExportDialog(ExportKind kind, const ExportChoice& choice, bool hasSelection, QWidget* parent = nullptr);
    ExportChoice choice() const;
    /// How a request for a choice is made: then a PNG says how many pixels it will have.
    void setRequests(std::function<ExportRequest(const ExportChoice&)> requestFor);

private:
    void addChoice(const QString& label, QComboBox* box, const QStringList& words, int current);

    void measure();
    void showPixels();

    ExportChoice m_choice;
    std::function<ExportRequest(const ExportChoice&)> m_requestFor;
    TaskSlot<QSizeF> m_measuring{"export.size"};
    QSizeF m_area; ///< of the content chosen; invalid until it is laid out
    QLabel* m_pixels = nullptr;
    QComboBox *m_content, *m_background, *m_page = nullptr;
    QSpinBox* m_percent = nullptr;
};

/// Puts a choice into a request; `shown`: how the picture is laid out in the window.
void applyChoice(const ExportChoice& choice, const fx::LayoutOptions& shown, const std::vector<fx::NodeId>& selection,
                 ExportRequest& request);

} // namespace ui
