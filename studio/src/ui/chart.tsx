import { type PointerEvent, useMemo, useRef, useState } from 'react';
import {
  type Domain,
  domainOf,
  type Form,
  indexAt,
  labelsOf,
  largestOf,
  linesOf,
  secondsOf,
  type Series,
  stepOf,
} from './chart-scale';
import { formatCount, formatTime } from './format';
import { useWidth } from './use-layout';

/** Second under the pointer, which charts on one axis share. */
export type Cursor = readonly [second: number | undefined, move: (second: number | undefined) => void];

interface ChartProps {
  /** Description as a sentence, for screen readers; the table below has the numbers. */
  label: string;
  /** Start of each bar, or time of each point. */
  times: readonly string[];
  series: readonly Series[];
  form?: Form;
  formatValue?: (value: number) => string;
  formatAt?: (time: string) => string;
  height?: number;
  /** Range of the axis, if it is not that of the data. */
  domain?: Domain | undefined;
  /** Largest value of the axis, for charts on one scale. */
  largest?: number | undefined;
  cursor?: Cursor;
  /** Without legend and axis, and with its numbers for screen readers only: one of several on an axis. */
  isBare?: boolean;
  hasAxis?: boolean;
  /** Called with the time of the bars that were clicked, or dragged over, including both ends. */
  onSelect?: ((from: string, until: string) => void) | undefined;
}

const Y_AXIS_PX = 48;
const X_AXIS_PX = 24;
const EDGE_PX = 8;
const BAR = 0.78;
/** Room above the largest value. */
const HEADROOM = 1.1;

