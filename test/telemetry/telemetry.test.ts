import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as registry from "@opentelemetry/semantic-conventions/incubating";
import protocol from "opentelemetry-proto/build/src/generated/root.js";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const SECRET = "key-canary-8d21f0";
const WORDS = "words-canary-30ab";

const SCENARIO = `name: small
task: {prompt: "Say ${WORDS}", fixture: {files: {a.txt: "${WORDS}"}}, probe: {checks: [{id: greets, answer_contains: yes}]}}
arms:
  - {id: reads, model: scripted/one, system_prompt: "${WORDS}", script: [{say: "${WORDS}", calls: [{read_file: {path: a.txt}}]}, {say: yes}]}
  - {id: talks, model: scripted/two, script: [{say: "no ${WORDS}"}]}
rubric: {criteria: [{id: checks, measure: probe_score}], judge: {model: builtin/evidence}}
`;

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}
interface Log {
  readonly traceId: string;
  readonly spanId: string;
  readonly eventName: string;
  readonly attributes: readonly Attribute[];
}

/** What a request of the protocol holds, whichever signal it is of. */
function contentsOf(text: string) {
  const requests = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const spans: Span[] = requests.flatMap(({ resourceSpans = [] }) => resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
  const logs: Log[] = requests.flatMap(({ resourceLogs = [] }) => resourceLogs[0]?.scopeLogs[0]?.logRecords ?? []);
  return { spans, logs };
}

const valuesOf = ({ attributes }: Pick<Span, "attributes">) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function openScenario() {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, "small.yaml"), SCENARIO);
  const run = (args: string, env: Readonly<Record<string, string>> = {}) =>
    abeval(["run", "small.yaml", "--quiet", "--sandbox", "none", ...args.split(" ")], { cwd: directory.path, env });
  return { path: directory.path, run, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

test("--otel writes spans and evaluation results by the published conventions, and no text of anybody", async () => {
  using scenario = openScenario();
  const { status, stderr } = await scenario.run("--otel trace.jsonl", { OPENAI_API_KEY: SECRET });
  expect(status, stderr).toBe(0);
  const text = readFileSync(join(scenario.path, "trace.jsonl"), "utf8");
  expect(text).not.toContain(WORDS);
  expect(text).not.toContain(SECRET);
  const { spans, logs } = contentsOf(text);
  const named = new Set<unknown>(Object.values(registry));
  const used = [...spans, ...logs].flatMap(({ attributes }) => attributes.map(({ key }) => key));
  const own = new Set(used.filter((key) => !key.startsWith("abeval.")));
  expect([...own].filter((key) => !named.has(key))).toEqual([]);
  expect(own.size).toBeGreaterThan(10);
  expect(named.has(logs[0]?.eventName)).toBe(true);

  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    ...["abeval small", "chat one", "chat one", "chat two", "execute_tool read_file"],
    ...["invoke_agent reads", "invoke_agent talks"],
  ]);
  const [root] = spans.filter(({ parentSpanId }) => !parentSpanId);
  expect(root?.name).toBe("abeval small");
  for (const span of spans) {
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    expect(span.traceId).toBe(root?.traceId ?? "");
    if (span === root) continue;
    const [operation = ""] = span.name.split(" ");
    const values = valuesOf(span);
    expect(values["gen_ai.operation.name"]).toBe(operation);
    if (operation !== "execute_tool") expect(values["gen_ai.provider.name"]).toBe("scripted");
    // Of a client or within this process, as the conventions say for each operation.
    expect(span.kind).toBe(operation === "chat" ? 3 : 1);
  }
  const agent = spans.find(({ name }) => name === "invoke_agent reads");
  expect(spans.find(({ name }) => name.startsWith("execute_tool"))?.parentSpanId).toBe(agent?.spanId ?? "");
  const results = logs.filter(({ spanId }) => spanId === agent?.spanId).map(valuesOf);
  expect(results).toEqual([
    { "gen_ai.evaluation.name": "verdict", "gen_ai.evaluation.score.value": 1, "gen_ai.evaluation.score.label": "win" },
    { "gen_ai.evaluation.name": "criterion checks", "gen_ai.evaluation.score.value": 1 },
    {
      "gen_ai.evaluation.name": "check greets",
      "gen_ai.evaluation.score.value": 1,
      "gen_ai.evaluation.score.label": "pass",
    },
  ]);
});

