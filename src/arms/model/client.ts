import type { TSchema } from "@sinclair/typebox";
import type { ModelParams } from "../../domain/arm.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Waiter } from "../../runtime/semaphore.ts";

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: TSchema;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model sent it, parsed but not validated. */
  readonly input: unknown;
  /** Set when the arguments were not JSON: their raw text. `input` is then undefined. */
  readonly unparsed?: string;
}

export interface ToolResult {
  readonly call_id: string;
  readonly ok: boolean;
  readonly text: string;
}

export type Message =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** The provider's own form of the turn (thinking blocks and the like), sent back unchanged. */
      readonly raw?: unknown;
      /** Said before the arm began: it is no turn of its model. */
      readonly given?: true;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** The model must answer by calling this tool. A server that ignores it answers in text. */
  readonly force_tool?: string;
  /** A parameter that is absent is not sent. */
  readonly params: ModelParams & { readonly max_output_tokens: number };
  /** Milliseconds for one try. */
  readonly timeout_ms: number;
}

/** A failed try that will be repeated. */
export interface ProviderRetry {
  /** HTTP status; null when the connection failed or timed out. */
  readonly status: number | null;
  /** Tries so far. */
  readonly attempts: number;
  /** Milliseconds from the start of the failed try to the start of the next. */
  readonly waited_ms: number;
}

export interface ModelReply extends Usage {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /**
   * `end`: a final answer. `calls`: tool calls. `output_limit`: cut by max_output_tokens, calls may be incomplete.
   * `context_overflow`: the conversation no longer fits the model. `refusal`: the provider's filter or the model declined.
   */
  readonly stop: "end" | "calls" | "output_limit" | "context_overflow" | "refusal";
  /** The provider's own word for `stop`. */
  readonly stop_reason: string;
  readonly model_served: string | null;
  readonly raw?: unknown;
  /** Milliseconds that the reply took when it was recorded. Absent: it was not replayed. */
  readonly recorded_ms?: number;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called when a try has failed and another will follow. From then on the provider uses the time, not the arm. */
  readonly onFailedTry?: () => void;
  /** Called when the next try starts. */
  readonly onRetry?: (retry: ProviderRetry) => void;
  /** Holds the place that the call takes among all that are under way. Absent: the client does. */
  readonly asker?: Required<Waiter>;
  /** Called when it has its place, with the milliseconds that it waited. */
  readonly onPlaced?: (waited_ms: number) => void;
}

/** One turn in, one turn out; no token streaming. */
export interface ModelClient {
  /** `<provider>/<model>` */
  readonly ref: string;
  /**
   * @throws Failure `provider_failed` after the last try. Its message holds no secret, and at most 500 characters of the
   * provider's words. `signal.reason` when the signal fires.
   */
  complete(request: ModelRequest, options: CallOptions): Promise<ModelReply>;
}
