import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Platform } from './platform.js';
import { TestingApi } from './testing-api.js';

/** Members of a Testcontainers `GenericContainer` that are used. */
export interface Container<Started extends StartedContainer> {
  withEnvironment(environment: Record<string, string>): unknown;
  withExposedPorts(...ports: { container: number; host: number }[]): unknown;
  start(): Promise<Started>;
}

export interface StartedContainer {
  getHost(): string;
  stop(): Promise<unknown>;
}

export interface ContainerOptions {
  /** Host of the container engine for tests and application; by default TESTCONTAINERS_HOST_OVERRIDE or `localhost`. */
  host?: string;
  /** Time limit of the server in the started container; 60,000 by default. */
  timeoutMs?: number;
}

const PORT_INSIDE = 3000;
const LOOK_MS = 100;
/** URLs of applications under test, in other containers and outside. */
const PRIVATE_NETWORKS = '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7';

/** A server in a container. It is exclusive, so it has a clock and faults. */
export class ContainerPlatform<Started extends StartedContainer> extends Platform {
  constructor(
    address: string,
    /** Value of the header `x-testing-key`, for programs in other languages. */
    readonly testingKey: string,
    readonly container: Started,
  ) {
    super(new TestingApi(address, testingKey), { release: async () => void (await container.stop()) }, true);
  }
}

/** Starts a container of the image platform-services for tests. Configure everything else, such as a network, before. */
export async function startPlatformIn<Started extends StartedContainer>(
  container: Container<Started>,
  { host = process.env.TESTCONTAINERS_HOST_OVERRIDE ?? 'localhost', timeoutMs = 60_000 }: ContainerOptions = {},
): Promise<ContainerPlatform<Started>> {
  // The server includes its URL in signed URLs, so it must know the port before it starts.
  const port = await freePort();
  const address = `http://${host}:${port}`;
  const testingKey = randomBytes(24).toString('base64url');
  container.withExposedPorts({ container: PORT_INSIDE, host: port });
  container.withEnvironment({
    NODE_ENV: 'test',
    PORT: String(PORT_INSIDE),
    PUBLIC_URL: address,
    TESTING_KEY: testingKey,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_NETWORKS: PRIVATE_NETWORKS,
  });
  const started = await container.start();
  try {
    const actual = started.getHost();
    if (actual !== host) throw new Error(`the container is on ${actual}, not ${host}: give the option host: '${actual}'`);
    await serves(address, timeoutMs);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return new ContainerPlatform(address, testingKey, started);
}

async function serves(address: string, timeoutMs: number): Promise<void> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; await sleep(LOOK_MS)) {
    const response = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new Error(`the container does not serve on ${address} within ${timeoutMs} ms`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
