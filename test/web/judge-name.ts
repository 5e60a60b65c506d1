/** The model behind this name is a judge with settled opinions. */
export const JUDGE_NAME = "gateway/impartial-1";
