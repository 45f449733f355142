import type { CreateLogStreamInput, LogStreamDestinationInput } from '../../../../clients/js/src/generated/log';
import type { Kind } from './stream';

/** Form values of a stream. */
export interface StreamDraft {
  name: string;
  kind: Kind;
  format: NonNullable<CreateLogStreamInput['format']>;
  /** The fields of the destination, by their names in the API. */
  fields: Readonly<Record<string, string>>;
}

export const EMPTY: StreamDraft = { name: '', kind: 'HTTPS', format: 'NDJSON', fields: {} };

interface FieldOf {
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  isOptional?: true;
  isSecret?: true;
  /** Whether it has several values, separated by commas. */
  isList?: true;
}

/** The fields of each kind of destination. */
export const FIELDS: Readonly<Record<Kind, readonly FieldOf[]>> = {
  HTTPS: [
    {
      name: 'url',
      label: 'URL',
      hint: 'An https URL that responds with 2xx within 30 seconds.',
      placeholder: 'https://siem.example.com/in',
    },
    { name: 'headerName', label: 'Header name', hint: 'Optional. For example, Authorization.', isOptional: true },
    {
      name: 'headerValue',
      label: 'Header value',
      hint: 'Stored encrypted and never shown again.',
      isOptional: true,
      isSecret: true,
    },
  ],
  SPLUNK: [
    {
      name: 'url',
      label: 'URL',
      hint: 'URL of the HTTP Event Collector, without a path.',
      placeholder: 'https://splunk.example.com:8088',
    },
    { name: 'token', label: 'Token', hint: 'Stored encrypted and never shown again.', isSecret: true },
    { name: 'index', label: 'Index', hint: 'Optional. The default is the token’s index.', isOptional: true },
  ],
  DATADOG: [
    { name: 'site', label: 'Site', placeholder: 'datadoghq.eu' },
    { name: 'apiKey', label: 'API key', hint: 'Stored encrypted and never shown again.', isSecret: true },
    {
      name: 'tags',
      label: 'Tags',
      hint: 'Optional. Press Enter after each tag.',
      placeholder: 'env:prod',
      isOptional: true,
      isList: true,
    },
  ],
  S3: [
    { name: 'endpoint', label: 'Endpoint', placeholder: 'https://s3.eu-central-1.amazonaws.com' },
    { name: 'region', label: 'Region', placeholder: 'eu-central-1' },
    { name: 'bucket', label: 'Bucket' },
    { name: 'prefix', label: 'Prefix', hint: 'Optional. For example, audit/.', isOptional: true },
    { name: 'accessKeyId', label: 'Access key ID' },
    { name: 'secretAccessKey', label: 'Secret access key', hint: 'Stored encrypted and never shown again.', isSecret: true },
  ],
};

/** Converts a form to the destination input of the API. */
export function destinationOf({ kind, fields }: StreamDraft): LogStreamDestinationInput {
  const given = Object.fromEntries(
    FIELDS[kind].flatMap(({ name }) => (valueOf(fields, name) ? [[name, valueOf(fields, name)]] : [])),
  );
  if (kind !== 'HTTPS') return { [kind.toLowerCase()]: given } as LogStreamDestinationInput;
  const { url = '', headerName, headerValue } = given as Record<string, string>;
  return { https: { url, headers: headerName ? [{ name: headerName, value: headerValue ?? '' }] : [] } };
}

export const isComplete = ({ name, kind, fields }: StreamDraft): boolean =>
  name !== '' && FIELDS[kind].every((field) => field.isOptional || valueOf(fields, field.name));

/** Trims values, which are often copied with spaces. */
const valueOf = (fields: StreamDraft['fields'], name: string): string => (fields[name] ?? '').trim();
