import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { JsonLogsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { SessionSpan } from "./session-spans.ts";

const SCOPE = "abeval";

/** Milliseconds that an endpoint may take for a session. */
const TIMEOUT_MS = 5_000;

/** Spans and events with their ids, in the form of OpenTelemetry's protocol. */
interface Telemetry {
  /** JSON of the protocol (OTLP), a request on each line, as the collector's file exporter writes it. */
  readonly lines: () => string;
  /** Undefined when everything was taken; else why not. */
  readonly send: (endpoint: string, headers: Readonly<Record<string, string>>) => Promise<string | undefined>;
}

/** @param version of the program */
export async function telemetryOf(session: SessionSpan, version: string): Promise<Telemetry> {
  const resource = resourceFromAttributes({ "service.name": "abeval", "service.version": version });
  const [kept, told] = [new InMemorySpanExporter(), new InMemoryLogRecordExporter()];
  const spans = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(kept)] });
  const events = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter: told })] });
  const tracer = spans.getTracer(SCOPE, version);
  const logger = events.getLogger(SCOPE, version);
  const add = (span: SessionSpan, context: typeof ROOT_CONTEXT): void => {
    const kind = span.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const own = tracer.startSpan(
      span.name,
      { kind, startTime: span.start_ms, attributes: known(span.attributes) },
      context,
    );
    const inside = trace.setSpan(context, own);
    for (const child of span.children) add(child, inside);
    for (const { name, at_ms, attributes } of span.events)
      logger.emit({ eventName: name, timestamp: at_ms, attributes: known(attributes), context: inside });
    if (span.failed) own.setStatus({ code: SpanStatusCode.ERROR });
    own.end(span.end_ms);
  };
  add(session, ROOT_CONTEXT);
  await Promise.all([spans.forceFlush(), events.forceFlush()]);
  return {
    lines: () =>
      linesOf([
        JsonTraceSerializer.serializeRequest(kept.getFinishedSpans()),
        JsonLogsSerializer.serializeRequest(told.getFinishedLogRecords()),
      ]),
    async send(endpoint, headers) {
      const options = { headers: { ...headers }, timeoutMillis: TIMEOUT_MS };
      const base = endpoint.replace(/\/+$/, "");
      const faults = await Promise.all([
        exported(new OTLPTraceExporter({ ...options, url: `${base}/v1/traces` }), kept.getFinishedSpans()),
        exported(new OTLPLogExporter({ ...options, url: `${base}/v1/logs` }), told.getFinishedLogRecords()),
      ]);
      return faults.find((fault) => fault !== undefined);
    },
  };
}

const known = (attributes: SessionSpan["attributes"]) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

const linesOf = (requests: readonly (Uint8Array | undefined)[]) =>
  requests.flatMap((request) => (request ? `${new TextDecoder().decode(request)}\n` : [])).join("");

interface Exporting<Item> {
  export(items: Item[], done: (result: { readonly code: number; readonly error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

async function exported<Item>(exporter: Exporting<Item>, items: Item[]): Promise<string | undefined> {
  try {
    return await new Promise((resolve) => {
      exporter.export(items, ({ code, error }) =>
        resolve(code === 0 ? undefined : (error?.message ?? "it refused them")),
      );
    });
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be reached";
  } finally {
    await exporter.shutdown().catch(() => undefined);
  }
}
