import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Confirm } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { formatCount, plural } from '../../ui/format';
import { useBulk } from '../../ui/use-bulk';
import type { Chosen } from '../../ui/use-choice';
import { inputOf } from '../compose/draft/draft';
import { readLike, readMaySend } from '../compose/draft/read-like';
import { MAY_CANCEL, MAY_SEND, MAY_SEND_NOW, type Row } from '../mails';
import { isSuppressed, wordOfMail } from '../words';

/** Maximum number of mails of one action. */
const AT_ONCE = 1_000;
type Asked = 'cancel' | 'again';

/** Actions on the selected mails: send now or retry, cancel, send again to those who failed. */
export function useMailChoice(chosen: Chosen<Row>): ReactNode {
  const api = useApi();
  const client = useQueryClient();
  const bulk = useBulk();
  const [asked, setAsked] = useState<Asked>();
  const refusals = { now: useRefusal(MAY_SEND_NOW), cancel: useRefusal(MAY_CANCEL), again: useRefusal(MAY_SEND) };
  if (chosen.items.length === 0) return undefined;
  const queued = chosen.items.filter(({ status }) => status === 'QUEUED');
  const failed = chosen.items.filter(
    (mail) => !isSuppressed(mail.lastError) && (wordOfMail(mail)?.kind === 'bad' || (mail.status === 'SENT' && mail.lastError)),
  );
  const run = (items: readonly Row[], done: string, step: (mail: Row) => Promise<unknown>) =>
    bulk.run({
      items,
      step,
      done,
      item: 'email',
      onSettled: () => {
        chosen.clear();
        void client.invalidateQueries({ queryKey: ['email'] });
      },
    });
  const sendAgain = async () => {
    const maySend = await readMaySend(api);
    const keys = new Map(failed.map(({ id }) => [id, crypto.randomUUID()]));
    run(failed, 'sent again', async ({ id }) => {
      const like = await readLike(api, id, { maySend, isAgain: true });
      if (!like || like.draft.to.length === 0) throw new Error('No recipient failed in a way that another attempt could change');
      if (like.lost.length > 0) throw new Error(`Only the earlier email has ${like.lost.join(', ')}`);
      await api.email.sendMessage({ input: inputOf(like.draft, keys.get(id)!) }, { id: true });
    });
  };
  const button = (word: string, of: readonly Row[], refusal: string | undefined, onClick: () => void, look?: 'danger') =>
    of.length > 0 && (
      <Button
        size="small"
        {...(look && { look })}
        refusal={of.length > AT_ONCE ? `Select up to ${formatCount(AT_ONCE)} emails.` : refusal}
        disabled={bulk.isBusy}
        onClick={onClick}
      >
        {word}
      </Button>
    );
  return (
    <>
      {chosen.summary()}
      {bulk.progress}
      {button(`Send ${formatCount(queued.length)} now`, queued, refusals.now, () =>
        run(queued, 'sent to the queue', ({ id }) => api.email.sendMessageNow({ id }, { id: true })),
      )}
      {button(`Send ${formatCount(failed.length)} again`, failed, refusals.again, () => setAsked('again'))}
      {button(`Cancel ${formatCount(queued.length)}`, queued, refusals.cancel, () => setAsked('cancel'), 'danger')}
      <Button size="small" look="plain" onClick={chosen.clear}>
        Clear selection
      </Button>
      <Confirm
        title={`Cancel ${plural(queued.length, 'email')}?`}
        action="Cancel emails"
        keep="Keep emails"
        isOpen={asked === 'cancel'}
        onClose={() => setAsked(undefined)}
        onConfirm={() => run(queued, 'cancelled', ({ id }) => api.email.cancelMessage({ id }, { id: true }))}
      >
        Recipients who don’t have them yet won’t get them. This can’t be undone.
      </Confirm>
      <Confirm
        title={`Send ${plural(failed.length, 'email')} again?`}
        action="Send again"
        isOpen={asked === 'again'}
        onClose={() => setAsked(undefined)}
        onConfirm={sendAgain}
      >
        Each is sent as a new email with the same content, only to recipients who didn’t get it. Suppressed recipients are left
        out.
      </Confirm>
    </>
  );
}
