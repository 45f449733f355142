import { UTCDate } from '@date-fns/utc';
import { formatFor, type Reader } from './reader.js';

const MINUTE_MS = 60_000;

/** Local time of a zone, in the fields of a UTC date, with the zone's offset from UTC. */
export interface WallClock {
  shown: UTCDate;
  offsetMinutes: number;
}

export function wallClock(time: UTCDate, { timeZone }: Reader): WallClock {
  if (timeZone === 'UTC') return { shown: time, offsetMinutes: 0 };
  const format = formatFor(Intl.DateTimeFormat, {}, { timeZone, timeZoneName: 'longOffset' });
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(time)) ?? [];
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return { shown: new UTCDate(time.getTime() + offsetMinutes * MINUTE_MS), offsetMinutes };
}

/** Formats a zone field (UTS #35: z, O, Z, X, x) for zones other than UTC. */
export function zoneField(token: string, time: UTCDate, offsetMinutes: number, reader: Reader): string {
  const [hours, minutes, sign] = clockOf(offsetMinutes);
  const basic = `${sign}${hours}${minutes}`;
  const extended = `${sign}${hours}:${minutes}`;
  const longGmt = offsetMinutes === 0 ? 'GMT' : `GMT${extended}`;
  const letter = token[0]!;
  if (letter === 'z') return zoneName(time, reader, token.length === 4 ? 'long' : 'short');
  if (letter === 'O') return token.length === 4 ? longGmt : longGmt.replace(/([+-])0/, '$1').replace(/:00$/, '');
  if (letter === 'Z') return token.length === 5 ? zulu(extended, offsetMinutes) : token.length === 4 ? longGmt : basic;
  const written = token.length === 1 ? basic.replace(/00$/, '') : token.length % 2 === 0 ? basic : extended;
  return letter === 'X' ? zulu(written, offsetMinutes) : written;
}

function clockOf(offsetMinutes: number): [hours: string, minutes: string, sign: string] {
  const distance = Math.abs(offsetMinutes);
  const padded = (value: number): string => String(value).padStart(2, '0');
  return [padded(Math.trunc(distance / 60)), padded(distance % 60), offsetMinutes < 0 ? '-' : '+'];
}

const zulu = (written: string, offsetMinutes: number): string => (offsetMinutes === 0 ? 'Z' : written);

function zoneName(time: UTCDate, reader: Reader, timeZoneName: 'long' | 'short'): string {
  const format = formatFor(Intl.DateTimeFormat, reader, { timeZone: reader.timeZone, timeZoneName });
  return format.formatToParts(time).find(({ type }) => type === 'timeZoneName')!.value;
}
