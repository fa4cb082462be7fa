#include "tests/index/update/random_folder.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "tests/proto/message_bytes.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Plain files, and compressed ones in a folder of their own. A sound shard in each folder stays as it is, so that a
// damaged one beside it is always taken for a shard of the same kind.
const std::vector<std::string>& AllNames() {
  static const std::vector<std::string> kNames = {"part-0",    "part-1",    "part-2",    "part-3",    "part-5",
                                                  "part-9",    "part-10",   "part-11",   "zz",        "gz/part-0",
                                                  "gz/part-1", "gz/part-3", "gz/part-5", "gz/part-10"};
  return kNames;
}

bool IsSound(std::string_view name) { return name.ends_with("part-5"); }

Compression CompressionOf(std::string_view name) {
  return name.starts_with("gz/") ? Compression::kGzip : Compression::kNone;
}

}  // namespace

RandomFolder::RandomFolder(const std::string& path, Framing framing, bool damages, uint64_t seed)
    : folder_(path), framing_(framing), damages_(damages), random_(seed) {
  fs::create_directory(PathOf("gz"));
  for (const std::string& name : AllNames()) {
    if (IsSound(name)) Add(name);
  }
  for (uint64_t files = Below(5); files > 0; --files) Add(AnyOf(Free({})));
}

std::string RandomFolder::Change() {
  std::string what = ChangeOne();
  for (uint64_t more = Below(3); more > 0; --more) what += "; " + ChangeOne();
  return what;
}

std::string RandomFolder::ChangeOne() {
  const Names there = Mutable();
  const Names free = Free({});
  if (Below(8) == 0) ++features_;
  if (there.empty() || (Below(4) == 0 && !free.empty())) {
    if (!deleted_.empty() && Below(2) == 0) return Restore();
    const std::string name = AnyOf(free);
    if (Below(6) == 0) {
      AddForeign(name);
      return "add a foreign " + name;
    }
    Add(name);
    return "add " + name;
  }
  const std::string name = AnyOf(there);
  WrittenFile& file = files_[name];
  const Names alike = Free(CompressionOf(name));
  const bool in_place = Below(2) == 0;
  switch (Below(file.is_shard ? 14 : 4)) {
    case 0:
      deleted_.emplace_back(name, file);
      files_.erase(name);
      fs::remove(PathOf(name));
      return "delete " + name;
    case 1:
      if (alike.empty()) return "nothing";
      Rename(name, AnyOf(alike));
      return "rename " + name;
    case 2:
      file = NewFile(name);
      Write(name, in_place);
      return "change " + name;
    case 3: SetMtime(PathOf(name), ++mtime_ns_); return "touch " + name;
    case 4: {
      const std::string other = AnyOf(there);
      if (other == name || CompressionOf(other) != CompressionOf(name)) return "nothing";
      Swap(name, other);
      return "swap " + name + " and " + other;
    }
    case 5:
      if (alike.empty() || Below(3) != 0) return "nothing";
      {
        const std::string copy = AnyOf(alike);
        files_[copy] = file;
        Write(copy, false);
        if (!MayGrow(file) || Below(2) == 0) return "copy " + name + " to " + copy;
        Grow(file);
        Write(name, in_place);
        return "copy " + name + " to " + copy + " and grow it";
      }
    case 6: Shrink(file); break;
    case 7:
      if (!damages_ && (file.damaged || !file.rest.empty())) return "nothing";
      GrowByPart(file);
      break;
    case 8:
      if (!damages_) return "nothing";
      GrowByGarbage(file);
      break;
    case 9:
      if (!damages_) return "nothing";
      Damage(file);
      break;
    case 10: {
      if (alike.empty() || !MayGrow(file)) return "nothing";
      const std::string to = AnyOf(alike);
      Grow(file);
      Write(name, true);
      Rename(name, to);
      return "grow " + name + " and rename it to " + to;
    }
    default:
      if (!MayGrow(file)) return "nothing";
      Grow(file);
      break;
  }
  Write(name, in_place);
  return "write " + name;
}

void RandomFolder::Add(const std::string& name) {
  files_[name] = NewFile(name);
  Write(name, false);
}

void RandomFolder::AddForeign(const std::string& name) {
  files_[name] = {.bytes = "a text of " + std::to_string(++payloads_) + " words, not a shard\n", .is_shard = false};
  Write(name, false);
}

// Completes what is torn, or adds whole records: to a compressed file, as a member of its own.
void RandomFolder::Grow(WrittenFile& file) {
  std::string rest = std::exchange(file.rest, {});
  if (!rest.empty() && (!damages_ || Below(2) == 0)) {
    file.bytes += rest;
    return;
  }
  if (!rest.empty()) file.damaged = true;
  if (!rest.empty() && Below(2) == 0) file.bytes += rest, rest.clear();
  file.bytes += Stored(file, Framed(file, 1 + Below(12)));
}

// Adds records of which the last is torn, or a member that is cut.
void RandomFolder::GrowByPart(WrittenFile& file) {
  if (!file.rest.empty()) file.damaged = true;
  const std::string bytes = Framed(file, 1 + Below(4));
  const bool cuts_record = file.compression == Compression::kNone || Below(2) == 0;
  const std::string stored = cuts_record ? bytes : Stored(file, bytes);
  const size_t cut = stored.size() - 1 - Below(std::min<uint64_t>(stored.size() - 1, 200));
  file.rest = stored.substr(cut);
  file.bytes += stored.substr(0, cut);
  if (cuts_record && file.compression != Compression::kNone) {
    file.bytes.resize(file.bytes.size() - cut);
    file.bytes += Stored(file, stored.substr(0, cut));
    file.rest = Stored(file, stored.substr(cut));
  }
}

