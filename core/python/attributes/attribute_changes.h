// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Sets and deletes attributes.
class AttributeChanges : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    void setAttribute(const Value& object, std::string_view name, const Value& value);

    /// `del object.name`.
    void removeAttribute(const Value& object, const std::string& name);
    /// `object.__delattr__`.
    void eraseAttribute(const Value& object, const std::string& name);
    /// Returns the names in `__slots__` of a class and its bases; null where instances have a `__dict__`.
    const std::vector<std::string>* slotsOf(Class& type);
    /// `function.__dict__`, which shows what is set later, too.
    Dict* dictOf(Function& function);
    /// Lets changes of a dict that `__dict__` or `globals()` returned change the names of the file.
    void passOn(Dict& names, SourceFile& file);
    /// Throws CannotFollow for `__dict__` of a module of PyTorch or Python, an unknown object, and for those of its
    /// methods that change it.
    void requireOtherDict(const Opaque& object);
    /// Throws CannotFollow while a program has replaced a function of torch.nn.init, which a layer would call to draw
    /// its weights.
    void requireOwnInit() const;
    /// Returns what a program has set as an attribute of a tensor, such as `weight._no_weight_decay`; unset if nothing.
    Value markOf(const TensorRef& tensor, std::string_view name) const;

    /// Returns PyTorch's `reset_parameters` of a layer, which a program may have replaced; unset if it has none.
    Value originalReset(const Class& layer) const;
    /// Throws CannotFollow if a program has replaced `reset_parameters` of a base of this class of torch.nn, from which
    /// Lancet's class may not inherit it, or of any class if the layer has parts, which Lancet makes as a whole.
    void requireOwnReset(const Class& layer, bool hasParts) const;

private:
    bool replacesReset(Class& type, std::string_view name, const Value& value);
    void requireCause(std::string_view name, const Value& value);
    static void link(Function& function, Dict& dict);
    void setFunction(Function& function, std::string_view name, const Value& value);
    void setName(const std::string& path, const Value& value);
    void requireOwnText(const std::string& name) const;
    void setClass(Instance& instance, const Value& value);
    void setDict(Instance& instance, const Value& value);
    bool noteReplacedInit(const std::string& path, const Value& before, const Value& value);

    struct Marked {
        TensorPtr tensor;
        Names names;
    };

    std::unordered_map<const TensorRef*, Marked> m_marks; ///< set by the program; kept alive with their tensors
    std::vector<std::pair<Class*, Value>> m_resets;       ///< replaced `reset_parameters` of classes of torch.nn
    Names m_replacedInit;                                 ///< what replaced functions of torch.nn.init were, by path
};

} // namespace fx::python
