import { OpenAI } from "openai";
import { version } from "../version.ts";
import type { Endpoint } from "./credentials.ts";
import { revealed } from "./extra-headers.ts";
import { SDK_RETRIES, watchedFetch } from "./provider-call.ts";

type Options = Parameters<OpenAI["buildRequest"]>[0];
type Request = Awaited<ReturnType<OpenAI["buildRequest"]>>;

/** What the requests of one client share; their bodies, signals and options for fetch are their own. */
type Head = Pick<Request, "url"> & Pick<Request["req"], "method" | "headers">;

/**
 * The SDK's client for one endpoint. Of a call that posts JSON and has no headers or query of its own it makes the head
 * once for each number of the try and second of the timeout, since nothing else in it differs: the SDK makes it for each
 * try, two thirds of its own work in a call. Any other request is the SDK's.
 */
export class EndpointOpenAI extends OpenAI {
  readonly #heads = new Map<string, Head>();

  /** Nothing is left for the SDK to look up in the environment. */
  constructor({ base_url, key, extra }: Pick<Endpoint, "base_url" | "key" | "extra">) {
    super({
      baseURL: base_url.replace(/\/+$/, ""),
      // The SDK demands one; a null header keeps it from the wire.
      apiKey: key?.reveal() ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      fetch: watchedFetch,
      maxRetries: SDK_RETRIES,
      logLevel: "off",
      defaultHeaders: {
        "user-agent": `abeval/${version}`,
        ...(key === null ? { authorization: null } : {}),
        ...revealed(extra),
      },
    });
  }

  override async buildRequest(options: Options, attempt: { retryCount?: number } = {}): Promise<Request> {
    if (!isPlainCall(options)) return await super.buildRequest(options, attempt);
    const { path, body, signal, fetchOptions, timeout } = options;
    const name = `${path} ${attempt.retryCount ?? 0} ${Math.trunc(timeout / 1000)}`;
    const head = this.#heads.get(name);
    if (head !== undefined) {
      const { url, ...rest } = head;
      return { url, timeout, req: { ...rest, body: JSON.stringify(body), ...(signal && { signal }), ...fetchOptions } };
    }
    const built = await super.buildRequest(options, attempt);
    this.#heads.set(name, { url: built.url, method: "post", headers: built.req.headers });
    return built;
  }
}

/** Its timeout is one that the SDK accepts and tells the server. */
function isPlainCall(options: Options): options is Options & { readonly timeout: number } {
  const { method, body, headers, query, timeout = 0 } = options;
  return method === "post" && isPlainObject(body) && !headers && !query && Number.isInteger(timeout) && timeout > 0;
}

const isPlainObject = (body: unknown) => body instanceof Object && Object.getPrototypeOf(body) === Object.prototype;
