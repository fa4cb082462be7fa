#include <array>

#include "fuzz/files/file_checks.h"
#include "fuzz/framing/framing_checks.h"
#include "fuzz/index/index_checks.h"
#include "fuzz/payloads/payload_checks.h"
#include "fuzz/server/server_checks.h"
#include "fuzz/target.h"
#include "fuzz/text/text_checks.h"

namespace ofindex {
namespace {

constexpr std::array kFuzzTargets = {
    FuzzTarget{"walker", CheckWalker, 2048, "the chain of headers of a shard, and its damage",
               "index/walk/walker.cc index/walk/header_chain.cc index/walk/resync.cc"},
    FuzzTarget{"detection", CheckDetection, 2048, "what a file is",
               "index/shards/detect.cc index/shards/record_sample.cc index/walk/whole_shard.cc proto/payload_kind.cc"},
    FuzzTarget{"inflating", CheckInflating, 4096, "gzip files, zlib and deflate streams, with checkpoints",
               "mmap/inflate/inflater.cc mmap/inflate/member_header.cc mmap/inflate/span_inflater.cc "
               "mmap/inflate/span_cache.cc mmap/inflate/inflated_bytes.cc mmap/inflate/checkpoint.cc "
               "index/walk/inflating_walk.cc index/walk/stream_findings.cc"},
    FuzzTarget{"chunk", CheckChunk, 2048, "the chunks of columns",
               "index/chunks/chunk_decoder.cc index/chunks/integers_reader.cc index/chunks/reals.cc "
               "index/chunks/strings.cc index/chunks/presence.cc index/chunks/sections/bits.cc "
               "index/chunks/sections/section.cc index/chunks/sections/frames.cc index/chunks/sections/chunk_io.h"},
    FuzzTarget{"packed_offsets", CheckPackedOffsets, 2048, "where the records of a block begin and end",
               "mmap/offsets/packed_offsets.cc mmap/offsets/packed_offsets.h"},
    FuzzTarget{"map", CheckMap, 1024, "the map next to an index",
               "mmap/offsets/offset_map.cc mmap/offsets/offset_map_check.cc mmap/offsets/offset_map_holes.cc "
               "mmap/offsets/offset_map_shards.cc mmap/offsets/offset_map_format.cc"},
    FuzzTarget{"attachment", CheckAttachment, 2048, "files of attached columns",
               "index/attachments/attachment_file.cc index/attachments/attachment_format.cc "
               "index/fields/column_fields.cc index/fields/blob.h"},
    FuzzTarget{
        "key", CheckKey, 4096, "keys, and the file that holds one",
        "index/keys/key_file.cc index/keys/key_format.cc mmap/sealed/sealed_file.cc mmap/sealed/sealed_format.cc "
        "query/keys/key_lookup.cc"},
    FuzzTarget{"saved", CheckSaved, 4096, "what a killed build has saved, totals of features, sets of records",
               "index/resume/saved_block.cc index/resume/saved_shards.cc index/columns/feature_totals.cc "
               "query/sampling/sets/ordinal_set_bytes.cc"},
    FuzzTarget{"extractor", CheckExtractor, 1024, "payloads, of which columns are extracted",
               "proto/extract/extractor.cc proto/extract/entry_extractor.h proto/extract/feature_reader.h "
               "proto/extract/path_extractor.h proto/extract/path_tree.cc proto/extract/plain_entry.h "
               "proto/extract/extractor_source.cc proto/extract/uniform_run.cc proto/extract/name_table.cc "
               "proto/extract/found_features.cc proto/wire/wire.h proto/wire/wire.cc proto/wire/varint.h"},
    FuzzTarget{"features", CheckFeatures, 1024, "payloads, decoded, written, converted, scanned and dumped",
               "proto/features.cc proto/feature_slices.cc proto/encode/transcoder.cc "
               "proto/extract/value_scan.h tools/show/wire_rows.cc tools/show/wire_text.cc "
               "tools/show/wire_values.cc tools/show/wire_words.cc"},
    FuzzTarget{"decoding", CheckDecoding, 1024, "records, decoded into arrays",
               "query/decoding/plain_decoder.cc query/decoding/whole_record.cc query/decoding/feature_column.cc"},
    FuzzTarget{"descriptors", CheckDescriptors, 2048, "descriptor sets",
               "proto/extract/descriptor_set.cc proto/extract/field_plan.cc"},
    FuzzTarget{"image_header", CheckImageHeader, 4096, "headers of images",
               "index/images/bmp_header.cc index/images/gif_header.cc index/images/header_reader.cc "
               "index/images/jpeg_header.cc index/images/png_header.cc index/images/tiff_header.cc "
               "index/images/webp_header.cc"},
    FuzzTarget{"image_pixels", CheckImagePixels, 4096, "JPEG and PNG images, decoded",
               "query/images/image_decoder.cc query/images/jpeg_reader.cc query/images/png_reader.cc "
               "query/images/image_fit.cc query/images/planes.cc query/images/resizer.cc"},
    FuzzTarget{"index", CheckIndex, 512, "an index with forged rows under correct checksums",
               "index/catalog/catalog_reader.cc index/catalog/catalog_shards.cc index/catalog/catalog_rows.cc "
               "index/catalog/catalog_columns.cc index/catalog/block_cursor.cc index/catalog/row_checksums.cc "
               "index/catalog/shard_files.cc index/catalog/hex_digits.h index/build/map_builder.cc"},
    FuzzTarget{"batch", CheckBatch, 1024, "requests for many records",
               "mmap/batch_plan.cc mmap/read_planner.cc mmap/record_reader_batches.cc mmap/record_reader_one.cc"},
    FuzzTarget{"rows", CheckRows, 1024, "CSV, TSV and JSON lines to pack",
               "tools/packing/csv_row.cc tools/packing/json_row.cc tools/packing/line_reader.cc "
               "tools/packing/row_files.cc tools/packing/schema_inference.cc "
               "tools/packing/text_numbers.cc"},
    FuzzTarget{"schema", CheckSchema, 1024, "the types of a source to pack, and values of these types",
               "tools/packing/pack_schema.cc tools/packing/calendar.cc tools/packing/row_builder.cc"},
    FuzzTarget{"ordinals", CheckOrdinals, 16384, "ranges and lists of records",
               "query/ordinals.cc tools/ordinals/ordinal_list.cc tools/ordinals/json_ordinals.cc "
               "tools/ordinals/list_reader.cc tools/ordinals/field_reader.cc tools/ordinals/byte_reader.cc"},
    FuzzTarget{"sampler_state", CheckSamplerState, 1024, "states of samplers",
               "query/sampling/sampler_state.cc query/sampling/resume.cc"},
    FuzzTarget{"small_formats", CheckSmallFormats, 512,
               "parts, choices of columns, lists as JSON, base64, and patterns",
               "index/catalog/part_facts.cc index/columns/column_choice.cc index/columns/derivations.cc "
               "query/columns/json_list_reader.cc query/columns/base64.cc query/filter/like_pattern.cc "
               "query/sql/functions/pattern.cc"},
    FuzzTarget{"where", CheckWhere, 256, "SQL expressions that select records",
               "query/sql/where.cc query/sql/program.cc query/filter/predicate.cc query/filter/value_filter.cc"},
    FuzzTarget{"sql", CheckSql, 512, "SQL statements",
               "query/sql/sql_session.cc query/sql/sql_authorizer.cc query/sql/sql_error.cc "
               "query/sql/grouped_statements.cc query/sql/statements/statement_text.cc "
               "query/sql/statements/sql_tokens.cc query/sql/statements/computed_terms.cc "
               "query/sql/statements/expression_program.cc query/sql/statements/group_loop.cc "
               "query/sql/statements/quoted_columns.cc query/sql/statements/syntax_error.cc "
               "query/sql/functions/regexp_function.cc query/sql/statements/arithmetic_text.cc "
               "query/tables/values/has_function.cc"},
    FuzzTarget{"http", CheckHttp, 4096, "requests to the server of `serve`",
               "tools/http/connection.cc tools/http/gate.cc tools/http/head.cc tools/http/target.cc "
               "tools/http/reply.cc tools/http/body_range.cc tools/http/token.cc"},
    FuzzTarget{"explorer", CheckExplorer, 1024, "questions of the page of `serve`, with filters",
               "tools/serve/counting_answers.cc tools/serve/record_answers.cc tools/serve/value_answers.cc "
               "tools/serve/sampler_answer.cc tools/serve/statement_answer.cc tools/serve/shards_answer.cc "
               "tools/serve/dataset_answer.cc tools/serve/requests/parameters.cc "
               "tools/serve/counting/record_filter.cc tools/serve/counting/filter_sql.cc tools/serve/explorer.cc"},
};

}  // namespace

std::span<const FuzzTarget> FuzzTargets() { return kFuzzTargets; }

}  // namespace ofindex
