import type { Series } from "../domain/series.ts";
import type { SkillCount } from "../domain/series-arm.ts";

type Arm = Series["arms"]["a"];

/** Of both arms. */
export const skillNames = ({ a, b }: Series["arms"]): readonly string[] => [
  ...new Set([...(a.skills ?? []), ...(b.skills ?? [])].map(({ name }) => name)),
];

/** The trials in which it fired, and how many of these and of the others were solved: `7 of 10 (solved 6 of 7, else 1 of 3)`. */
export function skillText({ skills }: Pick<Arm, "skills">, name: string): string {
  const skill = skills?.find((one) => one.name === name);
  if (skill === undefined) return "–";
  const { fired, trials, solved_fired, solved_silent } = skill;
  const solved = [
    ...(solved_fired.trials > 0 ? [`solved ${shareText(solved_fired)}`] : []),
    ...(solved_silent.trials > 0 ? [`${fired > 0 ? "else" : "solved"} ${shareText(solved_silent)}`] : []),
  ].join(", ");
  return `${fired} of ${trials}${solved && ` (${solved})`}`;
}

const shareText = ({ solved, trials }: SkillCount["solved_fired"]) => `${solved} of ${trials}`;
