import { type Served, serve } from "../test/http/served.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";
import { exchange } from "./raw-http.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

const AMBIGUOUS_REQUESTS = 600;
const PIPELINES = 100;
const BATCH = 100;

/** Requests of which a proxy in front and this server could read different bodies. */
export const campaign: Campaign = {
  about: `${AMBIGUOUS_REQUESTS} requests with a second one hidden in them, and ${PIPELINES} pipelines`,
  at_once: 1,
  cases: async ({ seed, count, shared }) => {
    const rows: Figures[] = [];
    shared.defer(() => printFigures("requests", rows));
    const directories = shared.use(openCaseDirectories());
    const served = shared.use(await serve(["--state-dir", directories.state, "--log", "none"]));
    const target = { served, url: new URL(served.url), directory: directories.path, rows };
    return [
      ...numbered(count(AMBIGUOUS_REQUESTS / BATCH), (index) => hiddenCase(target, randomOfCase(seed, index))),
      ...numbered(count(PIPELINES / BATCH), (index) => pipelineCase(target, randomOfCase(seed, 1_000 + index))),
    ];
  },
};

interface Target {
  readonly served: Served;
  readonly url: URL;
  readonly directory: string;
  readonly rows: Figures[];
}

/** What must never be answered. */
const HIDDEN = "GET /api/hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const ENDS = `0\r\n\r\n${HIDDEN}`;
const LENGTH = `Content-Length: 2\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";

/** Headers and body of a request whose length two readers could take differently. */
const AMBIGUOUS: readonly (readonly [headers: string, body: string])[] = [
  [`Content-Length: ${ENDS.length}\r\n${CHUNKED}`, ENDS],
  [`${CHUNKED}Content-Length: 5\r\n`, ENDS],
  [`${LENGTH}Content-Length: ${2 + HIDDEN.length}\r\n`, `{}${HIDDEN}`],
  [`Content-Length: ${2 + HIDDEN.length}\r\n${LENGTH}`, `{}${HIDDEN}`],
  ...["2, 2", "2,3", "+2", "0x2", "-1", "2 x", "", "2e0", "18446744073709551618", "\u00b2", "2\u000b"].map(
    (length) => [`Content-Length: ${length}\r\n`, `{}${HIDDEN}`] as const,
  ),
  ...["xchunked", "identity", "\u000bchunked", "chunked\u0000", '"chunked"', "chunked;q=1", "chunk"].map(
    (coding) => [`Transfer-Encoding: ${coding}\r\n${LENGTH}`, `{}${HIDDEN}`] as const,
  ),
  ...["chunked, identity", "gzip, chunked", "chunked, chunked"].map(
    (coding) => [`Transfer-Encoding: ${coding}\r\n`, ENDS] as const,
  ),
  [`${CHUNKED}Transfer-Encoding: identity\r\n`, ENDS],
  [`Transfer-Encoding: identity\r\n${CHUNKED}`, ENDS],
  [`Transfer-Encoding : chunked\r\n${LENGTH}`, `{}${HIDDEN}`],
  [`Transfer-Encoding:\r\n chunked\r\n${LENGTH}`, `{}${HIDDEN}`],
  [`X: a\r\n ${CHUNKED}${LENGTH}`, `{}${HIDDEN}`],
  [`X: a\n${CHUNKED}Content-Length: ${ENDS.length}\r\n`, ENDS],
  [`X: a\rTransfer-Encoding: chunked\r\n${LENGTH}`, `{}${HIDDEN}`],
  [`Content-Length\u0000: 2\r\n`, `{}${HIDDEN}`],
  [` Content-Length: 2\r\n`, `{}${HIDDEN}`],
  ...["0x2", "-2", "2 ", "+2", "2\t", "g", "", "10000000000000002", "2\u0000"].map(
    (size) => [CHUNKED, `${size}\r\n{}\r\n${ENDS}`] as const,
  ),
  [CHUNKED, `2\n{}\n0\n\n${HIDDEN}`],
  [CHUNKED, `2\r\n{}XX${ENDS}`],
  [CHUNKED, `2\r{}\r0\r\r${HIDDEN}`],
];

const OTHERS = ["X-One: 1\r\n", "Accept: */*\r\n", "Cookie: a=b\r\n", "Connection: keep-alive\r\n", "TE: trailers\r\n"];

/** One of the ambiguous, in any order of headers, method and pieces. */
function ambiguous(random: Random): string {
  const [headers, body] = pick(random, AMBIGUOUS);
  const others = Array.from({ length: whole(random, 3) }, () => pick(random, OTHERS));
  const before = whole(random, others.length + 1);
  const lines = [...others.slice(0, before), headers, ...others.slice(before)].join("");
  const method = pick(random, ["POST", "POST", "DELETE", "GET"]);
  return `${method} /api/runs/async HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${lines}\r\n${body}`;
}

const hiddenCase = ({ served, url, directory, rows }: Target, random: Random): Case => ({
  name: `${BATCH} requests that hide one`,
  run: () =>
    watched({ name: `${BATCH} requests that hide one`, served, directory, rows }, async () => {
      for (let n = 0; n < BATCH; n += 1) {
        const sent = ambiguous(random);
        const { answer, closed } = await exchange(url, sent, {
          pieces: pick(random, [1, 1, 3, 40]),
          patience_ms: 5_000,
        });
        const told = { sent, answer };
        hold(closed, "a connection that is closed", told);
        hold(!answer.includes("/api/hidden"), "no answer to the hidden request", told);
        hold(!/^HTTP\/1\.1 [23]|^HTTP\/1\.1 5(?!05)/m.test(answer), "nothing but refusals", told);
      }
    }),
});

const HONEST: readonly (readonly [request: string, status: number])[] = [
  ["GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200],
  ["HEAD /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200],
  ["GET /api/none HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", 413],
  ["POST /api/runs/async HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", 422],
  [
    'POST /api/runs/async HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;a="b"\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
    422,
  ],
];

/**
 * Many requests on one connection are answered in their order, wherever their bytes are cut, until the server hangs up: it
 * does so when one comes before the answer to the last (docs/http.md), and none is answered twice or in another's place.
 */
const pipelineCase = ({ served, url, directory, rows }: Target, random: Random): Case => ({
  name: `${BATCH} pipelines`,
  run: () =>
    watched({ name: `${BATCH} pipelines`, served, directory, rows }, async () => {
      for (let n = 0; n < BATCH; n += 1) {
        const asked = Array.from({ length: 1 + whole(random, 40) }, () => pick(random, HONEST));
        const text = asked.map(([request]) => request).join("");
        const pieces = pick(random, [1, 7, 100]);
        const { answer, closed } = await exchange(url, text, { pieces, patience_ms: 400 });
        const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
        const expected = asked.map(([, status]) => status);
        const inOrder = Bun.deepEquals(statuses, expected.slice(0, statuses.length));
        const complete = closed || statuses.length === expected.length;
        hold(
          inOrder && complete,
          `answers ${expected.join()} in ${pieces} pieces, or their beginning`,
          statuses.join(),
        );
      }
    }),
});
