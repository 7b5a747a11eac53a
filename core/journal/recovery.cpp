// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/recovery.h"

#include "core/edit/steps/step_files.h"
#include "core/files/read_text.h"
#include "core/journal/journal_format.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "core/python/imports/sources.h"
#include "core/python/tracing/source_trace.h"

#include <algorithm>
#include <filesystem>
#include <span>

namespace fx {
namespace {

namespace fs = std::filesystem;
using Change = OrphanedJournal::Change;

/// A file that is no longer what it was is read from the copy beside the journal; so is one of which the journal does
/// not say what it was.
StepList withKeptFiles(const Change& change, const std::string& journal) {
    FilePaths replaced;
    for (const std::string& file : filesInSteps(change.steps))
        if (std::none_of(change.files.begin(), change.files.end(),
                         [&](const auto& each) { return each.first == file; }))
            throw Error(ErrorKind::Refused, Message("journal.no_step_file", {{"name", file}}));
    for (const auto& [path, digest] : change.files) {
        try {
            if (fileDigest(path) == digest) continue;
        } catch (const Error&) {
            // It is gone.
        }
        replaced.emplace_back(path, journalFilesFolder(journal) + "/" + fs::path(digest).filename().string());
    }
    return withFiles(change.steps, replaced);
}

void repeat(const Change& change, const std::string& journal, RecoveredModel& model, const Readers& readers,
            const Progress& progress) {
    if (change.kind == Change::Kind::Edit) {
        const StepList steps = withKeptFiles(change, journal);
        if (model.savedVersion > model.history.current()) model.savedVersion = RecoveredModel::kNoVersion; // cut off
        model.history.push(change.name, steps, History::edited(*model.history.model(), steps, progress, readers),
                           change.time);
        const std::size_t nodes = model.history.model()->graph.size();
        if (nodes != change.nodes)
            throw Error(ErrorKind::Refused, Message("journal.other_graph", {{"before", change.nodes}, {"now", nodes}}));
        return;
    }
    if (change.version >= model.history.entries().size())
        throw Error(ErrorKind::Refused, Message("journal.no_version"));
    if (change.kind == Change::Kind::GoTo) model.history.goTo(change.version);
    else if (!change.isGone) model.savedVersion = change.version;
}

/// The graph of Python source; it may end at an error, or be empty.
History tracedFrom(const OrphanedJournal& journal, const std::string& source, const std::string& choices,
                   const RecoveryOptions& options, const Progress& progress) {
    const std::string& path = journal.base().path;
    SourceOptions byDefault;
    byDefault.reader = options.readers.python.get();
    auto model = options.tracer ? options.tracer(source, path, choices, progress)
                                : traceSource(path, source, byDefault, progress).module;
    if (!model) {
        model = std::make_shared<GraphModule>();
        model->format = Format::Python;
    }
    model->path = path;
    return History(std::move(model));
}

std::string textOf(const std::string& path) { return readTextFile(path, python::Sources::kMaxBytes); }

/// How the edited graph was traced, as far as the journal says it.
std::string choicesOfGraph(const OrphanedJournal& journal) {
    const auto& draft = journal.draft();
    if (!draft) return {};
    return draft->tracedChoices.value_or(draft->choices.value_or(std::string()));
}

/// Gives a model the code that the draft was typed in. When the version has other code by now, it is of one that has
/// gone.
void addDraftBase(RecoveredModel& model, const JournalDraft& draft) {
    if (!draft.code) return;
    if (model.rebased) { // it was typed into the code of what the file was
        model.draftBase = std::make_shared<PythonCode>(generatePython(model.history.model()->graph));
        model.draftFits = false;
        return;
    }
    const auto& entries = model.history.entries();
    const auto& version = entries[draft.version < entries.size() ? draft.version : 0];
    auto code = std::make_shared<PythonCode>(generatePython(version.model->graph));
    model.draftFits = !draft.base || *draft.base == code->text;
    if (!model.draftFits) {
        *code = PythonCode{*draft.base, {}, {}, {}};
        code->lineNodes.assign(static_cast<std::size_t>(std::count(code->text.begin(), code->text.end(), '\n')) + 1,
                               kNoNode);
    }
    model.draftBase = std::move(code);
}

/// Why an edit could not be repeated, with its number and name.
Error notRepeated(const OrphanedJournal& journal, std::size_t number, const Error& error) {
    const std::string& name = journal.changes()[number].name;
    Error refusal(error.kind(), Message("journal.edit", {{"number", number + 1},
                                                         {"name", (name.empty() ? "" : " (" + name + ")")},
                                                         {"reason", error.what()}}));
    return refusal.in(journal.base().path).onNode(error.node).hinting(error.hint);
}

/// Source whose file is as before can give another model: the files that it imports may have changed.
void needSameTrace(const OrphanedJournal& journal, const GraphModule& first) {
    const auto& changes = journal.changes();
    const auto edit =
        std::find_if(changes.begin(), changes.end(), [](const Change& each) { return !each.traced.empty(); });
    if (edit == changes.end() || edit->traced == tracedDigest(first)) return;
    throw Error(ErrorKind::Refused,
                Message("journal.other_state", {{"reason", "the source and its imports give another model now"}}))
        .in(journal.base().path);
}

RecoveredModel replayOnto(History base, const OrphanedJournal& journal, std::size_t changes, const Readers& readers,
                          const Progress& progress) {
    RecoveredModel model{std::move(base)};
    model.savedVersion = model.history.current();
    needSameTrace(journal, *model.history.entries().front().model);
    for (std::size_t i = 0; i < std::min(changes, journal.changes().size()); ++i) {
        progress.check();
        progress.report("bringing back edits", static_cast<double>(i) / static_cast<double>(journal.changes().size()));
        try {
            repeat(journal.changes()[i], journal.path(), model, readers, progress);
        } catch (const Error& error) { throw notRepeated(journal, i, error); }
    }
    return model;
}

/// The model at `path`, a file or a copy of it, as the first version.
History openedFrom(const OrphanedJournal& journal, const ModelFile& found, const Readers& readers,
                   const Progress& progress) {
    OpenOptions options;
    options.readers = readers;
    options.modelName = journal.base().modelName;
    options.keepsContent = true;
    const auto model = openModel(found, options, progress);
    History history = historyOf(model, progress, options.keepsContent, readers);
    model->path = journal.base().path;
    return history;
}

ModelIdentity identityAt(const OrphanedJournal& journal, const std::string& path) {
    try {
        return ModelIdentity::of(path, journal.base().modelName);
    } catch (const Error& error) {
        throw Error(ErrorKind::Refused, Message("journal.recover", {{"reason", error.what()}})).in(path);
    }
}

/// Where the base of the edits is. Throws Error{Refused} if its bytes are gone.
std::string pathOfBase(const OrphanedJournal& journal) {
    if (journal.hasKeptBase()) return journal.keptBase();
    const std::string path = journal.baseIsKept() ? journal.keptBase() : journal.base().path;
    if (const std::string why = journal.base().difference(identityAt(journal, path)); !why.empty())
        throw Error(ErrorKind::Refused, Message("journal.other_state", {{"reason", why}})).in(path);
    return path;
}

void needWhole(const OrphanedJournal& journal, const std::string& path) {
    if (!journal.problem().empty())
        throw Error(ErrorKind::Refused, Message("journal.damaged", {{"reason", journal.problem()}})).in(path);
}

/// The text of source as its file had it; nothing if that is gone.
std::optional<std::string> baseText(const OrphanedJournal& journal) {
    try {
        return textOf(pathOfBase(journal));
    } catch (const Error&) { return std::nullopt; }
}

/// Source that somebody typed is whole by itself, whatever its file is by now. Edits of its graph are repeated on what
/// the text gives of which that was traced.
RecoveredModel recoverSource(const OrphanedJournal& journal, const RecoveryOptions& options, const Progress& progress) {
    const JournalDraft& draft = *journal.draft();
    const std::string& traced = draft.traced ? *draft.traced : *draft.source;
    const auto source = draft.source ? draft.source : baseText(journal);
    try {
        needWhole(journal, journal.base().path);
        RecoveredModel recovered = replayOnto(tracedFrom(journal, traced, choicesOfGraph(journal), options, progress),
                                              journal, journal.changes().size(), options.readers, progress);
        recovered.traced = traced;
        recovered.source = source;
        return recovered;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || !draft.source) throw;
        RecoveredModel recovered{
            tracedFrom(journal, *draft.source, draft.choices.value_or(std::string()), options, progress)};
        recovered.traced = recovered.source = *draft.source;
        recovered.lost = error;
        return recovered;
    }
}

/// The model of the file `path`, without edits: the base or a copy of it, or what the file is by now.
RecoveredModel baseFrom(const OrphanedJournal& journal, const std::string& path, const RecoveryOptions& options,
                        const Progress& progress) {
    if (const ModelFile found = findModel(path, true); found.kind != FileKind::Source)
        return {openedFrom(journal, found, options.readers, progress)};
    const std::string text = textOf(path);
    RecoveredModel model{tracedFrom(journal, text, choicesOfGraph(journal), options, progress)};
    model.traced = model.source = text;
    return model;
}

/// The user knows the file of the model, and not the copies beside the journal.
template<class Action> RecoveredModel aboutTheModel(const OrphanedJournal& journal, const Action& action) {
    try {
        return action();
    } catch (Error& error) {
        if (error.file.starts_with(journalFilesFolder(journal.path()))) error.in(journal.base().path);
        throw;
    }
}

/// The edits at places of the journal, applied to the model of another file than the base.
RecoveredModel appliedTo(const std::string& path, std::span<const std::int64_t> edits, const OrphanedJournal& journal,
                         const RecoveryOptions& options, const Progress& progress) {
    const ModelIdentity now = identityAt(journal, path); // before it is read
    needWhole(journal, path);
    RecoveredModel model = baseFrom(journal, path, options, progress);
    model.savedVersion = model.history.current();
    model.rebased = now;
    for (const std::int64_t number : edits) {
        if (number < 0) continue; // the file came with it
        progress.check();
        const auto i = static_cast<std::size_t>(number);
        const Change& change = journal.changes()[i];
        try {
            const StepList steps = withKeptFiles(change, journal.path());
            model.history.push(change.name, steps,
                               History::edited(*model.history.model(), steps, progress, options.readers), change.time);
        } catch (const Error& error) { throw notRepeated(journal, i, error); }
    }
    return model;
}

/// Whether the names of nodes are in a file. Other files are traced again, and an edit could hit another node.
bool keepsNames(const std::string& path) { return path.ends_with(".json") || path.ends_with(".lancet"); }

/// Whether the journal's base is nowhere, but what was saved last is, and only edits followed.
bool needsSaved(const OrphanedJournal& journal) {
    const Change* save = journal.lastSave();
    const auto [current, saved] = journal.effect();
    if (!save || !save->file || save->isGone || !keepsNames(save->file->path) || saved.size() > current.size() ||
        !std::equal(saved.begin(), saved.end(), current.begin()))
        return false;
    try {
        pathOfBase(journal);
        return false;
    } catch (const Error&) {}
    try {
        return save->file->difference(identityAt(journal, save->file->path)).empty();
    } catch (const Error&) { return false; }
}

RecoveredModel recovered(const OrphanedJournal& journal, const RecoveryOptions& options, const Progress& progress) {
    const auto& draft = journal.draft();
    if (draft && (draft->source || draft->traced)) return recoverSource(journal, options, progress);
    if (needsSaved(journal)) {
        const auto [current, saved] = journal.effect();
        return appliedTo(journal.lastSave()->file->path, std::span(current).subspan(saved.size()), journal, options,
                         progress);
    }
    const std::string path = pathOfBase(journal);
    needWhole(journal, path);
    RecoveredModel base = baseFrom(journal, path, options, progress);
    RecoveredModel model =
        replayOnto(std::move(base.history), journal, journal.changes().size(), options.readers, progress);
    model.traced = std::move(base.traced), model.source = std::move(base.source);
    return model;
}

} // namespace

RecoveredModel replay(std::shared_ptr<const GraphModule> base, const OrphanedJournal& journal, std::size_t changes,
                      const Progress& progress) {
    return replayOnto(History(std::move(base)), journal, changes, {}, progress);
}

RecoveredModel recover(const OrphanedJournal& journal, const Progress& progress, const RecoveryOptions& options) {
    return aboutTheModel(journal, [&] {
        RecoveredModel model = recovered(journal, options, progress);
        if (journal.draft()) addDraftBase(model, *journal.draft());
        return model;
    });
}

RecoveredModel recoverOnFile(const OrphanedJournal& journal, const Progress& progress, const RecoveryOptions& options) {
    RecoveredModel model = appliedTo(journal.base().path, journal.effect().current, journal, options, progress);
    if (journal.draft()) addDraftBase(model, *journal.draft());
    return model;
}

} // namespace fx
