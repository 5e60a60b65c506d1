interface Checked {
  readonly probe: {
    readonly checks?: readonly { readonly id: string; readonly could_not_run?: string | undefined }[];
  } | null;
}

/** Hidden checks that could not run on either arm, with the reason: they say nothing about the arms. */
export function runOnNeither(a: Checked, b: Checked): readonly { readonly id: string; readonly why: string }[] {
  const missed = new Map(checksOf(b).map(({ id, could_not_run }) => [id, could_not_run]));
  return checksOf(a).flatMap(({ id, could_not_run }) =>
    could_not_run === undefined || missed.get(id) === undefined ? [] : [{ id, why: could_not_run }],
  );
}

const checksOf = ({ probe }: Checked) => probe?.checks ?? [];

/** The same in words: each reason once, with the first check that has it. */
export function runOnNeitherText(a: Checked, b: Checked): string | null {
  const byReason = new Map(
    runOnNeither(a, b)
      .toReversed()
      .map(({ id, why }) => [why, id]),
  );
  const parts = [...byReason].toReversed().map(([why, id]) => `${id}: ${why}`);
  return parts.length === 0 ? null : `hidden checks could not run on either arm (${parts.join("; ")})`;
}
