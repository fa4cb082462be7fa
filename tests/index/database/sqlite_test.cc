#include "index/database/sqlite.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex::sqlite {
namespace {

constexpr int kPage = 4096;

Database NewDatabase(const std::string& path) {
  WriteFile(path, "");
  Result<Database> database = Database::OpenForWriting(path, kPage);
  REQUIRE_MESSAGE(database.has_value(), database.error().message);
  return std::move(*database);
}

Statement Prepared(Database& database, std::string_view sql) {
  Result<Statement> statement = database.Prepare(sql);
  REQUIRE_MESSAGE(statement.has_value(), statement.error().message);
  return std::move(*statement);
}

Result<Database> OpenedAt(const std::string& path) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(path));
  return Database::OpenImmutable(file);
}

// Returns a small index file without tables that matter.
Database UntrustedIn(const TempDir& dir) {
  {
    Database database = NewDatabase(dir / "untrusted");
    REQUIRE(database.Execute("CREATE TABLE t(v INTEGER)").has_value());
  }
  Result<Database> opened = OpenedAt(dir / "untrusted");
  REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
  return std::move(*opened);
}

TEST_CASE("the schema of an untrusted file is not trusted, and nothing is written") {
  const TempDir dir;
  Database database = UntrustedIn(dir);
  struct Row {
    const char* pragma;
    int64_t value;
  };
  for (const Row& row : {Row{"trusted_schema", 0}, Row{"query_only", 1}, Row{"cell_size_check", 1}}) {
    CAPTURE(row.pragma);
    Statement statement = Prepared(database, std::string("PRAGMA ") + row.pragma);
    REQUIRE(statement.Next().value());
    CHECK(statement.Int(0) == row.value);
  }
  Statement journal = Prepared(database, "PRAGMA journal_mode = OFF");
  REQUIRE(journal.Next().value());
  CHECK_MESSAGE(journal.Text(0) != "off", "in its defensive mode, SQLite leaves no journal out");
}

TEST_CASE("an untrusted file gives no more rows than it can hold, and runs no endless statement") {
  const TempDir dir;
  Database database = UntrustedIn(dir);
  const std::string endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10000000) ";
  Statement rows = Prepared(database, endless + "SELECT x FROM c");
  Result<bool> more = true;
  for (int i = 0; i < 50'000 && more && *more; ++i) more = rows.Next();
  REQUIRE_FALSE(more);
  CHECK(more.error().message.find("more rows than the file can hold") != std::string::npos);

  database.RenewBudget();
  Statement sum = Prepared(database, endless + "SELECT sum(x) FROM c");
  CHECK_FALSE(sum.Next());
}

TEST_CASE("integers of 64 bits are read back, signed and unsigned") {
  const TempDir dir;
  Database database = NewDatabase(dir / "a");
  REQUIRE(database.Execute("CREATE TABLE t(v INTEGER)").has_value());
  Statement insert = Prepared(database, "INSERT INTO t VALUES (?)");
  for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) REQUIRE(insert.Run(value).has_value());
  REQUIRE(insert.Run(UINT64_MAX - 1).has_value());
  REQUIRE(insert.Run(uint32_t{7}).has_value());
  Statement rows = Prepared(database, "SELECT v FROM t ORDER BY rowid");
  for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    REQUIRE(rows.Next().value());
    CHECK(rows.Int(0) == value);
  }
  REQUIRE(rows.Next().value());
  CHECK(rows.Unsigned(0) == UINT64_MAX - 1);
  REQUIRE(rows.Next().value());
  CHECK(rows.Int(0) == 7);
  CHECK(!rows.Next().value());
}

