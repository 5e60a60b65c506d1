import { expect, test } from "bun:test";
import { textsIn } from "../src/agent/broken-input.ts";
import { Credentials } from "../src/model/credentials.ts";
import { providerFailure } from "../src/model/provider-failure.ts";
import { redactKeyShapes, secretRedactor } from "../src/model/redaction.ts";
import { checkModel } from "../src/model/resolve-model.ts";
import { Secret } from "../src/model/secret.ts";
import { cpuRatio, LINEAR } from "./cpu-ratio.ts";

/** What is repeated, perhaps with something before and behind it. */
type Family = string | readonly [before: string, repeated: string, behind?: string];

interface Reader {
  readonly reads: string;
  /** Characters. */
  readonly n: number;
  readonly read: (text: string) => unknown;
  readonly families: readonly Family[];
}

const CREDENTIALS = new Credentials({ HOUSE_BASE_URL: "http://house.example", HOUSE_API_KEY: "canary-key-5d1e7f" });
const PROVIDER = { endpoint: checkModel("house/x", CREDENTIALS), redact: (text: string) => CREDENTIALS.redact(text) };
const ONCE = { attempts: 1, timeout_ms: 1_000 };

const READERS: readonly Reader[] = [
  {
    reads: "texts in a broken input",
    n: 4_000,
    read: textsIn,
    families: [["", '\\"\\"\\"', "\\"], '"', '"a" ', ['""', " "], ['"', "\\\\"], '"":'],
  },
  {
    reads: "what looks like a key",
    n: 32_000,
    read: redactKeyShapes,
    families: ["sk-", "sk-a-", "Bearer ", ["Basic", " "], "Basic a", "AIza", ["Bearer ", "a"], ["sk-", "a_"]],
  },
  {
    reads: "a provider's refusal",
    n: 32_000,
    read: (words) => providerFailure(PROVIDER, { failed: { kind: "status", status: 400, words }, ...ONCE }),
    families: ["sk-", " ", "<", "<script", "<a", ["<script>", "</"], "\\", '"', "Bearer ", "temperatur"],
  },
  {
    reads: "loaded keys",
    n: 200_000,
    read: secretRedactor([new Secret(`sk-ant-${"ab01".repeat(20)}`)]),
    families: ["sk-ant-", "ab01", ["sk-ant-", "ab01"], "6162"],
  },
];

const ROWS = READERS.flatMap(({ families, ...reader }) => families.map((family) => ({ ...reader, family })));

test.each(ROWS)("$reads: linear in $family", async ({ n, read, family }) => {
  expect(await cpuRatio({ n, input: (size) => textOf(family, size), read })).toBeLessThan(LINEAR);
});

function textOf(family: Family, size: number): string {
  const [before, repeated, behind = ""] = typeof family === "string" ? ["", family] : family;
  // From bytes: a text that was put together would be walked over once before it is read.
  return Buffer.from(before + repeated.repeat(Math.ceil(size / repeated.length)) + behind).toString();
}
