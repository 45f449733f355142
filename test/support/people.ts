import type { TestServer } from './server.js';

/** Cookies of a browser for the hosts of a test, which share one name. */
export type Cookies = Map<string, string>;

const TURNS = 10;

type Request = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

async function visit(url: string, cookies: Cookies, init: Request = {}): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (value && !/Max-Age=0|1970/.test(line)) cookies.set(name!, value);
    else cookies.delete(name!);
  }
  return response;
}

/** Signs a person in at the issuer, as a browser does. Returns the URL to which the issuer sends the browser, not yet opened. */
export async function atCallback(address: string, login: string, cookies: Cookies): Promise<string> {
  let response = await visit(`${address}/session/sign-in`, cookies);
  let base = address;
  for (let turn = 0; turn < TURNS; turn++) {
    const location = response.headers.get('location');
    if (!location) throw new Error(`the issuer answered with ${response.status}: ${await response.text()}`);
    const url = new URL(location, base).href;
    base = url;
    if (url.startsWith(`${address}/session/callback`)) return url;
    const isForm = url.includes('/interaction/');
    const body = new URLSearchParams({ prompt: 'login', login, password: 'any' });
    response = await visit(url, cookies, isForm ? { method: 'POST', body } : {});
  }
  throw new Error('the issuer does not send the browser back');
}

/** Opens the callback. Returns the response, and the token of the session if one began. */
export async function callback(url: string, cookies: Cookies): Promise<{ response: Response; token: string | undefined }> {
  const response = await visit(url, cookies);
  return { response, token: cookies.get('platform-session') };
}

/** A person who is signed in to a server. */
export class SignedIn {
  private constructor(
    readonly address: string,
    readonly token: string,
  ) {}

  static async as(login: string, { address }: Pick<TestServer, 'address'>): Promise<SignedIn> {
    const cookies: Cookies = new Map();
    const { response, token } = await callback(await atCallback(address, login, cookies), cookies);
    if (!token) throw new Error(`${login} could not sign in: ${await response.text()}`);
    return new SignedIn(address, token);
  }

  /** Credentials in a tenant, in place of a key of `Api`. */
  in(tenantId: string): string {
    return `session ${this.token} ${tenantId}`;
  }

  send(path: string, init: Request = {}): Promise<Response> {
    const own = { cookie: `platform-session=${this.token}`, 'sec-fetch-site': 'same-origin' };
    return fetch(this.address + path, { ...init, headers: { ...own, ...init.headers } });
  }
}
