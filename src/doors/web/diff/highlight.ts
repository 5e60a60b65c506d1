import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { Colouring } from "./coloured-lines.ts";

const lowlight = createLowlight({ bash, css, go, json, markdown, python, rust, sql, typescript, xml, yaml });

/** Characters above which a text is not coloured: more take seconds and some hundred megabytes. */
const COLOURED_CHARS = 1_000_000;

/** Null when there is no text, or too much. */
export function colouringOf(language: string, text: string | null): Colouring | null {
  if (text === null || text.length > COLOURED_CHARS) return null;
  const packing = new Packing();
  packing.add(lowlight.highlight(language, text), "");
  return packing.packed();
}

type Tree = ReturnType<typeof lowlight.highlight>;
type TreeNode = Tree | Tree["children"][number];

/** Cuts a tree's text at line breaks. A token of several lines keeps its colour on each. */
class Packing {
  readonly #classes = new Map([["", 0]]);
  readonly #lengths: number[] = [];
  readonly #colours: number[] = [];
  readonly #tokens = [0];
  readonly #characters = [0];
  #read = 0;

  add(node: TreeNode, inherited: string): void {
    if (node.type === "text") this.#append(node.value, this.#classes.get(inherited) ?? this.#new(inherited));
    if (!("children" in node)) return;
    const own =
      node.type === "element" ? String((node.properties["className"] as string[] | undefined)?.[0] ?? "") : ""; // as lowlight writes it
    for (const child of node.children) this.add(child, own || inherited);
  }

  packed(): Colouring {
    this.#endLine();
    return {
      classes: [...this.#classes.keys()],
      lengths: Uint32Array.from(this.#lengths),
      colours: Uint16Array.from(this.#colours),
      tokens: Uint32Array.from(this.#tokens),
      characters: Uint32Array.from(this.#characters),
    };
  }

  #append(value: string, colour: number): void {
    for (const [index, { length }] of value.split("\n").entries()) {
      if (index > 0) this.#endLine();
      if (length === 0) continue;
      this.#lengths.push(length);
      this.#colours.push(colour);
      this.#read += length;
    }
  }

  #endLine(): void {
    this.#read += 1;
    this.#tokens.push(this.#lengths.length);
    this.#characters.push(this.#read);
  }

  #new(name: string): number {
    this.#classes.set(name, this.#classes.size);
    return this.#classes.size - 1;
  }
}
