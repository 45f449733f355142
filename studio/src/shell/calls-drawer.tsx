import { ExternalLinkIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { type Call, openConsole, useCalls } from '../api/calls';
import { Modal } from '../ui/controls';
import { formatClock } from '../ui/format';
import { CopyText } from '../ui/copy';
import { SelectField } from '../ui/fields';
import { Empty } from '../ui/states';

/** GraphQL requests of the page, and their JSON responses. */
export function CallsDrawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const calls = useCalls();
  const [chosen, setChosen] = useState<number>();
  const call = calls.find(({ id }) => id === chosen) ?? calls[0];
  return (
    <Modal title="API requests" form="drawer" isOpen={isOpen} onClose={onClose}>
      {call ? (
        <>
          <SelectField
            label="Request"
            words={calls.map((one) => [one.id, titleOf(one)] as const)}
            value={call.id}
            onChange={setChosen}
          />
          <CallDetail call={call} />
        </>
      ) : (
        <Empty title="No requests yet">
          <p className="muted">Each GraphQL request of this page appears here, ready for the console.</p>
        </Empty>
      )}
    </Modal>
  );
}

const titleOf = ({ service, operation, ms, at }: Call) => `${formatClock(at)}  ${service}  ${operation}  ${Math.round(ms)} ms`;

function CallDetail({ call: { service, query, variables, answer, requestId } }: { call: Call }) {
  return (
    <>
      <div className="row wrap">
        <button type="button" className="button small" onClick={() => openConsole(service, query, variables)}>
          <ExternalLinkIcon aria-hidden />
          Open in console
        </button>
        {requestId && <CopyText text={requestId} label="Copy request ID" />}
      </div>
      <h3>GraphQL</h3>
      <pre className="code-block" tabIndex={0} aria-label="GraphQL">
        {query}
      </pre>
      <h3>Variables</h3>
      <pre className="code-block" tabIndex={0} aria-label="Variables">
        {JSON.stringify(variables, undefined, 2)}
      </pre>
      <h3>Response</h3>
      <pre className="code-block" tabIndex={0} aria-label="Response">
        {shortened(JSON.stringify(answer, undefined, 2))}
      </pre>
    </>
  );
}

const LONGEST = 200_000;
const shortened = (text: string) =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} characters more` : text;
