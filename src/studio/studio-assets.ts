import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { type PageFile, pageFile } from '../common/graphql/console/page-answer.js';
import { projectFile } from '../common/project-file.js';

const compress = promisify(gzip);
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const FOLDER = projectFile('studio/dist/');
/** The page of Studio, which is there once Studio is built, with all else. */
export const PAGE = 'index.html';

export interface StudioAsset extends PageFile {
  /** Whether its name changes with its content, so that browsers may keep it. */
  isPermanent: boolean;
  /** SHA-256 in base64 of the script that a page contains, for its policy. */
  scriptHash: string;
}

/** The files of the built Studio. Only names found in its folder are ever read, so no request can name another file. */
@Injectable()
export class StudioAssets {
  private names?: Set<string>;
  private readonly loaded = new Map<string, Promise<StudioAsset>>();

  /** Returns undefined for an unknown name, and for all names until Studio is built. */
  async find(name: string): Promise<StudioAsset | undefined> {
    const names = this.names ?? (await listFiles());
    if (names.has(PAGE)) this.names = names;
    if (!names.has(name)) return undefined;
    const known = this.loaded.get(name);
    if (known) return known;
    const loading = load(name);
    this.loaded.set(name, loading);
    loading.catch(() => this.loaded.delete(name));
    return loading;
  }
}

async function listFiles(): Promise<Set<string>> {
  const entries = await readdir(FOLDER, { recursive: true }).catch(() => []);
  return new Set(entries.map((name) => name.replaceAll('\\', '/')).filter((name) => extname(name) in TYPES));
}

async function load(name: string): Promise<StudioAsset> {
  const content = await readFile(new URL(name, FOLDER));
  return {
    ...pageFile(TYPES[extname(name)]!, (await compress(content)) as Buffer),
    isPermanent: name.startsWith('assets/'),
    scriptHash: hashOfScript(content),
  };
}

function hashOfScript(page: Buffer): string {
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page.toString()) ?? [];
  return createHash('sha256').update(script).digest('base64');
}
