/** Quotes a text as one shell word. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Formats a GraphQL request as a shell command, which reads the key from a variable. */
export const curl = (service: string, query: string, variables?: Readonly<Record<string, unknown>>): string =>
  [
    `curl -s ${location.origin}/${service}/graphql`,
    `-H "x-api-key: $KEY" -H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify({ query, variables }))}`,
  ].join(' \\\n  ');

/** The same, below a comment that names the key. */
export const sampleOf = (prefix: string, ...request: Parameters<typeof curl>): string =>
  `# Set KEY to the key that begins with ${prefix}\n${curl(...request)}`;
