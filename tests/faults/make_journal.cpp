// SPDX-License-Identifier: GPL-3.0-or-later
// The crash journal of a model that is edited, for run_faults.py:
//
//     make_journal MODEL FOLDER      edits the model and prints for each change whether the journal in FOLDER has it
//     make_journal --recover FOLDER  prints which state of the model comes back
#include "core/base/sha256.h"
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"

#include <functional>
#include <iostream>

using namespace fx;

namespace {

std::string stateOf(const History& history) {
    return sha256(graphText(history.model()->graph) + std::to_string(history.current())).substr(0, 12);
}

/// One change after the other. Each line is flushed, because the process may be killed.
class Edits {
public:
    Edits(const std::string& model, const std::string& folder)
        : m_history(openModel(model)), m_journal(folder, ModelIdentity::of(model)) {
        std::cout << "begins " << stateOf(m_history) << std::endl;
    }

    void run() {
        constexpr int kRounds = 4;
        for (int round = 0; round < kRounds; ++round) {
            edit(StepList().rename(round == 0 ? "mul" : name(round - 1), name(round)));
            edit(StepList::parse(R"([{"step": "insert_after", "node": ")" + name(round) +
                                 R"(", "op": "call_function", "target": "torch.relu", "args": [{"node": ")" +
                                 name(round) + R"("}], "rewire_users": true}])"));
            change([&] { m_history.goTo(m_history.current() - 1); }, [&] { m_journal.wentTo(m_history.current()); });
            change([] {}, [&] { m_journal.typed(JournalDraft{m_history.current(), "def forward(self, x):"}); });
        }
        std::string large = "large";
        large.resize(2 * Journal::kLargeSteps, 'x'); // in a file of its own
        edit(StepList().rename(name(kRounds - 1), large));
        change([] {}, [&] { m_journal.saved(m_history.current()); });
        edit(StepList().rename(large, "last"));
    }

private:
    static std::string name(int round) { return "scaled_by_" + std::string(1, static_cast<char>('a' + round)); }
    void edit(const StepList& steps) {
        change([&] { m_history.edit("an edit", steps); }, [&] { m_journal.edited(m_history); });
    }
    void change(const std::function<void()>& make, const std::function<void()>& record) {
        make();
        std::cout << "begins " << stateOf(m_history) << std::endl;
        try {
            record();
            std::cout << "recorded " << stateOf(m_history) << std::endl;
        } catch (const Error& error) {
            std::cout << "tried " << stateOf(m_history) << " " << error.what() << std::endl;
        }
    }

    History m_history;
    Journal m_journal;
};

void tellRecovered(const std::string& folder) {
    const auto journals = orphanedJournals(folder);
    for (const auto& journal : journals)
        if (journal->problem().empty() && !journal->isDamaged())
            return void(std::cout << stateOf(recover(*journal).history) << std::endl);
    std::cout << (journals.empty() ? "none" : "damaged " + journals[0]->problem()) << std::endl;
}

} // namespace

int main(int count, char** words) {
    if (count != 3) return 2;
    try {
        if (std::string_view(words[1]) == "--recover") tellRecovered(words[2]);
        else Edits(words[1], words[2]).run();
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
