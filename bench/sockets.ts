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

/** Reads an event stream until `marker` has come; the time of that, and the bytes until then. */
export async function readUntil(
  url: URL,
  path: string,
  marker: string,
): Promise<{ at: number; opened: Promise<void>; done: Promise<{ at: number; text: string }> }> {
  const opened = Promise.withResolvers<void>();
  const done = Promise.withResolvers<{ at: number; text: string }>();
  let text = "";
  await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      open: (socket) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`),
      data(socket, chunk) {
        text += chunk.toString();
        opened.resolve();
        if (!text.includes(marker)) return;
        done.resolve({ at: performance.now(), text });
        socket.end();
      },
      close: () => done.reject(new Error(`the stream ended without ${marker}`)),
      error: (_, error) => done.reject(error),
    },
  });
  return { at: performance.now(), opened: opened.promise, done: done.promise };
}
