// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/execution/generator_run.h"

#include "core/python/execution/frame_guard.h"

#include <algorithm>

namespace fx::python {
using Kind = py::StmtKind;

namespace {
bool isYield(const py::Expr* expr) { return expr && expr->kind == py::ExprKind::Yield; }
bool isSimple(Kind kind) {
    return kind == Kind::Expression || kind == Kind::Assign || kind == Kind::AnnAssign || kind == Kind::AugAssign ||
           kind == Kind::Return;
}
} // namespace

GeneratorRun::GeneratorRun(Interpreter& in, Function& function, const Frame& frame)
    : m_in(in), m_function(function), m_frame(frame) {
    m_blocks.push_back({Block::Kind::Plain, function.head, function.head + 1, bodyEnd(function.head)});
    m_place = {function.file, tree()[function.head].offset, function.name};
}

Value GeneratorRun::resume(const Value& sent, std::exception_ptr thrown) {
    if (m_isRunning) m_in.raise("ValueError", "generator already executing");
    if (m_blocks.empty()) {
        if (thrown) std::rethrow_exception(thrown);
        return {};
    }
    if (!m_isStarted && !sent.isNone())
        m_in.raise("TypeError", "can't send non-None value to a just-started generator");
    struct Running {
        GeneratorRun& run;
        ~Running() { run.m_isRunning = false; }
    };
    m_isRunning = m_isStarted = true;
    const Running untilLeft{*this};
    m_sent = sent;
    const FrameGuard guard(m_in, m_frame, m_function);
    if (thrown) m_in.exceptions().setContext(m_in.exceptions().exceptionIn(thrown));
    m_in.stack().standAt(m_function.file, m_place.offset);
    Value value;
    try {
        value = run({Flow::Next, std::move(thrown)});
    } catch (const Raised& raised) {
        m_blocks.clear();
        if (!m_in.isInstance(raised.exception, m_in.builtinClass("StopIteration"))) throw;
        const Value error =
            m_in.instantiate(m_in.builtinClass("RuntimeError"), {m_in.text("generator raised StopIteration")}, {});
        for (const char* name : {"__cause__", "__context__"})
            error.get<Instance>().attributes.set(name, raised.exception);
        throw Raised{error};
    } catch (...) {
        m_blocks.clear();
        throw;
    }
    m_place = m_in.stack().here;
    return value;
}

void GeneratorRun::close() {
    if (m_blocks.empty() || !m_isStarted) return m_blocks.clear();
    const Value leaving = m_in.instantiate(m_in.builtinClass("GeneratorExit"), {}, {});
    try {
        if (!resume(Value::none(), std::make_exception_ptr(Raised{leaving})).isSet()) return;
    } catch (const Raised& raised) {
        if (raised.exception.sameAs(leaving)) return m_in.stack().forgetFailure();
        throw;
    }
    m_in.raise("RuntimeError", "generator ignored GeneratorExit");
}

bool GeneratorRun::hasCleanup() const {
    return m_isStarted && std::any_of(m_blocks.begin(), m_blocks.end(), [](const Block& block) {
               return block.kind == Block::Kind::Guard || block.kind == Block::Kind::With;
           });
}

Value GeneratorRun::run(Completion how) {
    if (how.error && !m_from) unwind(std::exchange(how, {}));
    while (!m_blocks.empty()) {
        try {
            Completion next;
            if (m_from) {
                if (auto value = delegate(how)) return *value;
            } else if (m_blocks.back().at >= m_blocks.back().end) {
                next = ended();
            } else if (auto value = runStatement(next)) {
                return *value;
            }
            if (next.isNext()) continue;
            how = next;
        } catch (const Raised&) { how.error = std::current_exception(); } catch (const trace::PythonError&) {
            how.error = std::current_exception();
        }
        unwind(std::exchange(how, {}));
    }
    return {};
}

/// Leaves a value if the generator is left there.
std::optional<Value> GeneratorRun::runStatement(Completion& how) {
    const std::size_t here = m_blocks.back().at, end = m_blocks.back().end;
    const py::Stmt& statement = tree()[here];
    if (!m_isLeft) m_in.statements().step(statement.offset);
    if (isYield(statement.value) && isSimple(statement.kind)) return yields(statement, how);
    if (holdsYield(here)) {
        open(here, end);
        return std::nullopt;
    }
    std::size_t at = here;
    how.flow = m_in.statements().runStatement(at, end);
    m_blocks.back().at = at;
    return std::nullopt;
}

std::optional<Value> GeneratorRun::yields(const py::Stmt& statement, Completion& how) {
    const py::Expr& expr = *statement.value;
    if (!m_isLeft) {
        const Value value = expr.items.empty() ? Value::none() : m_in.expressions().evaluateIn(*expr.items[0]);
        m_isLeft = true;
        if (expr.text != "from") return value;
        for (const char* method : {"send", "throw", "close"})
            if (m_in.specialMethod(value, method).isSet())
                throw trace::CannotFollow(Message("trace.not_computed", {{"function", "yield from"}}));
        m_from = m_in.iterate(value);
        m_sent = Value::none();
        return std::nullopt;
    }
    m_isLeft = false;
    m_frame.sent = m_sent;
    std::size_t at = m_blocks.back().at;
    how.flow = m_in.statements().runStatement(at, m_blocks.back().end);
    m_blocks.back().at = at;
    return std::nullopt;
}

/// `yield from`: what the other one yields; at its end, its result is what the expression gives.
std::optional<Value> GeneratorRun::delegate(Completion& how) {
    Iterator* from = m_from;
    m_from = nullptr; // while it runs, and if it raises
    const std::exception_ptr thrown = std::exchange(how, {}).error;
    const bool isLeaving =
        thrown && m_in.isInstance(m_in.exceptions().exceptionIn(thrown), m_in.builtinClass("GeneratorExit"));
    Value value;
    try {
        if (isLeaving && from->run) from->run->close();
        if (isLeaving || (thrown && !from->run)) std::rethrow_exception(thrown);
        if (!from->run && m_sent.isSet() && !m_sent.isNone())
            m_in.raise("AttributeError", "'" + std::string(from->type) + "' object has no attribute 'send'");
        value = from->run ? from->run->resume(m_sent, thrown) : from->next();
    } catch (...) {
        m_isLeft = false;
        throw;
    }
    if (value.isSet()) {
        m_from = from;
        return value;
    }
    m_sent = from->run ? from->run->returned() : from->returned.isSet() ? from->returned : Value::none();
    return std::nullopt;
}

/// A statement with a `yield` somewhere in it becomes blocks.
void GeneratorRun::open(std::size_t head, std::size_t end) {
    std::size_t after = head;
    const auto skipTo = [&] { m_blocks.back().at = after; };
    switch (tree()[head].kind) {
    case Kind::If: {
        const auto chosen = m_in.statements().chosenBranch(after, end);
        skipTo();
        if (chosen) openBody(*chosen);
        return;
    }
    case Kind::Try: return openTry(head, end);
    case Kind::For:
    case Kind::While: {
        Block loop{Block::Kind::Loop, head, bodyEnd(head), bodyEnd(head)};
        loop.otherwise = m_in.statements().elseOfLoop(head, after, end);
        if (tree()[head].kind == Kind::For) loop.each = m_in.iterate(m_in.expressions().iterated(*tree()[head].value));
        skipTo();
        m_blocks.push_back(std::move(loop));
        return;
    }
    default: break;
    }
    after = bodyEnd(head);
    skipTo();
    if (tree()[head].kind == Kind::With) return openWith(head);
    if (tree()[head].kind != Kind::Match) throw trace::CannotFollow(Message("trace.yield_in_expression"));
    if (const auto found = m_in.matching().matchedCase(head)) openBody(*found);
}

void GeneratorRun::openBody(std::size_t head) {
    m_blocks.push_back({Block::Kind::Plain, head, head + 1, bodyEnd(head)});
}

void GeneratorRun::openTry(std::size_t head, std::size_t end) {
    std::size_t after = head;
    Block block{Block::Kind::Try, head, head + 1, bodyEnd(head)};
    block.parts = m_in.statements().tryParts(after, end);
    m_blocks.back().at = after;
    if (m_in.statements().mayCatchTensorErrors(block.parts)) ++m_frame.catches;
    if (const auto finally = block.parts.finally) m_blocks.push_back({Block::Kind::Guard, *finally, 0, 0});
    m_blocks.push_back(std::move(block));
    ++m_frame.tries;
}

void GeneratorRun::leaveTry(const Block& block) {
    --m_frame.tries;
    if (m_in.statements().mayCatchTensorErrors(block.parts)) --m_frame.catches;
}

void GeneratorRun::openWith(std::size_t head) {
    const std::size_t count = tree()[head].value->items.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Value context = m_in.statements().enter(head, i);
        const std::size_t end = bodyEnd(head);
        Block block{Block::Kind::With, head, i + 1 == count ? head + 1 : end, end};
        block.value = context;
        m_blocks.push_back(std::move(block));
    }
}

