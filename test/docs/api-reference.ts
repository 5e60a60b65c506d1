import type { Schema } from "../../src/http/docs-schema.ts";

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

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Every route and every component of the document, as markdown: a table of answers, a table of fields. */
export function apiReference({ paths, components }: ApiDocument): string {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => routeText(`${method.toUpperCase()} ${path}`, operation)),
  );
  const types = Object.entries(components.schemas).map(([name, schema]) => componentText(name, schema));
  return ["### Routes", ...routes, "### Types", ...types].join("\n\n");
}

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
    `#### \`${title}\``,
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

function componentText(name: string, schema: Schema): string {
  const { properties, description, required = [] } = schema;
  const parts = [`#### ${name}`, ...(description ? [description] : [])];
  if (!properties) return [...parts, `One of: ${typeText(schema)}.`].join("\n\n");
  const rows = Object.entries(properties).map(([field, type]) => [
    `\`${field}\`${required.includes(field) ? "" : " (optional)"}`,
    typeText(type),
    type.description ?? "",
  ]);
  return [...parts, rows.length > 0 ? table(["Field", "Type", "Meaning"], rows) : "No fields."].join("\n\n");
}

/** A type in a few words, other components linked. */
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
