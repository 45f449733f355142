import { PlatformError } from './platform-error.js';

const LIMIT_MS = 40_000;

/** Routes that a server has for tests only. */
export class TestingApi {
  constructor(
    readonly address: string,
    private readonly key: string,
  ) {}

  get<T>(path: string, query: Record<string, string | number | undefined> = {}): Promise<T> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    return this.send<T>(`${path}?${search}`, { method: 'GET' });
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.send<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  private async send<T>(path: string, { headers, ...init }: RequestInit): Promise<T> {
    const response = await fetch(`${this.address}/testing/${path}`, {
      ...init,
      headers: { ...(headers as Record<string, string>), 'x-testing-key': this.key },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const body = (await response.json()) as T & { code: string; message: string };
    if (!response.ok) throw new PlatformError(body.code, body.message);
    return body;
  }
}
