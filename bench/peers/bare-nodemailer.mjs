// Sends the requested number of mails on POST with nodemailer alone, over the same number of connections as our server.
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';

const { subject, htmlBody: html, textBody: text } = JSON.parse(process.env.CONTENT);
const message = { from: process.env.EMAIL_FROM, to: 'ann@example.com', subject, html, text };

async function sendAll() {
  const transport = createTransport({ url: process.env.SMTP_URL, pool: true, maxConnections: 5 });
  await Promise.all(Array.from({ length: Number(process.env.MAILS) }, () => transport.sendMail(message)));
  transport.close();
}

createServer(async (request, response) => {
  if (request.method === 'POST') await sendAll();
  response.end();
}).listen(Number(process.env.PORT), '127.0.0.1');
