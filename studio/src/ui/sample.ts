/** A text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A GraphQL request as a command of a shell, which takes the key from a variable. */
export const curl = (service: string, query: string, variables?: Readonly<Record<string, unknown>>): string =>
  [
    `curl -s ${location.origin}/${service}/graphql`,
    `-H "x-api-key: $KEY" -H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify({ query, variables }))}`,
  ].join(' \\\n  ');

/** The same, below a comment that says which key the variable has. */
export const sampleOf = (prefix: string, ...request: Parameters<typeof curl>): string =>
  `# Set KEY to the key that begins with ${prefix}\n${curl(...request)}`;
