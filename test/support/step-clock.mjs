// Loaded into a server with --import: SIGUSR2 sets its clock back by an hour, as a correction of the time does. Timers continue.
const Real = Date;
let offsetMs = 0;
const now = () => Real.now() + offsetMs;
globalThis.Date = new Proxy(Real, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
process.on('SIGUSR2', () => {
  offsetMs -= 3_600_000;
  console.log('the clock was set back');
});
