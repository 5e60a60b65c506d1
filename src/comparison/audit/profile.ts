import { signTest, wilson } from "../../domain/binomial.ts";
import { everyVerdict } from "../../domain/every-verdict.ts";
import type { JudgeProfile } from "../../domain/judge-profile.ts";
import { agreementOf, choiceOn, findingOf, NO_VOTES, withVote } from "../../domain/people-agreement.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { Outcome, Verdict } from "../../domain/verdict.ts";
import type { Vote } from "../../domain/vote.ts";
import { judgesOwn, membersOwn } from "../judge/decide.ts";
import { backs, gatesOf } from "../judge/facts.ts";
import type { Opinion } from "../judge/opinion.ts";
import { signOf } from "../judge/panel-votes.ts";
import { Correlation } from "./correlation.ts";

/** Verdicts below which a rate would say more than is known. */
const LEAST = 20;

/** Identities of judges that are told apart. */
const MOST_JUDGES = 200;

/** What stored sessions say of their judges, one session after the other. It keeps counts, and no session. */
export class JudgeTallies {
  readonly #tallies = new Map<string, Tally>();
  readonly #model: string | undefined;
  /** Some judge is left out, because there are too many. */
  overflown = false;

  /** @param model only this judge, by its full name */
  constructor(model: string | undefined) {
    this.#model = model;
  }

  /** Newest session first. A verdict across sessions counts with the session of its first arm. */
  add(session: Pick<SessionOutcome, "session_id" | "definition" | "verdict" | "verdicts" | "votes">): void {
    const before = new Map<string, Opinion>();
    const compared = new Set<string>();
    for (const verdict of everyVerdict(session)) {
      if (verdict.calls.length === 0 || verdict.arm_a.session_id !== session.session_id) continue;
      if (this.#model !== undefined && verdict.judge.model !== this.#model) continue;
      const { tie_margin } = session.definition.rubric;
      const opinion = judgesOwn(verdict, tie_margin);
      const { model, protocol, prompt_digest } = verdict.judge;
      const judge = JSON.stringify([model, protocol, prompt_digest]);
      const pair = JSON.stringify([judge, verdict.arm_a, verdict.arm_b]);
      this.#tallyOf(judge, verdict)?.add(verdict, {
        opinion,
        members: membersOwn(verdict, tie_margin),
        before: before.get(pair),
        checks_shown: session.definition.rubric.judge.probe_visibility === "shown",
        votes: freshVotes(session.votes ?? [], verdict, { judge, compared }),
      });
      before.set(pair, opinion);
    }
  }

  /** Most verdicts first. */
  profiles(): JudgeProfile[] {
    const profiles = [...this.#tallies.values()].map((tally) => tally.profile());
    return profiles.sort((one, other) => other.verdicts - one.verdicts);
  }

  #tallyOf(judge: string, verdict: Verdict): Tally | undefined {
    const known = this.#tallies.get(judge);
    if (known) return known;
    if (this.#tallies.size >= MOST_JUDGES) {
      this.overflown = true;
      return undefined;
    }
    const tally = new Tally(verdict);
    this.#tallies.set(judge, tally);
    return tally;
  }
}

interface Context {
  readonly opinion: Opinion;
  /** The opinions of a panel's judges. */
  readonly members: readonly Opinion[];
  /** The opinion of the previous verdict on the same two arms. */
  readonly before: Opinion | undefined;
  readonly checks_shown: boolean;
  /** People's votes on the same arms, with the sides of the verdict. */
  readonly votes: readonly Vote[];
}

interface Heard {
  readonly judge: string;
  /** Judges and votes; grows. */
  readonly compared: Set<string>;
}

/** Each vote meets the first verdict of each judge: when a judge is asked again, no more people have voted. */
const freshVotes = (votes: readonly Vote[], verdict: Verdict, { judge, compared }: Heard): readonly Vote[] =>
  votes.flatMap((vote) => {
    const choice = choiceOn(vote, verdict);
    const key = JSON.stringify([judge, vote.vote_id]);
    if (choice === undefined || compared.has(key)) return [];
    compared.add(key);
    return [{ ...vote, choice }];
  });

class Tally {
  readonly #newest: Verdict;
  readonly #outcomes: Record<Outcome, number> = { winner: 0, tie: 0, inconclusive: 0, inconsistent: 0, invalid: 0 };
  readonly #pull = new Mean();
  readonly #cost = new Mean();
  readonly #latency = new Mean();
  readonly #facts = { shown: new Agreement(), hidden: new Agreement() };
  readonly #votes = new Map<string, Correlation>();
  #people = NO_VOTES;
  readonly #counts = { first: 0, second: 0, compared: 0, changed: 0, calls: 0, citations_dropped: 0 };
  #newest_at: string;

  constructor(newest: Verdict) {
    this.#newest = newest;
    this.#newest_at = newest.created_at;
  }

