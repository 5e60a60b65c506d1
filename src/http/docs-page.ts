import { renderSchema, type Schema } from "./docs-schema.ts";
import { DOCS_STYLE } from "./docs-style.ts";
import { html, type Markup, prose, raw } from "./markup.ts";

/** The parts of an OpenAPI document that the page shows. */
interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** The document as one page for people: no script, nothing loaded, light and dark. */
export function docsPage(document: string): Response {
  return new Response(render(JSON.parse(document)).text, { headers: HEADERS });
}

function render({ info, tags, paths, components }: Document): Markup {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    routes: routes.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title} ${info.version} API</title>
<style>${raw(DOCS_STYLE)}</style>
<nav>
<h1>${info.title} <small>${info.version}</small></h1>
${groups.map(({ name, routes: own }) => html`<h2>${name}</h2>${own.map(link)}`)}
<h2>types</h2>
${Object.keys(components.schemas).map((name) => html`<a href="#type-${name}">${name}</a>`)}
</nav>
<main>
<header>${prose(info.description)}<p><a href="/api/openapi.json">openapi.json</a></p></header>
${groups.map(({ name, description, routes: own }) => html`<h2>${name}</h2><p>${description}</p>${own.map(section)}`)}
<h2>types</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article id="type-${name}"><h3>${name}</h3>${renderSchema(schema)}</article>`,
)}
</main>
</html>
`;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const link = ({ method, path, operation }: Route) =>
  html`<a href="#${operation.operationId}"><b class="${method}">${method}</b> ${path.replace("/api", "")}</a>`;

function section({ method, path, operation }: Route): Markup {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return html`<article id="${operationId}">
<h3><b class="${method}">${method}</b> <code>${path}</code> ${summary}</h3>
${prose(description)}
${parameters.length > 0 ? html`<dl>${parameters.map(parameter)}</dl>` : ""}
${requestBody ? html`<h4>Body</h4>${content(requestBody.content)}` : ""}
${Object.entries(responses).map(
  ([
    status,
    response,
  ]) => html`<details><summary><b class="status">${status}</b> ${firstLine(response.description)}</summary>
${prose(response.description)}${content(response.content)}</details>`,
)}
</article>
`;
}

const parameter = ({ name, in: place, required, description, schema }: Parameter) =>
  html`<dt><code>${name}</code> <small>${place}${required ? "" : ", optional"}</small></dt><dd>${renderSchema(schema)} ${description ?? ""}</dd>`;

const firstLine = (text: string) => text.split("\n", 1)[0]?.replaceAll("`", "") ?? "";

function content(media: Content): Markup[] {
  return Object.entries(media).map(
    ([type, { schema, example, examples = {} }]) => html`<p><small>${type}</small> ${renderSchema(schema)}</p>
${example === undefined ? "" : sample("", example)}
${Object.entries(examples).map(([name, { value }]) => sample(name, value))}`,
  );
}

const sample = (name: string, value: unknown) =>
  html`${name === "" ? "" : html`<small>${name}</small>`}<pre>${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>`;
