#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/sql/statements/instruction.h"
#include "query/tables/groups/grouped_scans.h"

namespace ofindex {

/// What the loop of a scan does with its rows, if it only adds them up in groups.
struct GroupLoop {
  struct Use {
    std::string function;  ///< "sum"
    uint32_t column = 0;
    bool distinct = false;
  };
  std::vector<Use> uses = {};           ///< functions of one argument, a column
  bool counts_rows = false;             ///< count(*)
  std::vector<uint32_t> not_null = {};  ///< columns whose NULL rows are skipped
  bool of_keys = true;                  ///< by the keys of the offer; otherwise all rows are one group
  /// The result depends on keys other than that of a group's first record, equal to it but not the same: the loop
  /// computes something from keys, or reads them again whenever min() or max() finds a new value.
  bool tells_equal_keys_apart = false;
};

/// Returns what the loop that begins with the VFilter at `begin` does with the rows, if it is of one of the two known
/// forms: it steps through the aggregate functions, each of whose arguments is a column, and reads no columns but these
/// and the keys of `offer`; or it is for DISTINCT, and the whole program reads the keys alone. Then no row is needed
/// but a few for each group. Returns nothing for a loop of the first form that runs for each row of another loop, and
/// for any loop whose records are found by values from such rows: they are few.
[[nodiscard]] std::optional<GroupLoop> ReadGroupLoop(std::span<const Instruction> program, size_t begin,
                                                     const GroupOffer& offer);

}  // namespace ofindex