  add(verdict: Verdict, { opinion, members, before, checks_shown, votes }: Context): void {
    const { outcome, merged } = opinion;
    const { usage, calls, created_at } = verdict;
    const counts = this.#counts;
    this.#outcomes[outcome] += 1;
    this.#pull.add(merged?.position_pull ?? null);
    if (outcome === "inconsistent") counts[(merged?.position_pull ?? 0) > 0 ? "first" : "second"] += 1;
    if (before) counts.compared += 1;
    if (before && differs(before, opinion)) counts.changed += 1;
    counts.calls += calls.length;
    counts.citations_dropped += calls.reduce((sum, { citations_invalid }) => sum + citations_invalid, 0);
    this.#cost.add(usage.cost_usd);
    this.#latency.add(usage.latency_ms);
    this.#facts[checks_shown ? "shown" : "hidden"].add(clearSign(verdict), Math.sign(merged?.net_vote ?? 0));
    this.#addVotes(verdict.judge.members?.map(({ model }) => model) ?? [], members);
    this.#people = votes.reduce((counts, vote) => withVote(counts, vote, findingOf(opinion)), this.#people);
    if (created_at > this.#newest_at) this.#newest_at = created_at;
  }

  profile(): JudgeProfile {
    const { model, protocol, prompt_digest } = this.#newest.judge;
    const { first, second, compared, changed, calls, citations_dropped } = this.#counts;
    const verdicts = Object.values(this.#outcomes).reduce((sum, count) => sum + count, 0);
    const told = <T>(rate: T): T | null => (verdicts < LEAST ? null : rate);
    const { tie, inconsistent, inconclusive, invalid } = this.#outcomes;
    return {
      judge: { model, protocol, prompt_digest },
      scenario: this.#newest.scenario,
      verdicts,
      outcomes: { ...this.#outcomes },
      rates: told({
        tie: tie / verdicts,
        inconsistent: inconsistent / verdicts,
        inconclusive: inconclusive / verdicts,
        invalid: invalid / verdicts,
      }),
      position: { mean_pull: told(this.#pull.value), first, second, sign_p: told(signTest(first, second)) },
      repeats: { compared, changed, rate: compared === 0 ? null : told(changed / compared) },
      ...{ calls, citations_dropped },
      cost_usd: this.#cost.value,
      latency_ms: this.#latency.value,
      facts: { shown: this.#facts.shown.told(verdicts >= LEAST), hidden: this.#facts.hidden.told(verdicts >= LEAST) },
      people: agreementOf(this.#people),
      panel: this.#panel(verdicts >= LEAST),
      newest_at: this.#newest_at,
    };
  }

  #addVotes(models: readonly string[], members: readonly Opinion[]): void {
    const votes = models.flatMap((model, index) => {
      const opinion = members[index];
      return opinion && opinion.outcome !== "invalid" ? [{ model, vote: signOf(opinion.winner_side) }] : [];
    });
    for (const [index, one] of votes.entries())
      for (const other of votes.slice(index + 1)) {
        const pair = JSON.stringify([one.model, other.model]);
        const both = this.#votes.get(pair) ?? new Correlation();
        both.add(one.vote, other.vote);
        this.#votes.set(pair, both);
      }
  }

  #panel(known: boolean): JudgeProfile["panel"] {
    const judges = this.#newest.judge.members?.length;
    if (judges === undefined) return null;
    const pairs = new Mean();
    for (const { value } of this.#votes.values()) pairs.add(value ?? null);
    const rho = known ? pairs.value : null;
    const alike = rho === null ? 0 : 1 + (judges - 1) * rho;
    return { judges, rho, independent_votes: alike > 0 ? judges / alike : null };
  }
}

const differs = (one: Opinion, other: Opinion) =>
  one.outcome !== other.outcome || one.winner_side !== other.winner_side;

/** The side that the hidden checks clearly favour: 1, -1, or 0 for none. */
function clearSign({ facts }: Verdict): number {
  const [a, b] = [facts.a.required_checks, facts.b.required_checks];
  if (a !== null && b !== null && a !== b) return signOf(a === "passed" ? "a" : "b");
  const gates = gatesOf(facts.a, facts.b);
  return signOf(backs(gates, "a") ? "a" : backs(gates, "b") ? "b" : null);
}

/** A mean of the numbers that are known. */
class Mean {
  #sum = 0;
  #count = 0;

  add(value: number | null): void {
    if (value === null) return;
    this.#sum += value;
    this.#count += 1;
  }

  get value(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}

/** How often the judge names whom the checks clearly favour. */
class Agreement {
  #agree = 0;
  #disagree = 0;
  #abstained = 0;

  add(checks: number, judge: number): void {
    if (checks === 0) return;
    if (judge === 0) this.#abstained += 1;
    else if (judge === checks) this.#agree += 1;
    else this.#disagree += 1;
  }

  told(known: boolean): JudgeProfile["facts"]["shown"] {
    const [agree, disagree, abstained] = [this.#agree, this.#disagree, this.#abstained];
    const total = agree + disagree;
    const counts = { agree, disagree, abstained };
    if (!known || total === 0) return { ...counts, rate: null, low: null, high: null };
    return { ...counts, rate: agree / total, ...wilson(agree, total) };
  }
}
