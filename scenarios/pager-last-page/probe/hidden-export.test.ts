import { afterAll, expect, test } from "bun:test";
import { exportOrders } from "./src/order-export.ts";
import { memoryStore } from "./src/order-store.ts";

const storeOf = (count: number) =>
  memoryStore(Array.from({ length: count }, (_, i) => ({ id: `${i + 1}`, customer: "c", total_cents: 100 })));

test.each([101, 199, 250, 1001])("an export of %d orders leaves none out", (count) => {
  const [, ...lines] = exportOrders(storeOf(count));
  expect(lines).toEqual(Array.from({ length: count }, (_, i) => `${i + 1},c,1.00`));
});

test.each([0, 1, 99, 100, 200])("an export of %d orders is as it was", (count) => {
  expect([...exportOrders(storeOf(count))]).toHaveLength(count + 1);
});

afterAll(() => console.log("probe complete: export"));
