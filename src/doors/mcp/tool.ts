import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { Static, TObject } from "@sinclair/typebox";
import { ENDPOINTS, type EndpointName } from "../endpoint/endpoints.ts";
import type { Services } from "../operation/operation.ts";

/** What a tool gives back: data for programs, and the same for a model that is shown only text, as many clients do. */
export interface Answer<Output extends TObject = TObject> {
  readonly structured: Static<Output>;
  /** What a reader wants to know first. */
  readonly text: string;
  /** JSON of what the text leaves out, or a page of it: together they say what the data says. Absent: the text says it all. */
  readonly rest?: string;
}

/** An answer in the words of the protocol. */
export const protocolResult = ({ structured, text, rest }: Answer) => ({
  content: [text, ...(rest === undefined ? [] : [rest])].map((part) => ({ type: "text" as const, text: part })),
  structuredContent: { ...structured },
});

export interface CallContext {
  /** Fires when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is; absent unless it asked for that. */
  readonly tell?: (message: string) => Promise<void>;
}

/** The protocol's hints for a tool that only reads. A client need not ask its user before such a call. */
type Annotations =
  | Readonly<Required<Pick<ToolAnnotations, "readOnlyHint" | "openWorldHint">>>
  | Readonly<Required<Omit<ToolAnnotations, "title">>>;

export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };

/** Adds a session or a verdict, and asks models over the network. */
export const SPENDS: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** An operation as a tool of MCP. */
export interface McpTool<Input extends TObject = TObject, Output extends TObject = TObject> {
  readonly name: string;
  readonly title: string;
  /** Tells the choosing model when to use the tool, what it costs and what comes next. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Annotations;
  /** Whether the tool needs a state directory. */
  readonly live: boolean;
  /** @throws Failure, which the client gets as a tool error. */
  call(services: Services, input: Static<Input>, context: CallContext): Promise<Answer<Output>>;
}

type Facts<Input extends TObject, Output extends TObject> = Omit<McpTool<Input, Output>, "name" | "title">;

/** The tool of an endpoint. `title` where the tool does more. */
export const tool = <Input extends TObject, Output extends TObject>(
  of: EndpointName,
  facts: Facts<Input, Output> & { readonly title?: string },
): McpTool<Input, Output> => ({
  name: of.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  title: ENDPOINTS[of].title,
  ...facts,
});