/** A small chart over time with stacked bars, or steps. */
export function Chart({
  label,
  times,
  series,
  form = 'bars',
  formatValue = formatCount,
  formatAt = formatTime,
  height = 120,
  domain,
  largest,
  cursor,
  isBare = false,
  hasAxis = !isBare,
  onSelect,
}: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const own = useState<number>();
  const [second, move] = cursor ?? own;
  const [begun, setBegun] = useState<number>();
  const seconds = useMemo(() => secondsOf(times), [times]);
  const [first, last] = domain ?? domainOf(seconds, form);
  const inner = Math.max(1, width - Y_AXIS_PX - EDGE_PX);
  const bottom = height - (hasAxis ? X_AXIS_PX : EDGE_PX / 2);
  const most = largest ?? largestOf(series, form);
  const x = (one: number) => Y_AXIS_PX + ((one - first) / (last - first)) * inner;
  const y = (value: number) => bottom - (value / (Math.max(most, 1) * HEADROOM)) * (bottom - EDGE_PX);
  const at = second === undefined ? undefined : indexAt(seconds, second, form);
  const secondAt = ({ clientX, currentTarget }: PointerEvent) => {
    const share = (clientX - currentTarget.getBoundingClientRect().left - Y_AXIS_PX) / inner;
    return first + Math.max(0, Math.min(0.9999, share)) * (last - first);
  };
  const select = (ended: number) => {
    const [from, until] = [Math.min(begun!, ended), Math.max(begun!, ended)].map((one) => indexAt(seconds, one, 'bars'));
    setBegun(undefined);
    if (from === undefined || until === undefined) return;
    onSelect?.(isoOf(seconds[from]! * 1_000), isoOf((seconds[until]! + stepOf(seconds)) * 1_000 - 1));
  };
  return (
    <figure className={isBare ? 'chart bare' : 'chart'}>
      <div
        ref={place}
        className={onSelect ? 'chart-place selectable' : 'chart-place'}
        role="img"
        aria-label={label}
        data-points={times.length}
        style={{ height }}
        onPointerMove={(event) => move(secondAt(event))}
        onPointerLeave={() => (move(undefined), setBegun(undefined))}
        onPointerDown={(event) => onSelect && event.button === 0 && setBegun(secondAt(event))}
        onPointerUp={(event) => begun !== undefined && select(secondAt(event))}
      >
        {width > 0 && (
          <svg width={width} height={height} aria-hidden>
            {linesOf(most, bottom).map((value) => (
              <g key={value}>
                <line x1={Y_AXIS_PX} x2={width - EDGE_PX} y1={y(value)} y2={y(value)} />
                <text x={Y_AXIS_PX - EDGE_PX} y={y(value) + 4} textAnchor="end">
                  {formatValue(value)}
                </text>
              </g>
            ))}
            <Shapes series={series} seconds={seconds} form={form} x={x} y={y} end={last} />
            {hasAxis &&
              labelsOf([first, last], inner).map(({ second: one, text }) => (
                <text key={one} x={x(one)} y={height - EDGE_PX} textAnchor="middle">
                  {text}
                </text>
              ))}
            {second !== undefined && <line className="chart-cursor" x1={x(second)} x2={x(second)} y1={0} y2={bottom} />}
            {begun !== undefined && second !== undefined && (
              <rect
                className="chart-chosen"
                x={x(Math.min(begun, second))}
                width={Math.abs(x(second) - x(begun))}
                y={0}
                height={bottom}
              />
            )}
          </svg>
        )}
        {second !== undefined && at !== undefined && (
          <div className="chart-tip" style={x(second) * 2 < width ? { left: x(second) } : { right: width - x(second) }}>
            <strong>{formatAt(times[at]!)}</strong>
            <Values series={series} at={at} formatValue={formatValue} />
          </div>
        )}
      </div>
      {!isBare && series.length > 1 && (
        <ul className="chart-legend" aria-hidden>
          {series.map(({ name, color }) => (
            <li key={name}>
              <i style={{ background: `var(${color})` }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      <Numbers label={label} times={times} series={series} isHidden={isBare} formatAt={formatAt} formatValue={formatValue} />
    </figure>
  );
}

interface ShapesProps {
  series: readonly Series[];
  seconds: readonly number[];
  form: Form;
  x: (second: number) => number;
  y: (value: number) => number;
  /** Second at which the axis ends. */
  end: number;
}

function Shapes({ series, seconds, form, x, y, end }: ShapesProps) {
  if (form === 'steps') {
    return series.map(({ name, color, values }) => {
      const steps = seconds.map((second, at) => `${at === 0 ? `M${x(second)} ` : `H${x(second)}V`}${y(values[at] ?? 0)}`);
      const path = `${steps.join('')}H${x(end)}`;
      if (seconds.length === 0) return null;
      return (
        <g key={name} style={{ color: `var(${color})` }}>
          <path className="chart-area" d={`${path}V${y(0)}H${x(seconds[0]!)}Z`} />
          <path className="chart-line" d={path} />
        </g>
      );
    });
  }
  const step = stepOf(seconds);
  return series.map(({ name, color, values }, row) => (
    <g key={name} style={{ color: `var(${color})` }}>
      {seconds.map((second, at) => {
        const value = values[at] ?? 0;
        if (value === 0) return null;
        const below = series.slice(row + 1).reduce((sum, other) => sum + (other.values[at] ?? 0), 0);
        const room = x(second + step) - x(second);
        return (
          <rect
            key={second}
            className="chart-bar"
            x={x(second) + (room * (1 - BAR)) / 2}
            width={Math.max(1, room * BAR)}
            y={y(below + value)}
            height={Math.max(1, y(below) - y(below + value))}
          />
        );
      })}
    </g>
  ));
}

const isoOf = (ms: number) => new Date(ms).toISOString();

function Values({ series, at, formatValue }: { series: readonly Series[]; at: number; formatValue: (value: number) => string }) {
  return series.map(({ name, color, values }) => (
    <span key={name} className="chart-tip-value">
      <i style={{ background: `var(${color})` }} />
      <span className="grow">{name}</span>
      <span className="number">{formatValue(values[at] ?? 0)}</span>
    </span>
  ));
}

type NumbersProps = Required<Pick<ChartProps, 'label' | 'times' | 'series' | 'formatAt' | 'formatValue'>> & { isHidden: boolean };

/** The numbers of a chart as a table. */
function Numbers({ label, times, series, isHidden, formatAt, formatValue }: NumbersProps) {
  const table = (
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) => (
          <tr key={time}>
            <th scope="row">{formatAt(time)}</th>
            {series.map(({ name, values }) => (
              <td key={name} className="number">
                {formatValue(values[at] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (isHidden) return <div className="visually-hidden">{table}</div>;
  return (
    <details className="small">
      <summary className="muted">{label}</summary>
      <div className="chart-table" tabIndex={0} role="region" aria-label={`${label}: numbers`}>
        {table}
      </div>
    </details>
  );
}
