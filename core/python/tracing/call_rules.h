// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/source_tree.h"
#include "core/python/object_protocol.h"

#include <set>
#include <unordered_set>

namespace fx::python {

/// Rules for code that runs at each call in Python, but only once when it is traced: leaf classes, wrapped functions
/// and operators of a source (`traceCalls`). A trace of them is what Python does, or is refused with CannotFollow.
///
/// Everything that happens to tensors is recorded, also what torch.fx computes at once or forgets: `x += y`,
/// `x[i] = y`, tensors that the code creates. The rest must give the same at each call. Therefore the code may use only
/// the statements, functions and methods that are listed in the .cpp; may not change objects that exist before the
/// call; and may not ask traced values for what only real ones know. That an input is a tensor, and not None, is
/// assumed where the code asks, and asserted in the graph.
class CallRules {
public:
    /// Attributes of older objects, of all calls of a model. A call may be traced more than once.
    struct OtherCalls {
        std::unordered_set<std::string> read, kept;
        std::set<std::pair<const Object*, std::string>> keptIn;
    };
    /// Objects that `in` has made so far are older than the call. Both must outlive the rules.
    CallRules(Interpreter& in, OtherCalls& others);

    /// Throws unless a statement is one of those that run in the same way each time.
    void requireStatement(const py::Stmt& statement) const;
    /// Throws unless the code may call `callee`. Returns the result of a question that the rules answer.
    Value called(const Value& callee, const Values& args, const Keywords& kwargs);
    /// Throws unless the code may read an attribute.
    void requireReadable(const Value& object, std::string_view name);
    /// Throws if reading an item may change an older object, as that of a defaultdict.
    void requireItem(const Value& object);
    /// Throws unless an object is new, or an attribute that is only kept there.
    void requireOwn(const Value& object, std::string_view attribute = {});
    /// Throws unless the code may enter a context.
    void requireContext(const Value& context) const;
    /// Throws if a text would be made of a traced value.
    void requirePlain(const Value& value, std::string_view function) const;
    /// The result of `left is right` for traced values; unset for others.
    std::optional<bool> identical(const Value& left, const Value& right);
    /// Records `assert value`.
    void assertAtEachCall(const Value& value) const;
    /// Records a check that `a, b = value` has as many values as names.
    void assumeLength(const Value& value, std::size_t count) const;
    /// Throws if a module that is recorded as a whole has hooks, which a graph does not call.
    static void requireNoHooks(const Instance& module);
    /// Throws if the graph writes to a tensor that is no part of the model, or returns one. `path` is that of the
    /// called module.
    static void requireOwnTensors(const GraphModule& traced, std::string_view path);
    /// Throws if an attribute that the call keeps is read by other code.
    void requireKeptUnread() const;

    /// Modules that are imported meanwhile run as in any program.
    class Pause {
    public:
        explicit Pause(Interpreter& in);
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        Interpreter& m_in;
        CallRules* m_rules;
        bool m_records;
    };

private:
    bool isOfCode() const;
    bool isNew(const Value& value);
    void noteNew();
    void requireFunction(const Function& function, const Values& args);
    void requireNative(const Native& native, const Values& args, bool hasTraced);
    void requireClass(const Class& type, const Values& args, bool hasTraced) const;
    void requireTorch(const Traced& callee, const Values& args, const Keywords& kwargs) const;
    Value answered(std::string_view question, const Values& args);
    Value isInstance(const Value& value, const Value& type);
    void assume(const Value& value, std::string_view function, const std::string& text);

    Interpreter& m_in;
    std::size_t m_seen; ///< objects of the heap that are classified
    std::unordered_set<const Object*> m_new;
    OtherCalls& m_others;
    std::unordered_set<std::string> m_kept;    ///< attributes of older objects that this call has set
    std::vector<const Function*> m_keepers;    ///< where
    std::unordered_set<std::string> m_assumed; ///< by node and function
};

} // namespace fx::python
