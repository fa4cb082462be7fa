#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "index/catalog/catalog.h"
#include "index/catalog/skipped_file.h"
#include "python/src/convert/values.h"

namespace ofindex::python {

/// Adds alternating keys and values to `dict`.
template <typename... Rest>
void Put(nanobind::dict& dict, const char* key, const nanobind::object& value, const Rest&... rest) {
  dict[key] = value;
  if constexpr (sizeof...(rest) > 0) Put(dict, rest...);
}

/// Returns a dict of alternating keys and values.
template <typename... Items>
nanobind::dict DictOf(const Items&... items) {
  nanobind::dict dict;
  Put(dict, items...);
  return dict;
}

inline nanobind::object Count(uint64_t count) { return nanobind::int_(count); }
inline nanobind::object Flag(bool flag) { return nanobind::bool_(flag); }

template <typename Row, typename Show>
nanobind::list ListOf(const std::vector<Row>& rows, Show show) {
  nanobind::list list;
  for (const Row& row : rows) list.append(show(row));
  return list;
}

/// Lists, with dicts as the command's JSON has them.
[[nodiscard]] nanobind::list TextsOf(const std::vector<std::string>& texts);
[[nodiscard]] nanobind::list BadOf(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards);
[[nodiscard]] nanobind::list DamageOf(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards);
[[nodiscard]] nanobind::list SkippedOf(const std::vector<SkippedFile>& skipped);

}  // namespace ofindex::python
