import { documentOf } from "../src/doors/http/openapi/openapi.ts";
import { version } from "../src/runtime/version.ts";

/** What the reference reads of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly contentSchema?: Schema;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEAD = `# Reference of the HTTP API

\`bun run docs:api\` writes this page from the OpenAPI document. [http.md](http.md) shows how to use the API.`;

/** Every route and every type of the HTTP API as a page of markdown: tables of parameters, of answers and of fields. */
export function apiReference(): string {
  const { paths, components } = documentOf(version) as unknown as ApiDocument; // the document's own tests say that it is one
  return `${[HEAD, routesText(paths), typesText(components)].join("\n\n")}\n`;
}

function routesText(paths: ApiDocument["paths"]): string {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => routeText(`${method.toUpperCase()} ${path}`, operation)),
  );
  return ["## Routes", ...routes].join("\n\n");
}

const typesText = ({ schemas }: ApiDocument["components"]) =>
  ["## Types", ...Object.entries(schemas).map(([name, schema]) => componentText(name, schema))].join("\n\n");

function routeText(title: string, { summary, description, parameters = [], requestBody, responses }: Operation) {
  const body = Object.values(requestBody?.content ?? {}).map(({ schema }) => `Body: ${typeText(schema)}.`);
  const rows = parameters.map(({ name, in: place, required, description = "", schema }) => [
    `\`${name}\` (${place}${required ? "" : ", optional"})`,
    typeText(schema),
    description,
  ]);
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    answerType(response.content),
    response.description.split("\n\n").join("<br>"),
  ]);
  return [
    `### \`${title}\``,
    `${summary}. ${description}`,
    ...body,
    ...(rows.length > 0 ? [table(["Parameter", "Type", "Meaning"], rows)] : []),
    table(["Status", "Answer", "Meaning"], answers),
  ].join("\n\n");
}

const answerType = (content: Content) =>
  Object.entries(content)
    .map(([media, { schema }]) => {
      if (media === "application/json") return typeText(schema);
      return schema.contentSchema ? `\`${media}\` of ${typeText(schema.contentSchema)}` : `\`${media}\``;
    })
    .join(", ");

function componentText(name: string, given: Schema): string {
  const schema = asOneObject(given);
  const { properties, description, required = [] } = schema;
  const parts = [`### ${name}`, ...(description ? [description] : [])];
  if (!properties) return [...parts, `One of: ${typeText(schema)}.`].join("\n\n");
  const rows = Object.entries(properties).map(([field, type]) => [
    `\`${field}\`${required.includes(field) ? "" : " (optional)"}`,
    typeText(type),
    type.description ?? "",
  ]);
  return [...parts, rows.length > 0 ? table(["Field", "Type", "Meaning"], rows) : "No fields."].join("\n\n");
}

/** A choice of objects as one object: each field has the types that it has in any of them. */
function asOneObject(schema: Schema): Schema {
  const variants = schema.anyOf ?? [];
  if (variants.length === 0 || variants.some(({ properties }) => properties === undefined)) return schema;
  const fields = Object.groupBy(
    variants.flatMap(({ properties = {} }) => Object.entries(properties)),
    ([name]) => name,
  );
  const properties = Object.entries(fields).map(([name, found = []]) => [name, anyOf(found.map(([, type]) => type))]);
  const required = variants[0]?.required?.filter((name) => variants.every((one) => one.required?.includes(name)));
  return { ...schema, properties: Object.fromEntries(properties), required: required ?? [] };
}

function anyOf(types: readonly Schema[]): Schema {
  const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  const [only] = different;
  return different.length === 1 && only !== undefined ? only : { anyOf: different };
}

/** A type in a few words, with links to other components. */
function typeText(schema: Schema): string {
  const { $ref, anyOf, items, type = "anything", additionalProperties } = schema;
  if ($ref) return linkTo($ref.slice($ref.lastIndexOf("/") + 1));
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (anyOf) return anyOf.map(typeText).join(" or ");
  if (items) return `list of ${typeText(items)}`;
  if (typeof additionalProperties === "object") return `object of ${typeText(additionalProperties)} by name`;
  return `${type}${rangeText(schema)}`;
}

function rangeText({ minimum, maximum, exclusiveMinimum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  if (exclusiveMinimum !== undefined) return `, more than ${exclusiveMinimum}`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}

const linkTo = (name: string) => `[${name}](#${name.toLowerCase()})`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
