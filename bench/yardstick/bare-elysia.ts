import { Elysia } from "elysia";

/** The least that answers: what the framework itself costs. */
const app = new Elysia().get("/api/health", () => ({ status: "ok", version: "0.0.0", uptime_ms: 1 })).listen(0);
console.error(`listening on http://127.0.0.1:${app.server?.port}`);
