import { useMemo, useRef, useState } from 'react';
import { labelsOf } from '../../ui/chart-scale';
import { Button } from '../../ui/controls';
import { formatTime, plural } from '../../ui/format';
import { attributeName, authorName, type ListedRecord, shownValue } from '../data/log-record';
import { TableHead } from '../../ui/table-head';
import { useNow } from '../../ui/use-now';
import { useWidth } from '../../ui/use-layout';
import styles from '../log.module.css';

interface LanesProps {
  /** Newest first. */
  events: readonly ListedRecord[];
  at: string | undefined;
  onChoose: (at: string) => void;
  /** Whether older events are not loaded. */
  isPart: boolean;
}
interface Lane {
  id: string;
  word: string;
  /** Oldest first. */
  events: ListedRecord[];
}

const LANE = 32;
const AXIS = 24;
const FEW = 10;
const LETTER = 6.6;
const EDGE = 8;
/** Room of the label at the end of the axis. */
const NOW_PX = 72;

/** Attributes of a document over time, a lane for each, with its value between two events. The table below says the same. */
export function Lanes({ events, at, onChoose, isPart }: LanesProps) {
  const [isAll, setAll] = useState(false);
  const lanes = useMemo(() => lanesOf(events), [events]);
  const shown = isAll ? lanes : lanes.slice(0, FEW);
  if (lanes.length === 0) return undefined;
  return (
    <section className="stack tight" aria-label="Attributes over time">
      <div className="row">
        <h2>Attributes over time</h2>
        {isPart && <span className="muted small">newest {plural(events.length, 'event')}</span>}
      </div>
      <Picture lanes={shown} at={at} onChoose={onChoose} />
      {lanes.length > FEW && (
        <span>
          <Button size="small" look="plain" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show fewer' : `Show ${lanes.length - FEW} more`}
          </Button>
        </span>
      )}
      <LanesTable lanes={shown} />
    </section>
  );
}

function Picture({ lanes, at, onChoose }: { lanes: readonly Lane[]; at: string | undefined; onChoose: (at: string) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const now = useNow();
  const names = width < 480 ? 88 : 136;
  const times = lanes.flatMap(({ events }) => events.map(({ dateTime }) => Date.parse(dateTime!)));
  const first = Math.min(...times);
  const end = Math.max(now, ...times);
  const x = (time: number) => names + EDGE + ((time - first) / Math.max(1, end - first)) * Math.max(1, width - names - 2 * EDGE);
  const height = lanes.length * LANE + AXIS;
  const labels = labelsOf([first / 1_000, end / 1_000], Math.max(1, width - names)).filter(
    ({ second }) => x(second * 1_000) < width - NOW_PX,
  );
  const chosen = at === undefined ? NaN : Date.parse(at);
  const isInSight = chosen >= first && chosen <= end;
  const sentence = `${plural(lanes.length, 'attribute')} from ${formatTime(new Date(first))} to now. The values are in the table below.`;
  return (
    <div ref={box} className={styles.lanes} style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={sentence}>
          {lanes.map((lane, index) => (
            <LaneShape key={lane.id} lane={lane} top={index * LANE} x={x} width={width} names={names} onChoose={onChoose} />
          ))}
          {isInSight && <line className={styles.now} x1={x(chosen)} x2={x(chosen)} y1={0} y2={height - AXIS + 4} />}
          {labels.map(({ second, text }) => (
            <text key={second} className={styles.axis} x={x(second * 1_000)} y={height - 6} textAnchor="middle">
              {text}
            </text>
          ))}
          <text className={styles.axis} x={width - EDGE} y={height - 6} textAnchor="end">
            now
          </text>
        </svg>
      )}
    </div>
  );
}

interface LaneShapeProps {
  lane: Lane;
  top: number;
  x: (time: number) => number;
  width: number;
  names: number;
  onChoose: (at: string) => void;
}

function LaneShape({ lane: { word, events }, top, x, width, names, onChoose }: LaneShapeProps) {
  return (
    <g>
      <line className={styles.lane} x1={0} x2={width} y1={top + LANE - 0.5} y2={top + LANE - 0.5} />
      <text className="log-lane-name" x={0} y={top + 20}>
        {cut(word, names)}
        <title>{word}</title>
      </text>
      {events.map((event, index) => {
        const begin = x(Date.parse(event.dateTime!));
        const next = events[index + 1];
        const room = (next ? x(Date.parse(next.dateTime!)) : width - EDGE) - begin;
        const value = shownValue(event.attributeNewValue);
        const text = value === undefined ? '' : cut(value, room - 12);
        return (
          <g key={event.id} className={styles.span} onClick={() => onChoose(event.dateTime!)}>
            <title>{`${word}: ${value?.slice(0, 300) ?? 'no value'}, ${formatTime(event.dateTime!)}`}</title>
            <rect
              x={begin}
              y={top + 5}
              width={Math.max(2, room - 1)}
              height={LANE - 11}
              className={value === undefined ? styles.none : ''}
            />
            <rect className={styles.mark} x={begin} y={top + 5} width={3} height={LANE - 11} />
            {text.length > 2 && (
              <text x={begin + 8} y={top + 20}>
                {text}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

function LanesTable({ lanes }: { lanes: readonly Lane[] }) {
  return (
    <details className="small">
      <summary className="muted">Show as table</summary>
      <div className="chart-table" tabIndex={0} role="region" aria-label="Attributes over time: table">
        <table>
          <TableHead of={['Attribute', 'Time', 'Value', 'Person']} />
          <tbody>
            {lanes.flatMap(({ word, events }) =>
              events.map((event) => (
                <tr key={event.id}>
                  <th scope="row">{word}</th>
                  <td>{formatTime(event.dateTime!)}</td>
                  <td className="break">{shownValue(event.attributeNewValue) ?? 'no value'}</td>
                  <td>{authorName(event)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Collects the events of each attribute, most recently changed first. */
function lanesOf(events: readonly ListedRecord[]): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const event of events) {
    const id = event.attributeId;
    if (!id) continue;
    const lane = lanes.get(id) ?? { id, word: id, events: [] };
    // An erased event has lost the name.
    if (lane.word === id) lane.word = attributeName(event) ?? id;
    lane.events.unshift(event);
    lanes.set(id, lane);
  }
  return [...lanes.values()];
}

const cut = (text: string, room: number): string => {
  const letters = Math.floor(room / LETTER);
  return text.length <= letters ? text : letters > 3 ? `${text.slice(0, letters - 1)}…` : '';
};
