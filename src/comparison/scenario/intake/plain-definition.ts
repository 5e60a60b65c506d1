import { Failure } from "../../../domain/failure.ts";
import type { Scenario } from "../../../domain/scenario.ts";

/** Fields that may be given: a map of them, what the schema allows (true), of that only texts, or each entry of a list. */
type Allowed = true | "text" | { readonly [field: string]: Allowed } | readonly [each: Allowed];

/** Checks of what an arm answered and called. They run no command and read no file. */
export const PLAIN_CHECK = {
  ...{
    id: true,
    answer_contains: true,
    answer_lacks: true,
    answer_matches: true,
    answer_json: true,
    ignore_case: true,
  },
  ...{ called: true, changed: true, required: true, weight: true },
} as const satisfies Allowed;

/** What names no file, no program and no address, runs no command, and says no price: that is the server's. */
const PLAIN: Allowed = {
  ...{
    name: true,
    title: true,
    description: true,
    tags: true,
    varies: true,
    measure: true,
    control: true,
    cluster: true,
  },
  inputs: true,
  task: {
    ...{ prompt: true, question: true, messages: true, follow_ups: true, deliverable: true },
    reference_answer: "text",
    probe: { checks: [PLAIN_CHECK] },
  },
  arms: [
    {
      ...{
        id: true,
        extends: true,
        title: true,
        model: true,
        prompt: true,
        system_prompt: true,
        tools: true,
        params: true,
      },
      ...{ limits: true, script: true, scripts: true },
    },
  ],
  policies: { budget: true },
  rubric: {
    ...{ instructions: true, tie_margin: true, criteria: true },
    judge: { model: true, probe_visibility: true, max_evidence_tokens: true },
  },
};

/**
 * Holds a definition that a caller sent to prompts, rows, models and checks of answers. A scenario with more of it is code.
 * @throws Failure `not_allowed` that names the field
 */
export function demandPlain(definition: object): void {
  const field = strangerIn(definition, PLAIN, "");
  if (field !== undefined) throw refused(field, field);
}

/** The same of what only the resolved scenario tells: an arm that says nothing of its tools has all of them. @throws Failure `not_allowed` */
export function demandNoTools({ arms }: Pick<Scenario, "arms">): void {
  const index = arms.findIndex(({ tools }) => tools.length > 0);
  const field = `arms[${index}].tools`;
  if (index >= 0) throw refused(field, `${field} (give it \`tools: []\`)`);
}

const refused = (field: string, told: string) =>
  new Failure(
    "not_allowed",
    `${told}: a scenario that is sent has prompts, rows, models and checks of answers; for more the server needs --allow-commands`,
    { details: { field } },
  );

/** The first field that is not allowed. What has another form is left to the schema, but a text among checks is a command. */
function strangerIn(value: unknown, allowed: Allowed, path: string): string | undefined {
  if (allowed === true) return undefined;
  if (typeof value === "string") return allowed === "text" ? undefined : path;
  if (allowed === "text") return path;
  const within = isList(allowed) ? inList(allowed, path) : inMap(allowed, path);
  for (const [key, item] of Object.entries(value ?? {})) {
    const [field, rule] = within(key);
    const found = rule === undefined ? field : strangerIn(item, rule, field);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name of a part, and what it may be; undefined: nothing. */
type Within = (key: string) => readonly [field: string, rule: Allowed | undefined];

const inList =
  ([each]: readonly [Allowed], path: string): Within =>
  (key) => [`${path}[${key}]`, each];

const inMap =
  (allowed: Readonly<Record<string, Allowed>>, path: string): Within =>
  (key) => [path === "" ? key : `${path}.${key}`, Object.hasOwn(allowed, key) ? allowed[key] : undefined];

const isList = (allowed: Exclude<Allowed, true | "text">): allowed is readonly [Allowed] => Array.isArray(allowed);