/// The block on top has run to its end.
GeneratorRun::Completion GeneratorRun::ended() {
    if (m_blocks.back().kind == Block::Kind::Loop) return nextRound();
    Block block = std::move(m_blocks.back());
    m_blocks.pop_back();
    switch (block.kind) {
    case Block::Kind::Try:
        leaveTry(block);
        if (block.parts.otherwise) openBody(*block.parts.otherwise);
        break;
    case Block::Kind::Handler:
        m_frame.handled = block.value;
        Statements::forgetName(m_frame, tree()[block.head].alias);
        break;
    case Block::Kind::Guard:
        m_blocks.push_back({Block::Kind::Finally, block.head, block.head + 1, bodyEnd(block.head)});
        m_blocks.back().value = m_frame.handled;
        break;
    case Block::Kind::Finally: m_frame.handled = block.value; return block.after;
    case Block::Kind::With: {
        Completion how;
        leaveWith(block, how);
        return how;
    }
    default: break;
    }
    return {};
}

GeneratorRun::Completion GeneratorRun::nextRound() {
    const std::size_t depth = m_blocks.size() - 1;
    const Block loop = m_blocks[depth];
    const py::Stmt& statement = tree()[loop.head];
    bool goesOn = false;
    if (loop.each) {
        const Value value = loop.each->next();
        goesOn = value.isSet();
        if (m_in.looped) m_in.looped(value, statement.offset);
        if (goesOn) m_in.targets().assign(*statement.targets[0], value);
    } else {
        goesOn = m_in.truth(m_in.expressions().evaluateIn(*statement.value));
    }
    if (goesOn) {
        m_in.statements().step(statement.offset);
        m_blocks[depth].at = loop.head + 1;
        return {};
    }
    m_blocks.pop_back();
    if (loop.otherwise) openBody(*loop.otherwise);
    return {};
}

