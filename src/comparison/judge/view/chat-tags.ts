const ROLES = ["system", "assistant", "user"] as const;
type Role = (typeof ROLES)[number];

/** Reads no character twice: what stands in a tag holds no `<`. */
const TAG = new RegExp(`<(/?)(${ROLES.join("|")})(?:\\s[^<>]*)?(?<!/)>`, "g");
const FIRST_TAG = new RegExp(`^</?(?:${ROLES.join("|")})\\b`);

/** Words behind a tag that are a message and no value. */
const MESSAGE_WORDS = 4;

/**
 * Tells the tags of a chat from those of a document with users or systems in it. A chat closes what nothing opened, to break
 * out of the text around it; goes from one speaker to another; or has a sentence behind a tag.
 */
export class ChatTags {
  readonly #open: Record<Role, number> = { system: 0, assistant: 0, user: 0 };
  /** The tag behind which nothing stands yet. */
  #last: { readonly role: Role; readonly closes: boolean } | null = null;

  /** Takes the lines of one text in their order. */
  isChat(line: string): boolean {
    let [found, at] = [false, 0];
    for (const { 0: tag, 1: slash, 2: name, index } of line.matchAll(TAG)) {
      const speaks = this.#text(line.slice(at, index));
      const breaks = this.#tag(name as Role, slash === "/"); // a role, by the pattern
      found ||= speaks || breaks;
      at = index + tag.length;
    }
    return this.#text(line.slice(at)) || found;
  }

  /** Whether it is a message. */
  #text(text: string): boolean {
    if (text.trim() === "") return false;
    const speaks = this.#last?.closes === false && isMessage(text);
    this.#last = null;
    return speaks;
  }

  /** Whether no document has it here. */
  #tag(role: Role, closes: boolean): boolean {
    const turns = this.#last?.closes === true && this.#last.role !== role;
    const breaks = closes ? this.#open[role] === 0 : turns;
    this.#open[role] = Math.max(0, this.#open[role] + (closes ? -1 : 1));
    this.#last = { role, closes };
    return breaks;
  }
}

/** In code a type or a text can hold such a tag, so that only one that begins a line counts. */
export const beginsWithChatTag = (line: string): boolean => FIRST_TAG.test(line);

function isMessage(text: string): boolean {
  const [own = ""] = text.split("<", 1);
  return own.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= MESSAGE_WORDS;
}
