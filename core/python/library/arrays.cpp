// SPDX-License-Identifier: GPL-3.0-or-later
// What the text of numpy needs of elements: an array there is a flat list of numbers in row-major order and a shape.
#include "core/python/library/array_numbers.h"
#include "core/python/python_interpreter.h"
#include "core/python/values/slices.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fx::python {
namespace {
using Shape = std::vector<std::int64_t>;
constexpr std::int64_t kMostElements = 1 << 24;

std::int64_t countOf(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    if (count > kMostElements) throw trace::CannotFollow(Message("trace.long_sequence"));
    return count;
}
Shape shapeOf(Interpreter& in, const Value& value) {
    Shape shape;
    for (const Value& size : in.list(value)) shape.push_back(size.asInt());
    return shape;
}
Value shapeValue(Interpreter& in, const Shape& shape) { return in.tuple(Values(shape.begin(), shape.end())); }
Shape stridesOf(const Shape& shape) {
    Shape strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

/// The next place in row-major order; false at the end.
bool advance(Shape& at, const Shape& shape) {
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (++at[i] < shape[i]) return true;
        at[i] = 0;
    }
    return false;
}

/// For each place in `target` the place in an array of `shape`, which is spread over it.
std::vector<std::size_t> spread(Interpreter& in, const Shape& shape, const Shape& target) {
    const Shape strides = stridesOf(shape);
    const std::int64_t count = countOf(target);
    std::vector<std::size_t> places;
    places.reserve(static_cast<std::size_t>(count));
    if (shape == target) {
        places.resize(static_cast<std::size_t>(count));
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }
    const std::size_t lead = target.size() - std::min(shape.size(), target.size());
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape.size() > target.size() || (shape[i] != 1 && shape[i] != target[lead + i]))
            in.raise("ValueError", "operands could not be broadcast together with shapes " +
                                       in.repr(shapeValue(in, shape)) + " " + in.repr(shapeValue(in, target)));
    if (!count) return places;
    Shape at(target.size(), 0);
    do {
        std::int64_t place = 0;
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (shape[i] != 1) place += at[lead + i] * strides[i];
        places.push_back(static_cast<std::size_t>(place));
    } while (advance(at, target));
    return places;
}

Shape broadcast(const Shape& a, const Shape& b) {
    Shape out = a.size() > b.size() ? a : b;
    const Shape& less = a.size() > b.size() ? b : a;
    for (std::size_t i = 0; i < less.size(); ++i) {
        std::int64_t& size = out[out.size() - less.size() + i];
        if (size == 1) size = less[i];
    }
    return out;
}

// ── elements ─────────────────────────────────────────────────────────────────────────────────────────────────────

// ── indices ──────────────────────────────────────────────────────────────────────────────────────────────────────

/// What an index takes of an array: for each place of the result one in the array.
class Places {
public:
    Places(Interpreter& in, Shape shape) : m_in(in), m_shape(std::move(shape)), m_strides(stridesOf(m_shape)) {}

