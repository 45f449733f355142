import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { formatAxisHour, formatShortDay } from './format';
import { isUtc } from './zone';

export interface Series {
  name: string;
  /** The name of a token, such as `--chart-good`. */
  color: string;
  values: readonly number[];
}

export type Form = 'bars' | 'line' | 'steps';
/** First and last second of an axis. */
export type Domain = readonly [first: number, last: number];

export interface Drawing {
  form: Form;
  height: number;
  series: readonly Series[];
  formatValue: (value: number) => string;
  /** Charts of the same name share their cursor. */
  sync?: string | undefined;
  hasAxis: boolean;
  /** Read at each drawing, since they change with the data. */
  domain: () => Domain;
  /** Called with the second under the pointer and its offset from the left; without arguments once it leaves. */
  onPoint: (point?: { second: number; left: number }) => void;
  /** Called with the seconds that were clicked or dragged over. */
  onSelect?: ((from: number, until: number) => void) | undefined;
}

const DAY_SECONDS = 86_400;
const RADIUS_PX = 2;
const BAR = 0.78;
const Y_AXIS_PX = 48;
const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  ...[1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12].flatMap((step) => [step, 2 * step, 5 * step]),
];

export const secondsOf = (times: readonly string[]): number[] => times.map((time) => new Date(time).getTime() / 1_000);

/** Values of stacked bars are sums, drawn from the largest to the smallest. */
export function dataOf(seconds: number[], series: readonly Series[], form: Form): uPlot.AlignedData {
  const rows = series.map(({ values }) => [...values]);
  if (form !== 'bars') return [seconds, ...rows];
  const sums = rows.map((_, at) => seconds.map((__, index) => rows.slice(at).reduce((sum, row) => sum + (row[index] ?? 0), 0)));
  return [seconds, ...sums];
}

/** Length of a bar. */
const stepOf = (seconds: readonly number[]): number => (seconds.length > 1 ? seconds[1]! - seconds[0]! : DAY_SECONDS);

/** Default range: a bar needs the room of one more, and a single point some time before it. */
export function domainOf(seconds: readonly number[], form: Form): Domain {
  const first = seconds[0] ?? 0;
  const last = seconds.at(-1) ?? DAY_SECONDS;
  if (form === 'bars') return [first, last + stepOf(seconds)];
  return first === last ? [first - DAY_SECONDS, last] : [first, last];
}

/** Returns the bar or point of a second; undefined if there is none. */
export function indexAt(seconds: readonly number[], second: number, form: Form): number | undefined {
  const after = seconds.findIndex((one) => one > second);
  const at = after === -1 ? seconds.length - 1 : after - 1;
  if (form === 'bars') return at >= 0 && second < seconds[at]! + stepOf(seconds) ? at : undefined;
  if (form === 'steps' || after <= 0) return at >= 0 ? at : undefined;
  return second - seconds[at]! < seconds[after]! - second ? at : after;
}

export function draw(element: HTMLElement, data: uPlot.AlignedData, drawing: Drawing): uPlot {
  const chart = new uPlot(optionsOf(element, drawing), data, element);
  if (drawing.onSelect) listen(chart, drawing.onSelect);
  return chart;
}

function optionsOf(
  element: HTMLElement,
  { form, height, series, formatValue, sync, hasAxis, domain, onPoint, onSelect }: Drawing,
): uPlot.Options {
  const token = tokens();
  const axis = { stroke: token('--muted'), ticks: { show: false }, font: `11px ${token('--font')}` };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    tzDate: (seconds) => (isUtc() ? uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') : new Date(seconds * 1_000)),
    padding: [8, 8, hasAxis ? 0 : 4, 0],
    cursor: {
      y: false,
      points: { show: form !== 'bars', size: 6 },
      drag: { x: onSelect !== undefined, y: false, setScale: false },
      ...(sync && { sync: { key: sync, scales: ['x', null], filters: { pub: (type) => /^mouse(move|leave)$/.test(type) } } }),
    },
    hooks: { setCursor: [(chart) => onPoint(pointOf(chart))] },
    scales: {
      x: { range: () => [...domain()] as [number, number] },
      y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.1] },
    },
    axes: [
      { ...axis, show: hasAxis, grid: { show: false }, size: 24, space: 64, values: (_, seconds) => labelsOf(seconds, domain()) },
      {
        ...axis,
        grid: { stroke: token('--line'), width: 1 },
        size: Y_AXIS_PX,
        space: 28,
        incrs: STEPS,
        values: (_, values) => values.map(formatValue),
      },
    ],
    series: [{}, ...series.map((one) => seriesOptions(one, form, token))],
  };
}

function pointOf(chart: uPlot) {
  const { left = -1 } = chart.cursor;
  return left < 0 ? undefined : { second: chart.posToVal(left, 'x'), left: left + chart.over.offsetLeft };
}

function seriesOptions({ name, color }: Series, form: Form, token: (name: string) => string): uPlot.Series {
  const stroke = token(color);
  if (form === 'bars') {
    const paths = uPlot.paths.bars!({ size: [BAR, Infinity, 1], align: 1, radius: radiusOf as unknown as number });
    return { label: name, stroke, fill: stroke, width: 0, points: { show: false }, paths };
  }
  return {
    label: name,
    stroke,
    fill: `${stroke}22`,
    width: 1.5,
    points: { show: (chart) => chart.data[0].length === 1 },
    ...(form === 'steps' && { paths: uPlot.paths.stepped!({ align: 1 }) }),
  };
}

/** Corners as a share of the bar width. The package also accepts functions, which its types omit. */
function radiusOf({ data: [seconds], over, scales: { x } }: uPlot): [top: number, base: number] {
  const bar = (BAR * over.clientWidth * stepOf(seconds as number[])) / ((x!.max ?? 1) - (x!.min ?? 0));
  return [Math.min(0.5, RADIUS_PX / bar), 0];
}

const tokens = () => {
  const styles = getComputedStyle(document.documentElement);
  return (name: string) => styles.getPropertyValue(name).trim();
};

/** Labels hours within two days, days beyond. The end of the axis has no label. */
function labelsOf(seconds: readonly number[], [first, last]: Domain): string[] {
  const format = last - first <= 2 * DAY_SECONDS ? formatAxisHour : formatShortDay;
  return seconds.map((second) => (second >= last ? '' : format(second * 1_000)));
}

/** Reports clicks on bars, and drags over several: from the start of the first to the end of the last. */
function listen(chart: uPlot, onSelect: (from: number, until: number) => void): void {
  const { over } = chart;
  const boundsAt = (clientX: number): Domain | undefined => {
    const [seconds] = chart.data as [number[]];
    const { left, width } = over.getBoundingClientRect();
    const at = indexAt(seconds, chart.posToVal(Math.max(0, Math.min(width - 1, clientX - left)), 'x'), 'bars');
    return at === undefined ? undefined : [seconds[at]!, seconds[at]! + stepOf(seconds)];
  };
  over.addEventListener('mousedown', ({ clientX: begun, button }) => {
    if (button !== 0) return;
    const end = ({ clientX: ended }: MouseEvent) => {
      chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      const from = boundsAt(Math.min(begun, ended));
      const until = boundsAt(Math.max(begun, ended));
      if (from && until) onSelect(from[0], until[1]);
    };
    addEventListener('mouseup', end, { once: true });
  });
}
