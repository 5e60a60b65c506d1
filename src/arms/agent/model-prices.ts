import type { Price } from "../../domain/price-list.ts";

/** What models of an arm's provider cost, by the names that the provider has for them. */
export interface ModelPrices {
  /** `<provider>/<model>` */
  nameOf(model: string): string;
  /** Null when nobody said it. */
  of(model: string): Price | null;
  /** Replies come from a recording, and cost nothing. */
  readonly free: boolean;
}
