// Mail server that accepts and discards every mail as fast as possible. GET / returns their number, and the times of receipt;
// GET /arrivals the time of each, in milliseconds since 1970, with the address of its first recipient.
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

const state = { mails: 0, bytes: 0, firstAt: 0, lastAt: 0 };
const arrivals = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onData: (stream, { envelope }, done) => {
    stream.on('data', (chunk) => (state.bytes += chunk.length));
    stream.on('end', () => {
      state.mails++;
      state.lastAt = performance.now();
      state.firstAt ||= state.lastAt;
      arrivals.push([envelope.rcptTo[0].address, Date.now()]);
      done();
    });
  },
});
smtp.on('error', () => undefined);
smtp.listen(Number(process.env.SMTP_PORT), '127.0.0.1');
createServer(({ url }, response) => response.end(JSON.stringify(url === '/arrivals' ? arrivals : state))).listen(
  Number(process.env.PORT),
  '127.0.0.1',
);
