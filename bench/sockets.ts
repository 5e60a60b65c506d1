/** Requests over plain sockets: a client library would cost more than the server that is measured. */

const REQUESTS_AHEAD = 16;

/** Milliseconds that `count` GETs take over some connections, each with several requests ahead. */
export async function timeGets(url: URL, path: string, count: number, connections = 8): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`;
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, () => drive(url, request, count / connections)));
  return performance.now() - began;
}

const HEAD = Buffer.from("HTTP/1.1 200");

async function drive({ hostname, port }: URL, request: string, count: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  let sent = 0;
  let answered = 0;
  let rest: Buffer = Buffer.alloc(0);
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open(socket) {
        sent = Math.min(REQUESTS_AHEAD, count);
        socket.write(request.repeat(sent));
      },
      data(socket, chunk) {
        const bytes = Buffer.concat([rest, chunk]);
        const heads = countOf(bytes, HEAD);
        // A head may be cut in two; what could be its beginning waits for the rest.
        rest = bytes.subarray(Math.max(0, bytes.length - HEAD.length + 1));
        answered += heads;
        if (answered >= count) {
          socket.end();
          done.resolve();
          return;
        }
        const more = Math.min(heads, count - sent);
        sent += more;
        if (more > 0) socket.write(request.repeat(more));
      },
      error: (_, error) => done.reject(error),
    },
  });
  await done.promise;
}

function countOf(bytes: Buffer, word: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) count += 1;
  return count;
}

export interface StreamReader {
  /** Its first bytes have come. */
  readonly opened: Promise<void>;
  /** When `marker` had come, and all text until then. */
  readonly done: Promise<{ readonly at: number; readonly text: () => string }>;
}

/** Reads an event stream until `marker` has come. */
export async function readUntil(url: URL, path: string, marker: string): Promise<StreamReader> {
  const opened = Promise.withResolvers<void>();
  const done = Promise.withResolvers<{ at: number; text: () => string }>();
  const chunks: Buffer[] = [];
  await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      open: (socket) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`),
      data(socket, chunk) {
        // Only what is new is looked at, with the end of the chunk before: the readers must not be what is measured.
        const seam = chunks.at(-1)?.subarray(-marker.length).toString() ?? "";
        chunks.push(chunk);
        opened.resolve();
        if (!chunk.includes(marker) && !(seam + chunk.subarray(0, marker.length).toString()).includes(marker)) return;
        done.resolve({ at: performance.now(), text: () => Buffer.concat(chunks).toString() });
        socket.end();
      },
      close: () => done.reject(new Error(`the stream ended without ${marker}`)),
      error: (_, error) => done.reject(error),
    },
  });
  return { opened: opened.promise, done: done.promise };
}
