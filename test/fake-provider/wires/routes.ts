import type { SeenRequest, Wire } from "../exchange.ts";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import type { Form } from "./wire.ts";

export const FORMS: Readonly<Record<Wire, Form>> = { anthropic, chat, responses, gemini };

export interface Route {
  readonly wire: Wire;
  /** `count` asks how many tokens a request has. */
  readonly kind: "reply" | "count";
}

const ROUTES: readonly (readonly [RegExp, Route])[] = [
  [/^\/v1\/messages$/, { wire: "anthropic", kind: "reply" }],
  [/^\/v1\/messages\/count_tokens$/, { wire: "anthropic", kind: "count" }],
  [/^\/v1\/chat\/completions$/, { wire: "chat", kind: "reply" }],
  [/^\/v1\/responses$/, { wire: "responses", kind: "reply" }],
  [/^\/v1\/responses\/input_tokens$/, { wire: "responses", kind: "count" }],
  [/^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent)$/, { wire: "gemini", kind: "reply" }],
  [/^\/v1beta\/models\/[^/:]+:countTokens$/, { wire: "gemini", kind: "count" }],
];

/** Undefined for an address that no provider has. */
export const routeOf = (pathname: string): Route | undefined => ROUTES.find(([path]) => path.test(pathname))?.[1];

/** Gemini's reply in pieces is a list unless `alt=sse` is asked for; agents ask, so only that is played. */
export const writesEvents = ({ wire, stream, path }: SeenRequest): boolean =>
  stream && (wire !== "gemini" || path.includes("alt=sse"));
