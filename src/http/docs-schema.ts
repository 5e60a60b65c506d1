import { html, type Markup } from "./markup.ts";

/** What the references, on the page and in docs/, read of a JSON Schema. */
export interface Schema {
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

/** A type in words: its name as a link, or its fields as a list. */
export function renderSchema(schema: Schema): Markup {
  if (schema.properties === undefined) return html`<span class="type">${words(schema)}</span>`;
  const required = new Set(schema.required);
  return html`${schema.description === undefined ? "" : html`<p>${schema.description}</p>`}<dl>${Object.entries(
    schema.properties,
  ).map(
    ([name, field]) =>
      html`<dt><code>${name}</code>${required.has(name) ? "" : html` <small>optional</small>`}</dt><dd><span class="type">${words(field)}</span> ${field.description ?? ""}</dd>`,
  )}</dl>`;
}

function words(schema: Schema): Markup {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#type-${name}">${name}</a>`;
  }
  if (schema.anyOf) return html`${schema.anyOf.map((choice, i) => html`${i === 0 ? "" : " | "}${words(choice)}`)}`;
  if (schema.enum) return html`${schema.enum.map((word, i) => html`${i === 0 ? "" : " | "}<code>${word}</code>`)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items) return html`list of ${words(schema.items)}`;
  if (schema.contentSchema) return html`lines of ${words(schema.contentSchema)}`;
  if (typeof schema.additionalProperties === "object") return html`map to ${words(schema.additionalProperties)}`;
  return html`${schema.type ?? "anything"}${range(schema)}`;
}

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined && maximum === undefined) return "";
  return ` ${minimum ?? ""}..${maximum ?? ""}`;
}
