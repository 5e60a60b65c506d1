import { Mistake } from "../../domain/failure.ts";

/** A tree holds more than can be looked at, or than can be copied; whoever filled it reads why. */
export class TreeTooLarge extends Mistake {}
