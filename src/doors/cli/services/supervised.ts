import type { SessionServices } from "../../../comparison/planning/services.ts";
import type { Address } from "../../http/listen.ts";
import { listenProblem } from "../flags/address.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import { BEAT_MS, type FromServer, type ToServer } from "../supervisor/messages.ts";
import { endWithParent } from "./own-process.ts";

type Go = NonNullable<ToServer["go"]>;
type Stop = NonNullable<ToServer["stop"]>;

/** This server as the process sees it that watches over it. */
export interface Supervised extends Disposable {
  /** Resolves when the supervisor lets it open. */
  open(opening: NonNullable<FromServer["opening"]>): Promise<Go>;
  /** Hears each signal that the supervisor got. */
  onStop(hear: (stop: Stop) => void): void;
  /** Hears that no more work is to be taken. */
  onDrain(hear: () => void): void;
  /** Says how much is left since then. */
  left(left: number): void;
  /** Starts the signs of life. Resolves when the supervisor says that it serves. */
  ready(port: number | undefined, services: Pick<SessionServices, "runs" | "store">): Promise<void>;
}

/** Undefined where nobody supervises this process. It ends with its supervisor, however that ends. */
export function supervision(): Supervised | undefined {
  if (process.send === undefined) return undefined;
  endWithParent();
  const end = () => process.kill(process.pid, "SIGKILL");
  process.once("disconnect", end);
  const go = Promise.withResolvers<Go>();
  const heard = Promise.withResolvers<void>();
  const stops: Stop[] = [];
  let hearStop = (stop: Stop): void => void stops.push(stop);
  process.on("message", (message) => {
    const told = message as ToServer; // our own program sends it
    if (told.go) go.resolve(told.go);
    if (told.heard) heard.resolve();
    if (told.drain) drain.resolve();
    if (told.stop) hearStop(told.stop);
  });
  const drain = Promise.withResolvers<void>();
  let beats: ReturnType<typeof setInterval> | undefined;
  return {
    open: async (opening) => {
      tell({ opening });
      const { hangup_ignored, ...rest } = await go.promise;
      if (hangup_ignored) process.on("SIGHUP", () => undefined);
      return { hangup_ignored, ...rest };
    },
    onStop: (hear) => {
      hearStop = hear;
      // Signals that came while the server opened are heard now.
      for (const stop of stops) hear(stop);
    },
    onDrain: (hear) => void drain.promise.then(hear),
    left: (left) => tell({ left }),
    ready: async (port, { runs, store }) => {
      runs.watch((step) => tell({ step }));
      tell({ ready: { port, owner: store.estate?.owner }, beat: named(runs.underWay()) });
      beats = setInterval(() => tell({ beat: named(runs.underWay()) }), BEAT_MS);
      await heard.promise;
    },
    [Symbol.dispose]() {
      clearInterval(beats);
      process.off("disconnect", end);
      process.disconnect?.();
    },
  };
}

/**
 * Where to listen, and after whom. A server that was started again listens where the first one did.
 * @throws UsageError when nothing can listen at `health`
 */
export async function openedAddress(
  supervised: Supervised | undefined,
  { address, health }: { readonly address: Address; readonly health: Address | undefined },
  format: string,
): Promise<{ readonly address: Address; readonly after: string | undefined }> {
  const go = await supervised?.open({ json: format === "json", health });
  if (health && go?.fault !== undefined)
    throw new UsageError(listenProblem(health, Object.assign(new Error(), { code: go.fault }), "--health-addr"));
  const port = address.port === 0 ? (go?.port ?? 0) : address.port;
  return { address: { ...address, port }, after: go?.after };
}

/** A supervisor that is gone or stopped is told nothing. */
function tell(message: FromServer): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Runs that one sign of life names. */
const NAMED = 20;

const named = (runs: readonly string[]) =>
  runs.length > NAMED ? [...runs.slice(0, NAMED), `${runs.length - NAMED} others`] : runs;
