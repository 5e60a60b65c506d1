/** The least that streams: what 1,000 sockets cost the runtime itself. `/send` gives every reader one frame and ends it. */
const readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
const encode = (text: string) => new TextEncoder().encode(text);
const frame = encode(`data: {"event":"verdict_ready","verdict":"${"x".repeat(3_000)}"}\n\n`);

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch({ url }) {
    if (new URL(url).pathname === "/send") {
      for (const reader of readers) {
        reader.enqueue(frame);
        reader.close();
      }
      return new Response();
    }
    const start = (reader: ReadableStreamDefaultController<Uint8Array>) => {
      readers.add(reader);
      reader.enqueue(encode(": in\n\n"));
    };
    return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
  },
});
console.error(`listening on ${server.url}`);
