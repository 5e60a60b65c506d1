import type { Words } from "../../../domain/words.ts";
import { ArmName } from "./arm-name.tsx";

/** A sentence about a result, its arms in their colours. */
export const Say = ({ words }: { words: Words }) =>
  words.map((word, index) => {
    if (typeof word === "string") return word;
    if ("figure" in word) return <strong key={index}>{word.figure}</strong>;
    return <ArmName key={index} side={word.arm} name={word.name} />;
  });
