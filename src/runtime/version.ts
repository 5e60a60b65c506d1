import manifest from "../../package.json" with { type: "json" };

/** Inlined by the bundler: this is the build stamp. */
export const { version } = manifest;