    void take(const Values& keys) {
        std::size_t used = 0;
        bool hasEllipsis = false;
        for (const Value& key : keys) used += dimensionsOf(key, hasEllipsis);
        if (used > m_shape.size()) m_in.raise("IndexError", "too many indices for array");
        const std::size_t open = m_shape.size() - used;
        for (const Value& key : keys) {
            if (isEllipsis(key)) takeWhole(open);
            else takeKey(key);
        }
        if (!hasEllipsis) takeWhole(open);
        if (m_isIndexed) placeIndexed();
    }
    Value result() {
        Shape shape;
        for (const Unit& unit : m_units) shape.insert(shape.end(), unit.shape.begin(), unit.shape.end());
        Values places;
        if (const std::int64_t count = countOf(shape)) {
            places.reserve(static_cast<std::size_t>(count));
            add(places, 0, m_base);
        }
        return m_in.tuple({m_in.listOf(std::move(places)), shapeValue(m_in, shape)});
    }

private:
    struct Unit {
        Shape shape;
        std::vector<std::int64_t> offsets;
    };
    static bool isEllipsis(const Value& key) {
        const auto* traced = key.as<Traced>();
        const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
        return argument && argument->as<EllipsisValue>();
    }
    /// (numbers, shape, whether it is a mask)
    static const Tuple* arrayIn(const Value& key) { return key.as<Tuple>(); }
    std::size_t dimensionsOf(const Value& key, bool& hasEllipsis) {
        if (isEllipsis(key)) hasEllipsis = true;
        if (isEllipsis(key) || key.isNone()) return 0;
        const auto* array = arrayIn(key);
        return array && m_in.truth(array->items[2]) ? m_in.list(array->items[1]).size() : 1;
    }
    void takeWhole(std::size_t count) {
        for (; count; --count) {
            Unit unit{{m_shape[m_next]}, {}};
            for (std::int64_t i = 0; i < m_shape[m_next]; ++i) unit.offsets.push_back(i * m_strides[m_next]);
            m_units.push_back(std::move(unit));
            ++m_next;
        }
    }
    std::int64_t placeOf(const Value& key, std::size_t dimension) {
        const auto at = indexIn(key, static_cast<std::size_t>(m_shape[dimension]));
        if (!at)
            m_in.raise("IndexError", "index " + m_in.repr(key) + " is out of bounds for axis " +
                                         std::to_string(dimension) + " with size " +
                                         std::to_string(m_shape[dimension]));
        return static_cast<std::int64_t>(*at) * m_strides[dimension];
    }
    void takeKey(const Value& key) {
        if (key.isNone()) {
            m_units.push_back({{1}, {0}});
        } else if (const auto* slice = key.as<SliceObject>()) {
            const Span span = spanOf(*slice, static_cast<std::size_t>(m_shape[m_next]));
            Unit unit{{static_cast<std::int64_t>(span.count)}, {}};
            for (std::size_t i = 0; i < span.count; ++i)
                unit.offsets.push_back((span.start + static_cast<std::int64_t>(i) * span.step) * m_strides[m_next]);
            m_units.push_back(std::move(unit));
            ++m_next;
        } else if (const auto* array = arrayIn(key)) {
            takeArray(*array);
        } else if (key.isInt()) {
            m_base += placeOf(key, m_next++);
        } else {
            m_in.raise("IndexError", "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                                     "integer or boolean arrays are valid indices");
        }
    }
    void takeArray(const Tuple& array) {
        const Values& numbers = array.items[0].get<List>().items;
        const Shape shape = shapeOf(m_in, array.items[1]);
        if (!m_isIndexed) m_indexedAt = m_units.size();
        else if (m_indexedAt != m_units.size()) m_indexedAt = 0;
        if (!m_in.truth(array.items[2])) {
            Unit unit{shape, {}};
            for (const Value& each : numbers) unit.offsets.push_back(placeOf(each, m_next));
            ++m_next;
            join(std::move(unit));
            return;
        }
        Unit unit{{0}, {}};
        const Shape strides(m_strides.begin() + static_cast<std::ptrdiff_t>(m_next),
                            m_strides.begin() + static_cast<std::ptrdiff_t>(m_next + shape.size()));
        Shape at(shape.size(), 0);
        for (const Value& each : numbers) {
            if (m_in.truth(each))
                unit.offsets.push_back(std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
            advance(at, shape);
        }
        unit.shape = {static_cast<std::int64_t>(unit.offsets.size())};
        m_next += shape.size();
        join(std::move(unit));
    }
    /// Arrays in one index are spread over each other.
    void join(Unit unit) {
        if (!m_isIndexed) {
            m_indexed = std::move(unit);
            m_isIndexed = true;
            return;
        }
        const Shape shape = broadcast(m_indexed.shape, unit.shape);
        const auto first = spread(m_in, m_indexed.shape, shape), second = spread(m_in, unit.shape, shape);
        Unit both{shape, {}};
        for (std::size_t i = 0; i < first.size(); ++i)
            both.offsets.push_back(m_indexed.offsets[first[i]] + unit.offsets[second[i]]);
        m_indexed = std::move(both);
    }
    void placeIndexed() {
        m_units.insert(m_units.begin() + static_cast<std::ptrdiff_t>(m_indexedAt), std::move(m_indexed));
    }
    void add(Values& places, std::size_t unit, std::int64_t base) { // as deep as the array has dimensions
        if (unit == m_units.size()) {
            places.push_back(Value(base));
            return;
        }
        for (const std::int64_t offset : m_units[unit].offsets) add(places, unit + 1, base + offset);
    }

    Interpreter& m_in;
    Shape m_shape, m_strides;
    std::vector<Unit> m_units;
    Unit m_indexed;
    bool m_isIndexed = false;
    std::size_t m_indexedAt = 0, m_next = 0;
    std::int64_t m_base = 0;
};

/// Functions that the classes of numpy's numbers use.
template<class Add> void addNumbers(Interpreter&, const Add& add) {
    add("__numpy_number__", [](Interpreter& in, Values& args, Keywords&) -> Value { // class, number
        Class* type = args.at(0).as<Class>();
        type->isArrayNumber = true;
        Instance* made = in.instances().bare(*type);
        made->payload = plain(args.at(1));
        return made;
    });
    add("__plain_number__", [](Interpreter&, Values& args, Keywords&) -> Value { return plainValue(args.at(0)); });
    add("__number_text__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.text(array_numbers::numberText(in, plain(args.at(0)), in.str(args.at(1))));
    });
    add("__rename_class__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        args.at(0).get<Class>().name = in.str(args.at(1));
        return Value::none();
    });
}

