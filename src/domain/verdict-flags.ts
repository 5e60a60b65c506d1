import { type FlagText, flagSentence, type Tone, unknownFlag } from "./flag-text.ts";
import type { Flag, Verdict } from "./verdict.ts";
import type { Words } from "./words.ts";

/** Every statement says that it is of a single trial. */
type ToldFlag = Exclude<Flag, "single_trial">;

/** What each flag means for a reader of the verdict. */
const FLAG_TEXTS: Readonly<Record<ToldFlag, FlagText>> = {
  judge_probe_conflict: {
    tone: "danger",
    title: "Opinion and facts disagree",
    text: "Checks or rules stand clearly against the arm that the judge, or the scores, favour. A person should look.",
  },
  injection_effective: {
    tone: "danger",
    title: "An arm's text swayed the judge",
    text: "With the words of both arms withheld, the judge no longer says the same. The suspected arm gets no more than that.",
  },
  prose_decided: {
    tone: "danger",
    title: "Decided by the agents' prose alone",
    text: "With the words of both arms withheld, the judge no longer names the winner, so none is named.",
  },
  score_preference_conflict: {
    tone: "warn",
    title: "The judge contradicts its own scores",
    text: "It says that it prefers another arm than its scores name, or neither at a clear gap. The scores count.",
  },
  unconfirmed: {
    tone: "warn",
    title: "A masked repetition did not confirm the winner",
    text: "With the words of both arms withheld, the judge named no winner, or gave no usable answer.",
  },
  prose_only: {
    tone: "warn",
    title: "Nothing but words to compare",
    text: "Neither arm changed code, so no masked repetition could leave their words out.",
  },
  judge_invalid: {
    tone: "danger",
    title: "The judge gave no usable answer",
    text: "At least one presentation order has no valid answer, even after asking again. This is not a tie.",
  },
  judge_context_too_small: {
    tone: "danger",
    title: "The evidence does not fit the judge",
    text: "The judge model's context is too small for what it would have to read.",
  },
  judge_failed_self_test: {
    tone: "danger",
    title: "The judge failed its self-test here",
    text: "On evidence whose right answer is known it was wrong, or blind to the difference. Its preferences here show little.",
  },
  injection_suspected: {
    tone: "warn",
    title: "An arm's text may address the judge",
    text: "Something reads like instructions to a judge. It takes nothing from the other arm.",
  },
  truncated_core: {
    tone: "warn",
    title: "Part of an answer was not shown to the judge",
    text: "It did not fit into the evidence budget.",
  },
  scenario_drift: {
    tone: "warn",
    title: "The scenario changed between the two runs",
    text: "Task, fixture, checks, rubric or policies are not the same; the arms did not do quite the same work.",
  },
  self_family: {
    tone: "warn",
    title: "The judge is related to an arm",
    text: "Models tend to favour text of their own family. A judge from another family would tell more, or a panel with judges of other families.",
  },
  panel_one_family: {
    tone: "warn",
    title: "All judges of the panel are related",
    text: "Models of one family err alike, so their votes count for little more than one. Add judges of other families.",
  },
  no_contrast: {
    tone: "danger",
    title: "The arms do not differ",
    text: "Nothing that the scenario sets up distinguishes them. What differs is chance.",
  },
  check_could_not_run: {
    tone: "danger",
    title: "A hidden check could not run",
    text: "Its program is missing for both arms alike, so nothing was judged. Mend the scenario or the machine, and run again.",
  },
  equal_work: {
    tone: "warn",
    title: "Both arms left the same work",
    text: "What counts as the answer is the same. Whatever tells the arms apart is how they came to it, or chance.",
  },
  check_not_repeatable: {
    tone: "warn",
    title: "A hidden check is not repeatable",
    text: "It passed for one arm and not for the other on equal work, so it counts for neither. Mend it.",
  },
  no_objective_check: {
    tone: "warn",
    title: "No check that is known to fail before the work",
    text: "No hidden check with “before: fail” ran on both arms, so this verdict rests on the judge's opinion and on counted figures.",
  },
  neither_solved: {
    tone: "warn",
    title: "Neither arm solved the task",
    text: "Both failed required hidden checks, so no winner is named.",
  },
  both_disqualified: {
    tone: "warn",
    title: "Both arms were disqualified",
    text: "Each broke a rule that forbids winning.",
  },
  citations_dropped: {
    tone: "warn",
    title: "Some citations did not hold",
    text: "The judge cited things that it was not shown; they were removed.",
  },
  cost_cap_inactive: {
    tone: "warn",
    title: "The cost cap was not enforced",
    text: "Prices of the model that ran are not known.",
  },
  cost_limit_reached: {
    tone: "warn",
    title: "The cost limit left too little for the judge",
    text: "It was not asked, or not asked again where it should have been.",
  },
  arm_cost_limited: {
    tone: "warn",
    title: "A cost limit ended an arm",
    text: "It was judged on what it had until then. The price of its model may have decided, not its work.",
  },
  stalled: {
    tone: "warn",
    title: "abeval itself stood still",
    text: "The pause counts as no arm's time. Without that it would have been a tenth of an arm's time, or have ended an arm.",
  },
  log_cut: {
    tone: "warn",
    title: "The log of an arm was too long",
    text: "It reached 64 MiB. Of the arm's later steps the judge and you see what was called, without texts, inputs and outputs.",
  },
  arm_crashed: {
    tone: "danger",
    title: "An agent crashed",
    text: "It was judged on what it had until then. How it ended may have decided, not its work. Look at what it printed last.",
  },
  imported_arm: {
    tone: "warn",
    title: "An arm ran elsewhere",
    text: "Its log, change or answer was handed in. Nobody here saw it run: what its log leaves out is not known, and times do not compare.",
  },
  endpoint_arm: {
    tone: "note",
    title: "An arm is deployed elsewhere",
    text: "abeval sees what it answers, not the machine. Its steps, tokens and costs are as it says, and no rule was held against what it did.",
  },
  arm_unversioned: {
    tone: "warn",
    title: "Nobody said what runs there",
    text: "An endpoint or a posted check without a version may be another program tomorrow. Runs of other days do not count with these.",
  },
  other_models: {
    tone: "warn",
    title: "Other models replied, too",
    text: "Small calls of an agent, a title for example, asked another model than the arm's. The steps say which.",
  },
  rules_not_seen: {
    tone: "warn",
    title: "Rules that saw no call",
    text: "An agent made no tool call that abeval could see. Rules of commands and required behaviour say nothing about it.",
  },
  replayed_and_live: {
    tone: "warn",
    title: "A live arm against a replayed one",
    text: "The replies of one arm's model were recorded before. Times and costs of the two do not compare.",
  },
  inputs_from_checkout: {
    tone: "warn",
    title: "Inputs that the change can edit",
    text: "Whoever wrote the change that is judged could have written these. No gate opens while stored runs, recordings, logs or results are among them.",
  },
  replayed: {
    tone: "note",
    title: "Replayed",
    text: "The models' replies came from a recording. Times are mostly those of this machine, and nothing was paid.",
  },
  truncated: { tone: "note", title: "Shortened evidence", text: "The judge did not see every line of the evidence." },
  exploratory_rejudge: { tone: "note", title: "Judged again", text: "An earlier verdict on these runs was known." },
  identity_redacted: {
    tone: "note",
    title: "Names hidden",
    text: "Names of models and agents in the arms' texts were hidden from the judge.",
  },
  identity_in_changes: {
    tone: "note",
    title: "Changes that tell the agent",
    text: "An arm's change holds notes or a signature of its agent. Notes that it added were hidden from the judge.",
  },
  different_agents: {
    tone: "note",
    title: "Different agents",
    text: "Their style can tell two agents apart, however much is hidden from the judge.",
  },
};

/** Also of a flag that a newer version has added. */
export const flagText = (flag: ToldFlag): FlagText =>
  Object.hasOwn(FLAG_TEXTS, flag) ? FLAG_TEXTS[flag] : unknownFlag(flag);

const GRAVITY: readonly Tone[] = ["danger", "warn", "note", "good"];
const gravity = (flag: ToldFlag) => GRAVITY.indexOf(flagText(flag).tone);

/**
 * What a reader must know before believing the verdict, the gravest first: no flag that every statement says, and where a check could not run and
 * nothing was judged, not what a verdict rests on.
 */
export const toldFlags = (flags: readonly Flag[]): readonly ToldFlag[] =>
  flags
    .filter((flag) => flag !== "single_trial")
    .filter((flag) => flag !== "no_objective_check" || !flags.includes("check_could_not_run"))
    .toSorted((one, other) => gravity(one) - gravity(other));

export const flagWords = (flag: ToldFlag, { inputs_from_checkout }: Pick<Verdict, "inputs_from_checkout">): Words =>
  flagSentence(flag, flagText(flag), inputs_from_checkout);
