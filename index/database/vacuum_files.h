#pragma once

#include <list>
#include <string>

namespace ofindex::sqlite {

/// Returns the name of SQLite's file system without locks, which opens temporary files next to a database while the
/// thread has VacuumFiles; null if there is no memory for it.
[[nodiscard]] const char* FileSystemWithoutLocks();

/// The temporary files of a VACUUM, next to the database that is written: they need as much room as it does, which the
/// system's folder for temporary files may lack. They have no name as soon as they are open, so that a killed process
/// leaves none. Neither copies nor moves; destroyed by the thread that made it, after the VACUUM.
class VacuumFiles {
 public:
  /// `database` is the path of the database, whose folder exists.
  explicit VacuumFiles(std::string database);
  ~VacuumFiles();
  VacuumFiles(const VacuumFiles&) = delete;
  VacuumFiles& operator=(const VacuumFiles&) = delete;

  /// Returns the path of the next file, with the zeros that SQLite expects after it. Valid while this lives.
  [[nodiscard]] const char* NextName();

 private:
  const std::string database_;
  std::list<std::string> names_;
};

}  // namespace ofindex::sqlite
