import { expect, test } from "bun:test";
import { columnNamed, columnsOf, fieldsOf } from "../../src/domain/columns.ts";

const row = (values: Readonly<Record<string, unknown>>) => ({ input: { id: "", values } });

test("a column that does not exist is told with all that do", () => {
  const rows = ["a", "b"].map((id) =>
    row({ id, question_of_the_customer: id, answer_wanted: id, language: "en", customer_tier: "x", region: "y" }),
  );
  const told = (by: string) => () => columnNamed(columnsOf(rows), by, fieldsOf(rows));
  expect(told("absent")).toThrow(
    'there is no column "absent"; the columns are id, question_of_the_customer, answer_wanted, language, customer_tier, region',
  );
  expect(told("id")).toThrow('column "id" cannot group the rows');
  expect(columnsOf([...rows, ...rows]).map(({ field }) => field)).not.toContain("id");
});
