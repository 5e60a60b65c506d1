/** Whether a model replays the script of its arm. Names of providers are not case-sensitive. */
export const isScripted = (model: string): boolean => /^scripted\//i.test(model);

/** Whether a name is that of a judge that asks no model. */
export const isBuiltin = (model: string): boolean => /^builtin\//i.test(model);
