/** The model of `judgeWith`. */
export const JUDGE_NAME = "gateway/impartial-1";
