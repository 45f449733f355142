// Takes mail on port 1025 and shows it on 8025: GET /api/v1/messages, newest first, and GET /api/v1/message/ID/raw.
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

const mails = [];

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  async onData(stream, { envelope }, done) {
    const raw = Buffer.concat(await stream.toArray());
    mails.unshift({ ID: String(mails.length + 1), To: envelope.rcptTo.map(({ address }) => ({ Address: address })), raw });
    done();
  },
});
smtp.on('error', () => undefined); // a client that was killed leaves its connection broken
smtp.listen(1025, '0.0.0.0');

const http = createServer(({ url }, response) => {
  const [, id] = /^\/api\/v1\/message\/(\w+)\/raw$/.exec(url) ?? [];
  const mail = mails.find(({ ID }) => ID === id);
  if (url === '/readyz') response.end('ok');
  else if (mail) response.end(mail.raw);
  else if (url === '/api/v1/messages') response.end(JSON.stringify({ messages: mails.map(({ ID, To }) => ({ ID, To })) }));
  else response.writeHead(404).end();
});
http.listen(8025, '0.0.0.0');
process.on('SIGTERM', () => process.exit(0));
