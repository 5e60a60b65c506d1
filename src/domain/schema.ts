import {
  type ObjectOptions,
  type SchemaOptions,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";

/** A closed object with a name; the name becomes a component of the OpenAPI document. */
export const record = <P extends TProperties>(name: string, properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, { ...options, $id: name, additionalProperties: false });

const BARE = Symbol("the record that a field describes");

/** A record as the value of a field that says what it is there. */
export const described = <T extends TObject>(schema: T, description: string): T => ({
  ...schema,
  description,
  [BARE]: schema,
});

/** The record itself, without what a field says of it. */
export const bare = (schema: TSchema): TSchema => (schema as { readonly [BARE]?: TSchema })[BARE] ?? schema; // only `described` sets it

/** One of some strings. Literals, because TypeBox ignores the `enum` keyword. */
export const oneOf = <const V extends readonly string[]>(values: V, options: SchemaOptions = {}) =>
  Type.Unsafe<V[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  );

/** `null` is how a wire value says "unknown". */
export const nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

export const SLUG_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

export const Slug = (options: SchemaOptions = {}) => Type.String({ pattern: SLUG_PATTERN, ...options });

/** Split at the first slash; the model part may hold more of them. */
export const ModelRef = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*/[^\\s]+$",
  description: "`<provider>/<model>`, split at the first slash.",
});

/** The longest names of gateways have about a hundred characters. The limit bounds what is kept for each name. */
export const MODEL_NAME_CHARS = 256;

/** The same in requests and files. Stored sessions may hold longer ones. */
export const GivenModelRef = Type.String({ ...ModelRef, maxLength: MODEL_NAME_CHARS });

export const Timestamp = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$", description });

export const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const Digest = (description: string) => Type.String({ pattern: "^[0-9a-f]{64}$", description });

export const USER_CHARS = 200;

export const UserName = Type.String({
  minLength: 1,
  maxLength: USER_CHARS,
  description: "Who asked, as the proxy names them, unchecked. Absent: unnamed.",
});
