import { connect } from "node:net";

/** Sends bytes as they are, and gives all that comes back until the connection is closed. */
export function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(Number(port), hostname, () => socket.write(text));
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  socket.on("error", reject).on("close", () => resolve(answer));
  return promise;
}
