import { afterAll, expect, test } from "bun:test";
import { listOrders } from "./src/order-list.ts";
import { memoryStore } from "./src/order-store.ts";
import { pageBounds, pageCount } from "./src/pager.ts";

const storeOf = (count: number) =>
  memoryStore(Array.from({ length: count }, (_, i) => ({ id: `${i + 1}`, customer: "c", total_cents: 100 })));

test("full pages are not followed by an empty one", () => {
  expect(listOrders(storeOf(20), 2)).toMatchObject({ pages: 2, next: null });
  expect(listOrders(storeOf(20), 3).orders).toEqual([]);
  expect(pageCount(100, 100)).toBe(1);
});

test("an empty list has one empty page", () => {
  expect(listOrders(storeOf(0))).toEqual({ orders: [], page: 1, pages: 1, total: 0, next: null });
  expect(pageCount(0, 10)).toBe(1);
});

test("bounds are as they were", () => {
  expect(pageBounds(3, 10)).toEqual({ offset: 20, limit: 10 });
});

afterAll(() => console.log("probe complete: edges"));