test("an endpoint gets both signals with the headers of the environment; each trial of a series is a trace", async () => {
  using scenario = openScenario();
  const got: { readonly path: string; readonly text: string; readonly key: string | null }[] = [];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      got.push({ path: new URL(request.url).pathname, text: await request.text(), key: request.headers.get("x-key") });
      return Response.json({});
    },
  });
  const { status, stderr } = await scenario.run(`--trials 2 --otel http://127.0.0.1:${server.port}/base/`, {
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${SECRET}%21,other=1`,
  });
  expect([status, stderr]).toEqual([0, ""]);
  // A request of each signal for each trial: the spans of one are in memory.
  expect(got.map(({ path }) => path).toSorted()).toEqual([
    ...["/base/v1/logs", "/base/v1/logs", "/base/v1/traces", "/base/v1/traces"],
  ]);
  expect(new Set(got.map(({ key }) => key))).toEqual(new Set([`${SECRET}!`]));
  const traces = got.filter(({ path }) => path === "/base/v1/traces").map(({ text }) => text);
  const { spans } = contentsOf(traces.join("\n"));
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId);
  expect(roots.map((root) => valuesOf(root)["abeval.series.trial"])).toEqual([1, 2]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
});

test("an endpoint that is down, or refuses, is one warning and not the run's fault", async () => {
  using scenario = openScenario();
  await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 400 }) });
  for (const endpoint of [`http://user:${SECRET}@127.0.0.1:1`, `http://127.0.0.1:${server.port}`]) {
    const { status, stdout, stderr } = await scenario.run(`--otel ${endpoint}`);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).winner).toBe("reads");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(
      /^abeval: --otel http:\/\/127\.0\.0\.1:\d+\/: not all was sent \(.+\); the run is not affected\n$/,
    );
    expect(stderr).not.toContain(SECRET);
  }
});

test("what cannot be written or is no address is refused before the run", async () => {
  using scenario = openScenario();
  for (const [args, said] of [
    ["--otel small.yaml", "--otel small.yaml: is the scenario, which a report would overwrite"],
    ["--otel x.json --out x.json", "is the file of --out too"],
    ["--otel http://", "--otel http://: is no address"],
    ["--check --otel x.json", "--otel does not go with --check"],
  ] as const) {
    const { status, stdout, stderr } = await scenario.run(args);
    expect(stderr).toContain(said);
    expect([status, stdout]).toEqual([2, ""]);
  }
});

interface MessageType {
  fromObject(json: object): object;
  toObject(message: object, options: object): object;
}

/** Of OpenTelemetry's published protocol; what the library says of its types is no more than that they are some. */
const { trace, logs } = (protocol as unknown as Protocol).opentelemetry.proto.collector;
interface Protocol {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: MessageType } };
        readonly logs: { readonly v1: { readonly ExportLogsServiceRequest: MessageType } };
      };
    };
  };
}

/** Fields of a request that the protocol does not know, or reads as something else. */
function misfits(request: object): readonly string[] {
  const type = "resourceSpans" in request ? trace.v1.ExportTraceServiceRequest : logs.v1.ExportLogsServiceRequest;
  const read = type.toObject(type.fromObject(request), { bytes: String, longs: String, defaults: true });
  const known = new Map(fieldsOf(read));
  return fieldsOf(request).flatMap(([field, value]) => (known.get(field) === value ? [] : [field]));
}

/** All fields of a value by their paths, such as `resourceSpans.0.resource`, with what they hold as text. */
function fieldsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [
    [`${path}${name}`, String(field)] as [string, string],
    ...fieldsOf(field, `${path}${name}.`),
  ]);
}

/** The types of the attributes in the registry of the semantic conventions. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  string: [
    ...["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model"],
    ...["gen_ai.agent.name", "gen_ai.agent.version", "gen_ai.conversation.id", "gen_ai.evaluation.name"],
    ...["gen_ai.evaluation.score.label", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.type", "error.type"],
    ...["service.name", "service.version"],
  ],
  int: ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens"],
  double: ["gen_ai.evaluation.score.value"],
  array: ["gen_ai.response.finish_reasons"],
};

test("each line is a request of OpenTelemetry's protocol, and each attribute has the type that the registry gives it", async () => {
  using scenario = openScenario();
  expect((await scenario.run("--trials 2 --otel trace.jsonl")).status).toBe(0);
  const lines = readFileSync(join(scenario.path, "trace.jsonl"), "utf8").trim().split("\n");
  expect(lines).toHaveLength(4);
  for (const request of lines.map((line) => JSON.parse(line))) {
    expect(misfits(request)).toEqual([]);
    expect(misfits({ ...request, unheardOf: 1 })).toEqual(["unheardOf"]);
  }
  const { spans, logs } = contentsOf(lines.join("\n"));
  for (const { traceId, spanId } of [...spans, ...logs])
    expect(`${traceId} ${spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
  const typeOf = new Map(Object.entries(TYPES).flatMap(([type, names]) => names.map((name) => [name, type] as const)));
  for (const { key, value } of [...spans, ...logs].flatMap(({ attributes }) => attributes)) {
    if (key.startsWith("abeval.")) continue;
    const [field = ""] = Object.keys(value);
    // A whole number may stand for a double in JSON.
    const kinds = typeOf.get(key) === "double" ? ["doubleValue", "intValue"] : [`${typeOf.get(key)}Value`];
    expect(kinds, key).toContain(field);
  }
});
