import { Document, isMap, isNode, isScalar, isSeq } from "yaml";

/** A comment above a field, or above an entry of a list. */
export interface Note {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Notes are attached to fields in the document, since a commit's message may hold lines that look like a field. */
export function withNotes(scenario: object, notes: readonly Note[]): string {
  const document = new Document(scenario);
  for (const { path, text } of notes) {
    const parent = document.getIn(path.slice(0, -1), true);
    const last = path.at(-1);
    const noted = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === last)?.key
      : isSeq(parent) && parent.items[Number(last)];
    if (isNode(noted)) noted.commentBefore = [...(noted.commentBefore?.split("\n") ?? []), ` ${text}`].join("\n");
  }
  return document.toString({ lineWidth: 110, blockQuote: "literal", flowCollectionPadding: false });
}
