// Unit of the ratchet: a bare `node:http` server that parses a JSON body, reads one row by a prepared statement and answers it as JSON.
import { createServer } from 'node:http';
import Sqlite from 'better-sqlite3';

const database = new Sqlite(':memory:');
database.exec(`CREATE TABLE "Item" ("id" INTEGER PRIMARY KEY, "name" TEXT, "comment" TEXT, "createdAt" TEXT)`);
const insert = database.prepare('INSERT INTO "Item" VALUES (?, ?, ?, ?)');
for (let id = 1; id <= 1_000; id++) insert.run(id, `item ${id}`, 'Sent to the customer', '2026-01-01T00:00:00.000Z');
const select = database.prepare('SELECT * FROM "Item" WHERE "id" = ?');

createServer((request, response) => {
  if (request.method === 'GET') return response.end();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { variables } = JSON.parse(Buffer.concat(chunks));
    const body = JSON.stringify({ data: { item: select.get(variables.id) } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
