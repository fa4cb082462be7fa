#pragma once

#include <cstdint>
#include <vector>

#include "proto/extract/extractor_source.h"
#include "proto/extract/path_tree.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// Reads the paths of a plan in one message after another. Views its arguments.
template <typename Source>
class PathExtractor {
 public:
  using Reader = typename Source::Reader;
  using Field = typename Source::Field;

  PathExtractor(const PathTree& tree, std::vector<PathLeaf>& leaves) : tree_(tree), leaves_(leaves) {}

  /// Adds the values in `payload`, a message of `source`, to the leaves, which must be empty. Returns false if a part
  /// that must be read is malformed or cannot be read.
  [[nodiscard]] bool Extract(Source& source, const Reader& payload) {
    open_.clear();
    open_.push_back({payload, &tree_.root(), ++messages_});
    Field field;
    while (!open_.empty()) {
      Open& message = open_.back();
      if (message.reader.Next(&field)) {
        if (!ExtractField(source, message, field)) return false;
      } else if (!message.reader.ok()) {
        return false;
      } else {
        open_.pop_back();
      }
    }
    return true;
  }

 private:
  // A message being read.
  struct Open {
    Reader reader;
    const PathTree::Node* node;
    uint64_t repeated;  // number of the innermost repeated message: this message, or one that contains it
  };

  [[nodiscard]] bool ExtractField(Source& source, Open& message, const Field& field) {
    const PathTree::Node* node = tree_.Child(*message.node, field.number);
    if (node == nullptr) return true;
    if (node->leaf != PathTree::kNone) return ExtractLeaf(source, message, field, leaves_[node->leaf]);
    if (field.type != (node->field.group ? WireType::kGroup : WireType::kBytes)) return true;
    const uint64_t repeated = node->field.repeated ? ++messages_ : message.repeated;
    open_.push_back({message.reader.Nested(field.bytes), node, repeated});
    return true;
  }

  [[nodiscard]] bool ExtractLeaf(Source& source, Open& message, const Field& field, PathLeaf& leaf) {
    if (field.type == leaf.value_type()) {
      if (field.type == WireType::kBytes) {
        leaf.AddBytes(source.Where(field.bytes), message.repeated);
      } else {
        leaf.AddNumber(NumberBits(leaf.scalar(), field.value), message.repeated);
      }
    } else if (field.type == WireType::kBytes && leaf.repeated()) {
      return ExtractPacked(source, message, field.bytes, leaf);
    }
    return true;
  }

  [[nodiscard]] bool ExtractPacked(Source& source, Open& message, typename Source::Bytes chunk, PathLeaf& leaf) {
    if (leaf.value_type() != WireType::kVarint) return ExtractPackedFixed(source, message, chunk, leaf);
    if (!leaf.whole()) {
      if (const uint64_t count = source.CountQuickly(chunk); count > 1) {
        leaf.Count(count);
        return true;
      }
    }
    Reader packed = message.reader.Packed(chunk);
    uint64_t varint = 0;
    while (packed.NextVarint(&varint)) leaf.AddNumber(NumberBits(leaf.scalar(), varint), message.repeated);
    return packed.ok();
  }

  [[nodiscard]] bool ExtractPackedFixed(Source& source, Open& message, typename Source::Bytes chunk, PathLeaf& leaf) {
    const uint64_t size = leaf.value_type() == WireType::kFixed32 ? 4 : 8;
    if (chunk.size() % size != 0) return message.reader.Reject(WireFault::kPackedSize, chunk);
    const uint64_t count = chunk.size() / size;
    if (!leaf.whole() && count > 1) {
      leaf.Count(count);
      return true;
    }
    for (uint64_t i = 0; i < count; ++i) {
      const uint8_t* value = source.At(chunk.subspan(i * size, size));
      if (value == nullptr) return false;
      const uint64_t bits = size == 4 ? LoadLe32(value) : LoadLe64(value);
      leaf.AddNumber(NumberBits(leaf.scalar(), bits), message.repeated);
    }
    return true;
  }

  const PathTree& tree_;
  std::vector<PathLeaf>& leaves_;
  std::vector<Open> open_;  // outermost first
  uint64_t messages_ = 0;   // number of records and repeated messages so far
};

}  // namespace ofindex
