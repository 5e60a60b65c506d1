import { plugin } from "bun";

/**
 * `bun generate-types.ts <openapi.json> <out.ts>`: TypeScript types from an OpenAPI document. The generator writes through
 * the compiler's old programming interface, which our compiler does not have any more; here it gets the last one that has.
 */
plugin({
  name: "compiler with a programming interface",
  setup(build) {
    build.module("typescript", async () => ({ exports: await import("typescript-5"), loader: "object" }));
  },
});

const { default: openapiTS, astToString } = await import("openapi-typescript");
const [source = "", target = ""] = process.argv.slice(2);
await Bun.write(target, astToString(await openapiTS(await Bun.file(source).text())));
