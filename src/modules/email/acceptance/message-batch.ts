import { AppError, renamed } from '../../../common/base/app-error.js';
import type { MessageDefaultsInput, SendMessageInput } from './message.inputs.js';
import { MAX_BODIES } from '../models/limits.js';

type Defaults = MessageDefaultsInput | null | undefined;

/** Returns true if a field is set; null equals an omitted field. */
export const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

/** Fills omitted and null fields from the defaults. */
export function withDefaults(defaults: Defaults, message: SendMessageInput): SendMessageInput {
  const given = Object.entries(message).filter(([, value]) => isGiven(value));
  return { ...defaults, ...(Object.fromEntries(given) as unknown as SendMessageInput) };
}

/** Prefixes the field of an error with the index of the message, or with the defaults. */
export function refusalInBatch(
  error: AppError,
  index: number,
  { defaults, messages }: { defaults?: Defaults; messages: SendMessageInput[] },
): AppError {
  const { field } = error;
  if (!field) return error;
  const name = field.split('.')[1] as keyof MessageDefaultsInput;
  const isDefault = !isGiven(messages[index]![name]) && isGiven(defaults?.[name]);
  return renamed(error, field.replace(/^input/, isDefault ? 'input.defaults' : `input.messages.${index}`));
}

/** Bounds the memory of the contents of one call. */
export class CallSize {
  private bodies = 0;

  /** Counts the bodies of a message. @throws PAYLOAD_TOO_LARGE over MAX_BODIES, which a single message never exceeds */
  add({ html, text }: { html: string | null; text: string | null }): void {
    const length = (html?.length ?? 0) + (text?.length ?? 0);
    if (this.bodies + length > MAX_BODIES)
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `input: the bodies of the call exceed ${MAX_BODIES} characters together; send this message in another call`,
        { field: 'input' },
      );
    this.bodies += length;
  }
}
