// Mail server that accepts and discards every mail as fast as possible. GET / returns their number, and the times of receipt.
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

const state = { mails: 0, bytes: 0, firstAt: 0, lastAt: 0 };
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onData: (stream, _session, done) => {
    stream.on('data', (chunk) => (state.bytes += chunk.length));
    stream.on('end', () => {
      state.mails++;
      state.lastAt = performance.now();
      state.firstAt ||= state.lastAt;
      done();
    });
  },
});
smtp.on('error', () => undefined);
smtp.listen(Number(process.env.SMTP_PORT), '127.0.0.1');
createServer((_request, response) => response.end(JSON.stringify(state))).listen(Number(process.env.PORT), '127.0.0.1');
