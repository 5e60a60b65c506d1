import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { documentOf } from "../../src/doors/http/openapi/openapi.ts";
import { temporaryDirectory } from "../temporary.ts";
import { Contract, type OpenApiDocument } from "./contract.ts";
import { aService, type TestService } from "./service.ts";

const ROOT = join(import.meta.dir, "../..");

let service: TestService;
let document: OpenApiDocument;

beforeAll(async () => {
  service = aService();
  document = (await (await service.get("/api/openapi.json")).json()) as OpenApiDocument;
});
afterAll(async () => await service[Symbol.asyncDispose]());

test("the document of a version is made once, however often it is asked for", () => {
  expect(documentOf("0.0.0")).toBe(documentOf("0.0.0"));
});

test("the document is OpenAPI 3.1 and valid to a schema validator", async () => {
  const result = await new Validator().validate({ ...structuredClone(document) });
  expect(result).toEqual({ valid: true });
  expect(document.openapi).toStartWith("3.1.");
});

test("the document passes a linter with its recommended rules", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "openapi.json");
  await Bun.write(file, JSON.stringify(document));
  const lint = Bun.spawn(
    [process.execPath, join(ROOT, "node_modules/@redocly/cli/bin/cli.js"), "lint", "--format=json", file],
    {
      cwd: directory.path,
      env: { PATH: process.env["PATH"] ?? "", HOME: directory.path, REDOCLY_TELEMETRY: "off", CI: "1" },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [output, errors] = await Promise.all([new Response(lint.stdout).text(), new Response(lint.stderr).text()]);
  await lint.exited;
  const { totals } = JSON.parse(output === "" ? errors : output) as { totals: { errors: number; warnings: number } };
  expect({ errors: totals.errors, warnings: totals.warnings }).toEqual({ errors: 0, warnings: 0 });
}, 60_000);

test("every route of the router is in the document, and every route of the document is in the router", () => {
  const routed = service.app.routes
    .filter(({ path }) => path.startsWith("/api/") && path !== "/api/docs/scalar.js")
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.toSorted()).toEqual(routed.toSorted());
});

/** Query fields are parameters; records, trials and tables stay in the store, price lists with their reader, and comparisons with MCP. */
const NO_COMPONENTS = [
  ...[
    "BlessedRun",
    "ComparisonRequest",
    "ImportedResults",
    "JudgesRequest",
    "ModelPrice",
    "PriceListFile",
    "SelfTestListRequest",
  ],
  ...["SeriesListRequest", "SeriesRecord", "SessionListRequest", "SessionSummaryRequest", "StoredResults", "TrialRow"],
  "TrialWork",
];

test("every named type of the domain is a component, but for what no answer and no body holds", async () => {
  const modules = [...new Bun.Glob("src/domain/*.ts").scanSync(ROOT)].map(
    async (path) => await import(join(ROOT, path)),
  );
  const names = (await Promise.all(modules)).flatMap((module) => Object.values(module)).flatMap(nameOf);
  expect(names.filter((name) => !(name in document.components.schemas)).toSorted()).toEqual(NO_COMPONENTS);
});

const nameOf = (value: unknown) =>
  typeof value === "object" && value !== null && "$id" in value && typeof value.$id === "string" ? [value.$id] : [];

test("a field says what its named type is there, beside the reference", () => {
  const { properties } = document.components.schemas["VerdictRequest"] as unknown as { properties: object }; // asserted next
  expect(properties).toMatchObject({
    arm_a: { $ref: "#/components/schemas/ArmPointer", description: "Its scenario gives the rubric and the reference." },
    arm_b: { $ref: "#/components/schemas/ArmPointer", description: "An arm of the same scenario." },
  });
  expect(document.components.schemas["ArmPointer"]).not.toHaveProperty("description");
});

test("every component is a schema that a strict validator compiles", () => {
  const contract = new Contract(document);
  for (const name of Object.keys(document.components.schemas))
    expect(() => contract.misfit({ $ref: `#/components/schemas/${name}` }, null)).not.toThrow();
});

test("no field has a type of one value, which would break generated clients when it gets another", () => {
  const closed = places(document.components.schemas).filter(
    ([, schema]) => schema["type"] === "null" || ("const" in schema && schema["const"] === null),
  );
  expect(closed.map(([path]) => path).filter((path) => !/\/anyOf\/\d+$/.test(path))).toEqual([]);
});

/** Every object in a value with the path to it. */
function places(value: unknown, path = ""): [string, Readonly<Record<string, unknown>>][] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, item]) => places(item, `${path}/${key}`));
  return [[path, { ...value }], ...inner];
}

test("every reference leads somewhere", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  expect(references.map(([, name]) => name ?? "").filter((name) => !(name in document.components.schemas))).toEqual([]);
});

interface Described {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Record<string, Sampled> };
  readonly responses: Record<string, { readonly content: Record<string, Sampled> }>;
}

interface Sampled {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
}

const samplesOf = ({ example, examples = {} }: Sampled) => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

describe("examples", () => {
  const operations = () =>
    Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as Described[];

  test("stand on every body and every response of every operation", () => {
    const bare = operations().flatMap(({ operationId, requestBody, responses }) =>
      [...(requestBody ? [requestBody] : []), ...Object.values(responses)]
        .flatMap(({ content }) => Object.values(content))
        .filter((media) => samplesOf(media).length === 0)
        .map(() => operationId),
    );
    expect(bare).toEqual([]);
  });

  test("fit their schemas", () => {
    const contract = new Contract(document);
    const misfits = operations().flatMap(({ operationId, requestBody, responses }) =>
      [...(requestBody ? [requestBody] : []), ...Object.values(responses)]
        .flatMap(({ content }) => Object.values(content))
        .flatMap((media) => samplesOf(media).map((sample) => contract.misfit(media.schema, sample)))
        .filter((misfit) => misfit !== undefined)
        .map((misfit) => `${operationId}: ${misfit}`),
    );
    expect(misfits).toEqual([]);
  });
});
