import { canonicalJson } from "../../../domain/canonical-json.ts";
import { type CallInputs, callInput, type WireCall } from "../wire.ts";

/** A call while it arrives. */
export class CallSoFar {
  id: string | null;
  name: string;
  /** Whether all of its input has come. */
  whole = false;
  /** Put in the place of its input; null: the input stays. Undefined while nobody has decided. */
  exchanged: object | string | null | undefined = undefined;
  readonly #free_text: boolean;
  readonly #inputs: CallInputs;
  readonly #input = new GrownText();
  /** What came so far, read once: many events may ask. */
  #read: Pick<WireCall, "input" | "unparsed"> | undefined;
  #canonical: string | undefined;
  #written = false;

  constructor({ id, name, free_text = false }: Opening, inputs: CallInputs) {
    this.id = id;
    this.name = name;
    this.#free_text = free_text;
    this.#inputs = inputs;
  }

  addInput(piece: string): void {
    if (piece === "") return;
    this.#input.add(piece);
    this.#read = undefined;
    this.#canonical = undefined;
  }

  /** Characters of what came so far. */
  get chars(): number {
    return this.#input.length;
  }

  /** What came so far is read, as far as the limits of its reply go. */
  read(): void {
    this.#own();
  }

  get hasInput(): boolean {
    return this.chars > 0;
  }

  /** Whether this is its input, perhaps written otherwise. */
  isInput(text: string): boolean {
    const isSame = text === this.#input.whole();
    if (isSame || this.#free_text) return isSame;
    const given = this.#inputs.read(text);
    const { input, unparsed } = this.#own();
    if (given === undefined || unparsed !== undefined) return false;
    this.#canonical ??= canonicalJson(input);
    return canonicalJson(given) === this.#canonical;
  }

  /** Its input is a JSON: no more of it can come. */
  get isComplete(): boolean {
    return !this.#free_text && this.#input.whole().trim() !== "" && this.#own().unparsed === undefined;
  }

  /** The call as the model made it. */
  get call(): WireCall {
    const seen = { id: this.id, name: this.name, ...this.#own() };
    return this.whole ? seen : { ...seen, unparsed: this.#input.whole() };
  }

  /** The call as the agent gets it. */
  get passed(): WireCall {
    return this.exchanged == null ? this.call : { id: this.id, name: this.name, input: this.exchanged };
  }

  /** What is exchanged, as this call writes its input: JSON in a text, or free text. */
  get exchangedText(): string {
    return typeof this.exchanged === "string" && this.#free_text ? this.exchanged : JSON.stringify(this.exchanged);
  }

  /** The same for the first piece; nothing for the pieces after it. */
  takeExchangedText(): string {
    const text = this.#written ? "" : this.exchangedText;
    this.#written = true;
    return text;
  }

  #own(): Pick<WireCall, "input" | "unparsed"> {
    const input = this.#input.whole();
    this.#read ??= this.#free_text ? { input } : callInput(input, this.#inputs);
    return this.#read;
  }
}

export type Opening = Pick<WireCall, "id" | "name"> & { readonly free_text?: boolean };

/** Pieces that are joined at once. */
const MOST_PIECES = 1_000;

/** A text that arrives in pieces, however small they are. Joined one by one, each of some characters would take a hundred bytes. */
export class GrownText {
  #text = "";
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length === MOST_PIECES) this.whole();
  }

  whole(): string {
    if (this.#pieces.length > 0) this.#text += this.#pieces.join("");
    this.#pieces = [];
    return this.#text;
  }
}
