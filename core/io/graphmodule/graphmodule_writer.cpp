// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/graphmodule_writer.h"

#include "core/files/replaced_file.h"
#include "core/io/graphmodule/object_writer.h"
#include "core/io/graphmodule/tensor_pickle.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/print.h"

#include <algorithm>
#include <filesystem>

// What has no object in the file that the model came from: new tensors and values.

namespace fx {

void ObjectWriter::tensor(const TensorPtr& tensor) {
    if (!tensor) return m_pickler.none();
    if (const PickleRef known = objectOf(tensor->origin); known != kNoPickle) return object(known);
    if (const auto known = m_tensors.find(tensor.get()); known != m_tensors.end()) return m_pickler.get(known->second);
    newTensor(*tensor);
    m_tensors[tensor.get()] = m_pickler.put();
}

/// A parameter is a call around its tensor.
void ObjectWriter::newTensor(const TensorRef& tensor) {
    const bool plain = tensor.storage && !tensor.storage->isExpression() && tensor.layout == "torch.strided" &&
                       tensor.dtype != DType::Other && !tensor.conjugate && !tensor.negative;
    if (!plain)
        throw Error(ErrorKind::Refused,
                    Message("graphmodule.new_tensor", {{"dtype", dtypeName(tensor.dtype)}, {"layout", tensor.layout}}));
    if (tensor.quantizer) return quantizedTensor(tensor);
    if (tensor.isParameter) {
        m_pickler.global("torch._utils", "_rebuild_parameter");
        m_pickler.mark();
    }
    pickleTensor(m_pickler, tensor, storageKey(tensor.storage, tensor.storage->byteCount()), tensor.device,
                 !tensor.isParameter && tensor.requiresGrad);
    if (!tensor.isParameter) return;
    m_pickler.boolean(tensor.requiresGrad);
    pickleEmptyOrderedDict(m_pickler);
    m_pickler.tuple();
    m_pickler.reduce();
}

/// Values nest at most kMaxArgumentDepth deep. An object of the file is written later, so it may only stand alone.
void ObjectWriter::argument(const Argument& value) {
    const auto* object = value.as<OpaqueObject>();
    if (const PickleRef known = object ? objectOf(object->origin) : kNoPickle; known != kNoPickle)
        return this->object(known);
    plainArgument(value);
}

void ObjectWriter::addArgument(std::vector<Task>& tasks, const Argument& value) {
    if (value.as<OpaqueObject>()) tasks.push_back([this, &value] { argument(value); });
    else flat(tasks, [this, &value] { plainArgument(value); });
}

void ObjectWriter::plainArgument(const Argument& value) {
    if (value.isNone()) return m_pickler.none();
    if (const auto* flag = value.as<bool>()) return m_pickler.boolean(*flag);
    if (const auto* number = value.as<std::int64_t>()) return m_pickler.integer(*number);
    if (const auto* number = value.as<double>()) return m_pickler.real(*number);
    if (const auto* number = value.as<BigInt>()) return m_pickler.bigInteger(number->digits);
    if (const auto* number = value.as<Complex>())
        return made("builtins", "complex", {Argument(number->re), Argument(number->im)});
    if (const auto* range = value.as<Range>())
        return made("builtins", "range", {Argument(range->start), Argument(range->stop), Argument(range->step)});
    if (const auto* slice = value.as<Slice>())
        return made("builtins", "slice", {slice->start, slice->stop, slice->step});
    if (value.as<EllipsisValue>()) return m_pickler.global("builtins", "Ellipsis");
    if (const auto* device = value.as<Device>()) {
        std::vector<Argument> parts{Argument(device->type)};
        if (device->index >= 0) parts.emplace_back(device->index);
        return made("torch", "device", parts);
    }
    if (const auto* string = value.as<std::string>()) return m_pickler.text(*string);
    if (const auto* data = value.as<Bytes>()) return m_pickler.bytes(data->data, false);
    if (const auto* constant = value.as<TorchConstant>(); constant && constant->kind == TorchConstant::Kind::Layout)
        return made("torch.serialization", "_get_layout", {Argument(constant->name)});
    if (const auto* constant = value.as<TorchConstant>();
        constant && (constant->kind == TorchConstant::Kind::Dtype || constant->kind == TorchConstant::Kind::QScheme))
        return m_pickler.global("torch", constant->name.substr(6));
    if (const auto* function = value.as<CallableValue>(); function && function->callable->module.starts_with("torch."))
        return m_pickler.global(function->callable->module, function->callable->name);
    if (const auto* sequence = value.as<Sequence>(); sequence && sequence->kind != Sequence::Kind::NamedTuple) {
        const bool list = sequence->kind == Sequence::Kind::List;
        if (list) m_pickler.emptyList();
        m_pickler.mark();
        for (const auto& item : sequence->items) plainArgument(item);
        return list ? m_pickler.appends() : m_pickler.tuple();
    }
    if (const auto* dict = value.as<Dict>()) {
        m_pickler.emptyDict();
        m_pickler.mark();
        for (const auto& [key, item] : dict->items) plainArgument(key), plainArgument(item);
        return m_pickler.setItems();
    }
    throw Error(ErrorKind::Refused, Message("graphmodule.attribute", {{"value", reprOf(Graph(), value)}}));
}

/// What a pickle makes by calling a class or function.
void ObjectWriter::made(std::string_view module, std::string_view name, const std::vector<Argument>& args) {
    m_pickler.global(module, name);
    m_pickler.mark();
    for (const Argument& each : args) plainArgument(each);
    m_pickler.tuple();
    m_pickler.reduce();
}

/// An OrderedDict of objects by their keys: each is a class and the fields of the object.
void ObjectWriter::newHooks(const Argument& hooks) {
    pickleEmptyOrderedDict(m_pickler);
    m_pickler.mark();
    for (const auto& [key, hook] : hooks.as<Dict>()->items) {
        const auto& parts = hook.asTuple()->items;
        const std::string& type = *parts.at(0).as<std::string>();
        plainArgument(key);
        m_pickler.global(type.substr(0, type.rfind('.')), type.substr(type.rfind('.') + 1));
        m_pickler.emptyTuple();
        m_pickler.newObject();
        plainArgument(parts.at(1));
        m_pickler.build();
    }
    m_pickler.setItems();
}

void writeTorchFile(const std::string& path, std::string_view pickle,
                    const std::vector<std::pair<std::shared_ptr<const Storage>, std::uint64_t>>& storages,
                    const Progress& progress) {
    const std::string root = std::filesystem::path(path).stem().string() + "/", data = root + "data/";
    ReplacedFile file(path);
    ZipWriter zip([&file](std::string_view bytes) { file.write(bytes); });
    zip.add(root + "data.pkl", pickle);
    zip.add(root + "byteorder", "little");
    for (std::size_t i = 0; i < storages.size(); ++i) {
        progress.report("writing weights", static_cast<double>(i) / static_cast<double>(storages.size()));
        progress.check();
        zip.add(data + std::to_string(i), *storages[i].first, storages[i].second);
    }
    zip.add(root + "version", "3\n");
    zip.finish();
    file.commit();
}

Warnings writeGraphModule(const GraphModule& model, const std::string& path, const GenerateCode& generate,
                          const Progress& progress) {
    ObjectWriter writer(model, generate, progress);
    const std::string pickle = writer.run();
    writeTorchFile(path, pickle, writer.storages(), progress);
    return std::move(writer.warnings);
}

void checkGraphModule(const GraphModule& model, const GenerateCode& generate, const Progress& progress) {
    (void)ObjectWriter(model, generate, progress).run();
}

} // namespace fx
