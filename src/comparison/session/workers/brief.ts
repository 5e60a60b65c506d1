import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { InputsFromCheckout } from "../../../domain/checkout-input.ts";
import { Failure } from "../../../domain/failure.ts";
import { Price, type PriceList } from "../../../domain/price-list.ts";
import { Scenario } from "../../../domain/scenario.ts";
import { Digest } from "../../../domain/schema.ts";
import { SeriesRequest } from "../../../domain/series-request.ts";
import { SeriesId } from "../../../domain/session.ts";
import type { SharedStore, Work } from "../../../store/shared-store.ts";
import type { SessionServices } from "../../planning/services.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import type { MaterialsCache } from "../../scenario/materials-cache.ts";
import { materialsDigest, packMaterials } from "../../scenario/pack.ts";
import { Unusable } from "../../scenario/unusable.ts";
import type { SeriesLooks } from "./series-looks.ts";

/** What whoever accepted the work would have counted with. */
const Prices = Type.Record(Type.String(), Price);

/** What is known of a run besides its log. */
export const SessionOrder = Type.Object({
  options: Type.Object({
    model_override: Type.Optional(Type.String()),
    judge_model: Type.String(),
    max_cost_usd: Type.Optional(Type.Number()),
    single: Type.Optional(Type.Boolean()),
    seed: Type.Optional(Type.String()),
    trial_number: Type.Optional(Type.Integer()),
    series_trial: Type.Optional(Type.Integer()),
    protocol: Type.Optional(Type.String()),
    day: Type.Optional(Type.String()),
    inputs_from_checkout: InputsFromCheckout,
  }),
  prices: Prices,
  /** What the day's limit holds for it. */
  reservation: Type.Object({ id: Type.String(), usd: Type.Number() }),
});
export type SessionOrder = Static<typeof SessionOrder>;

/** What is known of a series besides its record and its trials. */
export const SeriesOrder = Type.Object({
  options: Type.Omit(SeriesRequest, ["scenarios", "continue", "baseline"]),
  /** The stored series whose runs stand in for an arm; absent: both arms run. */
  baseline: Type.Optional(SeriesId),
  prices: Prices,
  scenarios: Type.Array(
    Type.Object({
      definition: Type.Unsafe<Scenario>(Scenario),
      digest: Digest("Of the definition."),
      file: Type.String(),
    }),
  ),
  /** The last trial of an earlier start. */
  begun_after: Type.Integer(),
});
export type SeriesOrder = Static<typeof SeriesOrder>;

/** @throws Failure `internal` for one that another version wrote in another form */
export function readBrief<T extends TSchema>(schema: T, { id, brief }: Work): Static<T> {
  const value: unknown = JSON.parse(brief);
  if (Value.Check(schema, value)) return value;
  throw new Failure("internal", `${id} was accepted by another version of abeval, in a form that this one cannot read`);
}

export const briefPrices = (prices: PriceList): Static<typeof Prices> => Object.fromEntries(prices);

export const pricesOf = ({ prices }: Pick<SessionOrder, "prices">): PriceList => new Map(Object.entries(prices));

/** Where work is done that somebody else may have accepted. */
export interface Workplace {
  readonly services: SessionServices;
  readonly shared: SharedStore;
  /** Files of scenarios that are not on this machine. */
  readonly files: MaterialsCache;
  /** What it remembers of series whose trials it runs. */
  readonly looks: SeriesLooks;
}

/** Puts a scenario's files where every worker finds them. @throws Failure `workspace_failed`, `storage_full`, `storage_failed` */
export async function keepMaterials(
  { materials }: Pick<SharedStore, "materials">,
  loaded: LoadedScenario,
): Promise<void> {
  const digest = materialsDigest(loaded.definition);
  if (!(await materials.has(digest))) await materials.keep(digest, packMaterials(loaded));
}

/** A scenario as it was offered, on this machine until it is disposed. @throws Failure `workspace_failed`, `storage_failed` */
export async function openMaterials(
  { shared, files }: Pick<Workplace, "shared" | "files">,
  stored: Pick<LoadedScenario, "definition" | "digest" | "file">,
): Promise<LoadedScenario & AsyncDisposable> {
  try {
    const place = await files.open(stored.definition, (digest) => shared.materials.read(digest));
    return { ...stored, ...place };
  } catch (error) {
    // Who offers the scenario next stores its files anew.
    if (error instanceof Failure && error.cause instanceof Unusable)
      await shared.materials.drop(materialsDigest(stored.definition));
    throw error;
  }
}
