#include "python/src/records/keys.h"

#include <nanobind/stl/shared_ptr.h>

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/build/key_set.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/objects.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/source.h"
#include "query/keys/key_lookup.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

/// A key of an open dataset.
struct Key {
  std::shared_ptr<const Source> source;  // owns the reader that the lookup uses
  KeyLookup lookup;
};

std::shared_ptr<const Key> OpenKey(const std::shared_ptr<const Source>& source, nb::handle name) {
  std::shared_ptr<const RecordReader> reader(source, &source->dataset.reader());
  std::shared_ptr<const ReaderSource> records = Unwrap(ReaderSource::Of(std::move(reader)));
  KeyLookup lookup = Unwrap(KeyLookup::Open(source->dataset.snapshot()->index(), std::move(records), NameOf(name)));
  return std::make_shared<const Key>(Key{source, std::move(lookup)});
}

void MakeKeyOf(const std::shared_ptr<const Source>& source, nb::handle name, unsigned threads) {
  const KeyOptions options{.name = NameOf(name), .threads = threads};
  Progress progress;
  RunInterruptibly(
      [&](Progress& told) -> Result<KeyReport> {
        OFINDEX_ASSIGN(const std::shared_ptr<const OffsetMap> map, source->dataset.snapshot()->Map());
        return BuildKey(source->dataset.snapshot()->index(), map, options, told);
      },
      progress);
}

[[noreturn]] void RaiseType(const KeyFacts& facts, PyObject* object) {
  const std::string wanted = facts.has_bytes && facts.has_integers ? "bytes, str or int"
                             : facts.has_bytes                     ? "bytes or str"
                                                                   : "int";
  PyErr_Format(PyExc_TypeError, "a key by feature '%s' is %s, not %s", Printable(facts.name).c_str(), wanted.c_str(),
               TypeName(object).c_str());
  throw nb::python_error();
}

/// The keys that Python asks for, valid while `objects` live. A number beyond 64 bits is no key of a record.
class AskedKeys {
 public:
  AskedKeys(const KeyFacts& facts, nb::handle objects)
      : facts_(facts), objects_(nb::steal(PySequence_Tuple(objects.ptr()))) {
    if (!objects_.is_valid()) throw nb::python_error();
    const Py_ssize_t size = ListSize(objects_.ptr());
    keys_.reserve(static_cast<size_t>(size));
    places_.reserve(static_cast<size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) Add(ListItem(objects_.ptr(), i), static_cast<size_t>(i));
    size_ = static_cast<size_t>(size);
  }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::span<const LookupKey> keys() const { return keys_; }
  [[nodiscard]] std::span<const size_t> places() const { return places_; }

 private:
  void Add(PyObject* object, size_t place) {
    if (PyBytes_Check(object)) {
      if (!facts_.has_bytes) RaiseType(facts_, object);
      keys_.emplace_back(BytesIn(object));
    } else if (PyUnicode_Check(object)) {
      if (!facts_.has_bytes) RaiseType(facts_, object);
      keys_.emplace_back(AsBytes(texts_.emplace_back(NameOf(object))));
    } else {
      if (!facts_.has_integers || PyIndex_Check(object) == 0) RaiseType(facts_, object);
      const nb::object integer = nb::steal(PyNumber_Index(object));
      if (!integer.is_valid()) throw nb::python_error();
      int overflow = 0;
      const int64_t value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
      if (overflow != 0) return;
      keys_.emplace_back(value);
    }
    places_.push_back(place);
  }

  const KeyFacts& facts_;
  nb::object objects_;
  std::deque<std::string> texts_;
  std::vector<LookupKey> keys_;
  std::vector<size_t> places_;
  size_t size_ = 0;
};

constexpr uint64_t kFewRecords = 16'384;

// Runs `work` without the GIL, and so that Ctrl-C ends it if it compares more records than some milliseconds allow.
template <typename Work>
auto RunIfLong(uint64_t records, const Work& work) {
  if (records > kFewRecords) return RunInterruptibly(work);
  auto done = [&] {
    const nb::gil_scoped_release release;
    return work(Progress{});
  }();
  return Unwrap(std::move(done));
}

// Returns how many records a lookup may compare, at least if they are few.
uint64_t RecordsFor(const KeyLookup& lookup, std::span<const LookupKey> keys) {
  uint64_t records = keys.size();
  for (size_t i = 0; i < keys.size() && records <= kFewRecords; ++i) {
    records += Unwrap(lookup.CountCandidates(keys[i]));
  }
  return records;
}

// Returns the lowest ordinal of each key as an array of int64, -1 if no record has it.
nb::object Find(const Key& key, nb::handle objects) {
  const AskedKeys asked(key.lookup.facts(), objects);
  std::vector<uint64_t> found(asked.keys().size());
  RunIfLong(RecordsFor(key.lookup, asked.keys()),
            [&](const Progress& progress) { return key.lookup.Find(asked.keys(), found, progress); });
  if (found.size() == asked.size()) return RowArray(std::move(found));  // kMissing is -1
  std::vector<uint64_t> all(asked.size(), KeyLookup::kMissing);
  for (size_t i = 0; i < found.size(); ++i) all[asked.places()[i]] = found[i];
  return RowArray(std::move(all));
}

// Does the same for an array of integers, given as a buffer of int64.
nb::object FindIntegers(const Key& key, nb::bytes integers) {
  const ByteView bytes = BytesIn(integers.ptr());
  std::vector<uint64_t> found(bytes.size() / 8);
  RunIfLong(found.size(), [&](const Progress& progress) {
    return WithMemory("keys", [&] {
      std::vector<LookupKey> keys;
      keys.reserve(found.size());
      for (size_t i = 0; i < found.size(); ++i) keys.emplace_back(static_cast<int64_t>(LoadLe64(bytes.data() + 8 * i)));
      return key.lookup.Find(keys, found, progress);
    });
  });
  return RowArray(std::move(found));
}

// Returns all ordinals of one key, ascending.
nb::object FindAll(const Key& key, nb::handle object) {
  const AskedKeys asked(key.lookup.facts(), nb::make_tuple(object));
  if (asked.keys().empty()) return RowArray({});
  const LookupKey& wanted = asked.keys().front();
  const uint64_t records = Unwrap(key.lookup.CountCandidates(wanted));
  return RowArray(RunIfLong(records, [&](const Progress& progress) { return key.lookup.FindAll(wanted, progress); }));
}

nb::dict FactsOf(const Key& key) {
  const KeyFacts& facts = key.lookup.facts();
  nb::dict dict;
  dict["name"] = TextOf(facts.name);
  dict["records"] = facts.records;
  dict["keys"] = facts.keys;
  dict["duplicates"] = facts.repeats();
  dict["records_without"] = facts.without;
  dict["has_integers"] = facts.has_integers;
  return dict;
}

}  // namespace

void BindKeys(nb::module_& m) {
  nb::class_<Key>(m, "Key")
      .def("find", &Find, "keys"_a)
      .def("find_integers", &FindIntegers, "integers"_a)
      .def("find_all", &FindAll, "key"_a)
      .def("facts", &FactsOf);
  m.def("open_key", &OpenKey, "source"_a, "name"_a);
  m.def("make_key", &MakeKeyOf, "source"_a, "name"_a, "threads"_a);
}

}  // namespace ofindex::python
