/** Limits that several files share, each with its unit and the reason for its value. */

/** Seconds for one command of an arm: a test suite, not a build farm. */
export const COMMAND_TIMEOUT_S = 60;

/** Bytes of a command: Linux takes 128 kB as one argument, and the environment counts too. */
export const COMMAND_BYTES = 120_000;

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

/** Milliseconds for one provider call of an arm or of the judge. */
export const CALL_TIMEOUT_MS = 300_000;

/** Tries of one provider call, the first included. There is a growing pause between them. */
export const PROVIDER_TRIES = 6;

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

/** Bytes of a scenario file; beyond it the YAML reader would block the process. */
export const SCENARIO_FILE_BYTES = 256 * 1024;

/** Files and bytes that a fixture, probe or reference directory may hold; each arm gets a copy of the fixture. */
export const MATERIAL_FILES = 20_000;
export const MATERIAL_BYTES = 256_000_000;

/** Bytes of a table of results that a request brings: 20,000 trials with long names. */
export const RESULTS_BODY_BYTES = 7 * 1024 * 1024;

/** Sessions that run at once, and that may wait for their turn. */
export const MAX_SESSIONS = 4;
export const MAX_QUEUED = 100;

/** Characters of what a voter writes: some paragraphs, and a name. */
export const VOTE_REASON_CHARS = 2_000;
export const VOTER_CHARS = 100;

/** Characters of an answer that checks read, and of a reference answer. A longer one passes no check that reads it. */
export const ANSWER_CHARS = 200_000;

/** Inputs from a checkout that are named; those that keep a gate shut come first. */
export const NAMED_INPUTS = 100;

/** Arms of a scenario; more than two make a contest. */
export const MAX_ARMS = 8;

/** Trials of one scenario in a series. */
export const MAX_TRIALS = 1_000;

/** Win rates within this distance of 1/2 count as no difference worth having. */
export const MARGIN = 0.15;

/** Fewer tasks of a series cannot show at any look that others like them get better. */
export const LEAST_TASKS = 8;
