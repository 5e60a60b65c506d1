/** Moves between the links of a list that is one stop of the Tab key: the arrows, Home and End go from one to the next. */
export function stepInRow(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const cell = event.currentTarget.parentElement;
  const row = cell?.parentElement?.children;
  const to = {
    ArrowRight: cell?.nextElementSibling,
    ArrowLeft: cell?.previousElementSibling,
    Home: row?.[0],
    End: row?.[row.length - 1],
  }[event.key];
  if (!to) return;
  event.preventDefault();
  to.querySelector<HTMLElement>("[tabindex]")?.focus();
}
