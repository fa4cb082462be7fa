#include "query/extension/routines.h"

#include <atomic>
#include <cassert>
#include <cstdarg>

// With SQLITE_CORE, SQLite's header leaves the names of the functions as they are.
#define SQLITE_CORE 1
#include <sqlite3ext.h>

namespace {

std::atomic<const sqlite3_api_routines*> host = nullptr;

}  // namespace

namespace ofindex {

bool UseRoutines(const sqlite3_api_routines* routines) {
  // Some builds of SQLite lack these.
  if (routines->mutex_alloc == nullptr || routines->progress_handler == nullptr ||
      routines->compileoption_used == nullptr || routines->set_authorizer == nullptr) {
    return false;
  }
  const sqlite3_api_routines* none = nullptr;
  return host.compare_exchange_strong(none, routines) || none == routines;
}

}  // namespace ofindex

// NOLINTBEGIN(bugprone-macro-parentheses)
#define FORWARD(result, name, parameters, arguments) \
  result sqlite3_##name parameters { return host.load(std::memory_order_acquire)->name arguments; }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {

FORWARD(void*, aggregate_context, (sqlite3_context * a, int b), (a, b))
FORWARD(int, bind_blob64, (sqlite3_stmt * a, int b, const void* c, sqlite3_uint64 d, void (*e)(void*)), (a, b, c, d, e))
FORWARD(int, bind_double, (sqlite3_stmt * a, int b, double c), (a, b, c))
FORWARD(int, bind_int64, (sqlite3_stmt * a, int b, sqlite3_int64 c), (a, b, c))
FORWARD(int, bind_null, (sqlite3_stmt * a, int b), (a, b))
FORWARD(int, bind_parameter_count, (sqlite3_stmt * a), (a))
FORWARD(const char*, bind_parameter_name, (sqlite3_stmt * a, int b), (a, b))
FORWARD(int, bind_text64, (sqlite3_stmt * a, int b, const char* c, sqlite3_uint64 d, void (*e)(void*), unsigned char f),
        (a, b, c, d, e, f))
FORWARD(int, close, (sqlite3 * a), (a))
FORWARD(int, close_v2, (sqlite3 * a), (a))
FORWARD(const void*, column_blob, (sqlite3_stmt * a, int b), (a, b))
FORWARD(int, column_bytes, (sqlite3_stmt * a, int b), (a, b))
FORWARD(int, column_count, (sqlite3_stmt * a), (a))
FORWARD(const char*, column_decltype, (sqlite3_stmt * a, int b), (a, b))
FORWARD(double, column_double, (sqlite3_stmt * a, int b), (a, b))
FORWARD(sqlite3_int64, column_int64, (sqlite3_stmt * a, int b), (a, b))
FORWARD(const char*, column_name, (sqlite3_stmt * a, int b), (a, b))
FORWARD(const unsigned char*, column_text, (sqlite3_stmt * a, int b), (a, b))
FORWARD(int, column_type, (sqlite3_stmt * a, int b), (a, b))
FORWARD(int, compileoption_used, (const char* a), (a))
FORWARD(sqlite3*, context_db_handle, (sqlite3_context * a), (a))
FORWARD(int, create_function_v2,
        (sqlite3 * a, const char* b, int c, int d, void* e, void (*f)(sqlite3_context*, int, sqlite3_value**),
         void (*g)(sqlite3_context*, int, sqlite3_value**), void (*h)(sqlite3_context*), void (*i)(void*)),
        (a, b, c, d, e, f, g, h, i))
FORWARD(int, create_module_v2, (sqlite3 * a, const char* b, const sqlite3_module* c, void* d, void (*e)(void*)),
        (a, b, c, d, e))
FORWARD(int, create_window_function,
        (sqlite3 * a, const char* b, int c, int d, void* e, void (*f)(sqlite3_context*, int, sqlite3_value**),
         void (*g)(sqlite3_context*), void (*h)(sqlite3_context*), void (*i)(sqlite3_context*, int, sqlite3_value**),
         void (*j)(void*)),
        (a, b, c, d, e, f, g, h, i, j))
FORWARD(const char*, db_filename, (sqlite3 * a, const char* b), (a, b))
FORWARD(sqlite3*, db_handle, (sqlite3_stmt * a), (a))
FORWARD(int, declare_vtab, (sqlite3 * a, const char* b), (a, b))
FORWARD(int, drop_modules, (sqlite3 * a, const char** b), (a, b))
FORWARD(int, errcode, (sqlite3 * a), (a))
FORWARD(const char*, errmsg, (sqlite3 * a), (a))
FORWARD(int, error_offset, (sqlite3 * a), (a))
FORWARD(const char*, errstr, (int a), (a))
FORWARD(int, exec, (sqlite3 * a, const char* b, int (*c)(void*, int, char**, char**), void* d, char** e),
        (a, b, c, d, e))
