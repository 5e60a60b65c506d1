import { type FlagText, flagSentence, unknownFlag } from "./flag-text.ts";
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
  no_variation: {
    tone: "warn",
    title: "All trials of a scenario are alike",
    text: "The models said and did the same each time. Beside a scenario that varies, copies count like other trials: leave such a scenario out.",
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
    text: "abeval run --self-test shows whether it can tell known good work on these tasks from worse work.",
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
  earlier_trials: {
    tone: "note",
    title: "There are other trials of the same comparison",
    text: "A series that is run again until it wins proves nothing: a conclusion is stated only where all stored trials together show it.",
  },
};

/** Also of a flag that a newer version has added. */
export const seriesFlagText = (flag: SeriesFlag): FlagText =>
  Object.hasOwn(SERIES_FLAG_TEXTS, flag) ? SERIES_FLAG_TEXTS[flag] : unknownFlag(flag);

export const seriesFlagWords = (flag: SeriesFlag, { inputs_from_checkout }: Series): Words =>
  flagSentence(flag, seriesFlagText(flag), inputs_from_checkout);
