import { expect, test } from "bun:test";
import { isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";
import { exportsOf, sourcesBelow, wingSizes } from "./house.ts";

const ROOT = join(import.meta.dir, "..");

/** A wing of the house, and the wings that its files may import beside their own. */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  runtime: [],
  arms: ["domain", "runtime"],
  statistics: ["domain", "runtime"],
  store: ["domain", "runtime"],
  comparison: ["arms", "statistics", "store", "domain", "runtime"],
  doors: ["comparison", "arms", "statistics", "store", "domain", "runtime"],
};

const ARMS = [
  "model",
  "recording",
  "sandbox",
  "image",
  "workspace",
  "tool",
  "policy",
  "arm",
  "recipe",
  "agent",
  "imported",
  "endpoint",
].map((room) => `arms/${room}`);

/** What a run needs. Doctor tries the same. */
const RUN = [...ARMS, "statistics", "store", "domain", "runtime"];

/** A room, and what its files may import beside their own room: rooms, and single files where it should not have a whole room. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  runtime: [],
  statistics: ["domain", "runtime/pace"],
  store: ["domain", "runtime/clock", "runtime/collect-garbage", "runtime/pace", "runtime/semaphore"],
  "arms/wire": ["domain", "runtime/bounded-json", "runtime/grown-bytes"],
  "arms/recipe": ["domain", "runtime/bounded-json"],
  "arms/policy": ["domain", "runtime"],
  "arms/model": ["arms/wire", "domain", "runtime"],
  "arms/recording": ["arms/model", "domain", "runtime"],
  "arms/sandbox": ["domain", "runtime"],
  "arms/image": ["arms/sandbox", "domain", "runtime"],
  "arms/workspace": ["arms/sandbox", "domain", "runtime"],
  "arms/tool": ["arms/model", "arms/sandbox", "arms/workspace", "domain", "runtime"],
  "arms/arm": ["arms/model", "arms/tool", "arms/workspace", "arms/policy", "domain", "runtime"],
  "arms/agent": [
    ...["arm", "model", "policy", "recipe", "sandbox", "wire", "workspace"].map((room) => `arms/${room}`),
    "domain",
    "runtime",
  ],
  "arms/endpoint": [
    ...["agent", "arm", "imported", "model", "sandbox"].map((room) => `arms/${room}`),
    "domain",
    "runtime",
  ],
  "arms/imported": [
    ...["arm", "model", "policy", "recipe", "workspace"].map((room) => `arms/${room}`),
    "domain",
    "runtime",
  ],
  "comparison/table": ["domain", "runtime"],
  "comparison/scenario": [
    "arms/image",
    "arms/recipe",
    "arms/imported/read-log",
    "comparison/evidence/answer-schema",
    "comparison/table",
    "domain",
    "runtime",
  ],
  "comparison/evidence": ["arms/endpoint", "arms/policy", "arms/sandbox", "arms/workspace", "domain", "runtime"],
  "comparison/judge": ["arms/model", "arms/recipe", "domain", "runtime"],
  "comparison/planning": [...RUN, "comparison/evidence", "comparison/judge", "comparison/scenario"],
  "comparison/session": [
    ...RUN,
    "comparison/evidence",
    "comparison/judge",
    "comparison/planning",
    "comparison/scenario",
  ],
  "comparison/audit": [
    ...RUN,
    "comparison/evidence",
    "comparison/judge",
    "comparison/planning",
    "comparison/scenario",
    "comparison/session",
  ],
  "doors/doctor": [...RUN, "comparison"],
  "doors/report": ["domain", "statistics", "runtime/pace"],
  "doors/telemetry": ["domain"],
  "doors/endpoint": ["doors/report/trajectory", "domain"],
  "doors/operation": [
    "doors/endpoint",
    "doors/report",
    "doors/doctor",
    "comparison",
    "statistics",
    "store",
    "domain",
    "runtime",
  ],
  "doors/http": ["doors/endpoint", "doors/operation", "doors/doctor/build", "domain", "runtime"],
  "doors/mcp": ["doors/endpoint", "doors/operation", "statistics", "domain", "runtime"],
  "doors/cli": ["doors", "comparison", "arms", "statistics", "store", "domain", "runtime"],
  "doors/web": ["doors/endpoint", "comparison/judge/decide", "comparison/judge/facts", "statistics", "domain"],
  main: [
    "arms/agent/launcher",
    "doors/cli",
    "doors/doctor/build",
    "domain/did-you-mean",
    "runtime/on-bun",
    "runtime/version",
  ],
};

/** Files directly in a room are its face: other rooms may import them. So many are enough; these two are words for everybody. */
const MOST_IN_A_FACE = 18;
const WORDS_FOR_ALL = ["domain", "runtime"];

