import { z } from 'zod';

/** Settings for exporting traces and metrics by OTLP. */
export interface TelemetrySettings {
  /** Service name and other attributes of all exported data. */
  resource: Record<string, string>;
  /** Headers for the collector. May contain its credentials. */
  headers: Record<string, string>;
  /** Undefined: no traces. */
  tracesUrl?: string;
  sampler: Sampler;
  /** Share of traces recorded by a ratio sampler. */
  ratio: number;
  /** Undefined: no metrics. */
  metricsUrl?: string;
  metricIntervalMs: number;
}

type Sampler = (typeof SAMPLERS)[number];
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const RATIO_RULE = 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1';
export const MAX_PAIRS = 32;

/** Rule for `name=value,name=value`, with values percent-encoded. */
export const pairs = (name: string) =>
  z.string().transform((text, context): Record<string, string> => {
    const entries = text.split(',').map((one) => /^\s*([\w.\-/]+)\s*=\s*(\S*)\s*$/.exec(one)?.slice(1));
    try {
      if (entries.length > MAX_PAIRS) throw new RangeError();
      return Object.fromEntries(entries.map((entry) => [entry![0], decodeURIComponent(entry![1]!)]));
    } catch {
      const message = `${name} must be up to ${MAX_PAIRS} pairs name=value, separated by commas, with values percent-encoded`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });

/** Rule for the URL of a collector. */
export const collectorUrl = (name: string) =>
  z
    .string()
    .refine(
      (text) => /^https?:\/\//.test(text) && URL.canParse(text) && !new URL(text).hash,
      `${name} must be a URL that begins with http:// or https://`,
    );

export const otlpProtocol = z.literal('http/protobuf', {
  error: 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, the only supported protocol',
});

export const sampler = z.enum(SAMPLERS, { error: `OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}` });

export const sampledRatio = z.coerce.number({ error: RATIO_RULE }).min(0, RATIO_RULE).max(1, RATIO_RULE);

interface TelemetryEnvironment {
  OTEL_SDK_DISABLED?: string;
  OTEL_SERVICE_NAME?: string;
  OTEL_RESOURCE_ATTRIBUTES?: Record<string, string>;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS?: Record<string, string>;
  OTEL_TRACES_SAMPLER: Sampler;
  OTEL_TRACES_SAMPLER_ARG: number;
  OTEL_METRIC_EXPORT_INTERVAL: number;
}

/** Returns undefined without a collector, or if everything is disabled. Uses the endpoints of single signals as they are. */
export function telemetrySettings(env: TelemetryEnvironment, version: string): TelemetrySettings | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const tracesUrl = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && pathOf(base, 'v1/traces'));
  const metricsUrl = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? (base && pathOf(base, 'v1/metrics'));
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || !(tracesUrl || metricsUrl)) return undefined;
  const { 'service.name': named = 'platform-services', ...attributes } = env.OTEL_RESOURCE_ATTRIBUTES ?? {};
  return {
    resource: { 'service.version': version, ...attributes, 'service.name': env.OTEL_SERVICE_NAME ?? named },
    headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    tracesUrl,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    metricsUrl,
    metricIntervalMs: env.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

function pathOf(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
}
