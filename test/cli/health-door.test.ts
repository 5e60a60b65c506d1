import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { HealthDoor } from "../../src/doors/cli/supervisor/health-door.ts";
import { freePort } from "./free-port.ts";

test("whoever sends a body to the address for health is refused, and its connection closed while the body still comes", async () => {
  const port = freePort();
  const door = new HealthDoor({ hostname: "127.0.0.1", port }, () => 0);
  expect(await door.opened).toBeUndefined();
  for (const declared of ["transfer-encoding: chunked", "content-length: 100000000000"]) {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => undefined);
    // The body has begun, and never ends.
    socket.write(`POST /api/health HTTP/1.1\r\nHost: a\r\n${declared}\r\n\r\n10000\r\n${"a".repeat(1_000)}`);
    await once(socket, "close");
    expect(answer).toContain("413 ");
  }
  door.close();
});
