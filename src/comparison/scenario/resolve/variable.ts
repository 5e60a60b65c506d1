const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const KEY_LIKE = /(?:^|_)(?:API_?KEY|KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Set by abeval, or a way to run something else than what is asked for. */
const OURS =
  /^(?:HOME|PATH|USER|LOGNAME|SHELL|TMPDIR|LD_.*|BUN_BE_BUN|ABEVAL_EVIDENCE|.*_BASE_URL|(?:https?|all|no)_proxy)$/i;

/** Why a scenario cannot set a variable; null: it can. @param keys what to say of keys */
export function variableFault(name: string, keys = "no command is given one"): string | null {
  if (!VARIABLE.test(name)) return "is no name of a variable: expected letters, digits and _";
  if (KEY_LIKE.test(name)) return `looks like a key; leave it out: ${keys}`;
  return OURS.test(name) ? "is set by abeval; leave it out" : null;
}

/** The variables of a fixture, and bytes of the value of one. */
export const MAX_VARIABLES = 100;
export const MAX_VALUE_BYTES = 4_096;

/** Why a variable of a fixture cannot have a value; null: it can. */
export function valueFault(value: string): string | null {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_VALUE_BYTES) return `has ${bytes} bytes; at most ${MAX_VALUE_BYTES} are possible`;
  return value.includes("\0") ? "contains a NUL character" : null;
}
