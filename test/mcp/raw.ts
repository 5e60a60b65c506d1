import { PROGRAM, ROOT } from "../abeval.ts";

interface Message {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends; each test says what it expects
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

/** The program seen from its descriptors: every byte that it prints is kept. */
export class RawProgram implements AsyncDisposable {
  readonly #child;
  readonly #stderr: Promise<string>;
  readonly #read: Promise<void>;
  #stdout = "";
  #waiting: { readonly resolve: (message: Message) => void; readonly id: unknown }[] = [];

  constructor(args: readonly string[], program: readonly string[] = PROGRAM) {
    this.#child = Bun.spawn([...program, ...args], {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#stderr = new Response(this.#child.stderr).text();
    this.#read = this.#follow();
  }

  /** Whole lines printed so far, and what follows the last newline. */
  get stdout(): string {
    return this.#stdout;
  }

  get messages(): readonly Message[] {
    return this.#stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  async send(bytes: string | Uint8Array): Promise<void> {
    this.#child.stdin.write(bytes);
    await this.#child.stdin.flush();
  }

  /** The answer to a request. */
  async ask(id: number | string, method: string, params: unknown = {}): Promise<Message> {
    const answer = this.answer(id);
    await this.send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return await answer;
  }

  answer(id: number | string): Promise<Message> {
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#waiting.push({ id, resolve });
    return promise;
  }

  async initialize(protocolVersion = INITIALIZE.protocolVersion): Promise<Message> {
    const answer = await this.ask("init", "initialize", { ...INITIALIZE, protocolVersion });
    await this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return answer;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Closes its input and waits for its end. */
  async end(): Promise<{ readonly status: number; readonly stderr: string }> {
    await this.#child.stdin.end();
    return await this.ended();
  }

  async ended(): Promise<{ readonly status: number; readonly stderr: string }> {
    await this.#read;
    return { status: await this.#child.exited, stderr: await this.#stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  async #follow(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) {
      const before = this.#stdout.lastIndexOf("\n") + 1;
      this.#stdout += decoder.decode(chunk, { stream: true });
      const lines = this.#stdout.slice(before).split("\n").slice(0, -1);
      for (const line of lines) this.#deliver(line);
    }
  }

  #deliver(line: string): void {
    const message: Message = JSON.parse(line);
    for (const { id, resolve } of this.#waiting) if (id === message.id) resolve(message);
    this.#waiting = this.#waiting.filter(({ id }) => id !== message.id);
  }
}
