import { Supervisor } from "../../src/doors/cli/supervisor/supervise.ts";
import { PROGRAM } from "../abeval.ts";

// `abeval serve` as it is, but for its patience: a test cannot wait for half a minute.

const [file = "", ...args] = PROGRAM;
const supervisor = new Supervisor([file, ...args, "__serve", ...process.argv.slice(2)], {
  silence_ms: 3_000,
  obey_ms: 100,
});
process.exitCode = await supervisor.run();