TEST_CASE("texts and blobs are read back byte for byte, including NULs and empty values") {
  const TempDir dir;
  Database database = NewDatabase(dir / "a");
  REQUIRE(database.Execute("CREATE TABLE t(s TEXT, b BLOB)").has_value());
  Statement insert = Prepared(database, "INSERT INTO t VALUES (?, ?)");
  const std::vector<std::string> values = {std::string("a\0b", 3),    "",         std::string(1, '\0'),
                                           std::string(200'000, 'x'), "\xff\xfe", "'; DROP TABLE t; --"};
  for (const std::string& value : values) {
    REQUIRE(insert.Run(std::string_view(value), AsBytes(value)).has_value());
  }
  REQUIRE(insert.Run(std::string_view(), ByteView()).has_value());
  REQUIRE(insert.Run(std::string_view("no blob"), std::optional<ByteView>()).has_value());
  Statement rows = Prepared(database, "SELECT s, b, b IS NULL, s IS NULL FROM t ORDER BY rowid");
  for (const std::string& value : values) {
    REQUIRE(rows.Next().value());
    CHECK(rows.Text(0) == value);
    CHECK(AsText(rows.Blob(1)) == value);
    CHECK(rows.Int(2) == 0);
  }
  REQUIRE(rows.Next().value());
  CHECK(rows.Text(0).empty());
  CHECK(rows.Blob(1).empty());
  CHECK(rows.Int(2) == 0);
  CHECK(rows.Int(3) == 0);
  REQUIRE(rows.Next().value());
  CHECK(rows.Int(2) == 1);
}

TEST_CASE("a closed database has its rows in the file, which can be opened read-only") {
  const TempDir dir;
  const std::string path = dir / "odd name?#%20'\xc3\xa4.ofidx";
  {
    Database database = NewDatabase(path);
    REQUIRE(database.Execute("CREATE TABLE t(v); INSERT INTO t VALUES (5)").has_value());
    REQUIRE(database.Close().has_value());
  }
  const std::string before = ReadFile(path);
  Result<Database> database = OpenedAt(path);
  REQUIRE(database.has_value());
  Statement rows = Prepared(*database, "SELECT v FROM t");
  REQUIRE(rows.Next().value());
  CHECK(rows.Int(0) == 5);
  const Result<void> written = database->Execute("INSERT INTO t VALUES (6)");
  REQUIRE(!written.has_value());
  CHECK(ReadFile(path) == before);
}

TEST_CASE("views and triggers of an untrusted file are disabled") {
  const TempDir dir;
  {
    Database database = NewDatabase(dir / "a");
    REQUIRE(database.Execute("CREATE TABLE t(v); CREATE VIEW w AS SELECT 1 AS v").has_value());
    REQUIRE(database.Close().has_value());
  }
  Result<Database> database = OpenedAt(dir / "a");
  REQUIRE(database.has_value());
  CHECK(database->Prepare("SELECT v FROM t").has_value());
  const Result<Statement> view = database->Prepare("SELECT v FROM w");
  REQUIRE(!view.has_value());
  CHECK(view.error().code == ErrorCode::kIndex);
}

TEST_CASE("an error says whether the caller, the file or the system is at fault") {
  const TempDir dir;
  Database database = NewDatabase(dir / "a");
  REQUIRE(database.Execute("CREATE TABLE t(v INTEGER PRIMARY KEY) STRICT").has_value());
  CHECK(database.Prepare("SELECT nothing FROM t").error().code == ErrorCode::kIndex);
  CHECK(database.Execute("no SQL").error().code == ErrorCode::kIndex);
  Statement insert = Prepared(database, "INSERT INTO t VALUES (?)");
  REQUIRE(insert.Run(1).has_value());
  const Result<void> twice = insert.Run(1);
  REQUIRE(!twice.has_value());
  CHECK(twice.error().message.find("UNIQUE") != std::string::npos);
  REQUIRE(insert.Run(2).has_value());
  // More values than parameters.
  CHECK(!insert.Run(1, 2).has_value());

  CHECK(OpenedAt(dir / "missing").error().code == ErrorCode::kNotFound);
  std::filesystem::create_symlink("loop", dir / "loop");
  CHECK(OpenedAt(dir / "loop").error().code == ErrorCode::kIo);
  WriteFile(dir / "text", std::string(5000, 'x'));
  Result<Database> text = OpenedAt(dir / "text");
  const ErrorCode code = text ? text->Prepare("SELECT 1 FROM sqlite_schema").error().code : text.error().code;
  CHECK(code == ErrorCode::kIndex);
}

TEST_CASE("a vacuum removes free pages, and keeps rows; it needs no folder but that of the file") {
  const TempDir dir;
  const std::string path = dir / "a";
  Database database = NewDatabase(path);
  REQUIRE(database.Execute("CREATE TABLE t(v BLOB)").has_value());
  Statement insert = Prepared(database, "INSERT INTO t VALUES (zeroblob(?))");
  for (int i = 0; i < 3000; ++i) REQUIRE(insert.Run(2 * kPage).has_value());
  REQUIRE(database.Execute("DELETE FROM t WHERE rowid % 3 <> 0").has_value());
  const size_t before = ReadFile(path).size();
  WriteFile(path + "-vacuum-1", "left by a killed process");
  REQUIRE(database.Vacuum().has_value());
  {
    Statement count = Prepared(database, "SELECT count(*), sum(length(v)) FROM t");
    REQUIRE(count.Next().value());
    CHECK(count.Int(0) == 1000);
    CHECK(count.Int(1) == 2000 * kPage);
  }
  CHECK(database.Vacuum().has_value());
  CHECK(ReadFile(path).size() < before / 2);
  CHECK_FALSE(std::filesystem::exists(path + "-vacuum-1"));
}

}  // namespace
}  // namespace ofindex::sqlite
