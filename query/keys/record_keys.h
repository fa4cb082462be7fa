#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/dataset.h"
#include "query/keys/key_lookup.h"
#include "query/keys/key_text.h"

namespace ofindex {

/// The keys of an open dataset, which must outlive them. Thread-safe.
class RecordKeys {
 public:
  /// Errors: those of ReaderSource::Of.
  [[nodiscard]] static Result<RecordKeys> Open(const Dataset& dataset);

  /// Opens the key by feature `name`. Errors: those of KeyLookup::Open.
  [[nodiscard]] Result<KeyLookup> Key(const std::string& name) const;

  /// Returns the ordinals of the records with `key`, ascending; none if no record has it. If the feature has integers
  /// alone, the value is one. Errors: kUsage if it is something else; those of KeyLookup.
  [[nodiscard]] Result<std::vector<uint64_t>> Find(const KeyText& key, const Progress& progress = {}) const;

  /// Does the same with a key written NAME=VALUE, which some record must have. Errors: kUsage if `text` is something
  /// else, or if no record has the key; those of KeyLookup.
  [[nodiscard]] Result<std::vector<uint64_t>> FindText(const std::string& text) const;

 private:
  RecordKeys(std::shared_ptr<const IndexFile> index, std::shared_ptr<const ReaderSource> records)
      : index_(std::move(index)), records_(std::move(records)) {}

  std::shared_ptr<const IndexFile> index_;
  std::shared_ptr<const ReaderSource> records_;
};

}  // namespace ofindex