/// Leaves blocks until one takes the `return`, `break`, `continue` or exception.
void GeneratorRun::unwind(Completion how) {
    m_isLeft = false;
    while (!m_blocks.empty()) {
        Block block = std::move(m_blocks.back());
        m_blocks.pop_back();
        try {
            if (handle(block, how)) return;
            if (block.kind == Block::Kind::With && leaveWith(block, how)) return;
        } catch (const Raised&) { how = {Flow::Next, std::current_exception()}; } catch (const trace::PythonError&) {
            how = {Flow::Next, std::current_exception()};
        }
    }
    if (how.error) std::rethrow_exception(how.error);
    if (how.flow == Flow::Return) m_returned = m_frame.result;
}

/// Whether the block, which was taken off, takes it; it is replaced by what runs now.
bool GeneratorRun::handle(Block block, const Completion& how) {
    switch (block.kind) {
    case Block::Kind::Loop:
        if (how.error || how.flow == Flow::Return) return false;
        if (how.flow == Flow::Break) return true;
        block.at = block.end;
        m_blocks.push_back(std::move(block));
        return true;
    case Block::Kind::Guard:
        m_blocks.push_back({Block::Kind::Finally, block.head, block.head + 1, bodyEnd(block.head)});
        m_blocks.back().after = how;
        m_blocks.back().value = m_frame.handled;
        if (how.error) m_frame.handled = m_in.exceptions().exceptionIn(how.error);
        return true;
    case Block::Kind::Finally: m_frame.handled = block.value; return false;
    case Block::Kind::Handler:
        m_frame.handled = block.value;
        Statements::forgetName(m_frame, tree()[block.head].alias);
        return false;
    case Block::Kind::Try: {
        leaveTry(block);
        if (!how.error) return false;
        const Value exception = m_in.exceptions().exceptionIn(how.error);
        const auto handler = m_in.statements().handlerFor(block.parts.handlers, exception);
        if (!handler) return false;
        openBody(*handler);
        m_blocks.back().kind = Block::Kind::Handler;
        m_blocks.back().value = std::exchange(m_frame.handled, exception);
        return true;
    }
    default: return false;
    }
}

/// Runs `__exit__`; true if it has suppressed the exception.
bool GeneratorRun::leaveWith(const Block& block, Completion& how) {
    const bool suppressed =
        m_in.statements().leave(block.value, how.error ? m_in.exceptions().exceptionIn(how.error) : Value());
    if (!how.error || !suppressed) return false;
    how = {};
    return true;
}

bool GeneratorRun::holdsYield(std::size_t head) const {
    std::size_t at = head;
    const auto& statements = tree();
    const std::uint32_t indent = statements[head].indent;
    const std::size_t last = bodyEnd(m_function.head);
    const auto isBranch = [&](std::size_t each) {
        const Kind kind = statements[each].kind;
        return statements[each].indent == indent &&
               (kind == Kind::Elif || kind == Kind::Else || kind == Kind::Except || kind == Kind::Finally);
    };
    const bool hasBranches = statements[head].kind == Kind::If || statements[head].kind == Kind::Try ||
                             statements[head].kind == Kind::For || statements[head].kind == Kind::While;
    do {
        for (const std::size_t end = bodyEnd(at); at < end;) {
            const Kind kind = statements[at].kind;
            if (kind == Kind::Def || kind == Kind::Class) {
                at = bodyEnd(at);
                continue;
            }
            if (isYield(statements[at++].value)) return true;
        }
    } while (hasBranches && at < last && isBranch(at));
    return false;
}

} // namespace fx::python
