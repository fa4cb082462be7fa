#pragma once

namespace ofindex::sqlite {

/// From the first call on, a fork waits until no other thread holds one of SQLite's process-wide locks. A child would
/// otherwise inherit it locked, without the thread that could unlock it, and hang when it opens an index.
void HoldLocksAcrossForks();

}  // namespace ofindex::sqlite
