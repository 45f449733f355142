import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { dataOf, type Domain, domainOf, draw, type Form, indexAt, secondsOf, type Series } from './chart-drawing';
import { formatTime } from './format';
import { useShownTheme } from './theme';

interface ChartProps {
  /** Description as a sentence, for screen readers; the table below has the numbers. */
  label: string;
  /** Start of each bar, or time of each point. */
  times: readonly string[];
  series: readonly Series[];
  /** Steps are for values that hold until the next. */
  form?: Form;
  formatValue?: (value: number) => string;
  formatAt?: (time: string) => string;
  height?: number;
  /** Range of the axis, if it is not that of the data. */
  domain?: Domain | undefined;
  /** Charts of the same name share their cursor. */
  sync?: string;
  /** Without legend and axis, and with its numbers for screen readers only: one of several on an axis. */
  isBare?: boolean;
  hasAxis?: boolean;
  /** Called with the time of the bars that were clicked, or dragged over, including both ends. */
  onSelect?: ((from: string, until: string) => void) | undefined;
}

/** A small chart over time with stacked bars. It is created once, and then only its data change. */
export function Chart({
  label,
  times,
  series,
  form = 'bars',
  formatValue = String,
  formatAt = formatTime,
  height = 120,
  domain,
  sync,
  isBare = false,
  hasAxis = !isBare,
  onSelect,
}: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [point, setPoint] = useState<{ second: number; left: number; width: number }>();
  const theme = useShownTheme();
  const seconds = useMemo(() => secondsOf(times), [times]);
  const write = useEffectEvent((value: number) => formatValue(value));
  const span = useEffectEvent(() => domain ?? domainOf(seconds, form));
  const select = useEffectEvent((from: number, until: number) => onSelect?.(isoOf(from * 1_000), isoOf(until * 1_000 - 1)));
  const begin = useEffectEvent((element: HTMLElement) =>
    draw(element, dataOf(seconds, series, form), {
      form,
      height,
      series,
      sync,
      hasAxis,
      onPoint: (at) => setPoint(at && { ...at, width: element.clientWidth }),
      formatValue: (value) => write(value),
      domain: () => span(),
      onSelect: onSelect && ((from, until) => select(from, until)),
    }),
  );
  const kind = JSON.stringify([
    form,
    height,
    theme,
    sync,
    hasAxis,
    onSelect !== undefined,
    series.map(({ name, color }) => [name, color]),
  ]);
  useEffect(() => {
    const element = place.current!;
    const chart = begin(element);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: chart.height }));
    observer.observe(element);
    void document.fonts.ready.then(() => plot.current === chart && chart.redraw(false));
    return () => {
      observer.disconnect();
      plot.current = null;
      chart.destroy();
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another kind of chart is made again
  }, [kind]);
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the axis is read from the domain as data are set
  useEffect(() => plot.current?.setData(dataOf(seconds, series, form)), [seconds, series, form, domain]);
  const at = point && indexAt(seconds, point.second, form);
  return (
    <figure className={isBare ? 'chart bare' : 'chart'}>
      <div
        ref={place}
        className={onSelect ? 'chart-place selectable' : 'chart-place'}
        role="img"
        aria-label={label}
        data-points={times.length}
        style={{ height }}
      >
        {point && at !== undefined && (
          <div
            className="chart-tip"
            style={point.left * 2 < point.width ? { left: point.left } : { right: point.width - point.left }}
          >
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
