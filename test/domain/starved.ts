import { openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { installDigest } from "../../src/arms/recipe/install.ts";
import { readHeader } from "../../src/arms/recording/read-recording.ts";
import { imagesIn } from "../../src/comparison/planning/task-image.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { loadPriceList } from "../../src/comparison/scenario/parse-scenario.ts";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { readBundle } from "../../src/comparison/session/read-bundle.ts";
import { Failure } from "../../src/domain/failure.ts";
import { exitCodeOfCommand } from "../../src/doors/cli/exit-code.ts";
import { tellFault } from "../../src/doors/cli/tell-fault.ts";
import { errorText } from "../../src/doors/mcp/errors.ts";
import { storageFailure } from "../../src/store/sqlite/storage-failure.ts";
import "../../src/arms/image/read-image.ts";

// A process that has no descriptor left reads what people wrote; what each reader says goes to stdout.
const directory = process.argv[2] ?? "";
const file = `${directory}/any.yaml`;
const READERS: Readonly<Record<string, () => Promise<unknown>>> = {
  scenario: () => loadScenarioFile(file),
  catalog: () => openCatalog(directory).list(),
  prices: () => loadPriceList(file),
  bundle: () => readBundle(file),
  recording: () => readHeader(file, "any.jsonl"),
  images: () => imagesIn(directory),
  agent: () => installDigest(directory, null),
  database: async () => {
    throw storageFailure(Object.assign(new Error("unable to open"), { code: "SQLITE_CANTOPEN" }), "the state");
  },
};

const codeOf = (error: unknown) => (error instanceof Failure ? error.code : String(error));

const told: Record<string, unknown> = {};
fillUp();
for (const [name, read] of Object.entries(READERS)) told[name] = await read().then(() => "read", codeOf);
const raw = await readFile(file).catch((error: unknown) => error);
told["mcp"] = errorText(raw, { notice: () => undefined, redact: (text) => text });
told["exit"] = await exitCodeOfCommand("abeval run", () => Promise.reject(raw));
tellFault(raw);
writeSync(1, JSON.stringify(told));

function fillUp(): void {
  try {
    for (;;) openSync("/dev/null", "r");
  } catch {
    // No descriptor is left.
  }
}
