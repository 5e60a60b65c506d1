// Loaded before the tests of every process (bunfig.toml): what a test starts prints no colours, on a terminal neither. There
// the runner sets FORCE_COLOR for its own processes, and tests compare what programs print.
for (const name of ["FORCE_COLOR", "CLICOLOR_FORCE"]) delete process.env[name];

const { spawn, spawnSync } = Bun;

// Without an `env` both would pass on the environment that this process was started with, which holds the variables still.
type Options = { readonly env?: NodeJS.ProcessEnv };
type Start = (command: string[] | Options, options?: Options) => unknown;
const withEnvironment =
  (start: Start): Start =>
  (command, options) =>
    Array.isArray(command) ? start(command, { env: process.env, ...options }) : start({ env: process.env, ...command });

Object.assign(Bun, { spawn: withEnvironment(spawn as Start), spawnSync: withEnvironment(spawnSync as Start) });
