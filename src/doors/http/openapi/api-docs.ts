import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import { answer, failures } from "./describe.ts";
import { type ApiRoute, INFO, openApi } from "./openapi.ts";
import scalar from "./scalar/standalone.js.gz" with { type: "file" };

const SPEC = "/api/openapi.json";
const SCRIPT = "/api/docs/scalar.js";

const OpenApiDocument = Type.Object(
  { openapi: Type.String(), info: Type.Unknown(), paths: Type.Unknown(), components: Type.Unknown() },
  { $id: "OpenApiDocument", description: "As the OpenAPI 3.1 specification defines it.", additionalProperties: true },
);

/** Serves the OpenAPI document. It is made at the first request, when all routes exist. */
export function openApiRoute(routes: () => readonly ApiRoute[], version: string) {
  let document: Static<typeof OpenApiDocument> | undefined;
  const made = () => {
    document ??= openApi(routes(), version) as Static<typeof OpenApiDocument>;
    return document;
  };
  return new Elysia({ name: "openapi" }).get(SPEC, made, {
    response: OpenApiDocument,
    detail: {
      operationId: "getOpenApi",
      tags: ["schema"],
      summary: "OpenAPI document",
      description: "This document: OpenAPI 3.1, every route, every type as a component.",
      responses: {
        200: answer("The document.", {
          openapi: "3.1.1",
          info: { title: "abeval", version },
          paths: {},
          components: {},
        }),
        ...failures(),
      },
    },
  });
}

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

/** Serves the same document as a page with search, code samples and requests to try. It loads nothing from elsewhere. */
export function apiDocs(version: string) {
  let plugin: Promise<AnyElysia> | undefined;
  return new Elysia({ name: "api-docs" })
    .get(
      "/api/docs",
      async ({ set }) => {
        Object.assign(set.headers, PAGE_HEADERS);
        plugin ??= loadPlugin(version);
        return (await plugin).handle(new Request("http://localhost/api/docs"));
      },
      {
        detail: {
          operationId: "getDocs",
          tags: ["extension"],
          summary: "Documentation",
          description: "This document as a page for people, with search, code samples and requests to try.",
          responses: {
            200: { description: "A page.", content: { "text/html": { example: "<!doctype html>" } } },
            ...failures(),
          },
        },
      },
    )
    .get(SCRIPT, sendScalar, { detail: { hide: true } });
}

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
