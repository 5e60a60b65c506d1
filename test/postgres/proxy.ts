import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What becomes of bytes on their way; undefined: the connection breaks there. */
type Pass = (bytes: Buffer) => Buffer | undefined;

/** Stands between a program and a server, and lets a test do to their connections what a network does. */
export interface PostgresProxy extends Disposable {
  readonly port: number;
  /** How bytes go to the server, and back; by default as they are. */
  toServer: Pass;
  toClient: Pass;
  /** Bytes get nowhere until `go`, in both directions, also of new connections; nobody is told. */
  hold(): void;
  go(): void;
  /** Every connection ends, and new ones go to another server. */
  leadTo(port: number): void;
}

export async function proxyTo(port: number): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  /** The other side has gone, which nobody has told them. */
  const closed = new Set<Socket>();
  let holding = false;
  const link = (from: Socket, to: Socket, pass: () => Pass) => {
    sockets.add(from);
    if (holding) from.pause();
    from.on("data", (bytes: Buffer) => {
      const passed = pass()(bytes);
      if (passed) to.write(passed);
      else from.destroy();
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      sockets.delete(from);
      if (holding) closed.add(to);
      else to.destroy();
    });
  };
  let target = port;
  const listener = createServer((client) => {
    const server = connect(target, "127.0.0.1");
    link(client, server, () => proxy.toServer);
    link(server, client, () => proxy.toClient);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const proxy: PostgresProxy = {
    port: (listener.address() as AddressInfo).port,
    toServer: (bytes) => bytes,
    toClient: (bytes) => bytes,
    hold() {
      holding = true;
      for (const socket of sockets) socket.pause();
    },
    go() {
      holding = false;
      for (const socket of sockets) socket.resume();
      for (const socket of closed) socket.destroy();
      closed.clear();
    },
    leadTo(other) {
      target = other;
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.dispose]() {
      listener.close();
      for (const socket of [...sockets, ...closed]) socket.destroy();
    },
  };
  return proxy;
}
