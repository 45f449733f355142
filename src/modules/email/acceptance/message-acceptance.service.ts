// Room: Checks, renders and stores messages, one or many in a call.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { inSlices } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput, forAccepted, orRefusal } from '../../../common/base/app-error.js';
import { oldestKept } from '../../../common/idempotency/idempotency-key.js';
import { type FirstUse, onceEach } from '../../../common/idempotency/once.js';
import { inParallel } from '../../../common/scheduling/concurrency.js';
import type { SendMessageResult, SendMessagesItem } from '../models/email.model.js';
import { toEmailError } from '../models/error.model.js';
import { MAX_MESSAGES } from '../models/limits.js';
import { OutboxJob } from '../outbox/outbox.job.js';
import type { StoredMessage } from '../outbox/outbox-writer.service.js';
import { MailQuotaService } from './mail-quota.service.js';
import { CallSize, refusalInBatch, withDefaults } from './message-batch.js';
import type { SendMessageInput, SendMessagesInput } from './message.inputs.js';
import { MessageMakerService } from './message-maker.service.js';
import { RenderedAttachmentsService } from './rendered-attachments.service.js';
import { type WantedMessage, wantedMessage } from './wanted-message.js';

/** Idempotency keys in use by this process. A second use of a key waits for the first rather than duplicating its work. */
class KeysUnderWay {
  private readonly underWay = new Map<string, Promise<unknown>>();

  /**
   * Processes the items with free keys. Returns undefined for each other item, once the work on its key has ended.
   * @param keyOf returns undefined for an item that may be processed concurrently
   */
  async alone<I, R>(
    items: readonly I[],
    keyOf: (item: I) => string | undefined,
    work: (free: I[]) => Promise<readonly R[]>,
  ): Promise<(R | undefined)[]> {
    const before = items.map((item) => this.underWay.get(keyOf(item) ?? ''));
    const free = items.filter((_, index) => before[index] === undefined);
    const keys = free.flatMap((item) => keyOf(item) ?? []);
    const working = free.length > 0 ? work(free) : Promise.resolve([]);
    for (const key of keys) this.underWay.set(key, working);
    try {
      await working;
    } finally {
      for (const key of keys) this.underWay.delete(key);
    }
    await Promise.allSettled(before);
    const done = [...(await working)];
    return items.map((_, index) => (before[index] === undefined ? done.shift() : undefined));
  }
}

/** Messages checked before yielding to other work. */
const CHECKED_A_TURN = 10;
/** Messages of a call prepared concurrently. */
const MADE_AT_A_TIME = 8;

type Accepted = StoredMessage | AppError;

/** Accepts messages. A message is in the outbox once its id is returned. */
@Injectable()
export class MessageAcceptanceService {
  private readonly rendering = new KeysUnderWay();

  constructor(
    private readonly database: Database,
    private readonly maker: MessageMakerService,
    private readonly quota: MailQuotaService,
    private readonly rendered: RenderedAttachmentsService,
    private readonly worker: OutboxJob,
  ) {}

  async accept(caller: Caller, input: SendMessageInput): Promise<SendMessageResult> {
    const [result] = await this.acceptEach(caller, [wantedMessage(input)]);
    if (result instanceof AppError) throw result;
    return result!;
  }

  /** Accepts or rejects each message separately. @throws BAD_USER_INPUT for none, and over MAX_MESSAGES */
  async acceptMany(caller: Caller, input: SendMessagesInput): Promise<SendMessagesItem[]> {
    const { defaults, messages } = input;
    if (messages.length < 1 || messages.length > MAX_MESSAGES)
      throw badInput('input.messages', `must have 1 to ${MAX_MESSAGES} messages, has ${messages.length}`);
    const check = (message: SendMessageInput) => orRefusal(() => wantedMessage(withDefaults(defaults, message)));
    const wanted = await Promise.all(await inSlices(messages, CHECKED_A_TURN, check));
    const results = await forAccepted(wanted, (good) => this.acceptEach(caller, good));
    return results.map((one, index) =>
      one instanceof AppError ? { id: null, error: toEmailError(refusalInBatch(one, index, input)) } : { ...one, error: null },
    );
  }

  private acceptEach(caller: Caller, wanted: WantedMessage[]): Promise<Accepted[]> {
    const size = new CallSize();
    return onceEach<WantedMessage, StoredMessage, StoredMessage>('message', wanted, {
      find: (keys) => this.firstOf(caller, keys),
      first: (fresh) => this.rendering.alone(fresh, keyToRender(caller), (free) => this.store(caller, free, size)),
      repeat: (first) => first,
    });
  }

  /** Stores messages. Returns undefined for a message with an already taken idempotency key. */
  private async store(caller: Caller, wanted: WantedMessage[], size: CallSize): Promise<(Accepted | undefined)[]> {
    const { tenantId } = caller;
    const make = this.maker.forCall(caller, size);
    const made = await inParallel(wanted, MADE_AT_A_TIME, (one) => orRefusal(() => make(one)));
    const results = await forAccepted(made, (good) =>
      this.quota.within(tenantId, good, (allowed) => this.rendered.store(caller, allowed)),
    );
    const accepted = results.filter((one) => one !== undefined && !(one instanceof AppError)).length;
    if (accepted > 0) this.worker.accepted(tenantId, accepted, { areDue: wanted.some(({ message }) => !message.sendAt) });
    return results;
  }

  /** Finds the messages of idempotency keys, and deletes expired keys. */
  private async firstOf({ tenantId }: Caller, keys: string[]): Promise<Map<string, FirstUse<StoredMessage>>> {
    const { email } = this.database.of(tenantId);
    const rows = await email.findMany({
      where: { tenantId, idempotencyKey: { in: keys } },
      select: { id: true, inputHash: true, createdAt: true, idempotencyKey: true },
    });
    const old = rows.filter(({ createdAt }) => createdAt <= oldestKept()).map(({ id }) => id);
    if (old.length > 0)
      await email.updateMany({ where: { id: { in: old }, idempotencyKey: { in: keys } }, data: { idempotencyKey: null } });
    const kept = rows.filter(({ id }) => !old.includes(id));
    return new Map(kept.map(({ id, inputHash, idempotencyKey }) => [idempotencyKey!, { inputHash, result: { id } }]));
  }
}

/**
 * Returns the idempotency key of a message with attachments to render, which is slow. For other messages, the database detects duplicates.
 */
const keyToRender =
  ({ tenantId }: Caller) =>
  ({ message, key }: WantedMessage): string | undefined =>
    message.renderedAttachments?.length && key.idempotencyKey !== null ? `${tenantId} ${key.idempotencyKey}` : undefined;
