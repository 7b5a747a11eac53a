// SPDX-License-Identifier: GPL-3.0-or-later
// Python's built-in exceptions.
#include "core/python/python_interpreter.h"

namespace fx::python {

namespace {
/// Whether an exception takes this keyword.
bool takes(Interpreter& in, const Class& type, std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kKeywords[] = {{"ImportError", "name"},
                                                                                  {"ImportError", "path"},
                                                                                  {"AttributeError", "name"},
                                                                                  {"AttributeError", "obj"},
                                                                                  {"NameError", "name"}};
    for (const auto& [of, word] : kKeywords)
        if (word == name && type.derivesFrom(in.builtinClass(of))) return true;
    return false;
}
} // namespace

void Builtins::addExceptions() {
    static constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
        {"BaseException", "object"},
        {"Exception", "BaseException"},
        {"ArithmeticError", "Exception"},
        {"AssertionError", "Exception"},
        {"AttributeError", "Exception"},
        {"ImportError", "Exception"},
        {"LookupError", "Exception"},
        {"NameError", "Exception"},
        {"OSError", "Exception"},
        {"RuntimeError", "Exception"},
        {"StopIteration", "Exception"},
        {"SyntaxError", "Exception"},
        {"TypeError", "Exception"},
        {"ValueError", "Exception"},
        {"Warning", "Exception"},
        {"FileNotFoundError", "OSError"},
        {"IndexError", "LookupError"},
        {"KeyError", "LookupError"},
        {"ModuleNotFoundError", "ImportError"},
        {"NotImplementedError", "RuntimeError"},
        {"RecursionError", "RuntimeError"},
        {"OverflowError", "ArithmeticError"},
        {"ZeroDivisionError", "ArithmeticError"},
        {"FloatingPointError", "ArithmeticError"},
        {"MemoryError", "Exception"},
        {"EOFError", "Exception"},
        {"PermissionError", "OSError"},
        {"FileExistsError", "OSError"},
        {"NotADirectoryError", "OSError"},
        {"TimeoutError", "OSError"},
        {"ConnectionError", "OSError"},
        {"UnboundLocalError", "NameError"},
        {"UnicodeError", "ValueError"},
        {"UnicodeDecodeError", "UnicodeError"},
        {"UnicodeEncodeError", "UnicodeError"},
        {"IndentationError", "SyntaxError"},
        {"GeneratorExit", "BaseException"},
        {"PendingDeprecationWarning", "Warning"},
        {"SyntaxWarning", "Warning"},
        {"ResourceWarning", "Warning"},
        {"DeprecationWarning", "Warning"},
        {"FutureWarning", "Warning"},
        {"UserWarning", "Warning"},
        {"RuntimeWarning", "Warning"},
        {"ImportWarning", "Warning"},
        {"TraceError", "ValueError"},
        {"KeyboardInterrupt", "BaseException"},
        {"SystemExit", "BaseException"},
        {"FrozenInstanceError", "AttributeError"},
        {"BaseExceptionGroup", "BaseException"},
        {"ExceptionGroup", "BaseExceptionGroup"},
        {"BlockingIOError", "OSError"},
        {"BrokenPipeError", "ConnectionError"},
        {"ConnectionAbortedError", "ConnectionError"},
        {"ConnectionRefusedError", "ConnectionError"},
        {"ConnectionResetError", "ConnectionError"},
        {"BufferError", "Exception"},
        {"BytesWarning", "Warning"},
        {"ChildProcessError", "OSError"},
        {"EncodingWarning", "Warning"},
        {"InterruptedError", "OSError"},
        {"IsADirectoryError", "OSError"},
        {"ProcessLookupError", "OSError"},
        {"ReferenceError", "Exception"},
        {"StopAsyncIteration", "Exception"},
        {"SystemError", "Exception"},
        {"TabError", "IndentationError"},
        {"UnicodeTranslateError", "UnicodeError"},
        {"UnicodeWarning", "Warning"}};
    for (const auto& [name, base] : kExceptions) {
        Class* type = heap().make<Class>();
        type->name = name;
        type->isException = true;
        type->bases = {builtinClass(base)};
        m_in.classes().orderBases(*type);
        m_builtins.set(name, type);
        // `super().__init__(message)` of a class of the program
        type->members.set("__init__", native("__init__", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
                              auto& self = args.at(0).get<Instance>();
                              self.attributes.set("args", in.tuple(Values(args.begin() + 1, args.end())));
                              for (const auto& [name, value] : kwargs) {
                                  if (!takes(in, *self.type, name))
                                      in.raise("TypeError", self.type->name + "() takes no keyword arguments");
                                  self.attributes.set(name, value);
                              }
                              return Value::none();
                          }));
    }
    builtinClass("BaseException")
        ->members.set("with_traceback", native("with_traceback", [](Interpreter&, Values& args, Keywords&) -> Value {
                          return args.at(0);
                      }));
    for (const char* alias : {"EnvironmentError", "IOError"}) m_builtins.set(alias, builtinClass("OSError"));
}

} // namespace fx::python
