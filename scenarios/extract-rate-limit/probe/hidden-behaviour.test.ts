import { afterAll, expect, test } from "bun:test";
import { createApi, type Caller } from "./src/api.ts";
import { memoryParcels } from "./src/parcels.ts";

const ada: Caller = { address: "10.0.0.1", apiKey: "ada" };
const anonymous: Caller = { address: "10.0.0.1", apiKey: null };
const elsewhere: Caller = { address: "10.0.0.2", apiKey: "ada" };

function open() {
  const clock = { time: 777_123 };
  const api = createApi(memoryParcels([{ id: "p1", to: "Turin", state: "moving" }]), () => clock.time);
  const get = async (path: string, caller = ada) => (await api(new Request(`http://localhost${path}`), caller)).status;
  const post = async (body: string, caller = ada) =>
    (await api(new Request("http://localhost/parcels", { method: "POST", body }), caller)).status;
  return { clock, api, get, post };
}

async function times<T>(count: number, call: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) results.push(await call());
  return results;
}

const ok = (count: number, status = 200) => Array.from({ length: count }, () => status);

test("tracking is counted by address, whatever the key, also for parcels that do not exist", async () => {
  const { get } = open();
  expect(await times(59, () => get("/parcels/none"))).toEqual(ok(59, 404));
  expect([await get("/parcels/p1", anonymous), await get("/parcels/p1"), await get("/parcels/p1", elsewhere)]).toEqual([
    200, 429, 200,
  ]);
});

test("a search is counted by key, or by address without one", async () => {
  const { get } = open();
  expect(await times(10, () => get("/parcels?q=Turin"))).toEqual(ok(10));
  expect(await get("/parcels?q=Turin", elsewhere)).toBe(429);
  expect(await get("/parcels?q=Turin", anonymous)).toBe(200);
});

test("a search that is too short is refused before it is counted", async () => {
  const { get } = open();
  expect(await times(20, () => get("/parcels?q=Tu"))).toEqual(ok(20, 400));
  expect(await times(10, () => get("/parcels?q=Turin"))).toEqual(ok(10));
  expect(await get("/parcels?q=Tu")).toBe(400);
});

test("an announcement without a key is refused before it is counted, a bad one after", async () => {
  const { post } = open();
  expect(await times(9, () => post('{"to":"Oslo"}', anonymous))).toEqual(ok(9, 401));
  expect([await post("{"), await post("null"), await post('{"to":""}')]).toEqual(ok(3, 400));
  expect(await times(3, () => post('{"to":"Oslo"}'))).toEqual([201, 201, 429]);
});

test("each endpoint counts for itself", async () => {
  const { get, post } = open();
  await times(5, () => post('{"to":"Oslo"}'));
  await times(10, () => get("/parcels?q=Turin"));
  expect([await post("{}"), await get("/parcels?q=Turin"), await get("/parcels/p1")]).toEqual([429, 429, 200]);
});

test("a refusal says how long to wait, in whole seconds of the window that began with the first call", async () => {
  const { clock, api, post } = open();
  await post('{"to":"Oslo"}');
  clock.time += 1_234_567;
  await times(4, () => post('{"to":"Oslo"}'));
  const refused = await api(new Request("http://localhost/parcels", { method: "POST" }), ada);
  expect(await refused.json()).toEqual({ error: "too many requests" });
  expect(refused.headers.get("retry-after")).toBe("2366");
  clock.time += 3_600_000 - 1_234_567 - 1;
  expect(await post('{"to":"Oslo"}')).toBe(429);
  clock.time += 1;
  expect(await post('{"to":"Oslo"}')).toBe(201);
});

test("other paths and methods are 404", async () => {
  const { api, get } = open();
  expect([await get("/"), await get("/parcels/p1/x")]).toEqual([404, 404]);
  expect((await api(new Request("http://localhost/parcels/p1", { method: "DELETE" }), ada)).status).toBe(404);
});

afterAll(() => console.log("probe complete: behaviour"));