FORWARD(int, extended_errcode, (sqlite3 * a), (a))
FORWARD(int, finalize, (sqlite3_stmt * a), (a))
FORWARD(void, free, (void* a), (a))
FORWARD(void*, get_auxdata, (sqlite3_context * a, int b), (a, b))
FORWARD(int, keyword_check, (const char* a, int b), (a, b))
FORWARD(int, libversion_number, (), ())
FORWARD(int, limit, (sqlite3 * a, int b, int c), (a, b, c))
FORWARD(void*, malloc64, (sqlite3_uint64 a), (a))
FORWARD(sqlite3_mutex*, mutex_alloc, (int a), (a))
FORWARD(void, mutex_enter, (sqlite3_mutex * a), (a))
FORWARD(void, mutex_leave, (sqlite3_mutex * a), (a))
FORWARD(sqlite3_stmt*, next_stmt, (sqlite3 * a, sqlite3_stmt* b), (a, b))
FORWARD(int, open_v2, (const char* a, sqlite3** b, int c, const char* d), (a, b, c, d))
FORWARD(int, prepare_v2, (sqlite3 * a, const char* b, int c, sqlite3_stmt** d, const char** e), (a, b, c, d, e))
FORWARD(void, progress_handler, (sqlite3 * a, int b, int (*c)(void*), void* d), (a, b, c, d))
FORWARD(void*, realloc64, (void* a, sqlite3_uint64 b), (a, b))
FORWARD(int, reset, (sqlite3_stmt * a), (a))
FORWARD(void, result_blob64, (sqlite3_context * a, const void* b, sqlite3_uint64 c, void (*d)(void*)), (a, b, c, d))
FORWARD(void, result_double, (sqlite3_context * a, double b), (a, b))
FORWARD(void, result_error, (sqlite3_context * a, const char* b, int c), (a, b, c))
FORWARD(void, result_error_code, (sqlite3_context * a, int b), (a, b))
FORWARD(void, result_error_nomem, (sqlite3_context * a), (a))
FORWARD(void, result_int, (sqlite3_context * a, int b), (a, b))
FORWARD(void, result_int64, (sqlite3_context * a, sqlite3_int64 b), (a, b))
FORWARD(void, result_null, (sqlite3_context * a), (a))
FORWARD(void, result_subtype, (sqlite3_context * a, unsigned int b), (a, b))
FORWARD(void, result_text, (sqlite3_context * a, const char* b, int c, void (*d)(void*)), (a, b, c, d))
FORWARD(void, result_text64, (sqlite3_context * a, const char* b, sqlite3_uint64 c, void (*d)(void*), unsigned char e),
        (a, b, c, d, e))
FORWARD(void, result_value, (sqlite3_context * a, sqlite3_value* b), (a, b))
FORWARD(void, set_auxdata, (sqlite3_context * a, int b, void* c, void (*d)(void*)), (a, b, c, d))
FORWARD(int, set_authorizer,
        (sqlite3 * a, int (*b)(void*, int, const char*, const char*, const char*, const char*), void* c), (a, b, c))
FORWARD(int, step, (sqlite3_stmt * a), (a))
FORWARD(int, stmt_readonly, (sqlite3_stmt * a), (a))
FORWARD(void, str_append, (sqlite3_str * a, const char* b, int c), (a, b, c))
FORWARD(int, str_errcode, (sqlite3_str * a), (a))
FORWARD(char*, str_finish, (sqlite3_str * a), (a))
FORWARD(int, str_length, (sqlite3_str * a), (a))
FORWARD(sqlite3_str*, str_new, (sqlite3 * a), (a))
FORWARD(int, stricmp, (const char* a, const char* b), (a, b))
FORWARD(int, strnicmp, (const char* a, const char* b, int c), (a, b, c))
FORWARD(void*, user_data, (sqlite3_context * a), (a))
FORWARD(const void*, value_blob, (sqlite3_value * a), (a))
FORWARD(int, value_bytes, (sqlite3_value * a), (a))
FORWARD(double, value_double, (sqlite3_value * a), (a))
FORWARD(sqlite3_value*, value_dup, (const sqlite3_value* a), (a))
FORWARD(void, value_free, (sqlite3_value * a), (a))
FORWARD(sqlite3_int64, value_int64, (sqlite3_value * a), (a))
FORWARD(int, value_numeric_type, (sqlite3_value * a), (a))
FORWARD(unsigned int, value_subtype, (sqlite3_value * a), (a))
FORWARD(const unsigned char*, value_text, (sqlite3_value * a), (a))
FORWARD(int, value_type, (sqlite3_value * a), (a))
FORWARD(sqlite3_vfs*, vfs_find, (const char* a), (a))
FORWARD(int, vfs_register, (sqlite3_vfs * a, int b), (a, b))
FORWARD(const char*, vtab_collation, (sqlite3_index_info * a, int b), (a, b))
FORWARD(int, vtab_distinct, (sqlite3_index_info * a), (a))
FORWARD(int, vtab_in, (sqlite3_index_info * a, int b, int c), (a, b, c))
FORWARD(int, vtab_in_first, (sqlite3_value * a, sqlite3_value** b), (a, b))
FORWARD(int, vtab_in_next, (sqlite3_value * a, sqlite3_value** b), (a, b))
FORWARD(int, vtab_rhs_value, (sqlite3_index_info * a, int b, sqlite3_value** c), (a, b, c))

char* sqlite3_mprintf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char* const text = host.load()->vmprintf(format, arguments);
  va_end(arguments);
  return text;
}

// Our options take no more arguments.
int sqlite3_vtab_config(sqlite3* db, int option, ...) {
  assert(option == SQLITE_VTAB_INNOCUOUS || option == SQLITE_VTAB_DIRECTONLY);
  return host.load()->vtab_config(db, option);
}

// All options that we set take a number, and a place for the old one, which we do not ask for.
int sqlite3_db_config(sqlite3* db, int option, ...) {
  std::va_list arguments;
  va_start(arguments, option);
  const int value = va_arg(arguments, int);
  va_end(arguments);
  return host.load()->db_config(db, option, value, nullptr);
}

// SQLite is its host's to configure. The command does, before main(): here, there is no host yet.
int sqlite3_config(int, ...) { return SQLITE_MISUSE; }

}  // extern "C"
