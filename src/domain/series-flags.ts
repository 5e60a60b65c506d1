import { LEAST_TASKS } from "./defaults.ts";
import { type FlagText, flagSentence, unknownFlag } from "./flag-text.ts";
import { counted, countText } from "./number-text.ts";
import type { Series } from "./series.ts";
import type { SeriesFlag } from "./series-summary.ts";
import type { Words } from "./words.ts";

/** What each flag means for a reader of the series. */
const SERIES_FLAG_TEXTS: Readonly<Record<SeriesFlag, FlagText>> = {
  claim_reversed: {
    tone: "danger",
    title: "The trials contradict each other",
    text: "First one arm was established as preferred, later the other. Neither claim is made any more.",
  },
  check_could_not_run: {
    tone: "danger",
    title: "A hidden check could run on neither arm",
    text: "Such trials give no result and count as missing. Open one: it names the check and what it lacks.",
  },
  no_contrast: {
    tone: "danger",
    title: "The arms do not differ",
    text: "Nothing that the scenario sets up distinguishes them. What differs is chance.",
  },
  self_family: {
    tone: "warn",
    title: "The judge is related to an arm",
    text: "Models tend to favour text of their own family: take a judge of another maker. Where it is related to one arm alone, its preference for that arm opens no gate.",
  },
  panel_one_family: {
    tone: "warn",
    title: "All judges of the panel are related",
    text: "Models of one family err alike, so their votes count for little more than one. Add judges of other families.",
  },
  judge_follows_order: {
    tone: "warn",
    title: "The judge followed the order",
    text: "It favoured whichever run was shown first, or second. Such trials count as without a winner, and do not show that the arms are alike.",
  },
  arm_crashed: {
    tone: "warn",
    title: "An agent crashed",
    text: "It was judged on what it had until then. How it ended may have decided, not its work.",
  },
  low_confidence: {
    tone: "note",
    title: "Most wins are weak",
    text: "Most verdicts that name a winner have the least confidence. Each trial still counts the same.",
  },
  no_variation: {
    tone: "warn",
    title: "All trials of a scenario are alike",
    text: "The models said and did the same each time. Beside a scenario that varies, copies count like other trials: leave such a scenario out. Where no scenario of a table of results varies, each counts once.",
  },
  rows_repeat: {
    tone: "warn",
    title: "Rows repeat each other",
    text: "Each counts for itself: name a column that they share as `cluster`.",
  },
  fragile: {
    tone: "warn",
    title: "Missing trials could undo this",
    text: "No preference is stated: it would not stand had every missing trial gone to the other side.",
  },
  served_model_changed: {
    tone: "warn",
    title: "A provider served another model",
    text: "Trials before and after the change may not be comparable.",
  },
  baseline_not_concurrent: {
    tone: "warn",
    title: "One arm ran earlier",
    text: "Stored runs stand in for it. Whatever changed since then, at a provider for example, looks like a difference between the arms.",
  },
  not_concurrent: {
    tone: "warn",
    title: "Arms of a round ran apart",
    text: "Some began when others had stopped: there were fewer places than arms, or a lost run was tried again. Whatever changed in between looks like a difference between the arms.",
  },
  baseline_selected: {
    tone: "danger",
    title: "The stored runs were selected",
    text: "What they showed had a say in that there are these, so nothing is concluded. Bless a series of fixed length that preferred neither arm.",
  },
  mixed: {
    tone: "warn",
    title: "Scenarios point apart",
    text: "One scenario alone prefers one arm, another the other. The average hides this; read the table.",
  },
  arms_differ: {
    tone: "warn",
    title: "Arms of one name are set up differently",
    text: "The scenarios do not give an arm the same settings, so this compares more than one pair.",
  },
  scripted: {
    tone: "note",
    title: "Scripts played the arms",
    text: "This shows how abeval works; it says nothing about a model.",
  },
  judge_failed_self_test: {
    tone: "danger",
    title: "The judge failed its self-test here",
    text: "On evidence whose right answer is known it was wrong, or blind to the difference. Take another judge or a panel.",
  },
  judge_unaudited: {
    tone: "note",
    title: "The judge has passed no self-test here",
    text: "abeval judge-test shows whether it can tell known good work on these tasks from worse work.",
  },
  inputs_from_checkout: {
    tone: "warn",
    title: "Inputs that the change can edit",
    text: "Whoever wrote the change that is judged could have written these. No gate opens while stored runs, recordings, logs or results are among them.",
  },
  results_imported: {
    tone: "note",
    title: "These results were imported",
    text: "abeval saw none of the runs and judged none. Which results were left out or chosen, nobody here knows.",
  },
  skill_never_fired: {
    tone: "warn",
    title: "A skill was never read",
    text: "An arm was given a skill that it read in no trial, so the trials say nothing of what the skill is worth. --check says whether the agent tells its model of it.",
  },
  few_tasks: {
    tone: "note",
    title: "Few tasks",
    text: `Fewer than ${LEAST_TASKS} tasks cannot show that others like them get better, whatever you repeat.`,
  },
  earlier_trials: {
    tone: "note",
    title: "There are other trials of the same comparison",
    text: "A series that is run again until it wins proves nothing: a conclusion is stated only where all stored trials together show it.",
  },
};

/** What has flags. Absent counts: nobody counts the trials that raise them. */
interface Flagged extends Pick<Series, "flag_counts" | "inputs_from_checkout"> {
  readonly counts?: Pick<Series["counts"], "trials">;
}

/** Also of a flag that a newer version has added. The title has the number of trials where they are counted. */
export function seriesFlagText(flag: SeriesFlag, { flag_counts, counts }: Flagged): FlagText {
  const told = Object.hasOwn(SERIES_FLAG_TEXTS, flag) ? SERIES_FLAG_TEXTS[flag] : unknownFlag(flag);
  const count = flag_counts?.[flag];
  return count === undefined || counts === undefined
    ? told
    : { ...told, title: `${told.title} (${countText(count)} of ${counted(counts.trials, "trial")})` };
}

export const seriesFlagWords = (flag: SeriesFlag, series: Flagged): Words =>
  flagSentence(flag, seriesFlagText(flag, series), series.inputs_from_checkout);
