import { API_PAGE, withReference } from "./api-page.ts";

await Bun.write(API_PAGE, await withReference(await Bun.file(API_PAGE).text()));
