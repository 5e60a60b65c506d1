import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOutcome } from "../src/domain/session.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

interface Dear {
  readonly name: string;
  readonly checks: readonly object[];
  readonly answer: string;
  /** What each check says of that answer, or the begin of its reason. */
  readonly said: "pass" | "fail" | RegExp;
}

/** Runs at the same time. */
const AT_ONCE = 3;

/** A server at rest has about 150 MB. */
const MOST = { memory_mb: 300 };

/** Schemas and patterns of honest authors, and the answer that costs most with each. */
export const campaign: Campaign = {
  about: `schemas and patterns that an answer makes dear, ${AT_ONCE} runs at once`,
  at_once: 1,
  cases: async ({ shared }) => {
    const rows: Figures[] = [];
    shared.defer(() => printFigures("check", rows));
    return DEAR.map((dear) => dearCase(dear, rows));
  },
};

/** A node that is one of two, which an answer tells apart behind its child alone. */
const twice = (ref: object) => ({
  oneOf: ["text", "list"].map((kind) => ({ properties: { child: ref, kind: { const: kind } }, required: ["kind"] })),
});

const nested = (levels: number) => `${'{"child":'.repeat(levels)}{"kind":"text"}${',"kind":"list"}'.repeat(levels)}`;
const BUGS = "bug ".repeat(49_000);
const LIST = JSON.stringify(Array.from({ length: 19_000 }, (_, at) => at));
const FIXED = "(?i)\\bbug\\b[\\s\\S]{0,500}\\bfix(ed)?\\b";

const DEAR: readonly Dear[] = [
  {
    name: "a recursive schema, 60 nested objects",
    checks: [{ answer_json: { $defs: { node: twice({ $ref: "#/$defs/node" }) }, $ref: "#/$defs/node" } }],
    answer: nested(60),
    said: "pass",
  },
  {
    name: "the same by dynamic references",
    checks: [{ answer_json: { $dynamicAnchor: "node", ...twice({ $dynamicRef: "#node" }) } }],
    answer: nested(60),
    said: /takes more than 50,000,000 steps$/,
  },
  {
    name: "400 kinds, a list of 19,000 numbers",
    checks: [{ answer_json: { items: { anyOf: Array.from({ length: 400 }, (_, at) => ({ minimum: 20_000 + at })) } } }],
    answer: LIST,
    said: "fail",
  },
  {
    name: "many kinds of many kinds, the same list",
    checks: [{ answer_json: { items: { not: { anyOf: Array.from({ length: 500 }, () => ({ minimum: 20_000 })) } } } }],
    answer: LIST,
    said: "pass",
  },
  { name: "a pattern, 196 kB", checks: [{ answer_matches: `/${FIXED}/` }], answer: BUGS, said: "fail" },
  {
    name: "eight such patterns",
    checks: Array.from({ length: 8 }, (_, at) => ({ answer_matches: `/${FIXED}${at}/` })),
    answer: BUGS.slice(0, 40_000),
    said: "fail",
  },
  {
    name: "the pattern in a schema, 196 kB",
    checks: [{ answer_json: { pattern: FIXED } }],
    answer: JSON.stringify(BUGS),
    said: /takes more than 50,000,000 steps$/,
  },
];

const dearCase = (dear: Dear, rows: Figures[]): Case => ({
  name: dear.name,
  async run() {
    using directories = openCaseDirectories();
    const scenarios = join(directories.path, "scenarios");
    mkdirSync(scenarios);
    writeFileSync(join(scenarios, "dear.yaml"), JSON.stringify(scenarioOf(dear)));
    const args = ["--scenarios-dir", scenarios, "--state-dir", directories.state, "--log", "none"];
    await using served = await serve(args, { TMPDIR: directories.scratch });
    await watched({ name: dear.name, served, directory: directories.path, rows }, () => runAll(served.url, dear), MOST);
  },
});

/** JSON is YAML. */
const scenarioOf = ({ checks, answer }: Dear) => ({
  name: "dear",
  task: { prompt: "Answer.", probe: { checks } },
  arms: Object.entries({ left: answer, right: "None." }).map(([id, say]) => ({
    ...{ id, model: `scripted/${id}`, script: [{ say }] },
  })),
  rubric: { criteria: [{ id: "turns", measure: "turns" }], judge: { model: "builtin/evidence" } },
});

async function runAll(url: string, { said }: Dear): Promise<void> {
  const post = async () => {
    const response = await fetch(`${url}/api/runs`, jsonPost({ scenario: "dear" }));
    return (await response.json()) as SessionOutcome;
  };
  for (const { arms, ...rest } of await Promise.all(Array.from({ length: AT_ONCE }, post))) {
    hold(arms?.length === 2, "two arms", rest);
    const checks = arms[0]?.probe?.checks ?? [];
    const isSo = checks.every(({ status, reason }) =>
      said instanceof RegExp ? status === "error" && said.test(reason ?? "") : status === said,
    );
    hold(isSo && checks.length > 0, `each check to say ${said}`, checks);
  }
}
