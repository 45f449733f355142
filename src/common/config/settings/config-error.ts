/** A wrong setting, which stops the start. The message is one line that names the setting and the values it may have. */
export class ConfigError extends Error {}