void RandomFolder::GrowByGarbage(WrittenFile& file) {
  const std::string garbage = Below(3) == 0 ? std::string(1 + Below(40), '\0') : std::string(1 + Below(40), 'g');
  const bool inside = Below(2) == 0;  // of the stream
  file.bytes += inside ? Stored(file, garbage) : garbage;
  file.damaged = true;
  file.rest.clear();
}

void RandomFolder::Damage(WrittenFile& file) {
  if (file.bytes.empty()) return;
  file.bytes = WithFlippedBit(file.bytes, Below(file.bytes.size()), static_cast<int>(Below(8)));
  file.damaged = true;
}

void RandomFolder::Shrink(WrittenFile& file) {
  file.bytes.resize(Below(file.bytes.size() + 1));
  file.damaged = true;
  file.rest.clear();
}

void RandomFolder::Rename(const std::string& from, const std::string& to) {
  fs::rename(PathOf(from), PathOf(to));
  files_[to] = std::move(files_[from]);
  files_.erase(from);
}

void RandomFolder::Swap(const std::string& a, const std::string& b) {
  fs::rename(PathOf(a), PathOf(".swap"));
  fs::rename(PathOf(b), PathOf(a));
  fs::rename(PathOf(".swap"), PathOf(b));
  std::swap(files_[a], files_[b]);
}

// Writes a deleted file again, at its path or another, as it was or grown.
std::string RandomFolder::Restore() {
  const auto which = static_cast<std::ptrdiff_t>(Below(deleted_.size()));
  auto [name, file] = deleted_[static_cast<size_t>(which)];
  deleted_.erase(deleted_.begin() + which);
  const std::string before = name;
  const Names alike = Free(CompressionOf(name));
  if (alike.empty()) return "nothing";
  if (files_.contains(name) || Below(3) == 0) name = AnyOf(alike);
  if (file.is_shard && MayGrow(file) && Below(3) == 0) Grow(file);
  files_[name] = std::move(file);
  Write(name, false);
  return "restore " + before + " at " + name;
}

WrittenFile RandomFolder::NewFile(const std::string& name) {
  WrittenFile file{.compression = CompressionOf(name)};
  const uint64_t records = IsSound(name) ? 3 : Below(8) == 0 ? 0 : Below(41);
  if (records == 0 && Below(2) == 0) return file;
  file.bytes = Stored(file, Framed(file, records));
  if (Below(6) == 0 && !IsSound(name)) GrowByPart(file);
  return file;
}

// Returns a message of its own: the rarer a feature, the later it first occurs.
std::string RandomFolder::NextPayload() {
  const uint64_t number = payloads_++;
  const bool is_example = framing_ == Framing::kTfRecord;
  const uint32_t integers = is_example ? 3 : 5;  // field numbers of the lists in a feature
  const auto entry = [](std::string_view name, uint32_t kind, const std::string& list) {
    return Field(1, Field(1, name) + Field(2, Field(kind, list)));
  };
  std::string features = entry("label", integers, VarintField(1, number % 7));
  if (Below(4) == 0)
    features += entry("late" + std::to_string(Below(features_)), 2, FixedField(1, static_cast<float>(number) / 2));
  if (Below(6) == 0) features += entry("boxes", integers, VarintField(1, 1) + VarintField(1, number));
  if (Below(9) == 0) features += entry("empty", 1, "");
  if (Below(40) == 0) features += entry("label_b", integers, VarintField(1, number));
  const std::string text = "record " + std::to_string(number) + (Below(90) == 0 ? std::string(Below(300), 'x') : "");
  if (Below(60) == 0) features += entry("note", 1, Field(1, text) + Field(1, "\xff"));
  features += entry("text", 1, Field(1, text));
  return is_example ? Field(1, features) : features;
}

std::string RandomFolder::Framed(WrittenFile& file, uint64_t records) {
  std::string bytes;
  for (; records > 0; --records) {
    file.payloads.push_back(NextPayload());
    std::string record = RecordBytes(framing_, file.payloads.back());
    if (framing_ == Framing::kTfRecord && Below(60) == 0) record.back() ^= 1;
    bytes += record;
  }
  return bytes;
}

std::string RandomFolder::Stored(const WrittenFile& file, const std::string& bytes) const {
  return file.compression == Compression::kNone ? bytes : Compressed(file.compression, bytes);
}

RandomFolder::Names RandomFolder::Mutable() const {
  Names names;
  for (const auto& [name, file] : files_) {
    if (!IsSound(name)) names.push_back(name);
  }
  return names;
}

RandomFolder::Names RandomFolder::Free(std::optional<Compression> compression) const {
  Names names;
  for (const std::string& name : AllNames()) {
    const bool suits = !compression || CompressionOf(name) == *compression;
    if (suits && !files_.contains(name)) names.push_back(name);
  }
  return names;
}

// Each file that is written has a time of its own, so that it is noticed however fast the test is.
void RandomFolder::Write(const std::string& name, bool in_place) {
  const std::string& bytes = files_[name].bytes;
  if (in_place) {
    WriteFile(PathOf(name), bytes);
  } else {
    ReplaceFile(PathOf(name), bytes);
  }
  SetMtime(PathOf(name), ++mtime_ns_);
}

}  // namespace ofindex
