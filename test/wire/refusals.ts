import type { WireCall } from "../../src/arms/wire/wire.ts";
import { GOLDEN } from "./golden.ts";

export const CALLING = GOLDEN.filter(({ reply }) => reply.calls.length > 0);

/** What takes the place of a call, in the shape of its input. */
export const instead = ({ input }: WireCall) => (typeof input === "string" ? "refused" : { command: "echo refused" });
