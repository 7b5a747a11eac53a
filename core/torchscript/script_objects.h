// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/value_reader.h"
#include "core/module/module.h"
#include "core/torchscript/script_program.h"

#include <deque>
#include <map>
#include <memory>

namespace fx::script {

/// An object of the file: a module, or an instance of a script class.
struct Object {
    using Field = std::variant<Argument, TensorPtr, const Object*,
                               std::vector<TensorPtr>>; ///< the last alternative is a list of tensors
    const Class* type = nullptr;                        ///< null for a class that LibTorch did not describe
    std::string className;
    std::vector<std::pair<std::string, Field>> fields; ///< in the order of the file
    std::shared_ptr<Module> packed;                    ///< module that represents an object with packed weights

    /// Returns a field, or null.
    const Field* field(std::string_view name) const;
    /// True for modules.
    bool isModule() const { return type && type->isModule; }
    /// True for objects of a C++ class.
    bool isTorchBind() const { return className.starts_with("__torch__.torch.classes."); }
    /// Returns a literal attribute or class constant, or null.
    const Argument* setting(const Program& program, std::string_view name) const;
    /// Returns a field that is a tensor, or null.
    TensorPtr tensor(std::string_view name) const;
    /// Returns the name of a field with the same memory, or null.
    const std::string* nameOf(const TensorRef& tensor) const;
    /// Returns the tensor at a path of attributes, `layers.0.weight`; null if none exists.
    TensorPtr tensorAt(std::string_view path) const;
};

/// True for sparse tensors, whose values cannot be mapped.
inline bool isSparse(const TensorRef& tensor) { return tensor.layout != "torch.strided"; }

/// The objects of `data.pkl`, read as data. Tensors stay regions of the file; tensors with the same region and geometry
/// are shared.
class Objects {
public:
    /// Reads the objects. Throws Error{File} if the pickle is damaged or is not an object of a script.
    Objects(std::shared_ptr<TorchFile> file, const Program& program);

    /// The module of the file.
    const Object& root() const { return *m_root; }

private:
    const Object* object(PickleRef ref, int depth);
    Object::Field field(PickleRef ref, const Class::Attribute* declared, int depth);
    std::vector<std::pair<std::string, Object::Field>> stateOfConvolution(const std::string& className, PickleRef state,
                                                                          int depth);
    Argument literal(PickleRef ref);
    std::optional<Argument> nested(PickleRef ref, int depth, std::size_t& left);
    std::optional<Argument> enumMember(PickleRef ref);
    PickleRef unwrapped(PickleRef ref) const;
    std::optional<std::vector<TensorPtr>> tensors(PickleRef list);
    TensorPtr tensor(PickleRef ref, const Class::Attribute* declared);
    [[noreturn]] void fail(const Message& what) const;

    std::shared_ptr<TorchFile> m_file;
    const Program& m_program;
    ValueReader m_values;
    std::deque<Object> m_objects;
    std::map<PickleRef, const Object*> m_known;
    using Place = std::tuple<const Storage*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>, bool>;
    std::map<Place, TensorPtr> m_tensors;
    const Object* m_root = nullptr;
};

} // namespace fx::script
