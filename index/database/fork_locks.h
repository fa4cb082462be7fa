#pragma once

namespace ofindex::sqlite {

/// From the first call on, a fork waits until no other thread holds one of SQLite's process-wide locks. Otherwise, a
/// child could inherit a locked mutex without the thread that holds it, and hang when it opens an index.
void HoldLocksAcrossForks();

}  // namespace ofindex::sqlite
