import { expect, test } from "bun:test";
import { readResults } from "../../src/comparison/table/read-results.ts";
import { TableFault } from "../../src/comparison/table/table-rows.ts";

const HEAD = "scenario,trial,arm,passed";

async function faultOf(text: string): Promise<string> {
  try {
    await readResults(text, "csv");
  } catch (error) {
    if (error instanceof TableFault) return [error.line, error.column, error.message].filter(Boolean).join(" ");
    throw error;
  }
  return "no fault";
}

test("a row of a table is refused while it is read where it is too long", async () => {
  const values = "has more than 1000 values; a table has 1000 columns at most";
  expect(await faultOf(",".repeat(6_000_000))).toBe(`1 ${values}`);
  expect(await faultOf(`${HEAD}\n\n"s\nt",1,a,1${",".repeat(6_000_000)}`)).toBe(`3 ${values}`);
  const chars = "has more than 8388608 characters; shorten its values";
  expect(await faultOf(`${HEAD}\r\ns,1,a,1\r\n"${"\r\n".repeat(5_000_000)}",1,b,1`)).toBe(`3 ${chars}`);
  expect(await faultOf(`${HEAD}\ns,1,a,1,"${"x".repeat(8_388_608)}"\ns,1,b,1`)).toBe(`2 ${chars}`);
  expect(await faultOf(`${HEAD},note\ns,1,a,1,"${"\n".repeat(100_000)}"\ns,0,b,1,`)).toStartWith("100003 2 trial");
});

test("a missing column is told with those that there are", async () => {
  const named = "scenario, passed, the_first_long_name, the_second_long_name, the_third_long_name";
  expect(await faultOf(`${named.replaceAll(" ", "")}\ns,1,,,`)).toBe(`1 there is no column "arm"; there are ${named}`);
});
