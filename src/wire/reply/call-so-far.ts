import { canonicalJson } from "../../domain/canonical-json.ts";
import { isNested, parseJson } from "../../domain/lenient.ts";
import { callInput } from "../call-input.ts";
import { LEVELS, shallow } from "../shallow.ts";
import type { WireCall } from "../wire.ts";

/** A call while it arrives. */
export class CallSoFar {
  id: string | null;
  name: string;
  /** Nothing of its input is still to come. */
  whole = false;
  /** Put in the place of its input; null: the input stays. Undefined while nobody has decided. */
  exchanged: object | string | null | undefined = undefined;
  readonly #free_text: boolean;
  #input = "";
  #written = false;

  constructor({ id, name, free_text = false }: Pick<WireCall, "id" | "name"> & { readonly free_text?: boolean }) {
    this.id = id;
    this.name = name;
    this.#free_text = free_text;
  }

  addInput(piece: string): void {
    this.#input += piece;
  }

  get hasInput(): boolean {
    return this.#input !== "";
  }

  /** Whether this is its input, perhaps written otherwise. */
  isInput(text: string): boolean {
    if (text === this.#input || this.#free_text) return text === this.#input;
    const [given, own] = [parseJson(text), parseJson(this.#input)];
    return given !== undefined && !isNested([given, own], LEVELS) && canonicalJson(given) === canonicalJson(own);
  }

  /** Its input is a JSON: no more of it can come. */
  get isComplete(): boolean {
    return !this.#free_text && parseJson(this.#input) !== undefined;
  }

  /** As the model made it. */
  get call(): WireCall {
    const { id, name } = this;
    const read = this.#free_text ? { input: this.#input } : callInput(this.#input);
    const seen = { id, name, ...read, input: shallow(read.input) };
    return this.whole ? seen : { ...seen, unparsed: this.#input };
  }

  /** As the agent gets it. */
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
}
