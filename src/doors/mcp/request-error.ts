import type { ErrorCode } from "@modelcontextprotocol/sdk/types.js";

/** The protocol's error code for a resource that is not there. */
export const RESOURCE_NOT_FOUND = -32002;

/** A request that is refused. The SDK's own error puts its code before the message, and so does the client that reads it. */
export class RequestError extends Error {
  readonly code: ErrorCode | typeof RESOURCE_NOT_FOUND;
  readonly data: object | undefined;

  constructor(code: RequestError["code"], message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
