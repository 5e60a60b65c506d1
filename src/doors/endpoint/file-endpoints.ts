import { Type } from "@sinclair/typebox";
import { Trajectory } from "../../domain/atif.ts";
import { oneOf } from "../../domain/schema.ts";
import { trajectoryOf } from "../report/trajectory.ts";
import { endpoint, SeriesInPath, SessionInPath } from "./endpoint.ts";
import { EXAMPLES } from "./examples.ts";

const FILE = {
  answer: "The file, as an attachment.",
  media: {
    "text/html": { example: "<!doctype html>" },
    "text/markdown": { example: "## abeval: pager-last-page" },
  },
};

const [ARM] = EXAMPLES.session.arms;

const VerdictOfSession = Type.Optional(
  Type.String({ description: "One of its verdicts, also across two sessions. Without it, the session's own." }),
);

const UNCHANGED = "The picture is the one whose `ETag` the request names in `If-None-Match`.";

const SVG = {
  answer: "The picture as SVG.",
  media: { "image/svg+xml": { example: "<svg></svg>" } },
  unchanged: UNCHANGED,
};

const PNG = {
  answer: "The picture as PNG.",
  media: { "image/png": { schema: { type: "string", description: "Its bytes." }, example: "" } },
  unchanged: UNCHANGED,
} as const;

const SESSION_CARD = {
  tag: "extension",
  title: "A verdict as a picture",
  description: "1200 x 630 pixels for a chat or a pull request: who won, how surely, scores and checks of both arms.",
  fields: Type.Object({ ...SessionInPath, verdict_id: VerdictOfSession }),
} as const;

const SERIES_CARD = {
  tag: "extension",
  title: "A series as a picture",
  description:
    "1200 x 630 pixels for a chat or a pull request: what the trials show, with range and wins of both arms.",
  fields: Type.Object(SeriesInPath),
} as const;

/** What is answered as a file, and by this server of itself. */
export const FILE_ENDPOINTS = {
  reportSession: endpoint("GET /api/sessions/:id/report", {
    tag: "extension",
    title: "A session as a file",
    description: "One page that loads nothing and runs nothing: verdict, facts, checks, answers, diffs.",
    fields: Type.Object({
      ...SessionInPath,
      format: Type.Optional(
        oneOf(["html", "html-blind", "html-redacted", "html-duel", "markdown"], {
          description:
            "`html` (default): all of it. `html-blind`: without names, models and verdict. `html-redacted`: figures alone, nothing that arms, judge or task say. `html-duel`: both timelines played on one clock, from where they diverge to what decided. `markdown`: a short page.",
        }),
      ),
      verdict_id: VerdictOfSession,
    }),
    ...FILE,
    failures: ["unknown_session", "unknown_arm", "storage_failed"],
  }),
  exportTrajectory: endpoint("GET /api/sessions/:id/trajectory", {
    tag: "extension",
    title: "An arm's run as a trajectory",
    description:
      "In the Agent Trajectory Interchange Format (ATIF, Harbor's RFC 0001): what the arm was told, said, called and got back. It also works while the arm runs. Texts, inputs and outputs are cut as in the session.",
    fields: Type.Object({
      ...SessionInPath,
      arm_id: Type.String({ description: "Arm id.", examples: [ARM.arm_id] }),
    }),
    answer: "The trajectory.",
    exampleOf: () => trajectoryOf(EXAMPLES.session, ARM, EXAMPLES.session.version),
    output: Trajectory,
    checked: true,
    failures: ["unknown_session", "unknown_arm", "storage_failed"],
  }),
  reportSeries: endpoint("GET /api/series/:id/report", {
    tag: "extension",
    title: "A series as a file",
    description: "One page that loads nothing and runs nothing: conclusion, scenarios, arms, every trial.",
    fields: Type.Object({
      ...SeriesInPath,
      format: Type.Optional(
        oneOf(["html", "markdown"], { description: "`html` (default), or `markdown`: a short page." }),
      ),
    }),
    ...FILE,
    failures: ["unknown_series", "storage_failed"],
  }),
  sessionCardSvg: endpoint("GET /api/sessions/:id/card.svg", {
    ...SESSION_CARD,
    ...SVG,
    failures: ["unknown_session", "unknown_arm", "storage_failed"],
  }),
  seriesCardSvg: endpoint("GET /api/series/:id/card.svg", {
    ...SERIES_CARD,
    ...SVG,
    failures: ["invalid_request", "unknown_series", "storage_failed"],
  }),
  sessionCardPng: endpoint("GET /api/sessions/:id/card.png", {
    ...SESSION_CARD,
    ...PNG,
    failures: ["unknown_session", "unknown_arm", "storage_failed", "overloaded"],
  }),
  seriesCardPng: endpoint("GET /api/series/:id/card.png", {
    ...SERIES_CARD,
    ...PNG,
    failures: ["invalid_request", "unknown_series", "storage_failed", "overloaded"],
  }),
  readMetrics: endpoint("GET /api/metrics", {
    tag: "extension",
    title: "Metrics",
    description:
      "Counters and gauges of this process for Prometheus, and what waits in its store. No label has a value that a user, a scenario or a model chose.",
    storeless: true,
    answer: "Prometheus' text format, version 0.0.4.",
    media: { "text/plain": { example: "abeval_sessions_running 2\n" } },
    failures: [],
  }),
  getDocs: endpoint("GET /api/docs", {
    tag: "extension",
    title: "Documentation",
    description: "This document as a page for people, with search, code samples and requests to try.",
    storeless: true,
    answer: "A page.",
    media: { "text/html": { example: "<!doctype html>" } },
    failures: [],
  }),
  getOpenApi: endpoint("GET /api/openapi.json", {
    tag: "schema",
    title: "OpenAPI document",
    description: "This document: OpenAPI 3.1, every route, every type as a component.",
    storeless: true,
    answer: "The document.",
    exampleOf: (version) => ({ openapi: "3.1.1", info: { title: "abeval", version }, paths: {}, components: {} }),
    output: Type.Object(
      { openapi: Type.String(), info: Type.Unknown(), paths: Type.Unknown(), components: Type.Unknown() },
      {
        $id: "OpenApiDocument",
        description: "As the OpenAPI 3.1 specification defines it.",
        additionalProperties: true,
      },
    ),
    failures: [],
  }),
};
