const DAY = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const SHORT_DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export const dayOf = (at: string): string => DAY.format(new Date(at));
export const shortDayOf = (at: string | number): string => SHORT_DAY.format(new Date(at));
export const clockOf = (at: string | number): string => CLOCK.format(new Date(at));
