import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Confirm } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { formatCount, plural } from '../../ui/format';
import { useBulk } from '../../ui/use-bulk';
import type { Chosen } from '../../ui/use-choice';
import { MOST_RECIPIENTS } from '../form/recipients-field';
import { useStartPush, waitLike } from '../model/draft';
import { isFinal, type Message } from '../model/message';
import { bringUpToDate } from '../model/use-live-list';

/** Maximum number of messages of one action. */
const AT_ONCE = 1_000;

/** Actions on the selected messages: send again to those who did not get them, cancel. */
export function useMessageChoice(chosen: Chosen<Message>): ReactNode {
  const { push } = useApi();
  const queries = useQueryClient();
  const startPush = useStartPush();
  const bulk = useBulk();
  const [isAsking, setAsking] = useState(false);
  if (chosen.items.length === 0) return undefined;
  const pending = chosen.items.filter((message) => !isFinal(message));
  const failed = chosen.items.filter(({ status }) => status === 'CANCELLED');
  const [first] = failed;
  const recipients = [...new Set(failed.map(({ recipient }) => recipient))];
  const isSame = failed.every(({ message, topic }) => message === first?.message && topic === first.topic);
  const again = () => startPush({ recipients, topic: first!.topic ?? '', message: first!.message, wait: waitLike(first!) });
  const cancel = () =>
    bulk.run({
      items: pending,
      step: async ({ id }) => bringUpToDate(queries, ['push', 'messages'], [(await push.cancelMessage({ id })) as Message]),
      done: 'cancelled',
      item: 'message',
      onSettled: chosen.clear,
    });
  const tooMany = (count: number, most: number) => (count > most ? `Select up to ${formatCount(most)} messages.` : undefined);
  return (
    <>
      {chosen.summary()}
      {bulk.progress}
      {failed.length > 0 && (
        <Button
          size="small"
          right={['websockets-manager', 'mutation', 'pushMessage']}
          refusal={isSame ? tooMany(recipients.length, MOST_RECIPIENTS) : 'Select messages with the same text and topic.'}
          onClick={again}
        >
          Send again to {formatCount(recipients.length)}
        </Button>
      )}
      {pending.length > 0 && (
        <Button
          size="small"
          look="danger"
          right={['websockets-manager', 'mutation', 'cancelMessage']}
          refusal={tooMany(pending.length, AT_ONCE)}
          disabled={bulk.isBusy}
          onClick={() => setAsking(true)}
        >
          Cancel {formatCount(pending.length)}
        </Button>
      )}
      <Button size="small" look="plain" onClick={chosen.clear}>
        Clear selection
      </Button>
      <Confirm
        title={`Cancel ${plural(pending.length, 'message')}?`}
        action="Cancel messages"
        keep="Keep messages"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={cancel}
      >
        New connections won’t get them. Copies in transit may still arrive.
      </Confirm>
    </>
  );
}
