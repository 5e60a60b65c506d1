import { createHash } from "node:crypto";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Baseline, type BaselineMember, BlessedRun, runsDigests } from "../../domain/baseline.ts";
import type { Failure } from "../../domain/failure.ts";
import { type MemberKey, memberName } from "../../domain/member.ts";
import { pinnedFile } from "../../domain/pinned-file.ts";
import { InputId, Scenario } from "../../domain/scenario.ts";
import { Digest, nullable, oneOf, record, Slug, Timestamp } from "../../domain/schema.ts";
import { EvidenceDigests, SeriesId } from "../../domain/session.ts";
import { SIDES } from "../../domain/verdict.ts";
import { type JsonLine, jsonLines } from "../../runtime/lines.ts";
import { BundleBytes, bundleFault } from "./bundle/bundle-bytes.ts";

/** What one line may hold. */
const LINE_LIMITS = { bytes: 16 * 1024 * 1024, values: 400_000 };

/** A bundle that `--bless` wrote, as `pinnedFile` names it. Anything may stand in it. @throws Failure `invalid_request` naming the line */
export async function readBundle(
  named: string,
  { here = process.cwd(), kept }: { readonly here?: string; readonly kept?: string | undefined } = {},
): Promise<Baseline> {
  const name = pinnedFile(named);
  const reading = new BundleReading(name.shown);
  const bytes = new BundleBytes(name, here);
  const tooLong = () => {
    throw reading.fault("has a line that is too long");
  };
  for await (const line of jsonLines(bytes.pieces(), LINE_LIMITS, tooLong)) reading.take(line);
  const file = { shown: name.shown, sha256: bytes.digest(), pinned: name.sha256 !== undefined };
  return { ...reading.finished(), file: { ...file, ...(kept !== undefined && { kept }) } };
}

interface Filling {
  readonly evidence_digests: BaselineMember["evidence_digests"];
  readonly definition: BaselineMember["definition"];
  readonly runs: BaselineMember["runs"][number][];
}

const BlessedEnd = record("BlessedEnd", {
  type: Type.Literal("end"),
  digest: Digest("SHA-256 of all bytes before this line."),
});

const BlessedScenario = record("BlessedScenario", {
  type: Type.Literal("scenario"),
  scenario: Slug(),
  input: Type.Optional(InputId),
  evidence_digests: EvidenceDigests,
  definition: Scenario,
});

/** The lines of a blessed series, one JSON document each: what it is, its scenarios, its runs, and the digest of all before. */
const BlessedSeries = record("BlessedSeries", {
  type: Type.Literal("abeval-baseline"),
  version: Type.Literal(1),
  series_id: SeriesId,
  at: Timestamp("When the series was accepted."),
  preferred: nullable(oneOf(SIDES), { description: "The arm that the series established as preferred." }),
});

class BundleReading {
  readonly #file: string;
  readonly #hash = createHash("sha256");
  readonly #members = new Map<MemberKey, Filling>();
  #line = 0;
  #head: typeof BlessedSeries.static | undefined;
  #digest: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  fault(what: string): Failure {
    const place = this.#line === 0 ? "" : `:${this.#line}`;
    return bundleFault(`${this.#file}${place}`, `${what}; a baseline is a file that abeval bless wrote`);
  }

  take({ number, bytes, json }: JsonLine): void {
    this.#line = number;
    if (this.#digest !== undefined) throw this.fault("stands behind the end");
    if ("fault" in json) throw this.fault(json.fault);
    const { value } = json;
    if (Value.Check(BlessedEnd, value)) {
      this.#end(value.digest);
      return;
    }
    this.#hash.update(bytes).update("\n");
    if (this.#head === undefined) this.#head = this.#checked(BlessedSeries, value);
    else if (Value.Check(BlessedScenario, value)) this.#begin(value);
    else this.#add(this.#checked(BlessedRun, value));
  }

  #end(digest: string): void {
    this.#digest = this.#hash.digest("hex");
    if (digest !== this.#digest) throw this.fault("was edited: its digest is that of other lines");
  }

  #begin({ evidence_digests, definition, ...member }: typeof BlessedScenario.static): void {
    this.#members.set(memberName(member), {
      evidence_digests,
      definition: definition as BaselineMember["definition"], // the schema counted its arms
      runs: [],
    });
  }

  #add({ session_id, at, arms, ...member }: typeof BlessedRun.static): void {
    const [a, b] = arms;
    const known = this.#members.get(memberName(member));
    if (!known || !a || !b) throw this.fault("is a run of a scenario that it does not name");
    known.runs.push({ session_id, at, load: async () => [a, b] });
  }

  #checked<T extends TSchema>(schema: T, value: unknown): T["static"] {
    if (Value.Check(schema, value)) return value;
    throw this.fault("is no such line");
  }

  finished(): Baseline {
    if (this.#head === undefined || this.#digest === undefined)
      throw this.fault("is not whole: its last line is missing");
    const { series_id, at, preferred } = this.#head;
    const runs = [...this.#members.values()].flatMap((member) => member.runs.map(({ session_id }) => session_id));
    const { digest, earlier_digests } = runsDigests(series_id, runs);
    return {
      digest,
      // Earlier versions named a bundle by its bytes.
      earlier_digests: [this.#digest, ...earlier_digests],
      ...{ series_id, at, stopped: false, preferred, members: this.#members },
    };
  }
}
