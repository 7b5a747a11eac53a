// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/python/tracing/source_trace.h"
#include "ui/document/python_trace.h"
#include "ui/tasks/task_slot.h"

#include <QJsonObject>
#include <QStringList>
#include <QTimer>

namespace ui {

/// The key of the user's choices in the state that panels keep for a document.
inline const QString kSourceView = QStringLiteral("source");

/// The user's choices for tracing Python source.
struct SourceChoices {
    QString name;               ///< the class or function; empty: the only or the last one
    QString arguments;          ///< of the constructor, in Python: "depth=18"
    QString fixed;              ///< inputs with fixed values, in Python: "mode='train'" (concrete_args)
    quint64 seed = 0;           ///< seed of drawn weights
    QString weights;            ///< files with state dicts, separated by semicolons; empty: drawn weights
    bool strictWeights = true;  ///< as in load_state_dict
    QStringList kept, followed; ///< module classes that are leaf modules, or are not, other than usual
    QStringList folders;        ///< import folders
    bool proxyBuffers = false;  ///< trace buffers as proxies (proxy_buffer_attributes)

    /// Converts the choices for `fx::traceSource`.
    fx::SourceOptions options() const;
    /// Returns the choices as JSON.
    QJsonObject toJson() const;
    /// The counterpart of `toJson`; missing keys get defaults.
    static SourceChoices fromJson(const QJsonObject& json);
    bool operator==(const SourceChoices&) const = default;
};

/// The Python source of a document: its text, the tracing choices, and the result of tracing. It is traced as the user
/// types, off the GUI thread; results of older texts are dropped.
///
/// Tracing leaves out the values of large weights, so that it keeps up with typing. They are drawn a moment later.
///
/// A text that Lancet cannot follow is traced once more when it is that of the file: by an interpreter that the user
/// has allowed (`fx::AllowedPythons`), if there is one. Its trace then takes the place of Lancet's.
class DocumentSource final : public QObject {
    Q_OBJECT
public:
    /// The result of tracing; never null.
    using Trace = std::shared_ptr<const fx::SourceTrace>;
    /// A text with its trace.
    struct Start {
        QByteArray text;   ///< the traced text
        Trace trace;       ///< never null
        bool drawn = true; ///< the weights of the trace have values
    };
    /// Traces `text`. `drawAll` also draws large weights. The GUI thread may call it, but then has no engine. Throws
    /// Error{Cancelled}.
    static Start traceText(const QString& path, const QByteArray& text, const SourceChoices& choices, bool drawAll,
                           const fx::Readers& readers, const fx::Progress& progress);

    /// Formats choices for the crash journal.
    static std::string journalText(const QJsonObject& choices);
    /// Parses choices from the crash journal.
    static QJsonObject fromJournal(const std::string& choices);
    /// Traces source that was restored from the crash journal, with all weights. Null if nothing could be traced.
    static std::shared_ptr<fx::GraphModule> traceAgain(const std::string& text, const std::string& path,
                                                       const std::string& choices, const fx::Readers& readers,
                                                       const fx::Progress& progress);

    /// `path` is the file of the source, and `start` its text and trace. A trace without weights is completed soon.
    DocumentSource(QString path, Start start, SourceChoices choices, fx::Readers readers, QObject* parent);

    const QByteArray& text() const { return m_text; } ///< The current text.
    /// Sets the text that the user typed and traces it.
    void setText(const QByteArray& text);
    /// Sets another text from outside and traces it; editors take it over.
    void replaceText(const QByteArray& text);
    bool isModified() const { return m_text != m_savedText; } ///< True if the text differs from that of the file.
    /// True if the file was written here since it was opened.
    bool wasSaved() const { return m_wasSaved; }
    /// Records that the file contains `text`.
    void setSaved(const QByteArray& text);
    const SourceChoices& choices() const { return m_choices; } ///< How the text is traced.
    /// Sets the choices and traces again.
    void setChoices(const SourceChoices& choices);
    /// The file; imports are resolved from its folder.
    const QString& path() const { return m_path; }
    /// Sets the file without tracing again.
    void setPath(const QString& path) { m_path = path; }

    /// The last trace, perhaps of an earlier text; never null.
    const Trace& trace() const { return m_trace; }
    /// The text of `trace`.
    const QByteArray& tracedText() const { return m_tracedText; }
    const SourceChoices& tracedChoices() const { return m_tracedChoices; } ///< The choices of `trace`.
    /// True if `trace` is of the current text and choices.
    bool isCurrent() const { return m_isCurrent; }
    /// True if the trace is current and all its weights have values.
    bool isDrawn() const { return m_isCurrent && m_isDrawn; }
    /// The reason why weights have no values; empty if none exists.
    const QString& weightsProblem() const { return m_weightsProblem; }
    /// The state of the user's own Python.
    enum class Python : std::uint8_t { None, Tracing, Traced, Refused, Cancelled };
    Python python() const { return m_python; } ///< The state for the current text.
    /// The versions that traced ("Python 3.11.2, torch 2.13.0"), or the reason why Python refused, too.
    const QString& pythonText() const { return m_pythonText; }
    /// Ends the user's own Python; Lancet's trace stays.
    void cancelPython();
    /// Traces with the user's own Python if Lancet cannot follow the text of the file and an interpreter is allowed.
    void considerPython();
    /// Calls `done` when the weights of the current text have values, or with the reason why they cannot. The call may
    /// be immediate.
    void whenDrawn(QObject* listener, std::function<void(const QString& problem)> done);
    /// Traces again, because other files changed.
    void retrace();

Q_SIGNALS:
    /// Emitted when the text, the choices or the state of the trace change.
    void changed();
    /// Emitted by `replaceText`.
    void textReplaced();
    /// Emitted before a new text or new choices are traced.
    void aboutToTrace();
    /// Emitted when there is a new trace; `drawn`: the same graph, now with weights.
    void traced(bool drawn);

private:
    void start(bool drawAll);
    void take(Start start, const QByteArray& text, const SourceChoices& choices, bool drawAll);
    void settle();
    void takePython(std::optional<PythonTrace> made);

    QString m_path;
    bool m_wasSaved = false;
    QByteArray m_text, m_savedText, m_tracedText;
    SourceChoices m_choices, m_tracedChoices;
    fx::Readers m_readers;
    Trace m_trace;
    bool m_isCurrent = true, m_isDrawn = true;
    QString m_weightsProblem;
    QTimer m_pause{this}; ///< pause before weights are drawn
    std::vector<std::pair<QPointer<QObject>, std::function<void(const QString&)>>> m_waiting;
    TaskSlot<Start> m_tracing{"source.trace"};
    Python m_python = Python::None;
    QString m_pythonText;
    TaskSlot<std::optional<PythonTrace>> m_asking{"source.own_python"};
};

} // namespace ui
