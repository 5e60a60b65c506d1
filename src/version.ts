/** Inlined by the bundler: this is the build stamp. */
export { version } from "../package.json";
