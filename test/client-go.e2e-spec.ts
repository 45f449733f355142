// @nightly postgresql: no SQL of its own
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from './support/chromium.js';
import { mailOfPage, pathOf, runProgram, serverBehindProxy } from './support/language-clients.js';
import { needing, program } from './support/needs.js';
import { TestServer } from './support/server.js';
import { RECEIVER_SETTINGS } from './support/webhooks.js';

const CLIENT = pathOf('clients/go');
const MODULE = 'github.com/platform-services/platform-services/clients/go';
/** Without cgo it needs no C compiler, and nothing is downloaded. */
const OFFLINE = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '' };
const { settings, page: readme, shown } = printable(readFileSync(join(CLIENT, 'README.md'), 'utf8'));
/** The output of the README's functions. */
const SHOWN = ['Hi Ann', 'a.txt', 'true', 'sent 12000000', ...shown, 'hello, Ann', '1 recorded', '4 webhooks'];
/** An import that is unused without the function that prints. */
const MAIL = shown.length > 0 ? `\t"${MODULE}/email"\n` : '';
/** Calls the functions of the README, with the imports that they need besides those of the first. */
const PROGRAM = `
func main() {
	ctx := context.Background()
	client := platform.Must(platform.New(os.Getenv("PLATFORM_URL"), os.Getenv("PLATFORM_KEY")))
	for _, run := range []func(context.Context, *platform.Client) error{operations, transfers, ${shown.length > 0 ? 'printing, ' : ''}pushes, logging, subscribe} {
		if err := run(ctx, client); err != nil {
			panic(err)
		}
	}
	_ = receive
}
`;

const itInGo = needing(program('go'), program('gofmt')).it;
const moduleOf = (name: string) => `module ${name}\n\ngo 1.19\n\nrequire ${MODULE} v0.0.0\n\nreplace ${MODULE} => ${CLIENT}\n`;

itInGo('the tests of the Go client pass against a server', async () => {
  const { stop, env } = await serverBehindProxy();
  const args = ['test', '-count=1', '-v', '-timeout=300s', './...'];
  const { output, status } = await runProgram('go', args, CLIENT, { ...env, ...OFFLINE });
  await stop();
  expect([...output.matchAll(/^(?:.*\.go:\d+: .*\n|panic: .*\n)*--- FAIL: .*$(?:\n {4}.*)*/gm)].map(([text]) => text)).toEqual(
    [],
  );
  expect(output).toContain(`ok  \t${MODULE}\t`);
  expect(output.match(/^--- PASS: /gm)?.length).toBeGreaterThan(30);
  expect(status).toBe(0);
});

itInGo('the Go client passes go vet and gofmt, including generated files', async () => {
  const { output, status } = await runProgram('go', ['vet', './...'], CLIENT, OFFLINE);
  expect({ output, status }).toEqual({ output: '', status: 0 });
  expect((await runProgram('gofmt', ['-l', '.'], CLIENT, {})).stdout).toBe('');
});

itInGo('the five lines of the Go page send a mail with an uploaded attachment', async () => {
  const run = async (folder: string, env: Record<string, string>) => {
    writeFileSync(join(folder, 'go.mod'), moduleOf('mail'));
    return runProgram('go', ['run', '.'], folder, { ...env, ...OFFLINE });
  };
  const mail = await mailOfPage('docs/five-minutes-go.md', { language: 'go', file: 'main.go', run });
  expect(mail.headers.get('to')).toBe('ann@example.com');
  const attachment = mail.parts.find(({ fileName }) => fileName === 'invoice.txt');
  expect(String(attachment!.content)).toBe('120 EUR');
});

needing(program('go'), program('python3')).it(
  'the Go client is fetched from a module proxy with its generated types',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-services-go-'));
    const [proxy, cache] = [join(folder, 'proxy'), join(folder, 'cache')];
    const made = await runProgram(process.execPath, [pathOf('scripts/go-module.mjs'), 'v0.3.0', proxy], folder, {});
    expect(made).toMatchObject({ status: 0 });
    const fetching = { ...OFFLINE, GOPROXY: `file://${proxy}`, GONOSUMDB: '*', GOFLAGS: '-modcacherw', GOMODCACHE: cache };
    const run = async (mail: string, env: Record<string, string>) => {
      for (const args of [
        ['mod', 'init', 'mail'],
        ['get', `${MODULE}@v0.3.0`],
      ])
        await runProgram('go', args, mail, fetching);
      return runProgram('go', ['run', '.'], mail, { ...env, ...fetching });
    };
    const mail = await mailOfPage('docs/five-minutes-go.md', { language: 'go', file: 'main.go', run });
    expect(mail.headers.get('to')).toBe('ann@example.com');
    rmSync(folder, { recursive: true });
  },
);

itInGo('the functions of the Go README work one after another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-go-'));
  const functions = [...readme.matchAll(/^```go\n(.*?)^```$/gms)].map(([, snippet]) => snippet);
  const source = functions
    .join('\n')
    .replace(
      '"os"\n',
      `"io"\n\t"net/http"\n\t"os"\n\t"time"\n\n${['events', 'log', 'push'].map((name) => `\t"${MODULE}/${name}"\n`).join('')}` +
        MAIL,
    );
  writeFileSync(join(folder, 'main.go'), source + PROGRAM);
  writeFileSync(join(folder, 'go.mod'), moduleOf('readme'));
  const server = await TestServer.start({ ...RECEIVER_SETTINGS, ...settings });
  const env = { PLATFORM_URL: server.address, PLATFORM_KEY: await server.createKey(), ...OFFLINE };
  const { stdout, output, status } = await runProgram('go', ['run', '.'], folder, env);
  await server.stop();
  expect({ status, output }).toEqual({ status: 0, output: expect.any(String) });
  expect(stdout.trim().split('\n')).toEqual(SHOWN);
  expect(readFileSync(join(folder, 'copy.bin')).equals(readFileSync(join(folder, 'report.bin')))).toBe(true);
  rmSync(folder, { recursive: true });
});
