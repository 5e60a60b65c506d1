import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** What a session may import. Doctor tries the same. */
const SESSION = [
  "domain",
  "scenario",
  "policy",
  "model",
  "cassette",
  "sandbox",
  "workspace",
  "store",
  "tool",
  "arm",
  "agent",
  "evidence",
  "judge",
  "series",
  "clock",
  "pace",
  "semaphore",
];

/** Who may import whom. Every room may import itself. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  series: ["domain", "pace"],
  scenario: ["domain", "agent/recipe", "exit-of", "find-program"],
  policy: ["domain", "pace"],
  model: ["domain", "wire", "clock", "semaphore", "version"],
  wire: ["domain"],
  cassette: ["domain", "model", "clock", "lines", "pace"],
  sandbox: ["domain", "clock", "exit-of", "find-program", "on-bun", "pace"],
  workspace: ["domain", "sandbox", "clock", "exit-of", "find-program", "pace"],
  store: ["domain", "clock"],
  tool: ["domain", "model", "sandbox", "workspace", "clock", "lines", "pace"],
  arm: ["domain", "model", "tool", "workspace", "policy", "clock", "pace"],
  agent: ["domain", "arm", "model", "policy", "sandbox", "wire", "workspace", "clock", "find-program", "pace"],
  evidence: ["domain", "sandbox", "workspace", "policy"],
  judge: ["domain", "agent/recipe", "model", "clock", "pace"],
  session: SESSION,
  audit: [...SESSION, "session"],
  doctor: [...SESSION, "session", "audit", "exit-of"],
  report: ["domain", "series"],
  operation: ["domain", "report", "scenario", "session", "series", "audit", "doctor", "store", "clock", "pace"],
  http: ["domain", "operation", "clock"],
  mcp: ["domain", "operation", "lines", "pace"],
  cli: ["*"],
  web: [
    "domain",
    "judge/decide",
    "judge/facts",
    "series/difference",
    "series/evidence-curve",
    "series/figure-text",
    "series/log-axis",
    "series/trial-kind",
  ],
  main: ["agent/door", "cli", "domain/did-you-mean", "on-bun", "version"],
  clock: [],
  "exit-of": [],
  "find-program": [],
  lines: [],
  "on-bun": [],
  pace: [],
  semaphore: [],
  version: [],
};

/** What may be used only in these places. */
const ONLY_IN: readonly (readonly [what: RegExp, where: RegExp])[] = [
  [/\bprocess\.env\b/, /^(cli\/services|find-program|agent\/door)\.ts$/],
  [/\bprocess\.argv\b/, /^(main|agent\/door-command)\.ts$/],
  [/\bnew Date\(\)|\bDate\.now\b|\bperformance\.now\b|\bMath\.random\b|\brandomBytes\b/, /^clock\.ts$/],
  [/\bprocess\.stdout\b|Bun\.stdout/, /^(cli\/|main\.ts$)/],
  [
    /\bBun\.\w|(from|import\() ?"bun[":]/,
    /^(main|store\/(sqlite\/database|postgres\/connection)|cli\/(mcp|c-library))\.ts$/,
  ],
  [/from "elysia|from "@elysiajs/, /^http\//],
  [/from "@modelcontextprotocol/, /^(mcp|tool\/mcp)\//],
  [/(from|import\() ?"@anthropic-ai\/sdk/, /^model\/(anthropic|resolve)/],
  [/(from|import\() ?"openai["/]/, /^model\/(openai|resolve)/],
  [/from "unbash"/, /^policy\//],
  [/(from|import\() ?"pg-boss"/, /^store\/postgres\/queue\.ts$/],
];

interface Source {
  readonly path: string;
  readonly text: string;
}

async function sources(folder = "src"): Promise<Source[]> {
  const paths = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, folder))].sort();
  return await Promise.all(
    paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, folder, path)).text() })),
  );
}

/** `main.ts` is the room `main`, `arm/run-arm.ts` is in `arm`. */
const roomOf = (path: string) => path.split("/")[0]?.replace(/\.ts$/, "") ?? "";

const importsOf = ({ path, text }: Source) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    normalize(join(dirname(path), match[1] ?? "")),
  );

function strayImports(source: Source): string[] {
  const room = roomOf(source.path);
  const allowed = LAYERS[room] ?? [];
  return importsOf(source)
    .filter((target) => target.startsWith("../") === false && roomOf(target) !== room)
    .filter(
      (target) => !allowed.some((word) => word === "*" || target === `${word}.ts` || target.startsWith(`${word}/`)),
    )
    .map((target) => `${source.path} -> ${target}`);
}

test("every folder imports only what its layer allows", async () => {
  const stray = (await sources()).flatMap(strayImports);
  expect(stray).toEqual([]);
});

test("no two files import each other, also not by way of others or for types alone", async () => {
  const imports = new Map((await sources()).map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (way.includes(path) || done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  expect(circles).toEqual([]);
});

test("every folder under src has its row in the table of layers", async () => {
  const rooms = new Set((await sources()).map(({ path }) => roomOf(path)));
  expect([...rooms].filter((room) => !(room in LAYERS))).toEqual([]);
});

test("the environment, the clock, chance, stdout, the runtime and each library are named in one place", async () => {
  const strays = (await sources()).flatMap(({ path, text }) =>
    ONLY_IN.filter(([what, where]) => what.test(text) && !where.test(path)).map(([what]) => `${path}: ${what.source}`),
  );
  expect(strays).toEqual([]);
});

/** Everything that is loaded with a file. */
async function loadedWith(path: string): Promise<string[]> {
  const text = path.endsWith(".ts") ? await Bun.file(path).text() : "";
  const targets = [...text.matchAll(/^(?:im|ex)port (?!type )(?:.* from )?"([^"]+)"/gm)].map((match) => match[1] ?? "");
  const deeper = targets.map(async (target) =>
    target.startsWith(".") ? await loadedWith(join(dirname(path), target)) : [target],
  );
  return [path, ...(await Promise.all(deeper)).flat()];
}

test("the entry imports nothing of the stack before it has read its arguments", async () => {
  const loaded = await loadedWith(join(ROOT, "src/main.ts"));
  const expected = ["src/main.ts", "src/on-bun.ts", "src/version.ts", "package.json"];
  expect(new Set(loaded)).toEqual(new Set(expected.map((path) => join(ROOT, path))));
});

test("a test that a machine cannot run says in its title what is missing", async () => {
  const skipping = (await sources("test")).filter(({ text }) => /\b(test|it|describe|kind)\.(skip|todo|if)/.test(text));
  expect(skipping.map(({ path }) => path)).toEqual(["needs.ts"]);
});

test("the README's suite opens no browser: what needs one is called .browser.ts", async () => {
  const browsing = (await sources("test")).filter(({ text }) => /\bCHROMIUM\b.*from/.test(text));
  expect(browsing.length).toBeGreaterThan(0);
  expect(browsing.map(({ path }) => path).filter((path) => !path.endsWith(".browser.ts"))).toEqual([]);
});
