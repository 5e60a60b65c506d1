import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allowedHosts, allowedOrigins } from "../../src/doors/http/allowed-callers.ts";
import { abeval } from "../abeval.ts";
import { aService, jsonPost, scenarioText } from "./service.ts";

const arm = (id: string, say: string) => ({ id, model: `scripted/${id}`, tools: [], script: [{ say }] });

const definition = (name: string, more: object = {}) => ({
  name,
  task: { prompt: "Say hello.", probe: { checks: [{ answer_contains: "Hello", required: true }] } },
  arms: [arm("left", "Hello."), arm("right", "Good morning.")],
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  ...more,
});

const ROWS = [
  { id: "one", wanted: "Hello" },
  { id: "two", wanted: "Good" },
];

const tabled = (name: string) => ({
  ...definition(name),
  task: { prompt: "Say {{wanted}}.", probe: { checks: [{ answer_contains: "{{wanted}}", required: true }] } },
});

const sending = () => aService({ intake: { commands: false } });

const create = { "if-none-match": "*" };

type Service = ReturnType<typeof aService>;

async function keep({ fetch }: Service, body: object, headers: Readonly<Record<string, string>> = create) {
  const init = jsonPost(body);
  const response = await fetch("/api/scenarios", { ...init, headers: { ...init.headers, ...headers } });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, etag: response.headers.get("etag"), code: error?.code, message: error?.message };
}

const filesOf = ({ services }: Service) => readdirSync(services.catalog.directory).sort();

test("a scenario runs that comes with its request, and none is kept", async () => {
  await using service = sending();
  const before = filesOf(service);
  const response = await service.post("/api/runs", { scenario: "hello", definition: definition("hello") });
  expect(await response.json()).toMatchObject({ scenario: "hello", state: "completed", verdict: { winner: "left" } });
  expect(filesOf(service)).toEqual(before);
  const again = await service.post("/api/runs", { scenario: "hello", definition: definition("hello") });
  expect(again.status).toBe(200);
  expect((await service.get("/api/scenarios/hello")).status).toBe(404);
});

test("a series has scenarios that come with it beside those that are here, row by row", async () => {
  await using service = sending();
  const sent = { ...tabled("asked"), inputs: ROWS };
  const body = { scenarios: ["asked", "quick"], definitions: [sent], trials: 1 };
  const { series_id } = (await (await service.post("/api/series", body)).json()) as { series_id: string };
  await service.services.series.live(series_id)?.done;
  const series = (await (await service.get(`/api/series/${series_id}`)).json()) as { scenarios: object[] };
  expect(series.scenarios).toMatchObject([
    { scenario: "asked", input: "one" },
    { scenario: "asked", input: "two" },
    { scenario: "quick" },
  ]);
});

