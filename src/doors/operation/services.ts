export type { Services } from "../doctor/services.ts";
