// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/journal/model_identity.h"
#include "core/module/graph_module.h"

#include <QString>

#include <optional>
#include <utility>

namespace ui {

/// Returns the graph of its file that `model` is: the method of a script, or the model of an archive with several.
/// Empty if there is only one, or no model.
QString graphNameOf(const fx::GraphModule* model);

/// Returns the name of a file that can be opened: "net.py", also for "net.py:Net".
QString fileTitle(const QString& path);

/// Where a document comes from and where "Save" writes it, and what was last seen there. Reads and writes no file,
/// except that it removes the private file of untitled source.
class DocumentFile {
public:
    /// `opened` is the file that will be read; empty for a model without a file.
    explicit DocumentFile(QString opened);
    ~DocumentFile();
    DocumentFile(const DocumentFile&) = delete;
    DocumentFile& operator=(const DocumentFile&) = delete;

    /// The file as it was opened, perhaps "net.py:Net"; for untitled source its private file.
    const QString& opened() const { return m_opened; }
    /// The file that "Save" writes: the last saved file or the opened project. Empty: "Save" must ask.
    const QString& target() const { return m_target; }
    /// The file of the document: the target of "Save", else the opened file.
    const QString& path() const { return m_target.isEmpty() ? m_opened : m_target; }
    const QString& title() const { return m_title; } ///< The name of the opened or last saved file, for the tab.
    /// Returns the title "net.ts", or "net.ts · encode" if `model` is one of several graphs of the file.
    QString titleWithGraph(const fx::GraphModule* model) const;
    /// The format of `path`. The model keeps the format from which it was opened.
    fx::Format format() const { return m_format; }
    /// The identity of the content of `path` when it was last read or written; nullopt if unknown.
    const std::optional<fx::ModelIdentity>& onDisk() const { return m_onDisk; }
    /// True while the document has no file of the user, so that "Save" must ask for one.
    bool isUntitled() const { return m_isUntitled; }
    /// True if the file was deleted, or replaced by content that the user rejected, since it was opened or saved.
    bool isLost() const { return m_isLost; }

    void setOnDisk(std::optional<fx::ModelIdentity> identity) { m_onDisk = std::move(identity); } ///< Sets `onDisk`.
    /// Sets `isLost`. Returns false if it was so before.
    bool setLost(bool lost) { return std::exchange(m_isLost, lost) != lost; }
    void setTitle(const QString& title); ///< Sets the title of a model without a file.
    /// Makes "Save" write to `path` if the model is read from it, because another program waits for the result.
    void setAwaited(const QString& path);

    /// Uses the file of a model. `part` is the graph in it that was opened, else empty.
    void open(const QString& path, const QString& part, std::optional<fx::ModelIdentity> identity);
    /// Uses the file of Python source, which "Save" writes.
    void openSource(const QString& path, std::optional<fx::ModelIdentity> identity);
    /// Uses a new private file for untitled source. Its path begins with `start`.
    void begin(const QString& start, const QString& title);
    /// Records that the source was written to `path`, which becomes the file. Removes a private file.
    void setSourceSaved(const QString& path, std::optional<fx::ModelIdentity> identity);
    /// Uses the file of a crash journal: `seen` is its content, and `written` the file that was saved last.
    void restore(const fx::ModelIdentity& seen, const std::optional<fx::ModelIdentity>& written);
    /// Uses Python source of a crash journal. Source without a file gets the title `untitled`.
    void restoreSource(const QString& path, const QString& untitled);
    /// Derives `format` for a model that was opened from `modelFormat`. The file is not lost.
    void take(fx::Format modelFormat);
    /// Records that the file was written. A nonempty `path` becomes the target of "Save".
    void setSaved(const QString& path);
    /// Keeps the private file of untitled source, because a crash journal refers to it.
    void keepPrivate() { m_isUntitled = false; }

private:
    QString m_opened, m_target, m_title, m_awaited;
    std::optional<fx::ModelIdentity> m_onDisk;
    fx::Format m_format = fx::Format::GraphModule;
    bool m_isUntitled = false, m_isLost = false;
};

} // namespace ui
