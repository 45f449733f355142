import { CopyText } from '../../ui/copy';
import { Facts } from '../../ui/page';
import { Status, type StatusKind, Time } from '../../ui/status';
import { type Domain, type Entry, isNeeded, PURPOSES, wordOfRecord } from './use-domains';

/** DNS records to set for a domain, with a copy button and their state. */
export function DomainRecords({ domain }: { domain: Domain }) {
  return (
    <section className="stack tight">
      <h3>DNS records</h3>
      <ul className="stack">
        {(domain.records ?? []).map((record) => (
          <RecordCard key={`${record.purpose} ${record.name}`} record={record} domain={domain} />
        ))}
      </ul>
    </section>
  );
}

function RecordCard({ record, domain }: { record: Entry; domain: Domain }) {
  const { purpose, type, name, value, state, found, keepUntil } = record;
  const word = wordOfRecord(record, domain);
  return (
    <li className="card stack tight">
      <div className="row wrap">
        <strong>{word}</strong>
        <span className="muted small">{isNeeded(record) ? 'Required' : 'Recommended'}</span>
        <span className="grow" />
        <Status {...stateOf(state, isNeeded(record) && !keepUntil, domain.checkedAt !== null)} />
      </div>
      {keepUntil ? (
        <p className="muted small">
          Replaced. Keep this record until <Time at={keepUntil} />: emails in transit still need it.
        </p>
      ) : (
        <p className="muted small">{purpose && PURPOSES[purpose].about}</p>
      )}
      <Facts
        of={[
          ['Type', type],
          ['Name', <CopyText key="name" text={name ?? ''} label={`Copy name of ${word}`} />],
          ['Value', <CopyText key="value" text={value ?? ''} label={`Copy value of ${word}`} />],
          ['Found instead', state === 'DIFFERENT' && found?.length ? <FoundValues key="found" values={found} /> : undefined],
        ]}
      />
    </li>
  );
}

function FoundValues({ values }: { values: readonly string[] }) {
  return (
    <ul>
      {values.map((value, at) => (
        <li key={at}>
          <code className="break">{value}</code>
        </li>
      ))}
    </ul>
  );
}

/** Result of the latest check, in a word. */
function stateOf(state: Entry['state'], isRequired: boolean, isChecked: boolean): { kind: StatusKind; word: string } {
  const missing = isRequired ? 'bad' : 'wait';
  if (state === 'FOUND') return { kind: 'good', word: 'Found' };
  if (state === 'MISSING') return { kind: missing, word: 'Missing' };
  if (state === 'DIFFERENT') return { kind: missing, word: 'Different' };
  return { kind: 'none', word: isChecked ? 'Unknown' : 'Not checked yet' };
}
