#pragma once

#include "index/build/builder.h"
#include "tools/options/command_line.h"
#include "tools/shell/context.h"

namespace ofindex {

// One file per verb. Each function adds its verb to `line`: options and body. `context` must outlive the body.

void AddBuild(CommandLine& line, Context& context);
void AddMerge(CommandLine& line, Context& context);
void AddUpdate(CommandLine& line, Context& context);
void AddKey(CommandLine& line, Context& context);
void AddAttach(CommandLine& line, Context& context);
void AddDetach(CommandLine& line, Context& context);
void AddInfo(CommandLine& line, Context& context);
void AddSchema(CommandLine& line, Context& context);
void AddAudit(CommandLine& line, Context& context);
void AddReport(CommandLine& line, Context& context);
void AddStats(CommandLine& line, Context& context);
void AddWhere(CommandLine& line, Context& context);
void AddSample(CommandLine& line, Context& context);
void AddVerify(CommandLine& line, Context& context);
void AddGet(CommandLine& line, Context& context);
void AddCat(CommandLine& line, Context& context);
void AddSplit(CommandLine& line, Context& context);
void AddSql(CommandLine& line, Context& context);
void AddServe(CommandLine& line, Context& context);
void AddPack(CommandLine& line, Context& context);
void AddConvert(CommandLine& line, Context& context);
void AddExport(CommandLine& line, Context& context);

/// Adds the verb that explains the others, all of which `line` has by then.
void AddHelp(CommandLine& line, Context& context);

/// Adds a verb with the options common to all verbs. `formats` says whether it has --json and --jsonl.
enum class Formats { kNone, kJson, kJsonAndJsonl };
Verb AddVerb(CommandLine& line, Context& context, const char* name, const char* help, Formats formats);

/// Adds the options for compressed shards that are read, shared by build and update.
void AddInflateOptions(Verb& verb, InflateOptions& inflate);

}  // namespace ofindex
