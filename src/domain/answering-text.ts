import type { ArmEndpoint } from "./answering.ts";

/** What is known of an endpoint, in a line. */
export const endpointText = ({ url, version }: ArmEndpoint): string =>
  version === undefined ? url : `${url}, version ${version}`;
