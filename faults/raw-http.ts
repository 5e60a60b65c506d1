import { connect, type Socket } from "node:net";

/** A connection to a server on which anything may be written. */
export async function dial({ hostname, port }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("connect", resolve).once("error", reject);
  await promise;
  return socket.on("error", () => undefined);
}

export interface Exchange {
  /** What came back until the server closed the connection, or until `patience_ms` had passed without a byte. */
  readonly answer: string;
  readonly closed: boolean;
}

/** Writes bytes to a connection of their own, in so many pieces. */
export async function exchange(url: URL, text: string, { patience_ms = 150, pieces = 1 } = {}): Promise<Exchange> {
  const socket = await dial(url);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let answer = "";
  const quiet = () => setTimeout(() => resolve(false), patience_ms);
  let timer = quiet();
  socket.once("close", () => resolve(true));
  socket.on("data", (bytes) => {
    answer += bytes.toString("latin1");
    clearTimeout(timer);
    timer = quiet();
  });
  const bytes = Buffer.from(text, "latin1");
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await new Promise((next) => setImmediate(next));
  }
  const closed = await promise;
  clearTimeout(timer);
  socket.destroy();
  return { answer, closed };
}
