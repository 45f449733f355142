import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatHour, formatShortDay, formatTime } from './format';
import { useShownTheme } from './theme';

export interface Series {
  name: string;
  /** The name of a token, such as `--good`. */
  color: string;
  values: readonly number[];
}

type Form = 'bars' | 'line' | 'steps';

interface ChartProps {
  /** Says what is shown, as a sentence: screen readers read it, and the table below has the numbers. */
  label: string;
  /** Where each bar begins, or each point is. */
  times: readonly string[];
  series: readonly Series[];
  /** Steps are for values that hold until the next. */
  form?: Form;
  formatValue?: (value: number) => string;
  formatAt?: (time: string) => string;
  height?: number;
  /** Where the axis begins, if before the first point. */
  since?: string | undefined;
}

/** A small chart over time. Bars of several series stand on each other. */
export function Chart({
  label,
  times,
  series,
  form = 'bars',
  formatValue = String,
  formatAt = formatTime,
  height = 120,
  since,
}: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  useEffect(() => {
    const element = place.current;
    if (!element || times.length === 0) return undefined;
    const chart = new uPlot(
      optionsOf({ element, series, form, formatValue, height, since }),
      dataOf(times, series, form),
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [times, series, form, formatValue, height, since, theme]);
  return (
    <figure className="chart">
      <div ref={place} role="img" aria-label={label} data-points={times.length} style={{ height }} />
      {series.length > 1 && (
        <ul className="chart-legend" aria-hidden>
          {series.map(({ name, color }) => (
            <li key={name}>
              <i style={{ background: `var(${color})` }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      <details className="small">
        <summary className="muted">{label}</summary>
        <div className="chart-table" tabIndex={0} role="region" aria-label={`${label}: numbers`}>
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
        </div>
      </details>
    </figure>
  );
}

/** Values of stacked bars are sums, drawn from the largest to the smallest. */
function dataOf(times: readonly string[], series: readonly Series[], form: Form): uPlot.AlignedData {
  const seconds = times.map((time) => new Date(time).getTime() / 1_000);
  const rows = series.map(({ values }) => [...values]);
  if (form !== 'bars') return [seconds, ...rows];
  const sums = rows.map((_, at) => times.map((__, index) => rows.slice(at).reduce((sum, row) => sum + (row[index] ?? 0), 0)));
  return [seconds, ...sums];
}

interface Drawing extends Pick<Required<ChartProps>, 'form' | 'formatValue' | 'height'>, Pick<ChartProps, 'since'> {
  element: HTMLElement;
  series: readonly Series[];
}

const DAY_SECONDS = 86_400;

/** The first and last second that are drawn: a bar needs the room of one more, and a single point some time before it. */
function timesOf(seconds: readonly number[], form: Form, since: string | undefined): [first: number, last: number] {
  const first = since ? new Date(since).getTime() / 1_000 : (seconds[0] ?? 0);
  const last = seconds.at(-1) ?? 0;
  if (first === last) return [first - DAY_SECONDS, last + (form === 'bars' ? DAY_SECONDS : 0)];
  return [first, form === 'bars' ? last + (seconds[1]! - first) : last];
}

function optionsOf({ element, series, form, formatValue, height, since }: Drawing): uPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  const token = (name: string) => styles.getPropertyValue(name).trim();
  const axis = { stroke: token('--muted'), ticks: { show: false }, font: `11px ${token('--font')}` };
  const grid = { stroke: token('--line'), width: 1 };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 16, 0, 0],
    scales: {
      x: { range: (chart) => timesOf([...chart.data[0]], form, since) },
      y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 72,
        values: (chart, seconds) => labelsOf(seconds, chart.data[0].at(-1) ?? 0),
      },
      { ...axis, grid, size: 56, space: 32, incrs: STEPS, values: (_, values) => values.map(formatValue) },
    ],
    series: [
      {},
      ...series.map(({ name, color }) => ({
        label: name,
        stroke: token(color),
        fill: form === 'bars' ? token(color) : `${token(color)}22`,
        width: form === 'bars' ? 0 : 1.5,
        points: { show: form !== 'bars' && element.dataset['points'] === '1' },
        ...(form === 'bars' && { paths: uPlot.paths.bars!({ size: [0.7, 24], align: 1 }) }),
        ...(form === 'steps' && { paths: uPlot.paths.stepped!({ align: 1 }) }),
      })),
    ],
  };
}

const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  ...[1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12].flatMap((step) => [step, 2 * step, 5 * step]),
];

/** Hours within two days, days beyond. */
function labelsOf(seconds: readonly number[], last: number): string[] {
  const format = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0) <= 2 * DAY_SECONDS ? formatHour : formatShortDay;
  // The room of the last bar ends where the next day or hour would begin, of which nothing is shown.
  return seconds.map((second) => (second > last ? '' : format(second * 1_000)));
}
