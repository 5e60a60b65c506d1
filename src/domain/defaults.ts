/** Every default limit, with its unit and the reason for its value. */

/** An arm's budget. It is generous for a small repository task; a runaway arm stops within ten minutes. */
export const DEFAULT_BUDGET = {
  max_turns: 40,
  /** Input and output together; 40 turns of a 25k context. */
  max_tokens: 1_000_000,
  /** Working time: waiting for a throttled provider does not count. */
  max_seconds: 600,
  max_tool_calls: 120,
} as const;

/** Share of a budget at which an arm gets one warning. */
export const BUDGET_WARNING_SHARE = 0.8;

/** Seconds for one command of an arm: a test suite, not a build farm. */
export const COMMAND_TIMEOUT_S = 60;

/** Bytes of a command: Linux takes 128 kB as one argument, and the environment counts too. */
export const COMMAND_BYTES = 120_000;

/** kB that a model reads of one command's output; head and tail are kept. */
export const COMMAND_OUTPUT_KB = 64;

/** Seconds for one probe check. */
export const CHECK_TIMEOUT_S = 60;

/** Seconds for one setup step: it may fetch a thousand packages over a slow line. */
export const SETUP_TIMEOUT_S = 600;

/** kB of a check's output that `output_matches` reads; a part of it is stored. */
export const CHECK_OUTPUT_KB = 64;

/** The most tokens that one model turn may write; enough for a whole source file. */
export const MAX_OUTPUT_TOKENS = 8192;

/** Tokens of evidence shown to the judge per arm, estimated at `BYTES_PER_TOKEN`. */
export const MAX_EVIDENCE_TOKENS = 12_000;

/** Bytes per token when only text is known; low, so that estimates err on the large side. */
export const BYTES_PER_TOKEN = 3.2;

/** Score gap (-1..1) up to which two arms count as equal. */
export const TIE_MARGIN = 0.05;

/** Milliseconds for one provider call of an arm or of the judge. */
export const CALL_TIMEOUT_MS = 300_000;

/** Tries of one provider call, the first included. There is a growing pause between them. */
export const PROVIDER_TRIES = 6;

/** Characters of text, inputs and outputs that a decision keeps (4 kB). */
export const DETAIL_CHARS = 4_096;

/** Bytes of one file's text kept before and after, and of all files of an arm. */
export const CHANGED_FILE_BYTES = 200_000;
export const CHANGED_FILES_BYTES = 2_000_000;

/** Bytes of the unified diff kept per arm. */
export const PATCH_BYTES = 2_000_000;

/** Paths of an arm that are listed as violations or as restored; an arm may change thousands. */
export const NAMED_VIOLATIONS = 100;

/** How often the judge is asked again after an unusable answer. */
export const JUDGE_REASKS = 2;

/** Tokens the judge may write: twenty criteria with notes and citations fit. */
export const JUDGE_OUTPUT_TOKENS = 8192;

/** Characters of a judge's reply that are read, several times what its tokens can hold. A longer reply is requested again. */
export const JUDGE_REPLY_CHARS = 256_000;

/** Sessions kept in memory when there is no state directory. */
export const MEMORY_SESSIONS = 200;

/** Bytes of a scenario file; beyond it the YAML reader would block the process. */
export const SCENARIO_FILE_BYTES = 256 * 1024;

/** Files and bytes that a fixture, probe or reference directory may hold; each arm gets a copy of the fixture. */
export const MATERIAL_FILES = 20_000;
export const MATERIAL_BYTES = 256_000_000;

/** Bytes of a request body: a run request needs a few hundred. */
export const BODY_BYTES = 1024 * 1024;

/** Bytes of a table of results that a request brings: 20,000 trials with long names. */
export const RESULTS_BODY_BYTES = 7 * 1024 * 1024;

/** Bytes of a body that the server reads before it closes the connection; enough to answer 413 in our own format. */
export const RAW_BODY_BYTES = 8 * 1024 * 1024;

/** Milliseconds between comment lines of an event stream, short enough that proxies do not close it as idle. */
export const KEEP_ALIVE_MS = 15_000;

/** Milliseconds for which a reader of an event stream may read nothing while data waits. */
export const STALLED_READER_MS = 30_000;

/** Sessions that run at once, and that may wait for their turn. */
export const MAX_SESSIONS = 4;
export const MAX_QUEUED = 100;

/** Seconds that running runs get to finish when the server is told to stop. */
export const GRACE_S = 30;

/** Characters of what a voter writes: some paragraphs, and a name. */
export const VOTE_REASON_CHARS = 2_000;
export const VOTER_CHARS = 100;

/** Characters of an answer that checks read, and of a reference answer. A longer one passes no check that reads it. */
export const ANSWER_CHARS = 200_000;
