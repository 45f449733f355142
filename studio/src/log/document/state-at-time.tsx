import { Slider } from '@base-ui/react/slider';
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { DocumentAttributeState } from '../../../../clients/js/src/generated/log';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { Button } from '../../ui/controls';
import { formatTime } from '../../ui/format';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Time } from '../../ui/status';
import { fromField, toField } from '../../ui/zone';
import { type ListedRecord, readName, shownValue } from '../data/log-record';
import { TableHead } from '../../ui/table-head';
import { TimeField } from '../../ui/fields';
import styles from '../log.module.css';

interface StateProps {
  documentType: string;
  documentId: string;
  events: readonly ListedRecord[];
  at: string | undefined;
  onChoose: (at: string | undefined) => void;
}
type Attribute = Pick<DocumentAttributeState, 'attributeId' | 'dateTime' | 'logId'> &
  Pick<ListedRecord, 'attribute'> & {
    value: ListedRecord['attributeNewValue'];
  };

/** A document as it was at a time, chosen by a slider over its events or a field. */
export function StateAtTime({ documentType, documentId, events, at, onChoose }: StateProps) {
  const refusal = useRefusal(['document-log', 'query', 'documentState']);
  const newest = events[0]?.id;
  const { data, error, refetch, isPlaceholderData } = useRead({
    queryKey: ['log', 'state', documentType, documentId, at ?? 'now', newest],
    read: (api, signal) => api.log.documentState({ documentType, documentId, ...(at && { at }) }, undefined, { signal }),
    enabled: !refusal,
    placeholderData: keepPreviousData,
  });
  return (
    <section className="stack tight" aria-label="State">
      <div className="row wrap">
        <h2>{at ? `At ${shownTime(at)}` : 'Current'}</h2>
        {at && (
          <Button size="small" look="plain" onClick={() => onChoose(undefined)}>
            Show current
          </Button>
        )}
      </div>
      {refusal ? (
        <p className="muted">{refusal}, so the state isn’t available.</p>
      ) : (
        <>
          <Choice events={events} at={at} onChoose={onChoose} />
          {error && <ErrorNotice error={error} tried="load the state" onRetry={() => void refetch()} />}
          {!data && !error && <Skeleton lines={5} label="Loading state" />}
          {data && <StateTable state={data} isOld={isPlaceholderData} />}
        </>
      )}
    </section>
  );
}

const shownTime = (at: string) => (Number.isNaN(Date.parse(at)) ? at : formatTime(at));

function Choice({ events, at, onChoose }: Pick<StateProps, 'events' | 'at' | 'onChoose'>) {
  const steps = useMemo(() => [...new Set(events.map(({ dateTime }) => dateTime!))].reverse(), [events]);
  const nearest = at
    ? Math.max(
        0,
        steps.findLastIndex((step) => step <= at),
      )
    : steps.length;
  const [dragged, setDragged] = useState<number>();
  const step = dragged ?? nearest;
  const wordOf = (index: number) => (steps[index] ? formatTime(steps[index]) : 'now');
  return (
    <div className={styles.choice}>
      <Slider.Root
        className="log-slider"
        min={0}
        max={steps.length}
        value={step}
        onValueChange={(next) => setDragged(next)}
        onValueCommitted={(next) => {
          setDragged(undefined);
          onChoose(steps[next]);
        }}
      >
        <div className="row small">
          <Slider.Label className="muted">Step through the events</Slider.Label>
          <span className="grow" />
          <span aria-hidden>{step === nearest && at ? shownTime(at) : wordOf(step)}</span>
        </div>
        <Slider.Control className={styles.sliderControl}>
          <Slider.Track className={styles.sliderTrack}>
            <Slider.Indicator className={styles.sliderDone} />
            <Slider.Thumb
              className={styles.sliderThumb}
              getAriaLabel={() => 'Step through the events'}
              getAriaValueText={(_, index) => wordOf(index)}
            />
          </Slider.Track>
        </Slider.Control>
      </Slider.Root>
      <PickedTime at={at} onChoose={onChoose} />
    </div>
  );
}

const PAUSE_MS = 400;

/** Applies a picked time after a moment, since typing passes through others. */
function PickedTime({ at, onChoose }: Pick<StateProps, 'at' | 'onChoose'>) {
  const [typed, setTyped] = useState<string>();
  const choose = useEffectEvent((local: string) => {
    if (local !== toField(at)) onChoose(fromField(local));
  });
  useEffect(() => {
    if (!typed) return undefined;
    const timer = setTimeout(() => choose(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TimeField
      label="Or select a time"
      step={1}
      value={typed ?? toField(at)}
      onChange={setTyped}
      onBlur={() => {
        if (typed === '') onChoose(undefined);
        setTyped(undefined);
      }}
    />
  );
}

function StateTable({ state, isOld }: { state: readonly Attribute[]; isOld: boolean }) {
  if (state.length === 0) return <p className="muted">No attributes at this time.</p>;
  const last = state.map(({ dateTime }) => dateTime ?? '').reduce((one, other) => (one > other ? one : other));
  return (
    <table className={isOld ? `${styles.state} old` : styles.state} aria-busy={isOld}>
      <TableHead of={['Attribute', 'Value', 'Changed']} />
      <tbody>
        {state.map(({ attribute, attributeId, value, dateTime, logId }) => (
          <tr key={attributeId} className={dateTime === last ? styles.last : ''}>
            <th scope="row">{readName(attribute?.name) ?? attributeId}</th>
            <td className="break">{shownValue(value) ?? <span className="muted">no value</span>}</td>
            <td>
              <Link href={`/${logId}`}>{dateTime && <Time at={dateTime} />}</Link>
              {dateTime === last && <span className={styles.tag}>last</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
