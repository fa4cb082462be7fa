#include "tests/index/update/ordinal_model.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace ofindex {

OrdinalModel::OrdinalModel(const std::vector<FileOnDisk>& files) { Add(files); }

void OrdinalModel::Update(const std::vector<FileOnDisk>& files) {
  changed_ = false;
  new_records_ = gone_records_ = 0;
  const auto same_path = [](const FileOnDisk& file, const Version& old) { return file.path == old.file.path; };
  const auto same_bytes = [](const FileOnDisk& file, const Version& old) { return file.bytes == old.file.bytes; };
  const auto is_longer = [](const FileOnDisk& file, const Version& old) {
    return !old.ordinals.empty() && file.bytes.size() > old.file.bytes.size() && file.bytes.starts_with(old.file.bytes);
  };
  const auto is_there = [](const Version& old) { return old.gone_since == 0; };
  Match(files, [&](const auto& file, const auto& old) {
    return is_there(old) && same_path(file, old) && same_bytes(file, old);
  });
  const auto is_free = [](const Version& old) { return old.found == nullptr; };
  for (ptrdiff_t left = -1; left != std::count_if(versions_.begin(), versions_.end(), is_free);) {
    left = std::count_if(versions_.begin(), versions_.end(), is_free);
    Match(files, [&](const auto& file, const auto& old) {
      const bool is_another = std::any_of(versions_.begin(), versions_.end(), [&](const Version& other) {
        return is_free(other) && same_bytes(file, other);
      });
      return is_there(old) && same_path(file, old) && is_longer(file, old) && !old.file.broken_stream && !is_another;
    });
  }
  Match(files, [&](const auto& file, const auto& old) { return is_there(old) && same_bytes(file, old); });
  Match(files, [&](const auto& file, const auto& old) { return same_path(file, old) && same_bytes(file, old); });
  Match(files, same_bytes);
  Match(files, [&](const auto& file, const auto& old) {
    return same_path(file, old) && is_longer(file, old) && IsLatestAtItsPath(old);
  });
  std::map<uint64_t, int> inodes;
  for (const Version& old : versions_) inodes[old.file.inode] += is_there(old) && old.found == nullptr ? 1 : 0;
  Match(files, [&](const auto& file, const auto& old) {
    return is_there(old) && !same_path(file, old) && is_longer(file, old) && file.inode == old.file.inode &&
           inodes[file.inode] == 1;
  });
  ++generation_;
  Settle();
  Add(files);
  if (!changed_) --generation_;
}

// Pairs each file that is left with the first version that may be its own: those that are there first, then the latest.
void OrdinalModel::Match(const std::vector<FileOnDisk>& files, const MayBe& may_be) {
  for (const FileOnDisk& file : files) {
    if (IsTaken(file)) continue;
    Version* first = nullptr;
    for (Version& old : versions_) {
      if (old.found != nullptr || !may_be(file, old)) continue;
      const auto rank = [](const Version& each) { return each.gone_since == 0 ? INT64_MAX : each.gone_since; };
      const bool is_first = first == nullptr || rank(old) > rank(*first) ||
                            (rank(old) == rank(*first) && NaturalLess(old.file.path, first->file.path));
      if (is_first) first = &old;
    }
    if (first != nullptr) first->found = &file;
  }
}

void OrdinalModel::Settle() {
  std::vector<Version> kept;
  for (Version& old : versions_) {
    const bool grows = old.found != nullptr && old.found->bytes.size() > old.file.bytes.size();
    if (grows && old.file.broken_stream) old.found = nullptr;
    const bool was_there = old.gone_since == 0;
    if (old.found == nullptr && was_there) {
      changed_ = true;
      gone_records_ += old.ordinals.size();
      only_appended_ = only_appended_ && old.ordinals.empty();
      old.gone_since = generation_;
    }
    if (old.found != nullptr) {
      changed_ = changed_ || !was_there || grows || old.found->path != old.file.path;
      old.gone_since = 0;
    }
    if (old.gone_since == 0 || !old.ordinals.empty()) kept.push_back(std::move(old));
  }
  versions_ = std::move(kept);
}

// Gives new records their ordinals, file by file.
void OrdinalModel::Add(const std::vector<FileOnDisk>& files) {
  std::vector<const FileOnDisk*> found;
  for (const FileOnDisk& file : files) found.push_back(&file);
  std::sort(found.begin(), found.end(),
            [](const FileOnDisk* a, const FileOnDisk* b) { return NaturalLess(a->path, b->path); });
  for (const FileOnDisk* file : found) {
    const auto own =
        std::find_if(versions_.begin(), versions_.end(), [&](const Version& v) { return v.found == file; });
    const bool is_new = own == versions_.end();
    Version& version = is_new ? versions_.emplace_back() : *own;
    changed_ = changed_ || is_new;
    version.file = *file;
    Number(version, file->records);
  }
  for (Version& version : versions_) version.found = nullptr;
  std::map<uint64_t, const Version*> by_ordinal;
  for (const Version& version : versions_) {
    for (const uint64_t ordinal : version.ordinals) by_ordinal.emplace(ordinal, &version);
  }
  const std::string* last = nullptr;
  for (const auto& [ordinal, version] : by_ordinal) {
    if (last != nullptr && NaturalLess(version->file.path, *last)) only_appended_ = false;
    last = &version->file.path;
  }
}

void OrdinalModel::Prune() {
  std::erase_if(versions_, [](const Version& version) { return version.gone_since != 0; });
  std::sort(versions_.begin(), versions_.end(),
            [](const Version& a, const Version& b) { return NaturalLess(a.file.path, b.file.path); });
  ordinals_ = 0;
  for (Version& version : versions_) {
    for (uint64_t& ordinal : version.ordinals) ordinal = ordinals_++;
  }
  only_appended_ = true;
  if (!changed_) ++generation_;
  changed_ = true;
}

bool OrdinalModel::MovesIfPruned() const {
  OrdinalModel pruned = *this;
  pruned.Prune();
  if (pruned.ordinals_ != ordinals_) return true;
  return std::any_of(versions_.begin(), versions_.end(),
                     [&](const Version& version) { return version.ordinals != pruned.OrdinalsOf(version.file.path); });
}

void OrdinalModel::Number(Version& version, uint64_t records) {
  while (version.ordinals.size() < records) {
    version.ordinals.push_back(ordinals_++);
    ++new_records_;
  }
}

const std::vector<uint64_t>& OrdinalModel::OrdinalsOf(const std::string& path) const {
  const auto version = std::find_if(versions_.begin(), versions_.end(), [&](const Version& each) {
    return each.gone_since == 0 && each.file.path == path;
  });
  static const std::vector<uint64_t> kNone;
  return version == versions_.end() ? kNone : version->ordinals;
}

bool OrdinalModel::IsTaken(const FileOnDisk& file) const {
  return std::any_of(versions_.begin(), versions_.end(), [&](const Version& each) { return each.found == &file; });
}

bool OrdinalModel::IsLatestAtItsPath(const Version& version) const {
  const auto rank = [](const Version& each) { return each.gone_since == 0 ? INT64_MAX : each.gone_since; };
  return std::none_of(versions_.begin(), versions_.end(), [&](const Version& other) {
    return other.file.path == version.file.path && rank(other) > rank(version);
  });
}

}  // namespace ofindex