const Values& itemsIn(const Value& list) { return list.get<List>().items; }
} // namespace

void Library::addArrays() {
    const auto add = [&](const char* name, Native::Body body) {
        m_in.builtins().names().set(name, native(name, std::move(body)));
    };
    add("__rounded__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return array_numbers::castTo(in, plain(args.at(0)), in.str(args.at(1)));
    });
    addNumbers(m_in, add);
    addRandomNumbers();
    add("__array_cast__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const std::string dtype = in.str(args.at(1));
        Values out;
        for (const Value& each : itemsIn(args[0])) out.push_back(array_numbers::castTo(in, plain(each), dtype));
        return in.listOf(std::move(out));
    });
    add("__array_binary__", [](Interpreter& in, Values& args, Keywords&) -> Value { // op, values, shape, values, shape
        const std::string op = in.str(args.at(0));
        const Shape first = shapeOf(in, args.at(2)), second = shapeOf(in, args.at(4)), shape = broadcast(first, second);
        const auto a = spread(in, first, shape), b = spread(in, second, shape);
        Values out;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const Value &x = plain(itemsIn(args[1])[a[i]]), &y = plain(itemsIn(args[3])[b[i]]);
            array_numbers::require(in, x);
            array_numbers::require(in, y);
            out.push_back(array_numbers::operated(op, x, y));
        }
        return in.tuple({in.listOf(std::move(out)), shapeValue(in, shape)});
    });
    add("__array_unary__", [](Interpreter& in, Values& args, Keywords&) -> Value { // op, values
        const std::string op = in.str(args.at(0));
        Values out;
        for (const Value& each : itemsIn(args.at(1))) {
            array_numbers::require(in, plain(each));
            out.push_back(array_numbers::unaryOf(op, plain(each)));
        }
        return in.listOf(std::move(out));
    });
    add("__array_reduced__", [](Interpreter& in, Values& args, Keywords&) -> Value { // op, values, shape, axis, dtype
        const std::string op = in.str(args.at(0)), dtype = in.str(args.at(4));
        const Values& all = itemsIn(args.at(1));
        const Shape shape = shapeOf(in, args.at(2)), strides = stridesOf(shape);
        const auto axis = static_cast<std::size_t>(args.at(3).asInt());
        const bool inRows = strides.at(axis) == 1 || countOf(shape) == shape[axis];
        Shape left = shape;
        left.at(axis) = 1;
        Values out;
        if (!countOf(left)) return in.listOf({});
        Shape at(shape.size(), 0);
        do {
            Values row;
            const std::int64_t base = std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0});
            for (std::int64_t i = 0; i < shape[axis]; ++i)
                row.push_back(all[static_cast<std::size_t>(base + i * strides[axis])]);
            out.push_back(array_numbers::reduced(op, row, dtype, inRows));
        } while (advance(at, left));
        return in.listOf(std::move(out));
    });
    add("__array_permuted__", [](Interpreter& in, Values& args, Keywords&) -> Value { // values, shape, axes
        const Shape shape = shapeOf(in, args.at(1)), axes = shapeOf(in, args.at(2)), strides = stridesOf(shape);
        Shape made, steps;
        for (const std::int64_t axis : axes) {
            made.push_back(shape.at(static_cast<std::size_t>(axis)));
            steps.push_back(strides[static_cast<std::size_t>(axis)]);
        }
        Values out;
        if (countOf(made)) {
            Shape at(made.size(), 0);
            do {
                const std::int64_t place = std::inner_product(at.begin(), at.end(), steps.begin(), std::int64_t{0});
                out.push_back(itemsIn(args[0])[static_cast<std::size_t>(place)]);
            } while (advance(at, made));
        }
        return in.tuple({in.listOf(std::move(out)), shapeValue(in, made)});
    });
    add("__array_places__", [](Interpreter& in, Values& args, Keywords&) -> Value { // shape, keys
        Places places(in, shapeOf(in, args.at(0)));
        places.take(in.list(args.at(1)));
        return places.result();
    });
    add("__array_spread__", [](Interpreter& in, Values& args, Keywords&) -> Value { // values, shape, wanted shape
        Values out;
        for (const std::size_t place : spread(in, shapeOf(in, args.at(1)), shapeOf(in, args.at(2))))
            out.push_back(itemsIn(args.at(0))[place]);
        return in.listOf(std::move(out));
    });
    add("__array_written__", [](Interpreter& in, Values& args, Keywords&) -> Value { // values, places, new values
        Values out = itemsIn(args.at(0));
        const Values &places = itemsIn(args.at(1)), &given = itemsIn(args.at(2));
        for (std::size_t i = 0; i < places.size(); ++i)
            out.at(static_cast<std::size_t>(places[i].asInt())) = given.at(i);
        return in.listOf(std::move(out));
    });
}

