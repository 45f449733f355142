import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { Empty } from '../../ui/states';
import { useStartPush } from '../model/draft';

/** Teaches how the first message is pushed. */
export function FirstPush() {
  const { prefix } = useDescription();
  const startPush = useStartPush();
  const refusal = useRefusal(['websockets-manager', 'mutation', 'pushMessage']);
  const query = 'mutation { pushMessage(input: {recipients: [\\"ann\\"], message: \\"Hello\\"}) { item { status } } }';
  return (
    <Empty
      title="Nothing was pushed yet"
      action={
        <Button look="primary" refusal={refusal} onClick={() => startPush({})}>
          Push a message
        </Button>
      }
    >
      <p className="muted">
        A message goes to the open connections of a recipient, or waits for one, and its state is shown here.
      </p>
      <Snippet
        label="the request that pushes a message"
        code={`curl ${location.origin}/websockets-manager/graphql \\
  -H 'x-api-key: ${prefix}…' -H 'content-type: application/json' \\
  -d '{"query": "${query}"}'`}
      />
    </Empty>
  );
}
