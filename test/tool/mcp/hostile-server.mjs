// An MCP server that wears its client out: `bun hostile-server.mjs <family> [bytes]`. It has one tool, `go`, whose answer is an
// attack of about so many bytes. Families that begin with `list-` attack when the tools are listed.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const [family, size = "1000"] = process.argv.slice(2);
const bytes = Number(size);
const STDOUT = 1;

/** Waits for room in the pipe: nothing is held in memory here. */
function write(text, descriptor = STDOUT) {
  let rest = Buffer.from(text, "latin1");
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") process.exit(1);
    }
  }
}
const reply = (id, result) => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
const repeated = (text) => text.repeat(Math.ceil(bytes / text.length)).slice(0, -1);
const blocks = (block) => `{"content":[${repeated(`${block},`)}]}`;
const done = (id) => reply(id, '{"content":[{"type":"text","text":"done"}]}');
const flood = (line) => {
  const many = line.repeat(Math.ceil(65_536 / line.length));
  for (let sent = 0; sent < bytes; sent += many.length) write(many);
};

function* properties() {
  for (let at = 0, used = 0; used < bytes; at += 1, used += 12) yield `"k${at}":{}`;
}
const manyProperties = () => `{${[...properties()].join(",")}}`;

const CALLS = {
  "unknown-blocks": (id) => reply(id, blocks('{"type":"z"}')),
  "empty-blocks": (id) => reply(id, blocks("{}")),
  "text-blocks": (id) => reply(id, blocks('{"type":"text","text":""}')),
  numbers: (id) => reply(id, blocks("1")),
  deep: (id) => reply(id, `${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}`),
  properties: (id) => reply(id, manyProperties()),
  structure: (id) => reply(id, `{"content":[],"structuredContent":${manyProperties()}}`),
  escapes: (id) => reply(id, `{"content":[{"type":"text","text":"${"\\n".repeat(bytes / 2)}"}]}`),
  text: (id) => reply(id, `{"content":[{"type":"text","text":"${"x".repeat(bytes)}"}]}`),
  "bad-utf8": (id) => reply(id, `{"content":[{"type":"text","text":"${"\xff".repeat(bytes)}"}]}`),
  error: (id) => write(`{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"${"e".repeat(bytes)}"}}\n`),
  "error-data": (id) =>
    write(`{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"no","data":[${repeated("{},")}]}}\n`),
  prototype: (id) =>
    reply(id, '{"__proto__":{"isError":true},"content":[{"type":"text","text":"own","__proto__":{"type":"image"}}]}'),
  "replies-again": (id) => {
    done(id);
    for (let more = 0; more < 20; more += 1) reply(id, '{"content":[]}');
  },
  "replies-to-nothing": (id) => {
    for (const other of [id + 1, -1, 1e300, "x", null, [[id]], {}]) reply(other, '{"content":[]}');
    done(id);
  },
  "id-as-text": (id) => done(String(id)),
  notifications: (id) => {
    flood('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}\n');
    done(id);
  },
  changes: (id) => {
    flood('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n');
    done(id);
  },
  requests: (id) => {
    flood('{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\n');
    done(id);
  },
  pings: (id) => {
    flood('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    done(id);
  },
  newlines: (id) => {
    flood("\n");
    done(id);
  },
  chatter: (id) => {
    flood("this is a log, and no message,,,,,,\n");
    done(id);
  },
  complaints: (id) => {
    for (let sent = 0; sent < bytes; sent += 65_536) write("e".repeat(65_536), 2);
    done(id);
  },
  "no-newline": () => write("x".repeat(bytes)),
  "byte-by-byte": (id) => {
    for (const byte of `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"slow"}]}}\n`)
      write(byte);
  },
  "half-a-line": (id) => {
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"last words"}]}}`);
    process.exit(0);
  },
};

const tool = (changes = {}) => ({ name: "go", description: "Goes.", inputSchema: { type: "object" }, ...changes });
const list = (tools, more = {}) => JSON.stringify({ tools, ...more });
const LISTS = {
  "list-properties": () => list([tool({ inputSchema: { type: "object", properties: JSON.parse(manyProperties()) } })]),
  "list-tools": () => `{"tools":[${repeated("{},")}]}`,
  "list-name": () => list([tool({ name: "n".repeat(129) })]),
  "list-description": () => list([tool({ description: "d".repeat(bytes) })]),
  "list-pages": () => list([tool({ description: "d".repeat(bytes) })], { nextCursor: "more" }),
  "list-no-schema": () => list([{ name: "go" }]),
  "list-text": () => '{"tools":"none"}',
  "list-deep": () => `{"tools":${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}}`,
};
const GREETINGS = {
  "greet-experimental": () =>
    `{"protocolVersion":"2025-11-25","capabilities":{"experimental":{${[...properties()].join(",")}}}}`,
  "greet-version": () => `{"protocolVersion":"${"9".repeat(bytes)}"}`,
};
const GREETING = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}';

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") reply(id, GREETINGS[family]?.() ?? GREETING);
  if (method === "tools/list") reply(id, LISTS[family]?.() ?? list([tool()]));
  if (method === "tools/call") CALLS[family](id);
});
