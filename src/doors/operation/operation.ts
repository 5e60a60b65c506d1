import type { Requester } from "../../comparison/session/started-session.ts";
import type { Services } from "../doctor/services.ts";
import type { AnswerOf, EndpointName, RequestOf } from "../endpoint/endpoints.ts";

export type { Requester, Services };

/** Does what an endpoint says, the same through every door. @throws Failure, whose code says what happened. */
export type Operation<Name extends EndpointName> = (
  services: Services,
  asked: RequestOf<Name>,
  signal: AbortSignal,
  requester?: Requester,
) => Promise<AnswerOf<Name>>;
