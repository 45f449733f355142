/** Error of an unusable setting, which stops the start. The message is one line with the setting and its valid values. */
export class ConfigError extends Error {}
