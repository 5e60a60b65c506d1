import { afterAll, expect, test } from "bun:test";
import { listOrders } from "./src/order-list.ts";
import { memoryStore } from "./src/order-store.ts";

const storeOf = (count: number) =>
  memoryStore(Array.from({ length: count }, (_, i) => ({ id: `${i + 1}`, customer: "c", total_cents: 100 })));

/** Follows `next` from page 1 to the end, as the web page does. */
function walk(count: number, size: number): string[] {
  const store = storeOf(count);
  const seen: string[] = [];
  for (let page: number | null = 1; page !== null; ) {
    const { orders, next } = listOrders(store, page, size);
    seen.push(...orders.map((order) => order.id));
    page = next;
  }
  return seen;
}

test.each([
  [1, 10],
  [11, 10],
  [19, 10],
  [25, 10],
  [7, 3],
  [101, 100],
])("walking %d orders in pages of %d meets each order once", (count, size) => {
  expect(walk(count, size)).toEqual(Array.from({ length: count }, (_, i) => `${i + 1}`));
});

afterAll(() => console.log("probe complete: list"));
