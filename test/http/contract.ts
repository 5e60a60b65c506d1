import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";

interface Media {
  readonly schema: object;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** What is looked at; the many declarations of Request and Response agree on this. */
interface Asked {
  readonly url: string;
  readonly method: string;
}
interface Answered {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}

/** What every path may answer: to a wrong method, or below a path that is none. */
const ANYWHERE = new Set([404, 405]);

/** A schema that many answers refer to is compiled once, and not into each of them. */
const SOON_COMPILED = { inlineRefs: false, code: { optimize: false } };

/** Holds responses against the document: the status must be listed, the body must fit its schema. */
export class Contract {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false, ...SOON_COMPILED });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addVocabulary(["components", "example"]);
    this.#ajv.addSchema({ components: document.components }, "document");
  }

  /** Whether a value fits a schema of the document; what is wrong with it otherwise. */
  misfit(schema: object, value: unknown): string | undefined {
    const key = JSON.stringify(schema);
    const validate = this.#validators.get(key) ?? this.#ajv.compile(absolute(schema));
    this.#validators.set(key, validate);
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
  }

  /** @throws Error for an answer that the document does not promise. */
  async check(request: Asked, response: Answered): Promise<void> {
    // The router takes a slash too many.
    const pathname = new URL(request.url).pathname.replace(/\/$/, "");
    if (!pathname.startsWith("/api/") || request.method === "HEAD" || request.method === "OPTIONS") return;
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const schema = this.#schemaOf(request.method, pathname, response.status, type);
    if (type !== "application/json") return;
    const misfit = this.misfit(schema, await response.json());
    if (misfit) throw new Error(`${request.method} ${pathname} ${response.status}: ${misfit}`);
  }

  #schemaOf(method: string, pathname: string, status: number, type: string): object {
    const operation = this.#operation(method, pathname);
    const media = operation?.responses[status]?.content?.[type];
    if (media) return media.schema;
    if (ANYWHERE.has(status) && type === "application/json") return { $ref: "#/components/schemas/Error" };
    throw new Error(`${method} ${pathname}: ${status} with "${type}" is not in the document`);
  }

  #operation(method: string, pathname: string): Operation | undefined {
    const steps = pathname.split("/");
    const fits = (path: string) => {
      const own = path.split("/");
      return own.length === steps.length && own.every((step, i) => step.startsWith("{") || step === steps[i]);
    };
    const exact = this.#document.paths[pathname];
    const [found] = Object.entries(this.#document.paths).filter(([path]) => fits(path));
    return (exact ?? found?.[1])?.[method.toLowerCase()];
  }
}

const contracts = new Map<string, Contract>();

/** Of a service's own document. Those of most services are the same, and compiled once in a process. */
export async function contractOf(openapi: { text(): Promise<string> }): Promise<Contract> {
  const text = await openapi.text();
  const contract = contracts.get(text) ?? new Contract(JSON.parse(text));
  contracts.set(text, contract);
  return contract;
}

/** References of the document, from a schema that stands alone. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
