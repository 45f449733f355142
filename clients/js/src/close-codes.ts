/** Close code of a token that the server does not accept. */
export const VOID_TOKEN = 4401;
/** Close codes after which reconnecting would not help: the client or the application must change. */
export const FINAL: { readonly [code: number]: string } = {
  1002: 'the client broke the protocol',
  1007: 'the client sent a text that is not UTF-8',
  1008: 'the client sent more than it may',
  1009: 'the client sent a message that is too long',
  4403: 'the application disconnected the recipient, or its tenant is suspended',
};
export const REASONS: { readonly [code: number]: string } = {
  1001: 'the server goes away',
  4401: 'the token is bad, expired or void',
  4408: 'the client did not answer two heartbeats',
  4413: 'too many messages lay unread or unacknowledged',
};
