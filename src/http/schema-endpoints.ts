import { Type } from "@sinclair/typebox";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointContext } from "./endpoints.ts";

/** The document about all endpoints, for programs and for people. */
export function schemaEndpoints({ services, document }: EndpointContext) {
  const openapi: Endpoint = {
    method: "GET",
    path: "/api/openapi.json",
    id: "getOpenApi",
    tag: "schema",
    title: "OpenAPI document",
    summary: "This document: OpenAPI 3.1, every route, every type as a component.",
    success: {
      status: 200,
      description: "The document.",
      schema: Type.Object(
        { openapi: Type.String(), info: Type.Unknown(), paths: Type.Unknown(), components: Type.Unknown() },
        { $id: "OpenApiDocument", description: "As the OpenAPI 3.1 specification defines it." },
      ),
      example: { openapi: "3.1.1", info: { title: "abeval", version: services.version }, paths: {}, components: {} },
    },
    errors: [],
    answer: async () => new Response(document(), { headers: { "content-type": "application/json" } }),
  };
  const docs: Endpoint = {
    method: "GET",
    path: "/api/docs",
    id: "getDocs",
    tag: "extension",
    title: "Documentation",
    summary: "This document as a page for people; needs no network and no script.",
    success: {
      status: 200,
      description: "A page.",
      media_type: "text/html",
      example: "<!doctype html><title>abeval API</title>",
    },
    errors: [],
    answer: async () => {
      const { docsPage } = await import("./docs-page.ts");
      return docsPage(document());
    },
  };
  return { openapi, docs };
}
