// TCP proxy on a free port, controlled by the messages of its parent: `target` is the port to forward new connections to, and `drops`
// the share of all connections that it breaks per second.
import { connect, createServer } from 'node:net';

const EVERY_MS = 100;
const open = new Set();
let target;
let drops = 0;
let broken = 0;

const server = createServer((near) => {
  const far = connect(target, '127.0.0.1');
  const end = () => {
    near.destroy();
    far.destroy();
    open.delete(end);
  };
  open.add(end);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', end).on('close', end);
    one.pipe(other);
  }
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => process.send({ port: server.address().port }));
setInterval(() => {
  for (const end of open) {
    if (Math.random() >= (drops * EVERY_MS) / 1_000) continue;
    broken++;
    end();
  }
}, EVERY_MS);
process.on('message', (given) => {
  ({ target = target, drops = drops } = given);
  process.send({ broken });
});
process.on('disconnect', () => process.exit());
