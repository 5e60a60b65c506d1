import { expect } from "bun:test";
import type { Project } from "./installed.ts";

/** What a script found, as it printed it. */
export async function told(project: Project, text: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = await project.run(text, { env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

export const ROWS = JSON.stringify(["a", "b", "c"].map((id) => ({ id, question: `What is ${id}?`, wanted: id })));
export const POLITE = `polite: (answer) => answer.includes("please")`;

/** A program that compares, and prints what `of` says of it. */
export const comparing = (options: string, of = "r") => `
import { compare } from "abeval";
const rows = ${ROWS};
const r = await compare({ rows, ${options} });
console.log(JSON.stringify(${of}));
`;

/** Differs in each trial: equal trials would count once. */
export const ARMS = `arms: { old: (row, { trial }) => "no " + trial, new_: async (row, { trial }) => ({ answer: "please " + trial }) }`;