test("a scenario is kept with its rows, read with its ETag, replaced once, and run by its name", async () => {
  await using service = sending();
  const made = await keep(service, { definition: tabled("kept"), inputs: ROWS });
  expect(made.etag).toMatch(/^"[0-9a-f]{32}"$/);
  const source = await service.get("/api/scenarios/kept/source");
  expect([source.headers.get("etag"), source.headers.get("content-type")]).toEqual([
    made.etag,
    "application/yaml;charset=utf-8",
  ]);
  expect(await source.text()).toContain("id: two");
  const known = await service.fetch("/api/scenarios/kept/source", { headers: { "if-none-match": made.etag ?? "" } });
  expect(known.status).toBe(304);

  const changed = { definition: { ...tabled("kept"), title: "Another" }, inputs: ROWS };
  const match = { "if-match": made.etag ?? "" };
  const both = await Promise.all([keep(service, changed, match), keep(service, changed, match)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect(await (await service.get("/api/scenarios/kept")).json()).toMatchObject({ title: "Another" });
  const response = await service.post("/api/runs", { scenario: "kept", input: "two" });
  expect(await response.json()).toMatchObject({ verdict: { winner: "right" } });
});

test("texts are kept to the character", async () => {
  await using service = sending();
  const texts = [
    "  indented\n\n\ttab\r\nend ",
    "# no comment: [1, 2]",
    "no",
    "1e3",
    "- a\n- b",
    "~",
    "'\"\\",
    "\u0085 \u2028 é 😀",
    "x".repeat(300),
  ];
  for (const [n, prompt] of texts.entries()) {
    const one = definition(`text-${n}`);
    await keep(service, { definition: { ...one, task: { ...one.task, prompt } } });
    expect(await (await service.get(`/api/scenarios/text-${n}`)).json()).toMatchObject({ task: { prompt } });
  }
});

test("a server whose directory of scenarios does not exist runs and keeps what is sent", async () => {
  await using service = sending();
  const { directory } = service.services.catalog;
  rmSync(directory, { recursive: true });
  const response = await service.post("/api/runs", { scenario: "hello", definition: definition("hello") });
  expect(await response.json()).toMatchObject({ state: "completed" });
  expect(existsSync(directory)).toBe(false);
  expect(await keep(service, { definition: definition("hello") })).toMatchObject({ status: 200 });
  expect(filesOf(service)).toEqual(["hello.yaml"]);
});

const HELD = [
  [
    "another name",
    { scenario: "hello", definition: definition("other") },
    'definition: is called "other", and what was asked for hello',
  ],
  [
    "the name of a scenario here",
    { scenario: "quick", definition: definition("quick") },
    "definition: there is a scenario quick here; run it without its definition, or give this one another name",
  ],
  [
    "the name of a broken one",
    { scenario: "broken", definition: definition("broken") },
    "definition: there is a scenario broken here; run it without its definition, or give this one another name",
  ],
  ["no name", { scenario: "hello", definition: {} }, "definition: name is missing"],
  [
    "a mistake",
    { scenario: "hello", definition: definition("hello", { rubric: {} }) },
    "rubric.criteria: missing; expected a list",
  ],
] as const;

test.each(HELD)("a definition with %s is refused", async (_what, body, message) => {
  await using service = sending();
  const response = await service.post("/api/runs", body);
  const { error } = (await response.json()) as { error: { message: string } };
  expect([response.status, error.message]).toEqual([422, expect.stringContaining(message)]);
});

test("two definitions of one name, and rows that are given twice, are refused", async () => {
  await using service = sending();
  const twice = { scenarios: ["one"], definitions: [definition("one"), definition("one")] };
  expect((await service.post("/api/series", twice)).status).toBe(422);
  const rows = await keep(service, { definition: { ...tabled("one"), inputs: ROWS }, inputs: ROWS });
  expect(rows.message).toBe("definition: has inputs of its own; give them once");
});

const UNKEPT = [
  ["without a condition", definition("new"), {}, [428, "precondition_required"]],
  ["with both conditions", definition("new"), { ...create, "if-match": '"00"' }, [428, "precondition_required"]],
  ["a second time", definition("quick"), create, [412, "precondition_failed"]],
  [
    "in place of what is not there",
    definition("new"),
    { "if-match": `"${"0".repeat(32)}"` },
    [412, "precondition_failed"],
  ],
  [
    "in place of a file that no request made",
    definition("quick"),
    { "if-match": `"${"0".repeat(32)}"` },
    [403, "not_allowed"],
  ],
  ["with a path for a name", definition("../new"), create, [422, "invalid_request"]],
  ["with a hidden name", definition(".new"), create, [422, "invalid_request"]],
  ["that is too large", definition("new", { description: "x".repeat(270_000) }), create, [413, "body_too_large"]],
  ["whose rows break it", { ...tabled("new"), inputs: [{ id: "one", wanted: "" }] }, create, [422, "invalid_scenario"]],
] as const;

test.each(UNKEPT)(
  "a scenario is not kept %s, and everything is as it was",
  async (_what, one, headers, [status, code]) => {
    await using service = sending();
    const before = filesOf(service).map((name) => [
      name,
      readFileSync(join(service.services.catalog.directory, name), "utf8"),
    ]);
    expect(await keep(service, { definition: one }, headers)).toMatchObject({ status, code });
    expect(
      filesOf(service).map((name) => [name, readFileSync(join(service.services.catalog.directory, name), "utf8")]),
    ).toEqual(before);
  },
);

test("a link is not written through", async () => {
  await using service = sending();
  const { directory } = service.services.catalog;
  const outside = join(directory, "..", "outside.yaml");
  writeFileSync(outside, scenarioText("linked"));
  symlinkSync(outside, join(directory, "linked.yaml"));
  expect((await keep(service, { definition: definition("linked") })).status).toBe(412);
  expect((await keep(service, { definition: definition("linked") }, { "if-match": '"00"' })).status).toBe(412);
  expect((await service.get("/api/scenarios/linked/source")).status).toBe(422);
  expect(readFileSync(outside, "utf8")).toBe(scenarioText("linked"));
});

const plain = definition("code");
const CODE = [
  ["task.probe.checks[0].run", { task: { ...plain.task, probe: { checks: [{ run: "touch ran" }] } } }],
  ["task.probe.checks[0]", { task: { ...plain.task, probe: { checks: ["touch ran"] } } }],
  [
    "task.probe.checks[0].posted",
    { task: { ...plain.task, probe: { checks: [{ posted: { url: "http://10.0.0.1/" } }] } } },
  ],
  ["task.probe.dir", { task: { ...plain.task, probe: { ...plain.task.probe, dir: "." } } }],
  ["task.setup", { task: { ...plain.task, setup: ["touch ran"] } }],
  ["task.fixture", { task: { ...plain.task, fixture: "." } }],
  ["task.image", { task: { ...plain.task, image: "x.tar" } }],
  ["task.reference_fix", { task: { ...plain.task, reference_fix: { dir: "." } } }],
  ["task.reference_answer", { task: { ...plain.task, reference_answer: { file: "quick.yaml" } } }],
  ["inputs_file", { inputs_file: "quick.yaml" }],
  ["replay", { replay: {} }],
  ["policies.network", { policies: { network: "open" } }],
  ["arms[0].endpoint", { arms: [{ id: "left", endpoint: { url: "http://10.0.0.1/" } }, plain.arms[1]] }],
  ["arms[0].program", { arms: [{ id: "left", program: { run: ["sh"] } }, plain.arms[1]] }],
  ["arms[0].agent", { arms: [{ id: "left", model: "a/b", agent: { command: ["sh"] } }, plain.arms[1]] }],
  ["arms[0].mcp", { arms: [{ ...plain.arms[0], mcp: {} }, plain.arms[1]] }],
  ["arms[0].ran", { arms: [{ id: "left", ran: { log: "quick.yaml" } }, plain.arms[1]] }],
  ["arms[0].files", { arms: [{ ...plain.arms[0], files: "." }, plain.arms[1]] }],
  ["arms[0].system_prompt_file", { arms: [{ ...plain.arms[0], system_prompt_file: "quick.yaml" }, plain.arms[1]] }],
  ["arms[0].price_per_mtok", { arms: [{ ...plain.arms[0], price_per_mtok: { in: 0, out: 0 } }, plain.arms[1]] }],
  [
    "rubric.judge.price_per_mtok",
    { rubric: { ...plain.rubric, judge: { model: "a/b", price_per_mtok: { in: 0, out: 0 } } } },
  ],
  ["arms[0].tools", { arms: [{ ...plain.arms[0], tools: ["run_command"] }, plain.arms[1]] }],
  ["arms[0].tools", { arms: [{ ...plain.arms[0], tools: undefined }, plain.arms[1]] }],
  ["arms[1].tools", { arms: [plain.arms[0], { id: "right", extends: "left", tools: ["run_command"] }] }],
  ["__proto__", JSON.parse('{"__proto__": {"setup": ["touch ran"]}}') as object],
] as const;

test.each(CODE)("%s is code, which needs --allow-commands", async (field, change) => {
  await using service = sending();
  const sent = { ...plain, ...change };
  const body = field === "__proto__" ? `{"__proto__": {}, ${JSON.stringify(plain).slice(1)}` : JSON.stringify(sent);
  const before = filesOf(service);
  const response = await service.post("/api/runs", `{"scenario": "code", "definition": ${body}}`);
  expect([response.status, await response.json()]).toMatchObject([
    403,
    { error: { code: "not_allowed", details: { field } } },
  ]);
  const init = jsonPost(`{"definition": ${body}}`);
  const kept = await service.fetch("/api/scenarios", { ...init, headers: { ...init.headers, ...create } });
  expect(kept.status).toBe(403);
  expect(filesOf(service)).toEqual(before);
});

test("with --allow-commands a scenario that is sent runs a command", async () => {
  await using service = aService({ intake: { commands: true } });
  const checks = [
    {
      id: "shell",
      run: 'grep -qr Hello "$ABEVAL_EVIDENCE"',
      required: true,
    },
  ];
  const sent = definition("shell", { task: { prompt: "Say hello.", probe: { checks } } });
  const response = await service.post("/api/runs", { scenario: "shell", definition: sent });
  expect(await response.json()).toMatchObject({ verdict: { winner: "left" } });
});

test("without the flag nothing is taken, and the flag is named", async () => {
  await using service = aService();
  const told = "this server takes no scenarios from callers; start it with --allow-new-scenarios";
  expect(await keep(service, { definition: plain })).toMatchObject({ status: 403, message: told });
  for (const [path, body] of [
    ["/api/runs", { scenario: "code", definition: plain }],
    ["/api/runs/async", { scenario: "code", definition: plain }],
    ["/api/series", { scenarios: ["code"], definitions: [plain] }],
  ] as const)
    expect((await service.post(path, body)).status).toBe(403);
  expect((await service.get("/api/scenarios/quick/source")).status).toBe(403);
});

/** As serve guards itself where callers may send scenarios. */
const guarded = () =>
  aService({
    intake: { commands: true },
    app: { origins: allowedOrigins(["self"]), hosts: allowedHosts([], "127.0.0.1", true) },
  });

const PAGES = [
  ["another site", { host: "127.0.0.1:8080", origin: "https://evil.example" }, 403],
  ["another port of this machine", { host: "127.0.0.1:8080", origin: "http://127.0.0.1:9999" }, 403],
  ["a page without an origin of its own", { host: "127.0.0.1:8080", origin: "null" }, 403],
  ["a site whose name was made to point here", { host: "evil.example:8080", origin: "http://evil.example:8080" }, 403],
  ["a form", { host: "127.0.0.1:8080", origin: "https://evil.example", "content-type": "text/plain" }, 403],
  ["a form without an origin", { host: "127.0.0.1:8080", "content-type": "text/plain" }, 415],
  ["this server's own page", { host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080" }, 200],
  ["a script", { host: "127.0.0.1:8080" }, 200],
] as const;

test.each(PAGES)("what %s sends", async (_what, headers, status) => {
  await using service = guarded();
  const setup = { ...definition("page"), task: { ...plain.task, setup: ["touch ran"] } };
  const { headers: json, ...init } = jsonPost({ definition: setup });
  const request = new Request("http://127.0.0.1:8080/api/scenarios", {
    ...init,
    headers: { ...json, ...create, ...headers },
  });
  expect((await service.app.handle(request)).status).toBe(status);
  expect(existsSync(join(service.services.catalog.directory, "page.yaml"))).toBe(status === 200);
});

const STARTS = [
  [["--allow-new-scenarios"], "--allow-new-scenarios needs --allowed-origin"],
  [["--allow-commands", "--allowed-origin", "self"], "--allow-commands goes with --allow-new-scenarios"],
  [
    ["--allow-new-scenarios", "--allow-commands", "--allowed-origin", "self", "--sandbox", "none"],
    "--allow-commands needs bubblewrap",
  ],
  [
    ["--allow-new-scenarios", "--allowed-origin", "self", "--worker"],
    "--allow-new-scenarios: a worker takes no requests",
  ],
] as const;

test.each(STARTS)("serve does not start with %j", async (flags, message) => {
  const { status, stderr } = await abeval(["serve", "--addr", "127.0.0.1:0", ...flags]);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("serve does not start with --allow-commands where bubblewrap is not installed", async () => {
  const flags = ["--allow-new-scenarios", "--allow-commands", "--allowed-origin", "self"];
  const { status, stderr } = await abeval(["serve", "--addr", "127.0.0.1:0", ...flags], { env: { PATH: "/nowhere" } });
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining("--allow-commands needs bubblewrap: bubblewrap (bwrap) is not installed"),
  ]);
});
