#pragma once

#include "tools/shell/context.h"

namespace CLI {
class App;
}

namespace ofindex {

// One file per verb. Each adds its subcommand to `app`; if the command line names the verb, `body` is set to the
// function that runs it. `context` and `body` must outlive the parse.

void AddBuild(CLI::App& app, Context& context, VerbBody& body);
void AddInfo(CLI::App& app, Context& context, VerbBody& body);
void AddSchema(CLI::App& app, Context& context, VerbBody& body);
void AddStats(CLI::App& app, Context& context, VerbBody& body);
void AddWhere(CLI::App& app, Context& context, VerbBody& body);
void AddSample(CLI::App& app, Context& context, VerbBody& body);
void AddVerify(CLI::App& app, Context& context, VerbBody& body);
void AddGet(CLI::App& app, Context& context, VerbBody& body);
void AddCat(CLI::App& app, Context& context, VerbBody& body);
void AddSql(CLI::App& app, Context& context, VerbBody& body);
void AddPack(CLI::App& app, Context& context, VerbBody& body);
void AddConvert(CLI::App& app, Context& context, VerbBody& body);
void AddExport(CLI::App& app, Context& context, VerbBody& body);

/// Adds a subcommand with the options common to all verbs. `flags` says whether it has --json and --jsonl.
enum class Formats { kNone, kJson, kJsonAndJsonl };
CLI::App* AddVerb(CLI::App& app, Context& context, const char* name, const char* help, Formats formats);

}  // namespace ofindex
