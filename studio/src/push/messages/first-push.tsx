import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { Empty } from '../../ui/states';
import { useStartPush } from '../model/draft';
import { sampleOf } from '../../ui/sample';

/** Help for the first message. */
export function FirstPush() {
  const { prefix } = useDescription();
  const startPush = useStartPush();
  const refusal = useRefusal(['websockets-manager', 'mutation', 'pushMessage']);
  const query = 'mutation { pushMessage(input: {recipients: ["ann"], message: "Hello"}) { item { status } } }';
  return (
    <Empty
      title="No messages yet"
      action={
        <Button look="primary" refusal={refusal} onClick={() => startPush({})}>
          New message
        </Button>
      }
    >
      <p className="muted">A message goes to a recipient’s open connections, or waits until the recipient connects.</p>
      <Snippet label="request to send a message" code={sampleOf(prefix, 'websockets-manager', query)} />
    </Empty>
  );
}
