/** A reply from a recording. */
export class ReplayedReply extends Response {
  /** Milliseconds that the provider took when it was recorded. */
  readonly took_ms: number;

  constructor(body: string | null, init: ResponseInit & { readonly took_ms: number }) {
    super(body, init);
    this.took_ms = init.took_ms;
  }
}