/** What may be used only in these places. */
const ONLY_IN: readonly (readonly [what: RegExp, where: RegExp])[] = [
  [/\bprocess\.env\b/, /^(doors\/cli\/services\/services|runtime\/find-program|arms\/agent\/launcher)\.ts$/],
  [/\bprocess\.argv\b/, /^(main|arms\/agent\/launcher-command)\.ts$/],
  [/\bnew Date\(\)|\bDate\.now\b|\bperformance\.now\b|\bMath\.random\b|\brandomBytes\b/, /^runtime\/clock\.ts$/],
  [/\bprocess\.stdout\b|Bun\.stdout/, /^(doors\/cli\/|main\.ts$)/],
  [
    /\bBun\.\w|(from|import\() ?"bun[":]/,
    /^(main|runtime\/collect-garbage|store\/(sqlite\/database|postgres\/connection(-pool)?)|doors\/cli\/(mcp|services\/own-process))\.ts$/,
  ],
  [/from "elysia|from "@elysiajs/, /^doors\/http\//],
  [/from "@modelcontextprotocol/, /^(doors\/mcp|arms\/tool\/mcp)\//],
  [/(from|import\() ?"@anthropic-ai\/sdk/, /^arms\/model\/(provider\/anthropic|resolve)/],
  [/(from|import\() ?"openai["/]/, /^arms\/model\/(provider\/openai|resolve)/],
  [/(from|import\() ?"prom-client"/, /^doors\/http\/metrics\.ts$/],
  [/from "@opentelemetry/, /^doors\/telemetry\/export-sessions\.ts$/],
  [/from "unbash"/, /^arms\/policy\//],
  [/(from|import\() ?"tar"/, /^arms\/image\//],
  [/(from|import\() ?"pg-boss"/, /^store\/postgres\/(boss|queue)\.ts$/],
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

const wingOf = (path: string) => path.split("/")[0]?.replace(/\.ts$/, "") ?? "";

/** `domain/arm.ts` is in the room `domain`, `arms/arm/run-arm.ts` in `arms/arm`. */
const roomOf = (path: string) =>
  Object.keys(ROOMS).some((room) => room.startsWith(`${wingOf(path)}/`))
    ? path.split("/").slice(0, 2).join("/")
    : wingOf(path);

interface Import {
  readonly target: string;
  /** By `import()`: it is loaded when it is needed. */
  readonly later: boolean;
}

const importsOf = ({ path, text }: Source): Import[] =>
  [...text.matchAll(/(from|import)\s*(\()?\s*"(\.{1,2}\/[^"]+)"/g)].map(([, , later, target = ""]) => ({
    target: normalize(join(dirname(path), target)),
    later: later !== undefined,
  }));

interface Arrow extends Import {
  readonly from: string;
}

const arrow = ({ from, target }: Arrow) => `${from} -> ${target}`;

/** Every import of a file by a file of another room. */
async function betweenRooms(): Promise<Arrow[]> {
  const arrows = (await sources()).flatMap((source) => importsOf(source).map((one) => ({ ...one, from: source.path })));
  return arrows.filter(({ from, target }) => !target.startsWith("../") && roomOf(target) !== roomOf(from));
}

test("every wing imports only what its row allows", async () => {
  const stray = (await betweenRooms()).filter(({ from, target }) => {
    const [own, other] = [wingOf(from), wingOf(target)];
    return own !== "main" && own !== other && !WINGS[own]?.includes(other);
  });
  expect(stray.map(arrow)).toEqual([]);
});

test("every room imports only what its row allows", async () => {
  const stray = (await betweenRooms()).filter(
    ({ from, target }) =>
      !ROOMS[roomOf(from)]?.some((word) => target === `${word}.ts` || target.startsWith(`${word}/`)),
  );
  expect(stray.map(arrow)).toEqual([]);
});

/** The path inside its room. */
const withinRoom = (path: string) => path.slice(roomOf(path).length + 1);

test("a folder of a room is the room's own, but for what is loaded when it is needed", async () => {
  const stray = (await betweenRooms()).filter(({ target, later }) => !later && withinRoom(target).includes("/"));
  expect(stray.map(arrow)).toEqual([]);
});

test("the face of a room is small", async () => {
  const faces = Map.groupBy(
    (await sources()).map(({ path }) => path).filter((path) => !withinRoom(path).includes("/") && path !== "main.ts"),
    roomOf,
  );
  for (const [room, files] of faces) console.log(`${room}: ${files.map(withinRoom).join(", ")}`);
  const large = [...faces].filter(([room, { length }]) => length > MOST_IN_A_FACE && !WORDS_FOR_ALL.includes(room));
  expect(large.map(([room, { length }]) => `${room}: ${length}`)).toEqual([]);
});

test("no two files import each other, also not by way of others or for types alone", async () => {
  const imports = new Map(
    (await sources()).map((source) => [source.path, importsOf(source).map(({ target }) => target)]),
  );
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

test("every wing and every room has its row", async () => {
  const paths = (await sources()).map(({ path }) => path);
  expect([...new Set(paths.map(wingOf))].sort()).toEqual([...Object.keys(WINGS), "main"].sort());
  expect([...new Set(paths.map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort());
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
  const expected = ["src/main.ts", "src/runtime/on-bun.ts", "src/runtime/version.ts", "package.json"];
  expect(new Set(loaded)).toEqual(new Set(expected.map((path) => join(ROOT, path))));
});

/** The transpiler names React's for every page; the configuration names Preact's. */
const JSX = "react";

test("every library that the program imports is a dependency of its own, not one of development or of another library", async () => {
  const { dependencies } = await Bun.file(join(ROOT, "package.json")).json();
  const stray = (await sources()).flatMap(({ path, text }) =>
    new Bun.Transpiler({ loader: path.endsWith("x") ? "tsx" : "ts" })
      .scanImports(text.replace(/^#!.*/, ""))
      .map(({ path: from }) => from.split("/", from.startsWith("@") ? 2 : 1).join("/"))
      .filter((name) => name !== JSX && !name.startsWith(".") && !isBuiltin(name) && !(name in dependencies))
      .map((name) => `${path}: ${name}`),
  );
  expect(stray).toEqual([]);
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

/** Names that several files export, each for the same thing. */
const ONE_NAME_IN_SEVERAL: readonly (readonly [why: string, names: readonly string[]])[] = [
  [
    "an operation has one name: where it is defined, in every door, and where it is done",
    [
      ..."runDoctor listScenarios getScenario runScenario listSessions summarizeSessions getSession rejudge".split(" "),
      ..."startSelfTest vote startSeries listSeries getSeries seriesReport".split(" "),
    ],
  ],
  ["a subcommand", ["command"]],
  ["each SQL store has its own", ["SessionRows", "beginOnce", "readListings", "runSteps", "summarizeListings"]],
  ["each wire has its own", ["isClientTool"]],
];

/**
 * Ceilings of files, lines and exported names. They only fall: what needs room pays with a deletion, or raises one in a commit of
 * its own that says what users get. `bun run census` prints what there is.
 */
const CEILINGS: Readonly<Record<string, readonly [files: number, lines: number, names: number]>> = {
  "src/main.ts": [1, 127, 0],
  "src/domain": [119, 9_041, 644],
  "src/runtime": [20, 1_261, 54],
  "src/arms": [202, 23_651, 689],
  "src/statistics": [71, 7_789, 312],
  "src/store": [58, 7_503, 216],
  "src/comparison": [207, 27_466, 822],
  "release/npm/library": [9, 869, 46],
  "src/doors": [333, 36_120, 974],
};

/** Share of a ceiling that may stand empty. Beyond it the ceiling falls, so that nobody fills the room again. */
const SLACK = 0.01;

test("no wing grows above its ceiling, and a ceiling follows a wing that shrank", async () => {
  const sizes = new Map([...(await wingSizes())].filter(([wing]) => wing !== "test"));
  expect([...sizes.keys()].sort()).toEqual(Object.keys(CEILINGS).sort());
  const wrong = [...sizes].flatMap(([wing, { files, lines, names }]) =>
    [files, lines, names].flatMap((size, index) => {
      const ceiling = CEILINGS[wing]?.[index] ?? 0;
      const what = `${wing}: ${size} ${["files", "lines", "names"][index]}`;
      if (size > ceiling) return `${what} are above the ceiling of ${ceiling}`;
      return size < Math.floor(ceiling * (1 - SLACK))
        ? `${what} are far below the ceiling of ${ceiling}: lower it`
        : [];
    }),
  );
  expect(wrong).toEqual([]);
});

test("two files export no two things under one name", async () => {
  const names = (await sourcesBelow("src")).flatMap(exportsOf);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  expect([...twice].sort()).toEqual(ONE_NAME_IN_SEVERAL.flatMap(([, own]) => own).sort());
});
