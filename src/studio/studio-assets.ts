import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { type PageFile, pageFile } from '../common/graphql/console/page-answer.js';
import { projectFile } from '../common/base/project-file.js';

const compress = promisify(gzip);
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const FOLDER = projectFile('studio/dist/');
/** Page of Studio. Exists once Studio is built completely. */
export const PAGE = 'index.html';

export interface StudioAsset extends PageFile {
  /** True if its name changes with its content, so that browsers may cache it forever. */
  isPermanent: boolean;
  /** Base64 SHA-256 of the inline script of a page, for its policy. */
  scriptHash: string;
}

/** Files of the built Studio. Only names found in its folder are read, so no request can reach another file. */
@Injectable()
export class StudioAssets {
  private names?: Set<string>;
  private readonly loaded = new Map<string, Promise<StudioAsset>>();

  constructor(private readonly config: Config) {}

  /** Returns undefined for unknown names, and for all names until Studio is built. */
  async find(name: string): Promise<StudioAsset | undefined> {
    const names = this.names ?? (await listFiles());
    if (names.has(PAGE)) this.names = names;
    if (!names.has(name)) return undefined;
    const known = this.loaded.get(name);
    if (known) return known;
    const loading = load(name, name === PAGE && this.config.oidc !== undefined);
    this.loaded.set(name, loading);
    loading.catch(() => this.loaded.delete(name));
    return loading;
  }
}

async function listFiles(): Promise<Set<string>> {
  const entries = await readdir(FOLDER, { recursive: true }).catch(() => []);
  return new Set(entries.map((name) => name.replaceAll('\\', '/')).filter((name) => extname(name) in TYPES));
}

/** Loads a file. The page of a node where people sign in says so to its script, and is not the one compressed by the build. */
async function load(name: string, isForPeople: boolean): Promise<StudioAsset> {
  const built = await readFile(new URL(name, FOLDER));
  const content = isForPeople ? Buffer.from(built.toString().replace('<html ', '<html data-people ')) : built;
  const brotli = isForPeople ? undefined : await readFile(new URL(`${name}.br`, FOLDER)).catch(() => undefined);
  return {
    ...pageFile(TYPES[extname(name)]!, (await compress(content)) as Buffer, brotli),
    isPermanent: name.startsWith('assets/'),
    scriptHash: hashOfScript(content),
  };
}

function hashOfScript(page: Buffer): string {
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page.toString()) ?? [];
  return createHash('sha256').update(script).digest('base64');
}
