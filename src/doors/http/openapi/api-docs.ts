import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type AnyElysia, type Context, Elysia } from "elysia";
import { INFO } from "./openapi.ts";
import scalar from "./scalar/standalone.js.gz" with { type: "file" };

const SPEC = "/api/openapi.json";
const SCRIPT = "/api/docs/scalar.js";

/** The page's one inline script is empty: it carries Scalar's settings in its attributes. */
const INLINE_SCRIPT = "\n    ";

const PAGE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash("sha256").update(INLINE_SCRIPT).digest("base64")}'`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Scalar shows the document, sends requests to this server, and nothing to its makers. */
const SCALAR = {
  // Deprecated, and the only form that the plugin hands on.
  spec: { url: SPEC },
  customCss: "",
  favicon: "data:,",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
};

let plugin: Promise<AnyElysia> | undefined;

/** The document as a page with search, code samples and requests to try. It loads nothing from elsewhere. */
export async function docsPage(version: string, set: Context["set"]): Promise<Response> {
  Object.assign(set.headers, PAGE_HEADERS);
  plugin ??= loadPlugin(version);
  return await (await plugin).handle(new Request("http://localhost/api/docs"));
}

/** Serves what the page loads. */
export const docsScript = new Elysia({ name: "api-docs" }).get(SCRIPT, sendScalar);

/** Loads the plugin when the page is first opened, because it would add a fifth to the start of every server. */
async function loadPlugin(version: string): Promise<AnyElysia> {
  const { swagger } = await import("@elysiajs/swagger");
  const documentation = { info: { ...INFO, version } };
  return swagger({ path: "/api/docs", documentation, scalarCDN: SCRIPT, scalarConfig: SCALAR });
}

/** The script is kept compressed; every browser takes that. */
async function sendScalar() {
  return new Response(await readFile(scalar), {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "public, max-age=86400",
    },
  });
}
