import { Failure } from "../domain/failure.ts";

/** A request that cannot be read at all: the one `invalid_request` that is a 400. */
export class UnreadableRequest extends Failure {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("invalid_request", message, options);
  }
}