namespace {
const Instance* arrayOf(const Value& value) {
    const auto* instance = value.as<Instance>();
    const Class* type = instance ? instance->type : nullptr;
    return type && type->name == "ndarray" && type->file && type->file->name == "numpy" ? instance : nullptr;
}
bool isNumpys(const Value& value) {
    const auto* instance = value.as<Instance>();
    return arrayOf(value) || (instance && instance->type->isArrayNumber);
}
bool holdsNumpys(const Value& value) {
    const Values* items = itemsOf(value);
    if (!items) return isNumpys(value);
    const trace::Deeper deeper;
    trace::charge(items->size());
    return std::any_of(items->begin(), items->end(), holdsNumpys);
}
/// Lists in place of arrays and numbers of Python in place of numpy's, also in lists. `dtype` becomes that of all
/// together; a float of Python has torch's default dtype there.
Value withoutArrays(Interpreter& in, const Value& value, Value& dtype) {
    const Values* items = itemsOf(value);
    const trace::Deeper deeper;
    if (items && holdsNumpys(value)) {
        Values out;
        for (const Value& each : *items) out.push_back(withoutArrays(in, each, dtype));
        return in.listOf(std::move(out));
    }
    if (!isNumpys(value) && !value.isNumber()) return value;
    Names& numpy = in.run(*in.ownFile("numpy")).names;
    const Value own = isNumpys(value) ? in.attribute(value, "dtype")
                                      : *numpy.find(value.kind == Value::Kind::Bool  ? "_truths"
                                                    : value.kind == Value::Kind::Int ? "_longs"
                                                                                     : "_singles");
    dtype = dtype.isSet() ? in.call(*numpy.find("_promoted_in_torch"), {dtype, own}) : own;
    return isNumpys(value) ? in.call(in.attribute(value, "tolist"), {}) : value;
}
} // namespace

bool Library::takesArrays(std::string_view function) {
    static constexpr std::string_view kTakers[] = {"torch.tensor", "torch.as_tensor", "torch.asarray"};
    return std::find(std::begin(kTakers), std::end(kTakers), function) != std::end(kTakers);
}

void Library::unwrapArray(std::string_view function, Values& args, Keywords& kwargs) {
    if (!takesArrays(function)) return;
    if (Value* data = keyword(kwargs, "data"); data && args.empty()) {
        args.push_back(*data);
        std::erase_if(kwargs, [](const auto& each) { return each.first == "data"; });
    }
    if (args.empty() || !holdsNumpys(args[0])) return;
    Value dtype;
    args[0] = withoutArrays(m_in, args[0], dtype);
    if (!keyword(kwargs, "dtype")) kwargs.emplace_back("dtype", resolve("torch." + str(attribute(dtype, "name"))));
}

Value Library::tensorKey(const Value& key) {
    if (arrayOf(key)) return call(resolve("torch.as_tensor"), {key});
    if (isNumpys(key)) return key.get<Instance>().payload;
    if (const auto* slice = key.as<SliceObject>()) {
        SliceObject* made = heap().make<SliceObject>();
        made->start = tensorKey(slice->start);
        made->stop = tensorKey(slice->stop);
        made->step = tensorKey(slice->step);
        return made;
    }
    const Values* items = itemsOf(key);
    if (!items) return key;
    constexpr std::size_t kItemBytes = 256; // a list of lists holds the same ones again and again
    const trace::Deeper deeper;
    trace::chargeBytes(items->size() * kItemBytes);
    trace::charge(items->size());
    Values out;
    for (const Value& each : *items) out.push_back(tensorKey(each));
    return key.as<Tuple>() ? Value(tuple(std::move(out))) : listOf(std::move(out));
}

} // namespace fx::python
